// Token.h: the words of a Python file. A token is a kind and a place; its text is a slice of the source.
#pragma once

#include <cstdint>
#include <string_view>

// clang-format off (tables)
namespace nereid::syntax {

enum class TokenKind : uint8_t {
  // Structure. Error: the lexer could not form a token, and has said why.
  Error,
  EndOfFile,
  Newline,
  Indent,
  Dedent,
  // Literals. FString covers only the prefix and the opening quote; the parser asks for the pieces.
  Name,
  Integer,
  Float,
  Imaginary,
  String,
  FString,
  // Keywords.
  False,
  None,
  True,
  And,
  As,
  Assert,
  Async,
  Await,
  Break,
  Class,
  Continue,
  Def,
  Del,
  Elif,
  Else,
  Except,
  Finally,
  For,
  From,
  Global,
  If,
  Import,
  In,
  Is,
  Lambda,
  Nonlocal,
  Not,
  Or,
  Pass,
  Raise,
  Return,
  Try,
  While,
  With,
  Yield,
  // Brackets and punctuation.
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Semicolon,
  Dot,
  Ellipsis,
  At,
  Arrow,
  ColonEqual,
  Equal,
  Exclamation,
  // Operators.
  Plus,
  Minus,
  Star,
  DoubleStar,
  Slash,
  DoubleSlash,
  Percent,
  Pipe,
  Caret,
  Ampersand,
  LeftShift,
  RightShift,
  Tilde,
  EqualEqual,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  // Augmented assignment.
  PlusEqual,
  MinusEqual,
  StarEqual,
  DoubleStarEqual,
  SlashEqual,
  DoubleSlashEqual,
  PercentEqual,
  PipeEqual,
  CaretEqual,
  AmpersandEqual,
  LeftShiftEqual,
  RightShiftEqual,
  AtEqual
};

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  bool startsLine = false; // inside brackets: the first token of its physical line
  bool plain = true;       // Name: ASCII only. String: no escapes. Number: no underscores.
  uint32_t begin = 0;
  uint32_t end = 0;
};

inline bool isKeyword(TokenKind kind) { return kind >= TokenKind::False && kind <= TokenKind::Yield; }

// How a kind is spelled, or what it is called when it has no fixed spelling ("a name", "the end of the line").
std::string_view spelling(TokenKind kind);

// The keyword that `word` is, or Name. Soft keywords (match, case, type, _) are names here.
TokenKind keywordKind(std::string_view word);

} // namespace nereid::syntax
