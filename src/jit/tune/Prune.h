// Prune.h: `prune_configs_by` of @triton.autotune: functions of the kernel file that leave configurations out before
// they are compiled. They are evaluated as compile-time Python; where that is not possible, nothing is left out, and a
// note says so.
#pragma once

#include "jit/Bind.h"

namespace nereid::jit {

struct Pruned {
  std::vector<unsigned> configs; // places in the kernel's list that remain, in order
  std::vector<std::string> notes;
};

Pruned pruneConfigs(KernelModule &module, const Binding &binding);

} // namespace nereid::jit
