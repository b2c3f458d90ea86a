// Writes.h: an observer that remembers who wrote which element of which tensor, for `nereid run --trace-writes`.
#pragma once

#include "interp/Observer.h"
#include "runtime/Argument.h"

namespace nereid::interp {

// A tensor that the launch has written something of.
struct TensorWrites {
  std::string name;
  uint64_t elements = 0;  // in its memory
  uint64_t unwritten = 0; // that no program wrote
  uint64_t several = 0;   // that more than one program wrote, in another way than by atomics
  uint64_t changed = 0;   // that atomics changed
  uint64_t firstUnwritten = 0, firstSeveral = 0;
  std::array<uint64_t, 2> writers{};        // two programs that wrote the first of `several`, x fastest
  std::string placeUnwritten, placeSeveral; // "element [3, 4] of `out_ptr`, which has …"
};

class WriteTracer : public Observer {
public:
  void begin(const Program &program, Launch &launch) override;
  void run(Machine &machine, const Instruction &instruction) override;

  // Of the tensors that were written, in the order of the arguments.
  std::vector<TensorWrites> take() const;

private:
  // One element: the first program that wrote it and another one, both plus one; 0: none.
  struct Writers {
    uint32_t first = 0, other = 0;
    bool isChanged = false;
  };
  struct Memory {
    runtime::Allocation tensor; // the launch's own ends with it
    std::vector<Writers> elements;
    bool isWritten = false;
  };
  void write(uint64_t address, uint64_t bytes, uint32_t program, bool isAtomic);

  std::vector<Memory> memories;
  std::array<uint32_t, 3> grid{1, 1, 1};
};

} // namespace nereid::interp
