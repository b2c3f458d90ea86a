// ParseTarget.cpp: what can be assigned to and deleted. Targets are read as expressions and then checked, which gives
// better messages than a grammar of their own.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// a   a, b   *a, b.c   up to `end`, for `for` and comprehensions: above the level of `in`.
Expr *FileParser::parseTargets(TokenKind end) {
  uint32_t begin = token.begin;
  Expr *first = parseTarget();
  if (!at(TokenKind::Comma))
    return first;
  ListBuilder<Expr> elements(*this);
  elements.push(first);
  while (accept(TokenKind::Comma) && !at(end) && !failed)
    elements.push(parseTarget());
  return make<TupleExpr>(since(begin), elements.finish(), ExprContext::Store);
}

Expr *FileParser::parseTarget() {
  uint32_t begin = token.begin;
  bool starred = accept(TokenKind::Star);
  Expr *target = parseBinary(0);
  setContext(target, ExprContext::Store);
  return starred ? make<Starred>(since(begin), target, ExprContext::Store) : target;
}

void FileParser::setContext(Expr *target, ExprContext context) {
  switch (target->kind) {
  case ExprKind::Name: static_cast<Name *>(target)->ctx = context; return;
  case ExprKind::Attribute: static_cast<Attribute *>(target)->ctx = context; return;
  case ExprKind::Subscript: static_cast<Subscript *>(target)->ctx = context; return;
  case ExprKind::Starred:
    if (context == ExprContext::Del)
      return rejectTarget(target, context);
    static_cast<Starred *>(target)->ctx = context;
    return setContext(static_cast<Starred *>(target)->value, context);
  case ExprKind::Tuple:
    static_cast<TupleExpr *>(target)->ctx = context;
    for (Expr *element : static_cast<TupleExpr *>(target)->elts)
      setContext(element, context);
    return;
  case ExprKind::List:
    static_cast<ListExpr *>(target)->ctx = context;
    for (Expr *element : static_cast<ListExpr *>(target)->elts)
      setContext(element, context);
    return;
  default: return rejectTarget(target, context);
  }
}

static const char *describe(const Expr *target) {
  switch (target->kind) {
  case ExprKind::Constant:
    switch (static_cast<const Constant *>(target)->constantKind) {
    case ConstantKind::None: return "`None`";
    case ConstantKind::True: return "`True`";
    case ConstantKind::False: return "`False`";
    case ConstantKind::Ellipsis: return "`...`";
    default: return "a literal";
    }
  case ExprKind::Call: return "a call";
  case ExprKind::BoolOp:
  case ExprKind::BinOp:
  case ExprKind::UnaryOp: return "an operation";
  case ExprKind::Compare: return "a comparison";
  case ExprKind::Lambda: return "a lambda";
  case ExprKind::IfExp: return "a conditional expression";
  case ExprKind::NamedExpr: return "a `:=` expression";
  case ExprKind::Dict: return "a dictionary";
  case ExprKind::Set: return "a set";
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp: return "a comprehension";
  case ExprKind::GeneratorExp: return "a generator";
  case ExprKind::Await: return "an `await` expression";
  case ExprKind::Yield:
  case ExprKind::YieldFrom: return "a `yield` expression";
  case ExprKind::JoinedStr:
  case ExprKind::FormattedValue: return "an f-string";
  case ExprKind::Starred: return "a starred expression";
  default: return "this expression";
  }
}

void FileParser::rejectTarget(const Expr *target, ExprContext context) {
  std::string verb = context == ExprContext::Del ? "cannot delete " : "cannot assign to ";
  std::string hint = context == ExprContext::Store && at(TokenKind::Equal) ? "; did you mean `==`?" : "";
  fail(target->range, verb + describe(target) + hint);
}

} // namespace nereid::syntax
