// ParsePattern.cpp: `match`, its cases and their patterns.
#include "syntax/FileParser.h"

namespace nereid::syntax {

// `match` is also a plain name. It begins a statement when its line ends with a colon: no other line that begins with
// a name does.
bool FileParser::atMatchStatement() {
  Lexer probe = lexer;
  Token next, last;
  probe.next(next);
  if (next.kind == TokenKind::Equal || next.kind == TokenKind::Dot || next.kind == TokenKind::Colon)
    return false;
  while (next.kind != TokenKind::Newline) {
    if (next.kind == TokenKind::Error || next.kind == TokenKind::EndOfFile)
      return false;
    if (next.kind == TokenKind::FString && !probe.skipFString(next))
      return false;
    last = next;
    probe.next(next);
  }
  return last.kind == TokenKind::Colon;
}

Stmt *FileParser::parseMatch() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  advance();
  uint32_t subjectBegin = token.begin;
  Expr *subject = parseStarNamed();
  if (at(TokenKind::Comma)) {
    ListBuilder<Expr> elements(*this);
    elements.push(subject);
    while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !failed)
      elements.push(parseStarNamed());
    subject = make<TupleExpr>(since(subjectBegin), elements.finish(), ExprContext::Load);
  } else if (subject->kind == ExprKind::Starred) {
    fail(subject->range, "`*` cannot stand alone as the subject of `match`");
  }
  expect(TokenKind::Colon, "after the subject of `match`");
  accept(TokenKind::Newline);
  if (!accept(TokenKind::Indent)) {
    failAtToken("an indented `case` after `match`");
    return placeholderStatement();
  }
  ListBuilder<MatchCase> cases(*this);
  while (!at(TokenKind::Dedent) && !at(TokenKind::EndOfFile)) {
    MatchCase *branch = nullptr;
    if (atName("case"))
      branch = parseCase();
    else
      failAtToken("`case`");
    if (failed)
      recover();
    else
      cases.push(branch);
  }
  accept(TokenKind::Dedent);
  return make<Match>(since(begin), subject, cases.finish());
}

MatchCase *FileParser::parseCase() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  advance();
  Pattern *pattern = parsePatterns();
  Expr *guard = accept(TokenKind::If) ? parseNamed() : nullptr;
  Body body = parseBlock("the pattern of `case`", begin);
  return arena.make<MatchCase>(pattern, guard, body);
}

Pattern *FileParser::placeholderPattern() {
  return makeKind<MatchAs>(PatternKind::MatchAs, {token.begin, token.begin}, static_cast<Pattern *>(nullptr),
                           Identifier());
}

// One pattern, or a sequence without brackets.
Pattern *FileParser::parsePatterns() {
  uint32_t begin = token.begin;
  Pattern *first = parseStarOrAsPattern();
  if (!at(TokenKind::Comma)) {
    if (first->kind == PatternKind::MatchStar)
      fail(first->range, "a starred pattern needs a sequence around it; write a comma after it");
    return first;
  }
  ListBuilder<Pattern> elements(*this);
  elements.push(first);
  while (accept(TokenKind::Comma) && !at(TokenKind::Colon) && !at(TokenKind::If) && !failed)
    elements.push(parseStarOrAsPattern());
  return makeKind<MatchSequence>(PatternKind::MatchSequence, since(begin), elements.finish());
}

Pattern *FileParser::parseStarOrAsPattern() {
  uint32_t begin = token.begin;
  if (!accept(TokenKind::Star))
    return parseAsPattern();
  Identifier name = expectIdentifier("a name after `*` in a pattern");
  return makeKind<MatchStar>(PatternKind::MatchStar, since(begin), name == "_" ? Identifier() : name);
}

Pattern *FileParser::parseAsPattern() {
  uint32_t begin = token.begin;
  DepthScope scope(*this);
  Pattern *pattern = parseOrPattern();
  if (!accept(TokenKind::As))
    return pattern;
  SourceRange nameRange{token.begin, token.end};
  Identifier name = expectIdentifier("a name after `as`");
  if (name == "_")
    fail(nameRange, "`_` cannot be the name after `as` in a pattern");
  if (at(TokenKind::Dot) || at(TokenKind::LeftParen))
    fail({nameRange.begin, token.end}, "the target after `as` in a pattern must be a name");
  return makeKind<MatchAs>(PatternKind::MatchAs, since(begin), pattern, name);
}

