// GuardedArguments.h: the tensors of a launch copied into guarded memory, for NEREID_GUARD=1: memory that the caller owns
// has no guards of its own.
#pragma once

#include "jit/Specialize.h"

namespace nereid::jit {

class GuardedArguments {
public:
  // Copies the memory of all tensors; those that overlap stay together. Fails when there is no room.
  static Result<GuardedArguments> copy(const Specialization &specialization);

  // The same with the addresses of the copies.
  Specialization moved(Specialization specialization) const;
  // After the launch: what the kernel wrote.
  void copyBack() const;

private:
  struct Piece {
    uintptr_t begin, end; // of the caller's memory
    std::shared_ptr<std::byte> memory;
  };
  uintptr_t movedAddress(uintptr_t address) const;
  std::vector<Piece> pieces; // by address
};

} // namespace nereid::jit
