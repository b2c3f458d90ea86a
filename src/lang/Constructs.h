// Constructs.h: which of Python's constructs a kernel may contain. The emitter and the audit share this table.
#pragma once

#include "syntax/Ast.h"

#include <string>

namespace nereid::lang {

// What to say about a construct that no kernel may contain; empty when it is supported.
std::string unsupportedStatement(syntax::StmtKind kind);
std::string unsupportedExpression(syntax::ExprKind kind);

// `tl.constexpr` in any spelling: `constexpr`, `triton.language.constexpr`, "tl.constexpr".
bool isConstexprAnnotation(const syntax::Expr *annotation);

} // namespace nereid::lang
