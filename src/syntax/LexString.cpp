// LexString.cpp: names and string literals, which share their first letters (`rb` may begin `rb"…"` or `rblock`).
#include "syntax/Characters.h"
#include "syntax/Lexer.h"
#include "syntax/Unicode.h"

namespace nereid::syntax {

static constexpr unsigned kMaxSkippedFStrings = 50; // f-strings inside f-strings, when a probe skips them

static bool isStringPrefix(const char *p, size_t length) {
  auto letter = [&](size_t i) { return static_cast<char>(p[i] | 0x20); };
  char first = letter(0);
  if (length == 1)
    return first == 'r' || first == 'b' || first == 'f' || first == 'u';
  char second = letter(1);
  return length == 2 &&
         ((first == 'r' && (second == 'b' || second == 'f')) || (second == 'r' && (first == 'b' || first == 'f')));
}

void Lexer::lexName(Token &token) {
  const char *begin = cursor;
  unsigned char seen = 0; // has its top bit set when a byte was not ASCII
  while (isNameByte(*cursor))
    seen |= static_cast<unsigned char>(*cursor++);
  size_t length = cursor - begin;
  if (length <= 2 && byteClass(*cursor) == ByteClass::Quote && isStringPrefix(begin, length))
    return lexString(token, begin);
  token.begin = offset(begin);
  token.end = offset(cursor);
  if (seen & 0x80)
    return checkUnicodeName(token);
  token.kind = length <= 8 ? keywordKind({begin, length}) : TokenKind::Name;
}

void Lexer::checkUnicodeName(Token &token) {
  token.kind = TokenKind::Name;
  token.plain = false;
  const char *p = base + token.begin;
  while (p < cursor) {
    const char *at = p;
    char32_t c = decodeUtf8(p, cursor);
    bool first = at == base + token.begin;
    if (first ? isIdentifierStart(c) : isIdentifierContinue(c))
      continue;
    bool quote = c >= 0x2018 && c <= 0x201F; // typographic quotes, from a text processor
    return fail(token, offset(at), offset(p),
                "unexpected character " + codePointName(c) + (quote ? "; write a plain quote" : ""));
  }
}

StringForm stringForm(std::string_view text, uint32_t begin) {
  StringForm form;
  uint32_t i = begin;
  for (; byteClass(text[i]) != ByteClass::Quote; ++i) {
    char letter = static_cast<char>(text[i] | 0x20);
    form.raw |= letter == 'r';
    form.bytes |= letter == 'b';
    form.formatted |= letter == 'f';
  }
  form.quote = text[i];
  form.triple = i + 2 < text.size() && text[i + 1] == form.quote && text[i + 2] == form.quote;
  form.contentBegin = i + (form.triple ? 3 : 1);
  return form;
}

static bool stopsString(char c) { return c == '"' || c == '\'' || c == '\\' || c == '\n' || c == '\r' || c == '\0'; }

// `begin` is at the prefix, the cursor at the opening quote.
void Lexer::lexString(Token &token, const char *begin) {
  StringForm form = stringForm({base, static_cast<size_t>(limit - base)}, offset(begin));
  token.begin = offset(begin);
  token.kind = form.formatted ? TokenKind::FString : TokenKind::String;
  cursor = base + form.contentBegin;
  token.end = form.contentBegin;
  if (form.formatted)
    return;
  for (;;) {
    while (!stopsString(*cursor))
      ++cursor;
    char c = *cursor;
    if (c == form.quote && (!form.triple || (cursor[1] == c && cursor[2] == c))) {
      cursor += form.triple ? 3 : 1;
      token.end = offset(cursor);
      return;
    }
    if (isLineEnd(c) && !form.triple)
      return fail(token, token.begin, offset(cursor), "this string is not closed before the end of the line");
    if (atEnd(cursor))
      return fail(token, token.begin, form.triple ? form.contentBegin : offset(cursor),
                  form.triple ? "this triple-quoted string is not closed" : "this string is not closed");
    token.plain &= c != '\\' && c != '\r';
    ++cursor;
    if (c == '\\' && !atEnd(cursor))
      cursor += cursor[0] == '\r' && cursor[1] == '\n' ? 2 : 1;
  }
}

// Reads to `{`, `}` or the closing quote, and moves past what it stopped at.
StringPiece Lexer::fstringPiece(const StringForm &form, bool inSpecification) {
  StringPiece piece;
  piece.begin = offset(cursor);
  auto stop = [&](PieceEnd reason, size_t length) {
    piece.end = offset(cursor);
    piece.stop = reason;
    cursor += length;
    return piece;
  };
  Token error;
  auto unclosed = [&](const char *message) {
    fail(error, form.contentBegin - (form.triple ? 3 : 1), form.triple ? form.contentBegin : offset(cursor), message);
    return stop(PieceEnd::Error, 0);
  };
  for (;; ++cursor) {
    char c = *cursor;
    if (c == '\\') {
      piece.plain = false;
      if (form.raw || cursor[1] != 'N') {
        if (cursor[1] != '{' && cursor[1] != '}' && !atEnd(cursor + 1)) {
          ++cursor;
          if (cursor[0] == '\r' && cursor[1] == '\n')
            ++cursor;
        }
      } else if (cursor[2] == '{') { // \N{name}: these braces belong to the escape
        while (!atEnd(cursor + 1) && cursor[1] != '}' && cursor[1] != form.quote && !isLineEnd(cursor[1]))
          ++cursor;
        if (cursor[1] == '}')
          ++cursor;
      }
    } else if (c == '{' || c == '}') {
      if (!inSpecification && cursor[1] == c) {
        ++cursor; // the piece keeps one of the two braces
        return stop(PieceEnd::DoubledBrace, 1);
      }
      if (c == '{')
        return stop(PieceEnd::Field, 1);
      if (inSpecification)
        return stop(PieceEnd::FieldClose, 1);
      fail(error, offset(cursor), offset(cursor) + 1, "a single `}` in an f-string; write `}}` for the character");
      return stop(PieceEnd::Error, 1);
    } else if (c == form.quote) {
      if (!form.triple || (cursor[1] == c && cursor[2] == c))
        return stop(PieceEnd::Quote, form.triple ? 3 : 1);
    } else if (isLineEnd(c)) {
      if (!form.triple)
        return unclosed("this f-string is not closed before the end of the line");
      if (c == '\r')
        piece.plain = false;
    } else if (atEnd(cursor)) {
      return unclosed("this f-string is not closed");
    }
  }
}

// The text of the f-string and, token by token, its fields. Fields may hold f-strings.
bool Lexer::skipFString(const Token &start, unsigned depth) {
  if (depth > kMaxSkippedFStrings)
    return false;
  StringForm form = stringForm({base, static_cast<size_t>(limit - base)}, start.begin);
  size_t outside = brackets.size();
  bool inSpecification = false;
  for (;;) {
    StringPiece piece = fstringPiece(form, inSpecification);
    if (piece.stop == PieceEnd::Error)
      return false;
    if (piece.stop == PieceEnd::Quote)
      return !inSpecification;
    if (piece.stop == PieceEnd::FieldClose)
      brackets.pop_back();
    if (piece.stop == PieceEnd::Field) {
      size_t level = brackets.size() + 1;
      openField(piece.end);
      Token token;
      do {
        next(token);
        if (token.kind == TokenKind::Error || token.kind == TokenKind::EndOfFile ||
            (token.kind == TokenKind::FString && !skipFString(token, depth + 1)))
          return false;
      } while (brackets.size() >= level && !(brackets.size() == level && token.kind == TokenKind::Colon));
    }
    inSpecification = brackets.size() > outside;
  }
}

void Lexer::leaveFString(const Token &start, size_t bracketCount) {
  brackets.resize(bracketCount);
  cursor = base + start.end;
  StringForm form = stringForm({base, static_cast<size_t>(limit - base)}, start.begin);
  if (skipFString(start))
    return;
  brackets.resize(bracketCount);
  cursor = base + start.end;
  while (!atEnd(cursor) && (form.triple || !isLineEnd(*cursor)))
    ++cursor;
}

} // namespace nereid::syntax
