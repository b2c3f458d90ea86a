// Kernel.h: the contract between code compiled for the CPU and the run time that calls it. Standard library only: an
// ahead-of-time object and its launcher need nothing more.
#pragma once

#include "runtime/Site.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nereid::cpu {

// An iteration of a loop that waits for another program: whether it is the loop's first one, and whether the loop does nothing
// but wait.
enum WaitTurn : uint32_t { kFirstTurn = 1, kOnlyWait = 2 };

// Bits of LaunchState::stop: programs end, and none begins; the run time wants to be asked.
enum Stop : uint32_t { kEnd = 1, kLook = 2 };

// What all programs of one launch share. Generated code reads and calls it by the offsets of this layout.
struct LaunchState {
  uint32_t grid[3] = {1, 1, 1};
  // Of Stop. Looked at before every program and in loops.
  std::atomic<uint32_t> stop{0};
  // A device_print: `values` points to one row-major array for each printed value, as the site describes it.
  void (*print)(LaunchState *, uint32_t site, const uint32_t *program, const void *const *values) = nullptr;
  // A failed device_assert, a scalar division by zero, …: the site says which. Sets kEnd.
  void (*fail)(LaunchState *, uint32_t site, const uint32_t *program) = nullptr;
  // A program waits for another one at the site: called in every iteration of the loop, which ends where kEnd is set.
  void (*wait)(LaunchState *, uint32_t site, const uint32_t *program, uint32_t turn) = nullptr;
  // A program has found in a loop, at the site, that `stop` is not 0. Returns where it goes on; where it ends, the entry is left from
  // there. Code for x86-64 expects all registers but those of the arguments as they were.
  void (*look)(LaunchState *, uint32_t site) = nullptr;
  // For the callbacks.
  void *owner = nullptr;
  // A program has come to the beginning or the end of a scope, which the site names; null: nobody profiles.
  void (*mark)(LaunchState *, uint32_t site, const uint32_t *program, uint32_t isEnd) = nullptr;
};

// Runs the programs first … last-1 of the grid (x fastest). Arguments are 8 bytes each: the bits of their own type, a
// pointer, the base of a descriptor (its extents and strides follow as arguments of their own). `scratch` is the
// calling thread's own memory: Artifact::scratchBytes, aligned to 64. The number of the program that runs, or did not
// because `stop` was not 0, stands in the 8 bytes before it.
using Entry = void (*)(const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last,
                       std::byte *scratch);

using runtime::Site;

// A kernel compiled for one kind of CPU: an ELF object whose symbol `name` is an Entry.
struct Artifact {
  std::string name;
  std::vector<std::byte> object;
  uint64_t scratchBytes = 0;
  uint32_t argumentCount = 0;
  // The order of programs can show in the result: floats are added atomically, or it prints.
  bool isOrderSensitive = false;
  bool usesTileRegisters = false; // AMX: the run time asks the system for them first
  // Programs wait for each other, so that one which has begun may need another one to begin.
  bool waits = false;
  // A launch may run on copies of its tensors: nobody meets it in their memory on the way (it has no atomics, and no `while`
  // that waits for others), and it knows no other way to that memory (an address that is stored somewhere).
  bool isMovable = false;
  std::vector<Site> sites;
};

} // namespace nereid::cpu
