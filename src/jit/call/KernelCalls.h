// KernelCalls.h: the quick way of a launch: a call like an earlier one finds its compiled code without locks,
// allocation or compile-time Python. Whatever is unusual or wrong is left to the long way (Launch.h), which says what.
#pragma once

#include "jit/call/CallTable.h"
#include "jit/call/Callable.h"

namespace nereid::jit {

// One call on its way through the table.
struct QuickCall {
  const nereid_argument *arguments = nullptr;
  size_t count = 0;
  const nereid_launch_options *options = nullptr;

  const CallShape *shape = nullptr; // null: the call goes the long way
  cuda::Device *device = nullptr;   // null: on the CPU
  CallKey key;
};

class KernelCalls {
public:
  explicit KernelCalls(const lang::Function &kernel);

  // The code for this call, or null; then `call.shape` says whether it may be added once it is known.
  const Callable *find(QuickCall &call);
  void add(const QuickCall &call, const LaunchedCode &code, const std::array<uint32_t, 3> &grid);

  // The grid of a call, from its options or as its expression gave it; nothing when it is wrong.
  static std::optional<std::array<uint32_t, 3>> gridOf(const QuickCall &call, const Callable &callable);

private:
  bool describe(QuickCall &call);

  CallShapes shapes;
  CallTable<Callable> table;
  bool hasHeuristics; // then any value of an argument may decide what is compiled
};

} // namespace nereid::jit
