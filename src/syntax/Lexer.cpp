// Lexer.cpp: layout. Indentation, line ends, comments, continuations; the other token kinds are in Lex*.cpp.
#include "syntax/Lexer.h"

#include "syntax/Characters.h"

#include <cstring>

namespace nereid::syntax {

static constexpr uint32_t kTabWidth = 8;
static constexpr size_t kMaxIndents = 100; // as CPython

Lexer::Lexer(std::string_view text) : base(text.data()), limit(text.data() + text.size()), cursor(text.data()) {}

void Lexer::emit(Token &token, TokenKind kind, size_t length) {
  token.kind = kind;
  token.begin = offset(cursor);
  cursor += length;
  token.end = offset(cursor);
}

void Lexer::fail(Token &token, uint32_t begin, uint32_t end, std::string message) {
  token.kind = TokenKind::Error;
  token.begin = begin;
  token.end = end;
  lexError = {{begin, end}, std::move(message), {}, {}};
}

void Lexer::next(Token &token) {
  token.startsLine = false;
  token.plain = true;
  if (atLineStart && startLine(token))
    return;
  if (pending != 0)
    return takePending(token);
  if (!skipBlanks(token))
    return;
  switch (byteClass(*cursor)) {
  case ByteClass::Name: lineHasToken = true; return lexName(token);
  case ByteClass::Digit: lineHasToken = true; return lexNumber(token);
  case ByteClass::Quote: lineHasToken = true; return lexString(token, cursor);
  case ByteClass::LineEnd: return atEnd(cursor) ? lexEnd(token) : lexNewline(token);
  default: lineHasToken = true; return lexOperator(token);
  }
}

// The first `\n`, `\r` or end of the text at or after `p`.
static const char *endOfLine(const char *p, const char *limit) {
  const void *feed = std::memchr(p, '\n', limit - p);
  const char *end = feed ? static_cast<const char *>(feed) : limit;
  const void *carriage = std::memchr(p, '\r', end - p);
  return carriage ? static_cast<const char *>(carriage) : end;
}

static const char *skipLineEnd(const char *p) { return p + (p[0] == '\r' && p[1] == '\n' ? 2 : 1); }

// Finds the next line with a token on it and compares its indentation with the open blocks. True: `token` is set.
bool Lexer::startLine(Token &token) {
  for (;;) {
    Indent indent{0, 0};
    if (!measureIndentation(indent, token))
      return true;
    if (*cursor == '#')
      cursor = endOfLine(cursor, limit);
    if (atEnd(cursor)) {
      atLineStart = false;
      return false;
    }
    if (!isLineEnd(*cursor)) {
      atLineStart = false;
      return applyIndentation(indent, token);
    }
    cursor = skipLineEnd(cursor);
  }
}

bool Lexer::measureIndentation(Indent &indent, Token &token) {
  Indent continued{0, 0}; // of the first physical line, when a backslash joins lines before any token
  for (;; ++cursor) {
    switch (*cursor) {
    case ' ':
      ++indent.column;
      ++indent.alternate;
      continue;
    case '\t':
      indent.column = (indent.column / kTabWidth + 1) * kTabWidth;
      ++indent.alternate;
      continue;
    case '\f': indent = {0, 0}; continue;
    case '\\':
      if (continued.column == 0)
        continued = indent;
      if (!continueLine(token))
        return false;
      --cursor;
      continue;
    }
    break;
  }
  if (continued.column != 0)
    indent = continued;
  return true;
}

bool Lexer::applyIndentation(Indent indent, Token &token) {
  Indent current = indents.back();
  if (indent.column == current.column && indent.alternate == current.alternate)
    return false;
  uint32_t here = offset(cursor);
  uint32_t lineBegin = here;
  while (lineBegin > 0 && !isLineEnd(base[lineBegin - 1]))
    --lineBegin;
  const char *mixed = "inconsistent use of tabs and spaces in indentation";
  if (indent.column > current.column) {
    if (indent.alternate <= current.alternate)
      return fail(token, lineBegin, here, mixed), true;
    if (indents.size() >= kMaxIndents) {
      fail(token, lineBegin, here, "blocks are nested too deeply (at most 100 levels)");
      cursor = limit; // every deeper line would say the same
      return true;
    }
    indents.push_back(indent);
    pending = 1;
    return false;
  }
  while (indents.size() > 1 && indent.column < indents.back().column) {
    indents.pop_back();
    --pending;
  }
  if (indent.column != indents.back().column)
    return fail(token, lineBegin, here, "this indentation matches no enclosing block"), true;
  if (indent.alternate != indents.back().alternate)
    return fail(token, lineBegin, here, mixed), true;
  return false;
}

void Lexer::takePending(Token &token) {
  emit(token, pending > 0 ? TokenKind::Indent : TokenKind::Dedent, 0);
  pending += pending > 0 ? -1 : 1;
}

// Skips spaces, comments, joined lines and, inside brackets, line ends. False: `token` holds an error.
bool Lexer::skipBlanks(Token &token) {
  for (;;) {
    switch (*cursor) {
    case ' ':
    case '\t':
    case '\f': ++cursor; continue;
    case '#': cursor = endOfLine(cursor, limit); continue;
    case '\\':
      if (!continueLine(token))
        return false;
      continue;
    case '\n':
    case '\r':
      if (brackets.empty())
        return true;
      cursor = skipLineEnd(cursor);
      token.startsLine = true;
      continue;
    }
    return true;
  }
}

bool Lexer::continueLine(Token &token) {
  uint32_t at = offset(cursor);
  ++cursor;
  if (atEnd(cursor))
    return fail(token, at, at + 1, "the file ends after a line continuation `\\`"), false;
  if (!isLineEnd(*cursor)) {
    uint32_t end = at + 1;
    cursor = endOfLine(cursor, limit);
    return fail(token, at, end, "unexpected character after the line continuation `\\`"), false;
  }
  cursor = skipLineEnd(cursor);
  if (atEnd(cursor))
    return fail(token, at, at + 1, "the file ends after a line continuation `\\`"), false;
  return true;
}

void Lexer::lexNewline(Token &token) {
  emit(token, TokenKind::Newline, skipLineEnd(cursor) - cursor);
  lineHasToken = false;
  atLineStart = true;
}

// At the end of the text: the Newline that the last line lacks, the open blocks' Dedents, then EndOfFile for ever.
void Lexer::lexEnd(Token &token) {
  if (brackets.empty() && lineHasToken) {
    lineHasToken = false;
    return emit(token, TokenKind::Newline, 0);
  }
  if (brackets.empty() && indents.size() > 1) {
    indents.pop_back();
    return emit(token, TokenKind::Dedent, 0);
  }
  emit(token, TokenKind::EndOfFile, 0);
}

uint32_t Lexer::columnOf(uint32_t at) const {
  uint32_t lineBegin = at;
  while (lineBegin > 0 && !isLineEnd(base[lineBegin - 1]))
    --lineBegin;
  uint32_t column = 0;
  for (uint32_t i = lineBegin; i < at; ++i)
    column = base[i] == '\t' ? (column / kTabWidth + 1) * kTabWidth : column + 1;
  return column;
}

void Lexer::restartLine(uint32_t at) {
  brackets.clear();
  while (at > 0 && !isLineEnd(base[at - 1]))
    --at;
  cursor = base + at;
  lineHasToken = false;
  atLineStart = true;
}

} // namespace nereid::syntax
