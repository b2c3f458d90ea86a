// GuardedArguments.h: the tensors of a launch copied into guarded memory: memory that the caller owns has no guards of its
// own. For NEREID_GUARD=1, and for the first launches of a kernel from Python.
#pragma once

#include "jit/Specialize.h"
#include "jit/call/TensorSpan.h"

namespace nereid::jit {

class GuardedArguments {
public:
  // Copies the memory; ranges that overlap stay together. Fails when there is no room.
  static Result<GuardedArguments> copy(const std::vector<ByteRange> &memory);

  // Where a byte of the caller's memory is among the copies; elsewhere the address as it is.
  uintptr_t movedAddress(uintptr_t address) const;
  std::vector<runtime::Allocation> moved(std::vector<runtime::Allocation> allocations) const;
  Specialization moved(Specialization specialization) const;

  // After the launch: what the kernel wrote. Bytes that it did not change may be somebody else's turn, or read-only.
  void copyBack() const;
  // The first byte that was written outside of the copies, where no guard is: between an end and its page's.
  std::optional<uintptr_t> strayWrite() const;

private:
  struct Piece {
    uintptr_t begin, end; // of the caller's memory
    std::shared_ptr<std::byte> memory;
    std::shared_ptr<std::byte[]> before; // what the memory held before the launch
  };
  std::vector<Piece> pieces; // by address
};

// The memory of all tensors of a launch.
std::vector<ByteRange> memoryOf(const Specialization &specialization);

} // namespace nereid::jit
