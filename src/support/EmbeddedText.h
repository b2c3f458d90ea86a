// EmbeddedText.h: text files inside of the binary: rows that cmake/EmbedText.cmake and EmbedFolder.cmake write.
#pragma once

#include <span>
#include <string_view>

namespace nereid {

struct EmbeddedText {
  const char *name, *text; // no views: the compiler would count every letter at compile time
};

// The text of this name; null where there is none.
inline const char *findText(std::span<const EmbeddedText> rows, std::string_view name) {
  for (const EmbeddedText &row : rows)
    if (!name.empty() && name == row.name)
      return row.text;
  return nullptr;
}

} // namespace nereid
