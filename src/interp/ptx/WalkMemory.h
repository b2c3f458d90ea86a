// WalkMemory.h: what loads of global memory give while warps are followed: what the tensors held before the launch, and
// where a program read what the launch itself had written, what it read then.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nereid::interp::ptx {

class WalkMemory {
public:
  // Memory that may be read.
  void allow(uint64_t begin, uint64_t end) { parts.emplace_back(begin, end); }

  // What a program gets, by its number in the grid; none: there is no such memory. It is asked of memory once, so that a walk after
  // the launch finds what one before it found.
  std::optional<uint64_t> read(uint64_t program, uint64_t address, unsigned bytes);

  // What a program read in the launch, the last time. False: no walk has asked for that address.
  bool learn(uint64_t program, uint64_t address, uint64_t value);

private:
  struct Value {
    uint64_t bits;
    unsigned bytes;
  };
  std::vector<std::pair<uint64_t, uint64_t>> parts;          // from, to
  std::unordered_map<uint64_t, Value> before;                // by address
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> learned; // by program and address
};

} // namespace nereid::interp::ptx
