// ParseOperator.cpp: expressions with operators, from `or` down to `**`.
#include "syntax/FileParser.h"

namespace nereid::syntax {

Expr *FileParser::parseDisjunction() {
  uint32_t begin = token.begin;
  Expr *first = parseConjunction();
  if (!at(TokenKind::Or))
    return first;
  ListBuilder<Expr> values(*this);
  values.push(first);
  DepthScope scope(*this);
  while (accept(TokenKind::Or))
    values.push(parseConjunction());
  return make<BoolOp>(since(begin), BoolOperator::Or, values.finish());
}

Expr *FileParser::parseConjunction() {
  uint32_t begin = token.begin;
  Expr *first = parseInversion();
  if (!at(TokenKind::And))
    return first;
  ListBuilder<Expr> values(*this);
  values.push(first);
  DepthScope scope(*this);
  while (accept(TokenKind::And))
    values.push(parseInversion());
  return make<BoolOp>(since(begin), BoolOperator::And, values.finish());
}

Expr *FileParser::parseInversion() {
  if (!at(TokenKind::Not))
    return parseComparison();
  uint32_t begin = token.begin;
  advance();
  DepthScope scope(*this);
  Expr *operand = parseInversion();
  return make<UnaryOp>(since(begin), UnaryOperator::Not, operand);
}

bool FileParser::acceptComparison(CompareOperator &op) {
  switch (token.kind) {
  case TokenKind::EqualEqual: op = CompareOperator::Eq; break;
  case TokenKind::NotEqual: op = CompareOperator::NotEq; break;
  case TokenKind::Less: op = CompareOperator::Lt; break;
  case TokenKind::LessEqual: op = CompareOperator::LtE; break;
  case TokenKind::Greater: op = CompareOperator::Gt; break;
  case TokenKind::GreaterEqual: op = CompareOperator::GtE; break;
  case TokenKind::In: op = CompareOperator::In; break;
  case TokenKind::Is:
    advance();
    op = accept(TokenKind::Not) ? CompareOperator::IsNot : CompareOperator::Is;
    return true;
  case TokenKind::Not:
    advance();
    op = CompareOperator::NotIn;
    return expect(TokenKind::In, "after `not`");
  default: return false;
  }
  advance();
  return true;
}

Expr *FileParser::parseComparison() {
  uint32_t begin = token.begin;
  Expr *left = parseBinary(0);
  CompareOperator op;
  if (!acceptComparison(op))
    return left;
  ListBuilder<Expr> comparators(*this);
  size_t base = operatorStack.size();
  DepthScope scope(*this);
  do {
    Expr *right = parseBinary(0);
    operatorStack.push_back(op);
    comparators.push(right);
  } while (acceptComparison(op));
  auto operators = arena.copy(operatorStack.data() + base, operatorStack.size() - base);
  operatorStack.resize(base);
  return make<Compare>(since(begin), left, operators, comparators.finish());
}

namespace {
struct BinaryRule {
  int precedence; // -1: not a binary operator
  BinaryOperator op;
};
} // namespace

static BinaryRule binaryRule(TokenKind kind) {
  switch (kind) {
  case TokenKind::Pipe: return {0, BinaryOperator::BitOr};
  case TokenKind::Caret: return {1, BinaryOperator::BitXor};
  case TokenKind::Ampersand: return {2, BinaryOperator::BitAnd};
  case TokenKind::LeftShift: return {3, BinaryOperator::LShift};
  case TokenKind::RightShift: return {3, BinaryOperator::RShift};
  case TokenKind::Plus: return {4, BinaryOperator::Add};
  case TokenKind::Minus: return {4, BinaryOperator::Sub};
  case TokenKind::Star: return {5, BinaryOperator::Mult};
  case TokenKind::Slash: return {5, BinaryOperator::Div};
  case TokenKind::DoubleSlash: return {5, BinaryOperator::FloorDiv};
  case TokenKind::Percent: return {5, BinaryOperator::Mod};
  case TokenKind::At: return {5, BinaryOperator::MatMult};
  default: return {-1, BinaryOperator::Add};
  }
}

// Left-associative operators of at least `precedence`.
Expr *FileParser::parseBinary(int precedence) {
  uint32_t begin = token.begin;
  ChainHeight height(*this);
  Expr *left = parseUnary();
  for (;;) {
    BinaryRule rule = binaryRule(token.kind);
    if (rule.precedence < precedence)
      return left;
    advance();
    Expr *right = parseBinary(rule.precedence + 1);
    left = make<BinOp>(since(begin), left, rule.op, right);
    height.grow();
  }
}

Expr *FileParser::parseUnary() {
  UnaryOperator op;
  switch (token.kind) {
  case TokenKind::Plus: op = UnaryOperator::UAdd; break;
  case TokenKind::Minus: op = UnaryOperator::USub; break;
  case TokenKind::Tilde: op = UnaryOperator::Invert; break;
  default: return parsePower();
  }
  uint32_t begin = token.begin;
  advance();
  DepthScope scope(*this);
  Expr *operand = parseUnary();
  return make<UnaryOp>(since(begin), op, operand);
}

Expr *FileParser::parsePower() {
  uint32_t begin = token.begin;
  Expr *base = parsePrimary();
  if (!at(TokenKind::DoubleStar))
    return base;
  advance();
  DepthScope scope(*this);
  Expr *exponent = parseUnary();
  return make<BinOp>(since(begin), base, BinaryOperator::Pow, exponent);
}

} // namespace nereid::syntax
