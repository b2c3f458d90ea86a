// Machine.h: the state of one program instance while it runs.
#pragma once

#include "interp/Program.h"

#include <chrono>

namespace nereid::interp {

class Launch;
class Observer;

struct Machine {
  const Program &code;
  Launch &launch;
  std::byte *frame = nullptr;
  // For an observer that asks for it (the checker): bytes at the offset of a slot that belong to its value.
  std::byte *shadow = nullptr;
  // Runs the instructions where the launch is watched; null: they run by themselves.
  Observer *observer = nullptr;
  std::array<uint32_t, 3> program{};
  // How many lanes a combine region works on at once.
  uint32_t lanes = 1;
  uint64_t steps = 0;
  // Spins of this program since another one last made progress.
  uint64_t spins = 0, seenProgress = 0;
  std::chrono::steady_clock::time_point idleSince{};
  // Where the last access to memory was allowed: addresses in [allowed, allowed + allowedBytes).
  uint64_t allowed = 0, allowedBytes = 0;
  // False once the program has computed with numbers of which claims say nothing (Claims.h).
  bool promisesHold = true;
  // Set with the first failure; every block returns at once then.
  bool stopped = false;
  Failure failure;
  std::string output;

  template <typename T> T *at(uint32_t offset) { return reinterpret_cast<T *>(frame + offset); }
  size_t countOf(const Instruction &instruction) const { return instruction.count ? instruction.count : lanes; }
  const Fact &factOf(const Instruction &instruction) const { return code.facts[instruction.fact]; }

  void execute(const Block &block) {
    if (observer)
      return executeObserved(block);
    for (const Instruction &instruction : block.instructions) {
      instruction.run(*this, instruction);
      if (stopped)
        return;
    }
  }
  void executeObserved(const Block &block);

  // Stop this program, and with it the launch.
  void fail(Failure::Kind kind, const Instruction &instruction, std::string message);

  // Count a trip round a loop; false when the launch must stop.
  bool step(const Instruction &instruction);

  // Copy a value, with its shadow.
  void copy(uint32_t from, uint32_t to, size_t bytes);
};

} // namespace nereid::interp
