// Constructs.h: which of Python's constructs a kernel may contain. The emitter and the audit share this table.
#pragma once

#include "syntax/Ast.h"

#include <string>
#include <vector>

namespace nereid::lang {

// What to say about a construct that no kernel may contain; empty when it is supported.
std::string unsupportedStatement(syntax::StmtKind kind);
std::string unsupportedExpression(syntax::ExprKind kind);

// What to write instead, where there is something: notes for the message.
std::vector<std::string> helpForStatement(syntax::StmtKind kind);
std::vector<std::string> helpForExpression(syntax::ExprKind kind);

// `tl.constexpr` in any spelling: `constexpr`, `triton.language.constexpr`, "tl.constexpr".
bool isConstexprAnnotation(const syntax::Expr *annotation);

} // namespace nereid::lang
