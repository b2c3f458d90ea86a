// Encoding.h: source files that are not UTF-8. Python declares them in a comment on one of the first two lines.
#pragma once

#include "support/Source.h"

#include <optional>
#include <string>
#include <string_view>

namespace nereid::syntax {

struct EncodingDeclaration {
  std::string_view name; // as written, without the brackets of editors' conventions
  SourceRange range;
};

// The `# coding: name` of a file, if it has one.
std::optional<EncodingDeclaration> declaredEncoding(std::string_view text);

enum class EncodingFamily { Utf8, Ascii, Latin1, CodePage, Unknown };

struct Encoding {
  EncodingFamily family = EncodingFamily::Unknown;
  const char16_t *upperHalf = nullptr; // CodePage: the characters of bytes 128 to 255
};

Encoding findEncoding(std::string_view name);

// Replaces the bytes by UTF-8. Returns the offset of a byte that has no meaning in the encoding, or nothing.
std::optional<size_t> decodeToUtf8(const Encoding &encoding, std::string &bytes);

// The upper half of a single-byte encoding by its normalized name, or null.
const char16_t *codePage(std::string_view name);

} // namespace nereid::syntax
