// WalkMemory.h: what loads of global memory give while warps are followed: what the tensors held before the launch, and
// where a program read what the launch itself had written, what it read then.
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
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

  // What a program gets, by its number in the grid; none: there is no such memory. Pages are copied when they are first asked for,
  // so that a walk after the launch finds what one before it found.
  std::optional<uint64_t> read(uint64_t program, uint64_t address, unsigned bytes);

  // The same of an atomic, which changes what it gives: the first time.
  std::optional<uint64_t> readByAtomic(uint64_t program, uint64_t address, unsigned bytes);

  // What a program read in the launch, the last time, or what an atomic gave it the first time. False: no walk has asked for that
  // address.
  bool learn(uint64_t program, uint64_t address, uint64_t value, bool isAtomic = false);

private:
  static constexpr uint64_t kPageBytes = 4096;
  struct Page {
    std::array<std::byte, kPageBytes> bytes;
    std::bitset<kPageBytes> isAsked; // for a value that begins there
  };
  // Nothing: too many are kept.
  Page *pageAt(uint64_t address);

  std::vector<std::pair<uint64_t, uint64_t>> parts;                            // from, to
  std::unordered_map<uint64_t, Page> before;                                   // by where they begin
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> learned, learnedByAtomics; // by program and address
};

} // namespace nereid::interp::ptx
