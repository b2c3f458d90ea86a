// Coverage.h: which elements of the tensors a launch has written: what a grid that is too small leaves out, and what is
// read before anybody has written it.
#pragma once

#include "interp/Interp.h"

namespace nereid::interp {

class Coverage {
public:
  explicit Coverage(const std::vector<Allocation> &tensors);

  // The instruction `fact` writes there, by a pointer into the tensor.
  void write(size_t tensor, uint64_t address, size_t bytes, uint32_t fact, bool isAtomic);
  // It lies in a tensor that was `empty`, and nobody has written it.
  bool isUnset(uint64_t address, size_t bytes) const;

  // A tensor that stores have written in part. One that atomics change is written where there is something to add.
  struct Gap {
    size_t tensor;
    uint32_t fact; // of its last store
    uint64_t unwritten, total;
    uint64_t first; // in bytes from its start
    // What is written is the beginning: all elements up to one, or all up to an index along each axis.
    bool isBeginning;
  };
  std::vector<Gap> gaps() const;

private:
  struct Memory {
    uint64_t begin;
    std::vector<bool> isWritten; // by element
    bool isStored = false, isAtomic = false;
    uint32_t fact = 0;
  };
  std::optional<Gap> gapOf(size_t tensor) const;

  const std::vector<Allocation> &tensors;
  std::vector<Memory> memories; // of each tensor
};

} // namespace nereid::interp
