// SpecializedTile.h: the way to tile IR that all ahead-of-time compilation shares: bind, specialize, compile.
#pragma once

#include "jit/Specialize.h"

namespace nereid::jit {

struct SpecializedTile {
  Binding binding;
  Specialization specialization;
  compiler::TileModule tile; // verified
};

Result<SpecializedTile> compileTile(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                    std::vector<NamedHostValue> arguments, const Settings &settings);

} // namespace nereid::jit
