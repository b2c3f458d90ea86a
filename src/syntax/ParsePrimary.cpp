// ParsePrimary.cpp: atoms and what can be attached to them: attributes, subscripts, calls.
#include "syntax/FileParser.h"
#include "syntax/NumberLiteral.h"

namespace nereid::syntax {

Expr *FileParser::parsePrimary() {
  if (!at(TokenKind::Await))
    return parseTrailers();
  uint32_t begin = token.begin;
  advance();
  DepthScope scope(*this);
  Expr *value = parseTrailers();
  return make<Await>(since(begin), value);
}

Expr *FileParser::parseTrailers() {
  uint32_t begin = token.begin;
  ChainHeight height(*this);
  Expr *value = parseAtom();
  for (;; height.grow()) {
    uint32_t opening = token.begin;
    switch (token.kind) {
    case TokenKind::Dot: {
      advance();
      SourceRange attributeRange{token.begin, token.end};
      Identifier attribute = expectIdentifier("an attribute name after `.`");
      value = make<Attribute>(since(begin), value, attribute, ExprContext::Load, attributeRange);
      continue;
    }
    case TokenKind::LeftParen: {
      advance();
      ExprList arguments;
      List<Keyword> keywords;
      parseArguments(arguments, keywords, opening, true);
      value = make<Call>(since(begin), value, arguments, keywords);
      continue;
    }
    case TokenKind::LeftBracket: {
      advance();
      DepthScope scope(*this);
      Expr *slice = parseSlices();
      expectClosing(TokenKind::RightBracket, opening, "`,` or ");
      value = make<Subscript>(since(begin), value, slice, ExprContext::Load);
      continue;
    }
    default: return value;
    }
  }
}

Expr *FileParser::parseSlices() {
  uint32_t begin = token.begin;
  Expr *first = parseSlice();
  if (!at(TokenKind::Comma) && first->kind != ExprKind::Starred)
    return first;
  ListBuilder<Expr> elements(*this);
  elements.push(first);
  while (accept(TokenKind::Comma) && !at(TokenKind::RightBracket) && !failed)
    elements.push(parseSlice());
  return make<TupleExpr>(since(begin), elements.finish(), ExprContext::Load);
}

// a   a := b   *a   a:b   a:b:c
Expr *FileParser::parseSlice() {
  uint32_t begin = token.begin;
  if (accept(TokenKind::Star)) {
    Expr *value = parseExpression();
    return make<Starred>(since(begin), value, ExprContext::Load);
  }
  Expr *lower = at(TokenKind::Colon) ? nullptr : parseNamed();
  if (!at(TokenKind::Colon) || (lower && lower->kind == ExprKind::NamedExpr && lower->range.begin == begin))
    return lower ? lower : placeholder();
  advance();
  Expr *upper = nullptr, *step = nullptr;
  auto atSliceEnd = [&] { return at(TokenKind::Colon) || at(TokenKind::Comma) || at(TokenKind::RightBracket); };
  if (!atSliceEnd())
    upper = parseExpression();
  if (accept(TokenKind::Colon) && !atSliceEnd())
    step = parseExpression();
  return make<Slice>(since(begin), lower, upper, step);
}

Expr *FileParser::parseAtom() {
  switch (token.kind) {
  case TokenKind::Name: return parseName();
  case TokenKind::Integer:
  case TokenKind::Float:
  case TokenKind::Imaginary: return parseNumber();
  case TokenKind::String:
  case TokenKind::FString: return parseStrings();
  case TokenKind::None: return parseConstant(ConstantKind::None);
  case TokenKind::True: return parseConstant(ConstantKind::True);
  case TokenKind::False: return parseConstant(ConstantKind::False);
  case TokenKind::Ellipsis: return parseConstant(ConstantKind::Ellipsis);
  case TokenKind::LeftParen: return parseParenthesized();
  case TokenKind::LeftBracket: return parseListDisplay();
  case TokenKind::LeftBrace: return parseBraceDisplay();
  default: break;
  }
  if (isKeyword(token.kind) && !failed)
    fail({token.begin, token.end}, "expected an expression, but " + found() + " is a keyword");
  failAtToken("an expression");
  return placeholder();
}

Expr *FileParser::parseName() {
  Token name = token;
  Identifier id = identifier(name);
  advance();
  return make<Name>({name.begin, name.end}, id, ExprContext::Load);
}

Expr *FileParser::parseConstant(ConstantKind kind) {
  SourceRange range{token.begin, token.end};
  advance();
  return make<Constant>(range, kind, false, std::string_view(), 0.0);
}

Expr *FileParser::parseNumber() {
  SourceRange range{token.begin, token.end};
  std::string_view digits = text(token);
  if (!token.plain)
    digits = withoutUnderscores(arena, digits);
  if (at(TokenKind::Integer)) {
    if (digits.size() > kMaxDecimalDigits && !isRadixPrefixed(digits)) {
      fail(range,
           "an integer of more than " + std::to_string(kMaxDecimalDigits) + " decimal digits; write it in hexadecimal");
      return placeholder();
    }
    advance();
    return make<Constant>(range, ConstantKind::Int, false, digits, 0.0);
  }
  ConstantKind kind = at(TokenKind::Float) ? ConstantKind::Float : ConstantKind::Complex;
  double value = parseDouble(digits);
  advance();
  return make<Constant>(range, kind, false, digits, value);
}

} // namespace nereid::syntax
