// Unicode.h: what the lexer and the printer need to know about characters outside ASCII.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nereid::syntax {

// Reads one character and moves `p` past it. Surrogates are accepted (string values hold them in WTF-8); a byte that
// begins no character is returned as U+FFFD.
char32_t decodeUtf8(const char *&p, const char *end);
void appendUtf8(std::string &out, char32_t c);
// The offset of the first byte that is not UTF-8, or nothing.
std::optional<size_t> findInvalidUtf8(std::string_view text);

bool isIdentifierStart(char32_t c);
bool isIdentifierContinue(char32_t c);
bool isPrintable(char32_t c); // as Python's str.isprintable

// Python compares names after this normalization (form KC).
std::string normalizeIdentifier(std::string_view name);

// The character that \N{name} stands for: names, aliases, Hangul syllables and unified ideographs of Unicode 14.
std::optional<char32_t> characterByName(std::string_view name);

// For messages: "`€` (U+20AC)", or only "U+00A0" for what cannot be seen.
std::string codePointName(char32_t c);

} // namespace nereid::syntax