Pattern *FileParser::parseOrPattern() {
  uint32_t begin = token.begin;
  Pattern *first = parseClosedPattern();
  if (!at(TokenKind::Pipe))
    return first;
  ListBuilder<Pattern> alternatives(*this);
  alternatives.push(first);
  while (accept(TokenKind::Pipe))
    alternatives.push(parseClosedPattern());
  return makeKind<MatchOr>(PatternKind::MatchOr, since(begin), alternatives.finish());
}

Pattern *FileParser::parseClosedPattern() {
  uint32_t begin = token.begin;
  switch (token.kind) {
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
  case TokenKind::Minus: {
    Expr *value = parseComplexLiteral();
    return makeKind<MatchValue>(PatternKind::MatchValue, since(begin), value);
  }
  case TokenKind::String:
  case TokenKind::FString: {
    Expr *value = parseStrings();
    return makeKind<MatchValue>(PatternKind::MatchValue, since(begin), value);
  }
  case TokenKind::None:
  case TokenKind::True:
  case TokenKind::False: {
    Expr *value = parseAtom();
    return makeKind<MatchSingleton>(PatternKind::MatchSingleton, since(begin), static_cast<Constant *>(value));
  }
  case TokenKind::Name: return parseNamePattern();
  case TokenKind::LeftParen: return parseGroupPattern();
  case TokenKind::LeftBracket: return parseListPattern();
  case TokenKind::LeftBrace: return parseMappingPattern();
  default: failAtToken("a pattern"); return placeholderPattern();
  }
}

// A capture, the wildcard, a dotted value or a class.
Pattern *FileParser::parseNamePattern() {
  uint32_t begin = token.begin;
  Expr *value = parseName();
  bool dotted = at(TokenKind::Dot);
  if (dotted)
    value = parseDottedValue(value, begin);
  if (at(TokenKind::LeftParen))
    return parseClassPattern(value, begin);
  if (dotted)
    return makeKind<MatchValue>(PatternKind::MatchValue, since(begin), value);
  Identifier name = static_cast<Name *>(value)->id;
  return makeKind<MatchAs>(PatternKind::MatchAs, since(begin), static_cast<Pattern *>(nullptr),
                           name == "_" ? Identifier() : name);
}

Expr *FileParser::parseDottedValue(Expr *value, uint32_t begin) {
  ChainHeight height(*this);
  while (accept(TokenKind::Dot)) {
    SourceRange attributeRange{token.begin, token.end};
    Identifier attribute = expectIdentifier("a name after `.`");
    value = make<Attribute>(since(begin), value, attribute, ExprContext::Load, attributeRange);
    height.grow();
  }
  return value;
}

