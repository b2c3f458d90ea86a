// TraceRun.h: runs chosen programs of a launch on the interpreter and writes down what they do.
#pragma once

#include "interp/trace/Tracer.h"
#include "jit/Bind.h"
#include "jit/Specialize.h"

namespace nereid::view {

struct TraceRequest {
  jit::KernelModule &module;
  const jit::Binding &binding;
  const jit::Specialization &specialization;
  std::array<uint32_t, 3> grid{1, 1, 1};
  const jit::Settings &settings;
};

// The first, the middle and the last program, and those that are asked for; each once, in the order of the launch.
std::vector<std::array<uint32_t, 3>> choosePrograms(const std::array<uint32_t, 3> &grid,
                                                    const std::vector<std::array<uint32_t, 3>> &asked);

// Runs on the memory of the arguments. Fails where the kernel cannot be emitted or is none for the interpreter; what goes wrong
// while it runs is in Trace::failure.
Result<interp::Trace> traceLaunch(const TraceRequest &request, interp::TraceOptions options);

// The bytes of tensors, kept to be put back.
class KeptMemory {
public:
  explicit KeptMemory(const std::vector<runtime::Allocation> &tensors);
  // Writes what has changed.
  void restore() const;

private:
  std::vector<std::pair<runtime::Allocation, std::vector<std::byte>>> kept;
};

} // namespace nereid::view
