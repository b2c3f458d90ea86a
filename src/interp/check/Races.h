// Races.h: finds programs of a grid that touch the same memory without an order between them.
//
// A program orders its accesses before those of another when it releases through an atomic and the other acquires
// through the same address (or through a chain of such). Programs are numbered; each counts its releases, and an access
// is known by its program and count.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace nereid::interp {

class Races {
public:
  // An access of another program that is not ordered with this one.
  struct Conflict {
    uint32_t program, fact;
    bool isWrite;
  };

  // `granule`: the smallest access of the kernel, in bytes.
  explicit Races(size_t granule) : granule(granule) {}

  void addMemory(uint64_t begin, size_t bytes);
  std::optional<Conflict> read(uint32_t program, uint32_t fact, uint64_t address, size_t bytes);
  // An atomic is no plain access, but races with a plain write like a read does. Ask before it acquires anything.
  std::optional<Conflict> touchAtomically(uint32_t program, uint64_t address, size_t bytes);
  std::optional<Conflict> write(uint32_t program, uint32_t fact, uint64_t address, size_t bytes);
  void acquire(uint32_t program, uint64_t address);
  void release(uint32_t program, uint64_t address);

private:
  struct Touch {
    uint32_t program; // plus one; 0: none
    uint32_t time, fact;
  };
  // Two readers, so that one of them is another program than the one that writes.
  struct State {
    Touch writer, reader, otherReader;
  };
  struct Memory {
    uint64_t begin;
    size_t bytes;
    std::unique_ptr<State, void (*)(void *)> states;
  };
  // The release count of each program up to which its accesses are known to lie before.
  using Times = std::unordered_map<uint32_t, uint32_t>;
  struct Clock {
    uint32_t own = 1;
    Times seen;
  };

  // The states of an access, or null where the memory is not watched.
  State *statesOf(uint64_t address, size_t bytes, size_t &count);
  bool isBefore(const Touch &touch, uint32_t program);
  static void joinTimes(Times &to, const Times &from);

  size_t granule;
  std::vector<Memory> memories;
  std::unordered_map<uint32_t, Clock> clocks;
  std::unordered_map<uint64_t, Times> released;
};

} // namespace nereid::interp
