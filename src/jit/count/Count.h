// Count.h: a launch on the interpreter that counts what it does, as a device would have to do it.
#pragma once

#include "jit/Launch.h"
#include "jit/count/CountedCode.h"
#include "jit/count/Roofline.h"

namespace nereid::jit {

struct CountRequest {
  std::string target;             // "sm_90a", "sm_80", "cpu"; empty: that of the device
  std::string device;             // a row of the table; empty: the usual one of the target, at last an H200
  std::vector<DeviceRow> devices; // rows besides those of the table
  Assembling assembling = {};     // registers are 0 where there is no assembler
};

struct Counted {
  Launched launched;
  interp::CountResult counts;
  std::string target;
  DeviceRow device;
  Roofline roofline;
  std::optional<CountedCode> code; // for a GPU
  std::string codeProblem;         // why there is none, rendered
  // Hits of the L2 cache among its hits and misses, as ncu has it; 0 where there were none.
  double cacheHitRate() const;
};

// Runs the kernel once. The arguments' tensors are written as by any other launch.
Result<Counted> countBound(KernelModule &module, const Binding &binding, const std::array<uint32_t, 3> &grid,
                           Settings settings, const CountRequest &request);
// The same for arguments that are not bound yet.
Result<Counted> count(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                      const std::vector<Argument> &arguments, Settings settings, const CountRequest &request);

} // namespace nereid::jit
