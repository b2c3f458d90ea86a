// Arena.h: memory for one syntax tree. Allocation moves a pointer; everything is freed at once with the arena.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace nereid::syntax {

class Arena {
public:
  void *allocate(size_t bytes) {
    bytes = (bytes + kAlignment - 1) & ~(kAlignment - 1);
    if (bytes > static_cast<size_t>(limit - next))
      grow(bytes);
    void *result = next;
    next += bytes;
    return result;
  }

  template <class T, class... Fields> T *make(Fields &&...fields) {
    static_assert(std::is_trivially_destructible_v<T>, "the arena runs no destructors");
    static_assert(alignof(T) <= kAlignment);
    return new (allocate(sizeof(T))) T{static_cast<Fields &&>(fields)...};
  }

  std::string_view copy(std::string_view text) {
    if (text.empty())
      return {};
    char *data = static_cast<char *>(allocate(text.size()));
    std::memcpy(data, text.data(), text.size());
    return {data, text.size()};
  }

  template <class T> std::span<const T> copy(const T *data, size_t count) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (count == 0)
      return {};
    T *result = static_cast<T *>(allocate(count * sizeof(T)));
    std::memcpy(static_cast<void *>(result), data, count * sizeof(T));
    return {result, count};
  }

private:
  static constexpr size_t kAlignment = 8;
  static constexpr size_t kFirstChunk = size_t(16) << 10;
  static constexpr size_t kLargestChunk = size_t(1) << 20;

  void grow(size_t bytes) {
    size_t size = bytes > chunkSize ? bytes : chunkSize;
    chunks.emplace_back(new char[size]);
    next = chunks.back().get();
    limit = next + size;
    if (chunkSize < kLargestChunk)
      chunkSize *= 2;
  }

  char *next = nullptr;
  char *limit = nullptr;
  size_t chunkSize = kFirstChunk;
  std::vector<std::unique_ptr<char[]>> chunks;
};

} // namespace nereid::syntax
