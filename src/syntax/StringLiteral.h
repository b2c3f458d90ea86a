// StringLiteral.h: the value of a string's text: escapes and line ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::syntax {

struct EscapeError {
  size_t begin = 0; // offsets into the text
  size_t end = 0;
  std::string message; // empty: no error
};

// Appends the value of `text`. Line ends become `\n`; escapes are replaced unless `raw`. Surrogates come out as WTF-8.
EscapeError decodeString(std::string_view text, bool raw, bool bytes, std::string &out);

} // namespace nereid::syntax
