// Machine.cpp: what a program instance does with its launch and with who watches it.
#include "interp/Machine.h"

#include "interp/Launch.h"
#include "interp/Observer.h"

#include <cstring>

namespace nereid::interp {

void Machine::executeObserved(const Block &block) {
  for (const Instruction &instruction : block.instructions) {
    observer->run(*this, instruction);
    if (stopped)
      return;
  }
}

void Machine::fail(Failure::Kind kind, const Instruction &instruction, std::string message) {
  stopped = true;
  if (!failure)
    failure = {kind, std::move(message), code.placeOf(instruction), program};
}

bool Machine::step(const Instruction &instruction) {
  ++steps;
  uint64_t limit = launch.launchOptions().stepLimit;
  if (limit && steps > limit)
    fail(Failure::Kind::StepLimit, instruction,
         "the program went round loops more than " + std::to_string(limit) + " times");
  if ((steps & 15) == 0 && !launch.goesOn(*this, &instruction))
    stopped = true;
  return !stopped;
}

void Machine::copy(uint32_t from, uint32_t to, size_t bytes) {
  std::memcpy(frame + to, frame + from, bytes);
  if (shadow)
    std::memcpy(shadow + to, shadow + from, bytes);
}

} // namespace nereid::interp
