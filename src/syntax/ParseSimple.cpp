// ParseSimple.cpp: the statements that fit on one line.
#include "syntax/FileParser.h"

namespace nereid::syntax {

Stmt *FileParser::parseSimple() {
  SourceRange range{token.begin, token.end};
  switch (token.kind) {
  case TokenKind::Pass: advance(); return arena.make<Stmt>(StmtKind::Pass, range);
  case TokenKind::Break: advance(); return arena.make<Stmt>(StmtKind::Break, range);
  case TokenKind::Continue: advance(); return arena.make<Stmt>(StmtKind::Continue, range);
  case TokenKind::Return: return parseReturn();
  case TokenKind::Raise: return parseRaise();
  case TokenKind::Del: return parseDelete();
  case TokenKind::Assert: return parseAssert();
  case TokenKind::Import: return parseImport();
  case TokenKind::From: return parseImportFrom();
  case TokenKind::Global: return parseScope(StmtKind::Global);
  case TokenKind::Nonlocal: return parseScope(StmtKind::Nonlocal);
  case TokenKind::Elif: return failWithoutOwner("an `if`");
  case TokenKind::Else: return failWithoutOwner("an `if`, a loop or a `try`");
  case TokenKind::Except:
  case TokenKind::Finally: return failWithoutOwner("a `try`");
  default: break;
  }
  if (atName("type")) {
    Lexer probe = lexer;
    Token next;
    probe.next(next);
    if (next.kind == TokenKind::Name)
      return parseTypeAlias();
  }
  return parseExpressionStatement();
}

// `else` and its like at the beginning of a statement.
Stmt *FileParser::failWithoutOwner(const char *owner) {
  fail({token.begin, token.end}, found() + " does not follow the block of " + owner);
  return placeholderStatement();
}

static bool augmentedOperator(TokenKind kind, BinaryOperator &op) {
  switch (kind) {
  case TokenKind::PlusEqual: op = BinaryOperator::Add; return true;
  case TokenKind::MinusEqual: op = BinaryOperator::Sub; return true;
  case TokenKind::StarEqual: op = BinaryOperator::Mult; return true;
  case TokenKind::DoubleStarEqual: op = BinaryOperator::Pow; return true;
  case TokenKind::SlashEqual: op = BinaryOperator::Div; return true;
  case TokenKind::DoubleSlashEqual: op = BinaryOperator::FloorDiv; return true;
  case TokenKind::PercentEqual: op = BinaryOperator::Mod; return true;
  case TokenKind::PipeEqual: op = BinaryOperator::BitOr; return true;
  case TokenKind::CaretEqual: op = BinaryOperator::BitXor; return true;
  case TokenKind::AmpersandEqual: op = BinaryOperator::BitAnd; return true;
  case TokenKind::LeftShiftEqual: op = BinaryOperator::LShift; return true;
  case TokenKind::RightShiftEqual: op = BinaryOperator::RShift; return true;
  case TokenKind::AtEqual: op = BinaryOperator::MatMult; return true;
  default: return false;
  }
}

// An expression, or what follows one: `=`, `+=`, `: type`.
Stmt *FileParser::parseExpressionStatement() {
  uint32_t begin = token.begin;
  bool parenthesized = at(TokenKind::LeftParen);
  Expr *first = parseYieldOrStar();
  BinaryOperator op;
  if (at(TokenKind::Equal))
    return parseAssign(first, begin);
  if (at(TokenKind::Colon))
    return parseAnnAssign(first, begin, parenthesized);
  if (augmentedOperator(token.kind, op))
    return parseAugAssign(first, begin, op);
  if (at(TokenKind::ColonEqual))
    fail({token.begin, token.end}, "`:=` as a statement; write `=`, or put parentheses around it");
  return make<ExprStmt>(since(begin), first);
}

// a = b = c: everything but the last is a target.
Stmt *FileParser::parseAssign(Expr *first, uint32_t begin) {
  ListBuilder<Expr> targets(*this);
  Expr *value = first;
  while (at(TokenKind::Equal)) {
    setContext(value, ExprContext::Store);
    targets.push(value);
    advance();
    value = parseYieldOrStar();
  }
  return make<Assign>(since(begin), targets.finish(), value);
}

static bool isSingleTarget(const Expr *target) {
  return target->kind == ExprKind::Name || target->kind == ExprKind::Attribute || target->kind == ExprKind::Subscript;
}

Stmt *FileParser::parseAugAssign(Expr *target, uint32_t begin, BinaryOperator op) {
  if (!isSingleTarget(target))
    fail(target->range, "expected a name, an attribute or a subscript before " + found());
  else
    setContext(target, ExprContext::Store);
  advance();
  Expr *value = parseYieldOrStar();
  return make<AugAssign>(since(begin), target, op, value);
}

Stmt *FileParser::parseAnnAssign(Expr *target, uint32_t begin, bool parenthesized) {
  if (!isSingleTarget(target)) {
    bool several = target->kind == ExprKind::Tuple || target->kind == ExprKind::List;
    if (several)
      fail(target->range, "only one name, attribute or subscript can have a type annotation");
    failAtToken("the end of the line or an operator");
  }
  setContext(target, ExprContext::Store);
  advance();
  Expr *annotation = parseExpression();
  Expr *value = accept(TokenKind::Equal) ? parseYieldOrStar() : nullptr;
  bool simple = target->kind == ExprKind::Name && !parenthesized;
  return make<AnnAssign>(since(begin), target, annotation, value, simple);
}

Stmt *FileParser::parseReturn() {
  uint32_t begin = token.begin;
  advance();
  Expr *value = at(TokenKind::Newline) || at(TokenKind::Semicolon) ? nullptr : parseStarExpressions();
  return make<Return>(since(begin), value);
}

Stmt *FileParser::parseRaise() {
  uint32_t begin = token.begin;
  advance();
  Expr *exception = nullptr, *cause = nullptr;
  if (!at(TokenKind::Newline) && !at(TokenKind::Semicolon)) {
    exception = parseExpression();
    if (accept(TokenKind::From))
      cause = parseExpression();
  }
  return make<Raise>(since(begin), exception, cause);
}

Stmt *FileParser::parseDelete() {
  uint32_t begin = token.begin;
  advance();
  ListBuilder<Expr> targets(*this);
  do {
    Expr *target = parseStarExpression();
    setContext(target, ExprContext::Del);
    targets.push(target);
  } while (accept(TokenKind::Comma) && !at(TokenKind::Newline) && !at(TokenKind::Semicolon));
  return make<Delete>(since(begin), targets.finish());
}

Stmt *FileParser::parseAssert() {
  uint32_t begin = token.begin;
  advance();
  Expr *test = parseExpression();
  Expr *message = accept(TokenKind::Comma) ? parseExpression() : nullptr;
  return make<Assert>(since(begin), test, message);
}

Stmt *FileParser::parseScope(StmtKind kind) {
  uint32_t begin = token.begin;
  advance();
  std::vector<Identifier> names;
  do
    names.push_back(expectIdentifier("a name"));
  while (accept(TokenKind::Comma));
  Identifiers list = arena.copy(names.data(), names.size());
  return makeKind<GlobalStmt>(kind, since(begin), list);
}

Stmt *FileParser::parseTypeAlias() {
  uint32_t begin = token.begin;
  advance();
  SourceRange nameRange{token.begin, token.end};
  Expr *name = make<Name>(nameRange, expectIdentifier("a name"), ExprContext::Store);
  List<TypeParam> parameters = parseTypeParams();
  expect(TokenKind::Equal, "in a type alias");
  Expr *value = parseExpression();
  return make<TypeAlias>(since(begin), name, parameters, value);
}

} // namespace nereid::syntax
