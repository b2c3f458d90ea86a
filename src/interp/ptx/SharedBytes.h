// SharedBytes.h: what the threads of a program have stored in shared memory, so far as it is known.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace nereid::interp::ptx {

class SharedBytes {
public:
  // Nothing is known any more.
  void forget() { isKnown.assign(isKnown.size(), false); }
  void forget(uint64_t address, uint64_t bytes) {
    for (uint64_t i = address; i < std::min<uint64_t>(address + bytes, isKnown.size()); ++i)
      isKnown[i] = false;
  }

  void write(uint64_t address, unsigned bytes, uint64_t value) {
    if (!makeRoom(address, bytes))
      return;
    for (unsigned i = 0; i < bytes; ++i) {
      contents[address + i] = uint8_t(value >> 8 * i);
      isKnown[address + i] = true;
    }
  }

  std::optional<uint64_t> read(uint64_t address, unsigned bytes) const {
    if (address > isKnown.size() || bytes > isKnown.size() - address)
      return std::nullopt;
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      if (!isKnown[address + i])
        return std::nullopt;
      value |= uint64_t(contents[address + i]) << 8 * i;
    }
    return value;
  }

private:
  bool makeRoom(uint64_t address, unsigned bytes) {
    constexpr uint64_t kMost = 256 << 10; // more than any multiprocessor has
    if (address > kMost || bytes > 8)
      return false;
    if (address + bytes > isKnown.size()) {
      isKnown.resize(address + bytes);
      contents.resize(address + bytes);
    }
    return true;
  }

  std::vector<uint8_t> contents;
  std::vector<bool> isKnown;
};

} // namespace nereid::interp::ptx
