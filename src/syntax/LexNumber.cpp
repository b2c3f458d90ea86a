// LexNumber.cpp: integers in four radixes, floats and imaginary numbers, with underscores between digits.
#include "syntax/Characters.h"
#include "syntax/Lexer.h"

#include <cstring>

namespace nereid::syntax {

void Lexer::lexNumber(Token &token) {
  token.begin = offset(cursor);
  if (*cursor == '0') {
    switch (cursor[1] | 0x20) {
    case 'x': return lexRadixNumber(token, 16, "a hexadecimal");
    case 'o': return lexRadixNumber(token, 8, "an octal");
    case 'b': return lexRadixNumber(token, 2, "a binary");
    }
  }
  TokenKind kind = TokenKind::Integer;
  bool zeros = *cursor == '0';
  bool badZeros = false; // 0777: fine only as the start of a float
  if (zeros) {
    if (!lexLeadingZeros(token))
      return;
    badZeros = isDigit(*cursor);
  }
  if (isDigit(*cursor) && !lexDecimalDigits(token))
    return;
  if (*cursor == '.') {
    kind = TokenKind::Float;
    ++cursor;
    if (isDigit(*cursor) && !lexDecimalDigits(token))
      return;
  }
  if ((*cursor | 0x20) == 'e' && !lexExponent(token, kind))
    return;
  if ((*cursor | 0x20) == 'j') {
    kind = TokenKind::Imaginary;
    ++cursor;
    return finishNumber(token, kind, "an imaginary");
  }
  if (kind == TokenKind::Integer && badZeros)
    return fail(token, token.begin, offset(cursor),
                "leading zeros are not allowed in a decimal number; write `0o` before an octal one");
  finishNumber(token, kind, "a decimal");
}

// Digits with single underscores between them. The cursor is on a digit.
bool Lexer::lexDecimalDigits(Token &token) {
  for (;;) {
    while (isDigit(*cursor))
      ++cursor;
    if (*cursor != '_')
      return true;
    token.plain = false;
    ++cursor;
    if (!isDigit(*cursor))
      return fail(token, offset(cursor) - 1, offset(cursor), "expected a digit after `_` in a number"), false;
  }
}

bool Lexer::lexLeadingZeros(Token &token) {
  while (*cursor == '0' || *cursor == '_') {
    if (*cursor++ != '_')
      continue;
    token.plain = false;
    if (!isDigit(*cursor))
      return fail(token, offset(cursor) - 1, offset(cursor), "expected a digit after `_` in a number"), false;
  }
  return true;
}

// The cursor is on `e`. Without digits after it, the number ends here: `1else` is `1` and `else`.
bool Lexer::lexExponent(Token &token, TokenKind &kind) {
  const char *digits = cursor + 1;
  if (*digits == '+' || *digits == '-') {
    ++digits;
    if (!isDigit(*digits)) {
      cursor = digits;
      return fail(token, token.begin, offset(cursor), "expected digits in the exponent of a number"), false;
    }
  }
  if (!isDigit(*digits))
    return true;
  kind = TokenKind::Float;
  cursor = digits;
  return lexDecimalDigits(token);
}

void Lexer::lexRadixNumber(Token &token, int radix, const char *name) {
  cursor += 2;
  do {
    if (*cursor == '_') {
      token.plain = false;
      ++cursor;
    }
    int digit = hexDigit(*cursor);
    if (digit < 0 || digit >= radix) {
      if (isNameByte(*cursor))
        ++cursor;
      return fail(token, token.begin, offset(cursor), std::string("expected ") + name + " digit in this number");
    }
    while (hexDigit(*cursor) >= 0 && hexDigit(*cursor) < radix)
      ++cursor;
  } while (*cursor == '_');
  if (isDigit(*cursor)) {
    ++cursor;
    return fail(token, token.begin, offset(cursor), std::string("expected ") + name + " digit in this number");
  }
  finishNumber(token, TokenKind::Integer, name);
}

// A number must not run into a name, except for the keywords that may follow an operand: `1if x else 2`.
void Lexer::finishNumber(Token &token, TokenKind kind, const char *name) {
  token.kind = kind;
  token.end = offset(cursor);
  if (!isNameByte(*cursor))
    return;
  for (const char *word : {"and", "else", "for", "if", "in", "is", "not", "or"})
    if (std::strncmp(cursor, word, std::strlen(word)) == 0)
      return;
  while (isNameByte(*cursor))
    ++cursor;
  fail(token, token.begin, offset(cursor), std::string(name) + " number cannot be followed by a name");
}

} // namespace nereid::syntax
