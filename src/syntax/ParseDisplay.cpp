// ParseDisplay.cpp: what stands in brackets of its own: groups, tuples, lists, sets, dictionaries, comprehensions.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// ( … ): a group, a tuple, a generator or a yield.
Expr *FileParser::parseParenthesized() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  advance();
  if (accept(TokenKind::RightParen))
    return make<TupleExpr>(since(begin), ExprList(), ExprContext::Load);
  if (at(TokenKind::Yield)) {
    Expr *value = parseYield();
    expectClosing(TokenKind::RightParen, begin, "");
    return value;
  }
  Expr *first = parseStarNamed();
  if (at(TokenKind::Comma))
    return parseTupleTail(first, begin);
  if (atComprehension()) {
    if (first->kind == ExprKind::Starred) {
      fail(first->range, "`*` cannot be used in a comprehension");
      return first;
    }
    auto generators = parseComprehension();
    expectClosing(TokenKind::RightParen, begin, "");
    return make<GeneratorExp>(since(begin), first, generators);
  }
  if (first->kind == ExprKind::Starred && at(TokenKind::RightParen) && first->range.end == previousEnd) {
    fail(first->range, "`*` needs a tuple, a list or a call around it; write `(*a,)` for a tuple");
    return first;
  }
  expectClosing(TokenKind::RightParen, begin, "`,` or ");
  return first;
}

Expr *FileParser::parseTupleTail(Expr *first, uint32_t begin) {
  ListBuilder<Expr> elements(*this);
  elements.push(first);
  while (accept(TokenKind::Comma) && !at(TokenKind::RightParen) && !failed)
    elements.push(parseStarNamed());
  expectClosing(TokenKind::RightParen, begin, "`,` or ");
  return make<TupleExpr>(since(begin), elements.finish(), ExprContext::Load);
}

Expr *FileParser::parseListDisplay() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  advance();
  ListBuilder<Expr> elements(*this);
  while (!at(TokenKind::RightBracket) && !failed) {
    elements.push(parseStarNamed());
    if (elements.size() == 1 && atComprehension()) {
      Expr *element = elements[0];
      if (element->kind == ExprKind::Starred)
        fail(element->range, "`*` cannot be used in a comprehension");
      auto generators = parseComprehension();
      expectClosing(TokenKind::RightBracket, begin, "");
      return make<ListComp>(since(begin), element, generators);
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expectClosing(TokenKind::RightBracket, begin, "`,` or ");
  return make<ListExpr>(since(begin), elements.finish(), ExprContext::Load);
}

// { … }: a dictionary when the first element is `**a` or is followed by a colon, else a set.
Expr *FileParser::parseBraceDisplay() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  advance();
  if (accept(TokenKind::RightBrace))
    return make<Dict>(since(begin), ExprList(), ExprList());
  if (at(TokenKind::DoubleStar))
    return parseDictRest(nullptr, begin);
  Expr *first = parseStarNamed();
  if (at(TokenKind::Colon) && first->kind != ExprKind::Starred)
    return parseDictRest(first, begin);
  return parseSetRest(first, begin);
}

// The first key has been read, unless the first entry is `**a`.
Expr *FileParser::parseDictRest(Expr *key, uint32_t begin) {
  ListBuilder<Expr> keys(*this), values(*this, secondStack);
  if (key && key->kind == ExprKind::NamedExpr && sourceText[key->range.begin - 1] != '(')
    fail(key->range, "`:=` as a key needs parentheses around it");
  do {
    if (at(TokenKind::RightBrace))
      break;
    bool unpacks = !key && accept(TokenKind::DoubleStar);
    if (!key && !unpacks)
      key = parseExpression();
    if (!unpacks)
      expect(TokenKind::Colon, "between a key and its value");
    if (!unpacks && at(TokenKind::Star))
      fail({token.begin, token.end}, "`*` cannot be used in the value of a dictionary");
    Expr *value = unpacks ? parseBinary(0) : parseExpression();
    if (keys.size() == 0 && atComprehension()) {
      if (unpacks)
        fail({begin, previousEnd}, "`**` cannot be used in a comprehension");
      auto generators = parseComprehension();
      expectClosing(TokenKind::RightBrace, begin, "");
      return make<DictComp>(since(begin), key, value, generators);
    }
    keys.push(key);
    values.push(value);
    key = nullptr;
  } while (accept(TokenKind::Comma));
  expectClosing(TokenKind::RightBrace, begin, "`,` or ");
  return make<Dict>(since(begin), keys.finish(), values.finish());
}

Expr *FileParser::parseSetRest(Expr *first, uint32_t begin) {
  if (atComprehension()) {
    if (first->kind == ExprKind::Starred)
      fail(first->range, "`*` cannot be used in a comprehension");
    auto generators = parseComprehension();
    expectClosing(TokenKind::RightBrace, begin, "");
    return make<SetComp>(since(begin), first, generators);
  }
  ListBuilder<Expr> elements(*this);
  elements.push(first);
  while (accept(TokenKind::Comma) && !at(TokenKind::RightBrace) && !failed)
    elements.push(parseStarNamed());
  expectClosing(TokenKind::RightBrace, begin, "`,` or ");
  return make<Set>(since(begin), elements.finish());
}

// for x in a if b for y in c …
List<Comprehension> FileParser::parseComprehension() {
  ListBuilder<Comprehension> generators(*this);
  DepthScope scope(*this);
  while (atComprehension()) {
    bool isAsync = accept(TokenKind::Async);
    expect(TokenKind::For, "after `async` in a comprehension");
    Expr *target = parseTargets(TokenKind::In);
    expect(TokenKind::In, "after the target of `for`");
    Expr *iterable = parseDisjunction();
    ListBuilder<Expr> conditions(*this, secondStack);
    while (accept(TokenKind::If))
      conditions.push(parseDisjunction());
    generators.push(arena.make<Comprehension>(target, iterable, conditions.finish(), isAsync));
  }
  return generators.finish();
}

} // namespace nereid::syntax