Pattern *FileParser::parseClassPattern(Expr *cls, uint32_t begin) {
  uint32_t opening = token.begin;
  advance();
  ListBuilder<Pattern> positional(*this), keywords(*this, secondStack);
  std::vector<Identifier> names;
  while (!at(TokenKind::RightParen) && !failed) {
    Token first = token;
    Pattern *pattern = parseAsPattern();
    if (at(TokenKind::Equal) && pattern->kind == PatternKind::MatchAs && first.kind == TokenKind::Name &&
        previousEnd == first.end) {
      advance();
      names.push_back(identifier(first));
      keywords.push(parseAsPattern());
    } else if (!names.empty()) {
      fail(pattern->range, "a positional pattern cannot follow a keyword pattern");
    } else {
      positional.push(pattern);
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expectClosing(TokenKind::RightParen, opening, "`,` or ");
  Identifiers attributes = arena.copy(names.data(), names.size());
  return makeKind<MatchClass>(PatternKind::MatchClass, since(begin), cls, positional.finish(), attributes,
                              keywords.finish());
}

// ( … ): a group, or a sequence when it is empty or has a comma.
Pattern *FileParser::parseGroupPattern() {
  uint32_t begin = token.begin;
  advance();
  ListBuilder<Pattern> elements(*this);
  bool comma = false;
  while (!at(TokenKind::RightParen) && !failed) {
    elements.push(parseStarOrAsPattern());
    if (!accept(TokenKind::Comma))
      break;
    comma = true;
  }
  expectClosing(TokenKind::RightParen, begin, "`,` or ");
  if (elements.size() == 1 && !comma) {
    Pattern *only = elements[0];
    if (only->kind == PatternKind::MatchStar)
      fail(only->range, "a starred pattern needs a sequence around it; write a comma after it");
    return only;
  }
  return makeKind<MatchSequence>(PatternKind::MatchSequence, since(begin), elements.finish());
}

Pattern *FileParser::parseListPattern() {
  uint32_t begin = token.begin;
  advance();
  ListBuilder<Pattern> elements(*this);
  while (!at(TokenKind::RightBracket) && !failed) {
    elements.push(parseStarOrAsPattern());
    if (!accept(TokenKind::Comma))
      break;
  }
  expectClosing(TokenKind::RightBracket, begin, "`,` or ");
  return makeKind<MatchSequence>(PatternKind::MatchSequence, since(begin), elements.finish());
}

Pattern *FileParser::parseMappingPattern() {
  uint32_t begin = token.begin;
  advance();
  ListBuilder<Expr> keys(*this);
  ListBuilder<Pattern> patterns(*this, secondStack);
  Identifier rest;
  while (!at(TokenKind::RightBrace) && !failed) {
    SourceRange here{token.begin, token.end};
    if (!rest.empty())
      fail(here, "no entry can follow the `**` one in a mapping pattern");
    if (accept(TokenKind::DoubleStar)) {
      rest = expectIdentifier("a name after `**`");
      if (rest == "_")
        fail(here, "`**_` is not a pattern: further entries are ignored anyway");
    } else {
      Expr *key = parseMappingKey();
      expect(TokenKind::Colon, "after the key in a mapping pattern");
      keys.push(key);
      patterns.push(parseAsPattern());
    }
    if (!accept(TokenKind::Comma))
      break;
  }
  expectClosing(TokenKind::RightBrace, begin, "`,` or ");
  List<Pattern> values = patterns.finish();
  return makeKind<MatchMapping>(PatternKind::MatchMapping, since(begin), keys.finish(), values, rest);
}

Expr *FileParser::parseMappingKey() {
  uint32_t begin = token.begin;
  switch (token.kind) {
  case TokenKind::Name: {
    Expr *value = parseName();
    if (!at(TokenKind::Dot))
      fail(value->range, "a key of a mapping pattern must be a literal or a dotted name");
    return parseDottedValue(value, begin);
  }
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary:
  case TokenKind::Minus: return parseComplexLiteral();
  case TokenKind::String:
  case TokenKind::FString:
  case TokenKind::None:
  case TokenKind::True:
  case TokenKind::False: return parseAtom();
  default: failAtToken("a literal or a dotted name as a key"); return placeholder();
  }
}

// 1   -1   1 + 2j   -1 - 2j
Expr *FileParser::parseComplexLiteral() {
  uint32_t begin = token.begin;
  Expr *real = parseSignedNumber();
  if (!at(TokenKind::Plus) && !at(TokenKind::Minus))
    return real;
  bool isImaginary = sourceText[previousEnd - 1] == 'j' || sourceText[previousEnd - 1] == 'J';
  if (isImaginary)
    fail({begin, previousEnd}, "expected a real number before the sign in a complex literal");
  BinaryOperator op = at(TokenKind::Plus) ? BinaryOperator::Add : BinaryOperator::Sub;
  advance();
  if (!at(TokenKind::Imaginary)) {
    failAtToken("an imaginary number in a complex literal");
    return real;
  }
  Expr *imaginary = parseNumber();
  return make<BinOp>(since(begin), real, op, imaginary);
}

Expr *FileParser::parseSignedNumber() {
  uint32_t begin = token.begin;
  bool negative = accept(TokenKind::Minus);
  if (!at(TokenKind::Integer) && !at(TokenKind::Float) && !at(TokenKind::Imaginary)) {
    failAtToken("a number");
    return placeholder();
  }
  Expr *number = parseNumber();
  return negative ? make<UnaryOp>(since(begin), UnaryOperator::USub, number) : number;
}

} // namespace nereid::syntax
