// Characters.h: what each byte of a source file can begin.
#pragma once

#include <array>
#include <cstdint>

namespace nereid::syntax {

enum class ByteClass : uint8_t { Other, Name, Digit, Quote, LineEnd, Blank };

constexpr std::array<ByteClass, 256> makeByteClasses() {
  std::array<ByteClass, 256> table{};
  for (int c = 'a'; c <= 'z'; ++c)
    table[c] = table[c - 'a' + 'A'] = ByteClass::Name;
  table['_'] = ByteClass::Name;
  for (int c = 0x80; c < 0x100; ++c)
    table[c] = ByteClass::Name; // part of a Unicode character: checked when the name is complete
  for (int c = '0'; c <= '9'; ++c)
    table[c] = ByteClass::Digit;
  table['"'] = table['\''] = ByteClass::Quote;
  table['\0'] = table['\n'] = table['\r'] = ByteClass::LineEnd;
  table[' '] = table['\t'] = table['\f'] = ByteClass::Blank;
  return table;
}

inline constexpr std::array<ByteClass, 256> kByteClasses = makeByteClasses();

inline ByteClass byteClass(char c) { return kByteClasses[static_cast<unsigned char>(c)]; }
inline bool isDigit(char c) { return c >= '0' && c <= '9'; }
inline bool isLineEnd(char c) { return c == '\n' || c == '\r'; }
inline bool isNameByte(char c) { return byteClass(c) == ByteClass::Name || byteClass(c) == ByteClass::Digit; }

inline int hexDigit(char c) {
  if (isDigit(c))
    return c - '0';
  char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

} // namespace nereid::syntax
