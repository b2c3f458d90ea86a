// ParseCall.cpp: the arguments of calls and class definitions.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// After the opening parenthesis; reads the closing one too. A class takes no bare generator.
void FileParser::parseArguments(ExprList &arguments, List<Keyword> &keywords, uint32_t opening, bool isCall) {
  ListBuilder<Expr> positional(*this);
  ListBuilder<Keyword> named(*this, secondStack);
  DepthScope scope(*this);
  const char *before = nullptr; // the keyword argument that positional ones must not follow
  while (!at(TokenKind::RightParen) && !failed) {
    uint32_t begin = token.begin;
    if (accept(TokenKind::DoubleStar)) {
      Expr *value = parseExpression();
      named.push(arena.make<Keyword>(Identifier(), value, since(begin)));
      before = "`**`";
    } else if (accept(TokenKind::Star)) {
      Expr *value = parseExpression();
      if (before && before[1] == '*')
        fail(since(begin), "`*` cannot follow `**` in the arguments");
      positional.push(make<Starred>(since(begin), value, ExprContext::Load));
    } else {
      Token first = token;
      Expr *value = parsePositional(positional.size() + named.size() == 0, isCall, opening);
      bool isName = value->kind == ExprKind::Name && value->range.begin == begin && previousEnd == first.end;
      if (at(TokenKind::Equal) && isName) {
        named.push(parseKeyword(first));
        before = before ? before : "a keyword argument";
      } else {
        if (at(TokenKind::Equal))
          fail({begin, token.end}, "expected a name before `=` in an argument; did you mean `==`?");
        if (before)
          fail(value->range, std::string("a positional argument cannot follow ") + before);
        positional.push(value);
      }
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expectClosing(TokenKind::RightParen, opening, "`,` or ");
  arguments = positional.finish();
  keywords = named.finish();
}

// An expression, `a := b`, or a generator without parentheses of its own when it is the only argument.
Expr *FileParser::parsePositional(bool isFirst, bool isCall, uint32_t opening) {
  uint32_t begin = token.begin;
  Expr *value = parseNamed();
  if (!atComprehension())
    return value;
  auto generators = parseComprehension();
  if (!isFirst || !isCall || !at(TokenKind::RightParen)) {
    if (!at(TokenKind::RightParen) && !at(TokenKind::Comma))
      failUnclosed(opening, TokenKind::RightParen, "`,` or ");
    fail(since(begin), isCall ? "a generator needs parentheses of its own when there are other arguments"
                              : "a generator cannot be a base class");
    return value;
  }
  return make<GeneratorExp>({opening, token.end}, value, generators);
}

Keyword *FileParser::parseKeyword(const Token &name) {
  advance();
  Expr *value = parseExpression();
  if (atComprehension())
    fail({name.begin, token.end}, "a generator as a keyword argument needs parentheses");
  return arena.make<Keyword>(identifier(name), value, since(name.begin));
}

} // namespace nereid::syntax
