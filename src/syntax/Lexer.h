// Lexer.h: turns source text into tokens, one at a time, as the parser asks. Knows about indentation, open brackets and
// the replacement fields of f-strings. Copying a Lexer gives a probe that can look ahead without moving the original.
#pragma once

#include "support/Source.h"
#include "syntax/Token.h"

#include <string>
#include <vector>

namespace nereid::syntax {

struct LexError {
  SourceRange range;
  std::string message;
  SourceRange noteRange;
  std::string note; // empty: no note
};

// Where the text of an f-string stopped.
enum class PieceEnd { Field, FieldClose, DoubledBrace, Quote, Error };

// The quotes and the rawness of one string literal.
struct StringForm {
  char quote = '"';
  bool triple = false;
  bool raw = false;
  bool bytes = false;
  bool formatted = false;
  uint32_t contentBegin = 0;
};

struct StringPiece {
  uint32_t begin = 0;
  uint32_t end = 0;
  PieceEnd stop = PieceEnd::Error;
  bool plain = true; // no backslash and no carriage return
};

struct OpenBracket {
  char character; // '(', '[', '{', or 'f' for the `{` of a replacement field
  uint32_t offset;
};

class Lexer {
public:
  // A `\0` must follow the text: it ends every scan.
  explicit Lexer(std::string_view text);

  void next(Token &token);
  const LexError &error() const { return lexError; }

  // F-strings: after an FString token or a closed field, read literal text up to a brace or the closing quote.
  StringPiece fstringPiece(const StringForm &form, bool inSpecification);
  void openField(uint32_t brace) { brackets.push_back({'f', brace}); }
  void closeField() { brackets.pop_back(); }
  bool atFieldLevel() const { return !brackets.empty() && brackets.back().character == 'f'; }
  // Skips a whole f-string in a probe. False: it does not end, or nests too deeply.
  bool skipFString(const Token &start, unsigned depth = 0);

  // After an error in an f-string: moves behind it, or to the end of the line or file if it is not closed.
  void leaveFString(const Token &start, size_t bracketCount);

  const std::vector<OpenBracket> &openBrackets() const { return brackets; }
  uint32_t indentation() const { return indents.back().column; }
  uint32_t columnOf(uint32_t offset) const;
  // After an error: forget the open brackets and start again at the line that holds `offset`.
  void restartLine(uint32_t offset);

private:
  struct Indent {
    uint32_t column;
    uint32_t alternate; // with tabs of width 1: catches mixtures that depend on the tab width
  };

  uint32_t offset(const char *p) const { return static_cast<uint32_t>(p - base); }
  bool atEnd(const char *p) const { return p == limit; }

  bool startLine(Token &token);
  bool measureIndentation(Indent &indent, Token &token);
  bool applyIndentation(Indent indent, Token &token);
  void takePending(Token &token);
  bool skipBlanks(Token &token);
  bool continueLine(Token &token);
  void lexNewline(Token &token);
  void lexEnd(Token &token);

  void lexName(Token &token);
  void checkUnicodeName(Token &token);
  void lexString(Token &token, const char *begin);
  void lexNumber(Token &token);
  void lexRadixNumber(Token &token, int radix, const char *name);
  bool lexDecimalDigits(Token &token);
  bool lexLeadingZeros(Token &token);
  bool lexExponent(Token &token, TokenKind &kind);
  void finishNumber(Token &token, TokenKind kind, const char *name);
  void lexOperator(Token &token);
  void lexBracket(Token &token, TokenKind kind);
  void lexClosing(Token &token, TokenKind kind, char opening);
  void lexForeignOperator(Token &token);
  void lexUnknown(Token &token);
  void emit(Token &token, TokenKind kind, size_t length);
  void fail(Token &token, uint32_t begin, uint32_t end, std::string message);

  const char *base;
  const char *limit;
  const char *cursor;
  bool atLineStart = true;
  bool lineHasToken = false; // a Newline is owed before the end of the file
  int pending = 0;           // Indent (+1) or Dedents (-n) to hand out
  std::vector<Indent> indents{{0, 0}};
  std::vector<OpenBracket> brackets;
  LexError lexError;
};

// Reads the prefix and the opening quote of a String or FString token.
StringForm stringForm(std::string_view text, uint32_t begin);

} // namespace nereid::syntax
