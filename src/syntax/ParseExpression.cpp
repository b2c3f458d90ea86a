// ParseExpression.cpp: the rules above the operators: lists of expressions, `:=`, conditionals, lambda, yield.
#include "syntax/FileParser.h"

namespace nereid::syntax {

bool FileParser::startsExpression() const {
  switch (token.kind) {
  case TokenKind::Name:
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
  case TokenKind::String:
  case TokenKind::FString:
  case TokenKind::False:
  case TokenKind::None:
  case TokenKind::True:
  case TokenKind::Await:
  case TokenKind::Lambda:
  case TokenKind::Not:
  case TokenKind::LeftParen:
  case TokenKind::LeftBracket:
  case TokenKind::LeftBrace:
  case TokenKind::Ellipsis:
  case TokenKind::Plus:
  case TokenKind::Minus:
  case TokenKind::Tilde: return true;
  default: return false;
  }
}

// a   a, b   *a, b   a,
Expr *FileParser::parseStarExpressions() {
  uint32_t begin = token.begin;
  Expr *first = parseStarExpression();
  if (!at(TokenKind::Comma))
    return first;
  ListBuilder<Expr> elements(*this);
  elements.push(first);
  while (accept(TokenKind::Comma) && (startsExpression() || at(TokenKind::Star)))
    elements.push(parseStarExpression());
  return make<TupleExpr>(since(begin), elements.finish(), ExprContext::Load);
}

Expr *FileParser::parseStarExpression() {
  if (!at(TokenKind::Star))
    return parseExpression();
  uint32_t begin = token.begin;
  advance();
  DepthScope scope(*this);
  Expr *value = parseBinary(0);
  return make<Starred>(since(begin), value, ExprContext::Load);
}

Expr *FileParser::parseStarNamed() { return at(TokenKind::Star) ? parseStarExpression() : parseNamed(); }

Expr *FileParser::parseNamed() {
  uint32_t begin = token.begin;
  Expr *target = parseExpression();
  if (!at(TokenKind::ColonEqual))
    return target;
  bool bare = target->kind == ExprKind::Name && target->range.begin == begin;
  if (!bare) {
    fail({begin, previousEnd}, "`:=` can only assign to a name");
    return target;
  }
  advance();
  static_cast<Name *>(target)->ctx = ExprContext::Store;
  DepthScope scope(*this);
  Expr *value = parseExpression();
  return make<NamedExpr>(since(begin), target, value);
}

Expr *FileParser::parseExpression() {
  if (at(TokenKind::Lambda))
    return parseLambda();
  uint32_t begin = token.begin;
  Expr *body = parseDisjunction();
  if (!at(TokenKind::If))
    return body;
  ChainHeight height(*this); // the body was parsed at this level and ends up one below
  height.grow();
  advance();
  DepthScope scope(*this);
  Expr *test = parseDisjunction();
  if (!at(TokenKind::Else)) {
    failAtToken("`else` after the condition of `a if b else c`");
    return body;
  }
  advance();
  Expr *orelse = parseExpression();
  return make<IfExp>(since(begin), test, body, orelse);
}

Expr *FileParser::parseLambda() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  bool inField = lexer.atFieldLevel();
  advance();
  Arguments *arguments = parseParameters(TokenKind::Colon);
  if (inField && at(TokenKind::Colon)) { // there the colon begins the format specification
    fail({begin, token.end}, "a lambda in an f-string needs parentheses around it");
    return placeholder();
  }
  if (!expect(TokenKind::Colon, "after the parameters of a lambda"))
    return placeholder();
  Expr *body = parseExpression();
  return make<Lambda>(since(begin), arguments, body);
}

Expr *FileParser::parseYield() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  advance();
  if (accept(TokenKind::From)) {
    Expr *value = parseExpression();
    return make<YieldFrom>(since(begin), value);
  }
  Expr *value = startsExpression() || at(TokenKind::Star) ? parseStarExpressions() : nullptr;
  return make<Yield>(since(begin), value);
}

Expr *FileParser::parseYieldOrStar() { return at(TokenKind::Yield) ? parseYield() : parseStarExpressions(); }

} // namespace nereid::syntax
