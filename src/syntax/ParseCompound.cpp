// ParseCompound.cpp: if, while, for, try, with.
#include "syntax/FileParser.h"

namespace nereid::syntax {

Body FileParser::parseElse(const char *after) {
  uint32_t begin = token.begin;
  return accept(TokenKind::Else) ? parseBlock(after, begin) : Body();
}

// `elif` makes an `if` inside the `else` of the one before, so a long chain is a deep tree.
Stmt *FileParser::parseIf() {
  uint32_t begin = token.begin;
  const char *after = at(TokenKind::If) ? "the condition of `if`" : "the condition of `elif`";
  DepthScope scope(*this);
  advance();
  Expr *test = parseNamed();
  Body body = parseBlock(after, begin);
  Body orelse;
  if (at(TokenKind::Elif)) {
    ListBuilder<Stmt> nested(*this);
    nested.push(parseIf());
    orelse = nested.finish();
  } else {
    orelse = parseElse("`else`");
  }
  return make<If>(since(begin), test, body, orelse);
}

Stmt *FileParser::parseWhile() {
  uint32_t begin = token.begin;
  advance();
  Expr *test = parseNamed();
  Body body = parseBlock("the condition of `while`", begin);
  Body orelse = parseElse("`else`");
  return make<While>(since(begin), test, body, orelse);
}

Stmt *FileParser::parseFor(uint32_t begin, bool isAsync) {
  advance();
  Expr *target = parseTargets(TokenKind::In);
  expect(TokenKind::In, "after the target of `for`");
  Expr *iterable = parseStarExpressions();
  Body body = parseBlock("the header of `for`", begin);
  Body orelse = parseElse("`else`");
  return makeKind<For>(isAsync ? StmtKind::AsyncFor : StmtKind::For, since(begin), target, iterable, body, orelse);
}

Stmt *FileParser::parseTry() {
  uint32_t begin = token.begin;
  advance();
  Body body = parseBlock("`try`", begin);
  ListBuilder<ExceptHandler> handlers(*this);
  bool isStar = false;
  while (at(TokenKind::Except))
    handlers.push(parseHandler(isStar, handlers.size() == 0));
  Body orelse, finalbody;
  if (handlers.size() != 0)
    orelse = parseElse("`else`");
  uint32_t finallyBegin = token.begin;
  bool hasFinally = accept(TokenKind::Finally);
  if (hasFinally)
    finalbody = parseBlock("`finally`", finallyBegin);
  if (handlers.size() == 0 && !hasFinally)
    note(
        complain({token.begin, token.end}, "expected `except` or `finally` after the block of `try`, found " + found()),
        {begin, begin + 3}, "the `try` is here");
  return makeKind<Try>(isStar ? StmtKind::TryStar : StmtKind::Try, since(begin), body, handlers.finish(), orelse,
                       finalbody);
}

ExceptHandler *FileParser::parseHandler(bool &isStar, bool isFirst) {
  uint32_t begin = token.begin;
  advance();
  bool star = accept(TokenKind::Star);
  if (!isFirst && star != isStar)
    fail({begin, previousEnd}, "one `try` cannot have both `except` and `except*`");
  isStar = star;
  Expr *type = nullptr;
  Identifier name;
  if (!at(TokenKind::Colon) && !at(TokenKind::Newline)) {
    type = parseExpression();
    if (at(TokenKind::Comma))
      fail({type->range.begin, token.end}, "several exception types need parentheses around them");
    if (accept(TokenKind::As))
      name = expectIdentifier("a name after `as`");
  } else if (star) {
    failAtToken("one or more exception types after `except*`");
  }
  Body body = parseBlock("`except`", begin);
  return arena.make<ExceptHandler>(type, name, body, since(begin));
}

Stmt *FileParser::parseWith(uint32_t begin, bool isAsync) {
  advance();
  List<WithItem> items;
  if (!at(TokenKind::LeftParen) || !withItemsAreParenthesized() || !parseParenthesizedItems(items)) {
    ListBuilder<WithItem> plain(*this);
    do
      plain.push(parseWithItem());
    while (accept(TokenKind::Comma));
    items = plain.finish();
  }
  Body body = parseBlock("the items of `with`", begin);
  return makeKind<With>(isAsync ? StmtKind::AsyncWith : StmtKind::With, since(begin), items, body);
}

WithItem *FileParser::parseWithItem() {
  Expr *context = parseExpression();
  Expr *variables = accept(TokenKind::As) ? parseTarget() : nullptr;
  return arena.make<WithItem>(context, variables);
}

// At `(`. True when it holds the items themselves: `with (a, b as c):`. Otherwise it begins an expression, as in
// `with (a, b) as c:` or `with (yield):`. What an item cannot contain decides without parsing it.
bool FileParser::withItemsAreParenthesized() {
  Lexer probe = lexer;
  size_t level = probe.openBrackets().size();
  Token next, last = token;
  bool isItemList = true;
  while (probe.openBrackets().size() >= level) {
    probe.next(next);
    bool outermost = probe.openBrackets().size() == level;
    bool startsItem = last.begin == token.begin || (outermost && last.kind == TokenKind::Comma);
    if (next.kind == TokenKind::Error || next.kind == TokenKind::EndOfFile)
      return false;
    if (next.kind == TokenKind::FString && !probe.skipFString(next))
      return false;
    bool closes = probe.openBrackets().size() < level;
    if (last.begin == token.begin && closes)
      isItemList = false; // `()`
    if (startsItem && (next.kind == TokenKind::Star || next.kind == TokenKind::Yield))
      isItemList = false;
    if (outermost && !closes &&
        (next.kind == TokenKind::ColonEqual || next.kind == TokenKind::For || next.kind == TokenKind::Async))
      isItemList = false;
    last = next;
  }
  probe.next(next);
  return isItemList && next.kind == TokenKind::Colon;
}

bool FileParser::parseParenthesizedItems(List<WithItem> &items) {
  uint32_t opening = token.begin;
  advance();
  ListBuilder<WithItem> list(*this);
  do
    list.push(parseWithItem());
  while (accept(TokenKind::Comma) && !at(TokenKind::RightParen));
  expectClosing(TokenKind::RightParen, opening, "`,` or ");
  items = list.finish();
  return true;
}

} // namespace nereid::syntax
