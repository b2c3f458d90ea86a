// Source.h: one source file in memory, and positions in it. A position is a byte offset; lines and columns are
// computed only when a message is printed.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace nereid {

// Half-open range of byte offsets into one Source.
struct SourceRange {
  uint32_t begin = 0;
  uint32_t end = 0;
};

struct LineColumn {
  uint32_t line = 1;   // 1-based
  uint32_t column = 1; // 1-based, in bytes
};

class Source {
public:
  // The text is UTF-8 (the reader decodes a declared encoding and drops a byte order mark).
  Source(std::string name, std::string text);

  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }
  std::string_view slice(SourceRange range) const { return text().substr(range.begin, range.end - range.begin); }

  LineColumn position(uint32_t offset) const;
  // The text of a 1-based line, without its line end.
  std::string_view line(uint32_t number) const;

private:
  const std::vector<uint32_t> &lineStarts() const; // built on first use, by any thread

  std::string fileName;
  std::string contents;
  mutable std::once_flag startsOnce;
  mutable std::vector<uint32_t> starts;
};

using SourceRef = std::shared_ptr<const Source>;

} // namespace nereid
