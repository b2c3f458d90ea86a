// SyntaxWalk.h: visits the parts of a syntax tree: which names a statement binds, whether a body yields, and a plain
// walk for everything else.
#pragma once

#include "syntax/Ast.h"

#include <functional>
#include <string_view>
#include <vector>

namespace nereid::lang {

struct SyntaxVisitor {
  std::function<void(const syntax::Expr *)> expression;
  std::function<void(const syntax::Stmt *)> statement;
};
// Calls the visitor for each direct part (never for null). Default values, decorators and annotations are parts too.
void visitParts(const syntax::Expr *expression, const SyntaxVisitor &visitor);
void visitParts(const syntax::Stmt *statement, const SyntaxVisitor &visitor);

// True when the body of a function makes it a generator; nested functions do not count.
bool containsYield(syntax::Body body);
// The first `return` with a value, or none; nested functions do not count.
const syntax::Stmt *returnOfValue(syntax::Body body);
// The names that a statement binds in its own scope.
void boundNames(const syntax::Stmt *statement, std::vector<std::string_view> &names);

} // namespace nereid::lang
