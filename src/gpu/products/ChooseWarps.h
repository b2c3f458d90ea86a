// ChooseWarps.h: how many warps a kernel runs on.
#pragma once

#include "gpu/Options.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::gpu {

// As many as were asked for; more where the products of a loop, what a loop carries, or a tile that is loaded would not fit into
// the registers of those.
unsigned chooseWarps(mlir::func::FuncOp kernel, const Options &options);
// As many, or those that attention should have if a producer brings its keys and values (see SpecializeAttention.cpp), and only then.
unsigned warpsWithProducer(mlir::func::FuncOp kernel, const Options &options);

} // namespace nereid::gpu
