// SpecializedTile.h: the way to tile IR that all compilation shares: bind, specialize, compile. A bug of ours that shows there
// leaves a reproducer.
#pragma once

#include "jit/Specialize.h"

namespace nereid::jit {

// Of arguments that are bound and specialized. Warnings stay in the module's compiler.
Result<compiler::TileModule> compileTile(KernelModule &module, const Binding &binding,
                                         const Specialization &specialization);

// The same with the warnings, rendered.
struct TileCode {
  compiler::TileModule tile;
  std::string warnings;
};
Result<TileCode> emitTile(KernelModule &module, const Binding &binding, const Specialization &specialization);

struct SpecializedTile {
  Binding binding;
  Specialization specialization;
  compiler::TileModule tile; // verified
};
Result<SpecializedTile> compileTile(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                    std::vector<NamedHostValue> arguments, const Settings &settings);

// What compiled kernels of a module are kept under, on each device.
std::string keyOf(const Binding &binding, const Specialization &specialization);

} // namespace nereid::jit
