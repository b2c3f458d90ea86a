// Fields.h: numbers and texts as bytes and back. The reader never reads past the end: after a failure it gives zeros
// and empty texts, and hasFailed() says so.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nereid::jit {

class FieldWriter {
public:
  std::string bytes;

  void raw(std::string_view text) { bytes += text; }
  template <class T> void number(T value) {
    for (size_t i = 0; i < sizeof(T); ++i)
      bytes += static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  }
  void text(std::string_view value) {
    number<uint64_t>(value.size());
    raw(value);
  }
};

class FieldReader {
public:
  explicit FieldReader(std::string_view bytes) : rest(bytes) {}

  size_t left() const { return rest.size(); }
  bool hasFailed() const { return failed; }
  std::string_view raw(uint64_t size) {
    if (size > rest.size()) {
      failed = true;
      rest = {};
      return {};
    }
    std::string_view result = rest.substr(0, size);
    rest.remove_prefix(size);
    return result;
  }
  template <class T> T number() {
    std::string_view digits = raw(sizeof(T));
    uint64_t value = 0;
    for (size_t i = 0; i < digits.size(); ++i)
      value |= static_cast<uint64_t>(static_cast<uint8_t>(digits[i])) << (8 * i);
    return static_cast<T>(value);
  }
  std::string_view text() { return raw(number<uint64_t>()); }
  // The number of items that follow; fails when even one byte for each would be more than there is.
  uint64_t count() {
    auto value = number<uint64_t>();
    if (value <= rest.size())
      return value;
    failed = true;
    return 0;
  }

private:
  std::string_view rest;
  bool failed = false;
};

} // namespace nereid::jit
