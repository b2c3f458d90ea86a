#include "syntax/Token.h"

#include <cstring>

namespace nereid::syntax {

std::string_view spelling(TokenKind kind) {
  // clang-format off
  static constexpr std::string_view kSpellings[] = {
      "an error", "the end of the file", "the end of the line", "an indented line", "the end of the block",
      "a name", "a number", "a number", "a number", "a string", "a string",
      "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del", "elif",
      "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal", "not", "or",
      "pass", "raise", "return", "try", "while", "with", "yield",
      "(", ")", "[", "]", "{", "}", ",", ":", ";", ".", "...", "@", "->", ":=", "=", "!",
      "+", "-", "*", "**", "/", "//", "%", "|", "^", "&", "<<", ">>", "~", "==", "!=", "<", "<=", ">", ">=",
      "+=", "-=", "*=", "**=", "/=", "//=", "%=", "|=", "^=", "&=", "<<=", ">>=", "@="};
  // clang-format on
  static_assert(std::size(kSpellings) == static_cast<size_t>(TokenKind::AtEqual) + 1);
  return kSpellings[static_cast<size_t>(kind)];
}

template <size_t N> static bool is(const char *word, const char (&keyword)[N]) {
  return std::memcmp(word, keyword, N - 1) == 0; // the caller has matched the length
}

static TokenKind shortKeyword(const char *w, size_t length) {
  switch (length) {
  case 2:
    return is(w, "if")   ? TokenKind::If
           : is(w, "in") ? TokenKind::In
           : is(w, "is") ? TokenKind::Is
           : is(w, "or") ? TokenKind::Or
           : is(w, "as") ? TokenKind::As
                         : TokenKind::Name;
  case 3:
    return is(w, "def")   ? TokenKind::Def
           : is(w, "for") ? TokenKind::For
           : is(w, "not") ? TokenKind::Not
           : is(w, "and") ? TokenKind::And
           : is(w, "try") ? TokenKind::Try
           : is(w, "del") ? TokenKind::Del
                          : TokenKind::Name;
  case 4:
    return is(w, "None")   ? TokenKind::None
           : is(w, "True") ? TokenKind::True
           : is(w, "else") ? TokenKind::Else
           : is(w, "from") ? TokenKind::From
           : is(w, "with") ? TokenKind::With
           : is(w, "elif") ? TokenKind::Elif
           : is(w, "pass") ? TokenKind::Pass
                           : TokenKind::Name;
  }
  return TokenKind::Name;
}

static TokenKind longKeyword(const char *w, size_t length) {
  switch (length) {
  case 5:
    return is(w, "False")   ? TokenKind::False
           : is(w, "class") ? TokenKind::Class
           : is(w, "raise") ? TokenKind::Raise
           : is(w, "while") ? TokenKind::While
           : is(w, "yield") ? TokenKind::Yield
           : is(w, "break") ? TokenKind::Break
           : is(w, "async") ? TokenKind::Async
           : is(w, "await") ? TokenKind::Await
                            : TokenKind::Name;
  case 6:
    return is(w, "return")   ? TokenKind::Return
           : is(w, "import") ? TokenKind::Import
           : is(w, "except") ? TokenKind::Except
           : is(w, "lambda") ? TokenKind::Lambda
           : is(w, "assert") ? TokenKind::Assert
           : is(w, "global") ? TokenKind::Global
                             : TokenKind::Name;
  case 7: return is(w, "finally") ? TokenKind::Finally : TokenKind::Name;
  case 8: return is(w, "continue") ? TokenKind::Continue : is(w, "nonlocal") ? TokenKind::Nonlocal : TokenKind::Name;
  }
  return TokenKind::Name;
}

TokenKind keywordKind(std::string_view word) {
  return word.size() <= 4 ? shortKeyword(word.data(), word.size()) : longKeyword(word.data(), word.size());
}

} // namespace nereid::syntax
