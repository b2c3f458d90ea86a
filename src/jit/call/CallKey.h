// CallKey.h: what of a call decides which compiled code it runs, as bytes on the stack, made without allocating: the
// types of the arguments, which of them are aligned, 1 or divisible by 16, the values of the constants.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

namespace nereid::jit {

class CallKey {
public:
  static constexpr size_t kMaxBytes = 1000;

  CallKey() {} // the bytes stay as they are: clearing them would cost as much as a launch may
  template <class T> void add(T value) { add(&value, sizeof value); }
  void text(std::string_view value) {
    add<uint32_t>(static_cast<uint32_t>(value.size()));
    if (!value.empty())
      add(value.data(), value.size());
  }
  // More than there is room for: the call cannot be kept under a key.
  bool isTooLong() const { return length > kMaxBytes; }
  std::string_view bytes() const { return {buffer, length}; }

  uint64_t hash() const {
    uint64_t state = length * 0x9e3779b97f4a7c15;
    if (length < 8)
      return mix(state ^ word(buffer, length));
    for (size_t i = 0; i + 8 < length; i += 8)
      state = mix(state ^ word(buffer + i, 8));
    return mix(state ^ word(buffer + length - 8, 8)); // the last ones, of which some may have been taken already
  }

private:
  void add(const void *data, size_t size) {
    if (length + size <= kMaxBytes)
      std::memcpy(buffer + length, data, size);
    else
      size = kMaxBytes + 1 - length;
    length += size;
  }
  static uint64_t word(const char *bytes, size_t size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes, size);
    return value;
  }
  static uint64_t mix(uint64_t value) {
    auto product = static_cast<unsigned __int128>(value) * 0xd6e8feb86659fd93;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }

  size_t length = 0;
  char buffer[kMaxBytes + 1];
};

} // namespace nereid::jit
