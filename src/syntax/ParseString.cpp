// ParseString.cpp: string literals, their implicit concatenation, and f-strings.
#include "syntax/FileParser.h"
#include "syntax/StringLiteral.h"

namespace nereid::syntax {

// Builds the value of adjacent string literals. Text is collected until a replacement field or the end; one piece of
// text without escapes is never copied.
class StringParser {
public:
  explicit StringParser(FileParser &parser) : parser(parser), values(parser) {}

  Expr *parse() {
    uint32_t begin = parser.token.begin;
    unicodePrefix = parser.sourceText[begin] == 'u';
    bool bytes = stringForm(parser.sourceText, begin).bytes;
    while (parser.at(TokenKind::String) || parser.at(TokenKind::FString)) {
      StringForm form = stringForm(parser.sourceText, parser.token.begin);
      if (form.bytes != bytes)
        parser.fail({begin, parser.token.end}, "cannot join a bytes literal and a string literal");
      formatted |= form.formatted;
      if (form.formatted)
        parseFormatted(form);
      else
        parsePlain(form);
    }
    SourceRange range = parser.since(begin);
    if (formatted) {
      flush(values, {textBegin, range.end});
      return parser.make<JoinedStr>(range, values.finish());
    }
    return parser.make<Constant>(range, bytes ? ConstantKind::Bytes : ConstantKind::Str, unicodePrefix, take(), 0.0);
  }

private:
  void append(std::string_view text) {
    if (text.empty())
      return;
    if (pending.empty()) {
      pending = text;
      return;
    }
    if (joined.empty())
      joined = pending;
    joined += text;
    pending = joined;
  }

  std::string_view take() {
    std::string_view text = joined.empty() ? pending : parser.arena.copy(joined);
    pending = {};
    joined.clear();
    return text;
  }

  void flush(ListBuilder<Expr> &out, SourceRange range) {
    if (!pending.empty())
      out.push(parser.make<Constant>(range, ConstantKind::Str, unicodePrefix, take(), 0.0));
  }

  void appendDecoded(uint32_t begin, uint32_t end, bool plain, const StringForm &form) {
    if (pending.empty())
      textBegin = begin;
    std::string_view text = parser.sourceText.substr(begin, end - begin);
    if (plain)
      return append(text);
    std::string value;
    EscapeError error = decodeString(text, form.raw, form.bytes, value);
    if (!error.message.empty()) {
      parser.fail({begin + static_cast<uint32_t>(error.begin), begin + static_cast<uint32_t>(error.end)},
                  error.message);
      return;
    }
    append(parser.arena.copy(value));
  }

  void parsePlain(const StringForm &form) {
    Token token = parser.token;
    uint32_t end = token.end - (form.triple ? 3 : 1);
    if (form.bytes)
      checkAscii(form.contentBegin, end);
    appendDecoded(form.contentBegin, end, token.plain, form);
    parser.advance();
  }

  void checkAscii(uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; ++i)
      if (static_cast<unsigned char>(parser.sourceText[i]) >= 0x80) {
        parser.fail({i, i + 1}, "a bytes literal can hold only ASCII characters");
        return;
      }
  }

  void parseFormatted(const StringForm &form) {
    Token start = parser.token;
    size_t brackets = parser.lexer.openBrackets().size();
    DepthScope scope(parser);
    parsePieces(form, false, values);
    if (parser.failed)
      return parser.leaveFString(start, brackets);
    parser.advance();
  }

  // Text and fields up to the closing quote, or up to the `}` that ends a format specification.
  void parsePieces(const StringForm &form, bool inSpecification, ListBuilder<Expr> &out) {
    while (!parser.failed) {
      StringPiece piece = parser.lexer.fstringPiece(form, inSpecification);
      if (piece.stop == PieceEnd::Error) {
        parser.fail(parser.lexer.error().range, parser.lexer.error().message);
        return;
      }
      appendDecoded(piece.begin, piece.end, piece.plain, form);
      switch (piece.stop) {
      case PieceEnd::Field: parseField(form, piece.end, out); break;
      case PieceEnd::Quote:
        parser.token.end = piece.end + (form.triple ? 3 : 1);
        if (inSpecification)
          parser.fail({piece.end, piece.end + 1}, "expected `}` before the end of the f-string");
        return;
      case PieceEnd::FieldClose: parser.token.end = piece.end + 1; return;
      default: break;
      }
    }
  }

  // { expression = !r :specification }
  void parseField(const StringForm &form, uint32_t brace, ListBuilder<Expr> &out) {
    DepthScope scope(parser);
    parser.lexer.openField(brace);
    parser.advance();
    if (parser.at(TokenKind::RightBrace) || parser.at(TokenKind::Exclamation) || parser.at(TokenKind::Colon)) {
      parser.failAtToken("an expression in the `{}` of an f-string");
      return;
    }
    Expr *value = parser.parseYieldOrStar();
    if (value->kind == ExprKind::Starred)
      parser.fail(value->range, "`*` cannot stand alone in the `{}` of an f-string");
    bool debug = parser.accept(TokenKind::Equal);
    if (debug)
      appendDebugText(brace + 1, parser.token.begin);
    int conversion = parseConversion();
    flush(out, {textBegin, brace});
    Expr *specification = nullptr;
    if (parser.at(TokenKind::Colon)) {
      specification = parseSpecification(form);
    } else if (!parser.at(TokenKind::RightBrace)) {
      parser.failUnclosed(brace, TokenKind::RightBrace, "`!`, `:` or ");
    }
    if (debug && conversion < 0 && !specification)
      conversion = 'r';
    out.push(parser.make<FormattedValue>({brace, parser.token.end}, value, conversion, specification));
  }

  void appendDebugText(uint32_t begin, uint32_t end) {
    StringForm verbatim;
    verbatim.raw = true;
    appendDecoded(begin, end, false, verbatim);
  }

  int parseConversion() {
    uint32_t end = parser.token.end;
    if (!parser.accept(TokenKind::Exclamation))
      return -1;
    std::string_view name = parser.text(parser.token);
    bool known = parser.at(TokenKind::Name) && parser.token.begin == end && (name == "s" || name == "r" || name == "a");
    if (!known) {
      parser.failAtToken("`s`, `r` or `a` after `!` in an f-string");
      return -1;
    }
    parser.advance();
    return name[0];
  }

  Expr *parseSpecification(const StringForm &form) {
    uint32_t begin = parser.token.end;
    ListBuilder<Expr> parts(parser);
    parsePieces(form, true, parts);
    SourceRange range{begin, parser.token.end > begin ? parser.token.end - 1 : begin};
    flush(parts, {textBegin, range.end});
    if (!parser.failed)
      parser.lexer.closeField();
    return parser.make<JoinedStr>(range, parts.finish());
  }

  FileParser &parser;
  ListBuilder<Expr> values;
  std::string_view pending;
  std::string joined;
  uint32_t textBegin = 0; // where the pending text begins
  bool formatted = false;
  bool unicodePrefix = false;
};

Expr *FileParser::parseStrings() { return StringParser(*this).parse(); }

void FileParser::leaveFString(const Token &start, size_t bracketCount) {
  lexer.leaveFString(start, bracketCount);
  failedToken.kind = TokenKind::Error; // its place is behind us: recovery begins after the f-string
  failedToken.startsLine = false;
}

} // namespace nereid::syntax
