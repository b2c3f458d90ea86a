// DotRunner.h: compiles one product for a target and runs it, for tests and timings. Instructions that this machine
// lacks are emulated.
#pragma once

#include "cpu/dot/Dot.h"

#include <memory>
#include <string>

namespace nereid::cpu::test {

// How the strides of an operand are known to the code: a constant 1 along a row, along a column, or not at all.
enum class Strides { RowMajor, ColumnMajor, General };

struct RunOperand {
  const void *data;
  int64_t rowStride, columnStride;
};

class DotRunner {
public:
  DotRunner(const Target &target, const DotSpec &spec, Strides lhs, Strides rhs);
  ~DotRunner();

  void run(RunOperand lhs, RunOperand rhs, void *acc, void *scratch) const;

  // Why it failed; empty if it did not.
  std::string error;
  uint64_t scratchBytes = 0;
  double compileMilliseconds = 0;

private:
  struct State;
  std::unique_ptr<State> state;
};

// The assembly of a product, for targets that this machine cannot run.
std::string assemblyOf(const Target &target, const DotSpec &spec, Strides lhs, Strides rhs);

} // namespace nereid::cpu::test
