// LexOperator.cpp: operators, punctuation and brackets.
#include "syntax/Characters.h"
#include "syntax/Lexer.h"
#include "syntax/Unicode.h"

namespace nereid::syntax {

static constexpr size_t kMaxBrackets = 200; // as CPython

namespace {
// The forms that one operator character can begin: alone, with `=`, doubled, doubled with `=`. Error: no such form.
struct OperatorForms {
  TokenKind alone, withEqual, doubled, doubledWithEqual;
};
} // namespace

static OperatorForms operatorForms(char c) {
  using K = TokenKind;
  switch (c) {
  case '+': return {K::Plus, K::PlusEqual, K::Error, K::Error};
  case '-': return {K::Minus, K::MinusEqual, K::Error, K::Error};
  case '*': return {K::Star, K::StarEqual, K::DoubleStar, K::DoubleStarEqual};
  case '/': return {K::Slash, K::SlashEqual, K::DoubleSlash, K::DoubleSlashEqual};
  case '%': return {K::Percent, K::PercentEqual, K::Error, K::Error};
  case '|': return {K::Pipe, K::PipeEqual, K::Error, K::Error};
  case '^': return {K::Caret, K::CaretEqual, K::Error, K::Error};
  case '&': return {K::Ampersand, K::AmpersandEqual, K::Error, K::Error};
  case '@': return {K::At, K::AtEqual, K::Error, K::Error};
  case '<': return {K::Less, K::LessEqual, K::LeftShift, K::LeftShiftEqual};
  case '>': return {K::Greater, K::GreaterEqual, K::RightShift, K::RightShiftEqual};
  case '=': return {K::Equal, K::EqualEqual, K::Error, K::Error};
  case '~': return {K::Tilde, K::Error, K::Error, K::Error};
  default: return {K::Error, K::Error, K::Error, K::Error};
  }
}

// What other languages (and Python 2) write: how Python says it, or null.
static const char *foreignOperator(const char *p) {
  auto isPair = [&](char first, char second) { return p[0] == first && p[1] == second; };
  return isPair('&', '&') ? "and" : isPair('|', '|') ? "or" : isPair('<', '>') ? "!=" : nullptr;
}

void Lexer::lexForeignOperator(Token &token) {
  const char *ours = foreignOperator(cursor);
  std::string theirs(cursor, 2);
  emit(token, TokenKind::Error, 2);
  fail(token, token.begin, token.end, "`" + theirs + "` is not an operator; write `" + ours + "`");
}

void Lexer::lexOperator(Token &token) {
  char c = *cursor;
  switch (c) {
  case '(': return lexBracket(token, TokenKind::LeftParen);
  case '[': return lexBracket(token, TokenKind::LeftBracket);
  case '{': return lexBracket(token, TokenKind::LeftBrace);
  case ')': return lexClosing(token, TokenKind::RightParen, '(');
  case ']': return lexClosing(token, TokenKind::RightBracket, '[');
  case '}': return lexClosing(token, TokenKind::RightBrace, '{');
  case ',': return emit(token, TokenKind::Comma, 1);
  case ';': return emit(token, TokenKind::Semicolon, 1);
  case ':': // in a replacement field `:=` is a format specification that begins with `=`
    if (cursor[1] == '=' && !atFieldLevel())
      return emit(token, TokenKind::ColonEqual, 2);
    return emit(token, TokenKind::Colon, 1);
  case '.':
    if (isDigit(cursor[1]))
      return lexNumber(token);
    if (cursor[1] == '.' && cursor[2] == '.')
      return emit(token, TokenKind::Ellipsis, 3);
    return emit(token, TokenKind::Dot, 1);
  case '!':
    if (cursor[1] == '=')
      return emit(token, TokenKind::NotEqual, 2);
    return atFieldLevel() ? emit(token, TokenKind::Exclamation, 1) : lexUnknown(token);
  case '-':
    if (cursor[1] == '>')
      return emit(token, TokenKind::Arrow, 2);
    break;
  }
  if (foreignOperator(cursor))
    return lexForeignOperator(token);
  OperatorForms forms = operatorForms(c);
  if (forms.alone == TokenKind::Error)
    return lexUnknown(token);
  if (forms.doubled != TokenKind::Error && cursor[1] == c)
    return cursor[2] == '=' ? emit(token, forms.doubledWithEqual, 3) : emit(token, forms.doubled, 2);
  if (forms.withEqual != TokenKind::Error && cursor[1] == '=')
    return emit(token, forms.withEqual, 2);
  emit(token, forms.alone, 1);
}

void Lexer::lexBracket(Token &token, TokenKind kind) {
  if (brackets.size() >= kMaxBrackets) {
    uint32_t at = offset(cursor++);
    return fail(token, at, at + 1, "brackets are nested too deeply (at most 200 levels)");
  }
  brackets.push_back({*cursor, offset(cursor)});
  emit(token, kind, 1);
}

void Lexer::lexClosing(Token &token, TokenKind kind, char opening) {
  char closing = *cursor;
  emit(token, kind, 1);
  if (brackets.empty())
    return fail(token, token.begin, token.end, std::string("`") + closing + "` closes no open bracket");
  OpenBracket open = brackets.back();
  bool matches = open.character == opening || (open.character == 'f' && opening == '{');
  if (matches)
    return brackets.pop_back();
  char expected = open.character == '(' ? ')' : open.character == '[' ? ']' : '}';
  fail(token, token.begin, token.end, std::string("expected `") + expected + "`, found `" + closing + "`");
  lexError.note = std::string("`") + (open.character == 'f' ? '{' : open.character) + "` was opened here";
  lexError.noteRange = {open.offset, open.offset + 1};
  brackets.pop_back(); // taken for the one that was meant, so that the next line is a line again
}

void Lexer::lexUnknown(Token &token) {
  uint32_t at = offset(cursor);
  char c = *cursor++;
  if (c == '!')
    return fail(token, at, at + 1, "unexpected character `!`; write `not` for the opposite");
  if (c > ' ' && c < 0x7f)
    return fail(token, at, at + 1, std::string("unexpected character `") + c + "`");
  fail(token, at, at + 1, "unexpected control character " + codePointName(static_cast<unsigned char>(c)));
}

} // namespace nereid::syntax
