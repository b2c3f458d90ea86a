// Slots.h: how a loop goes round the slots of its buffers.
#pragma once

#include "gpu/Options.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// How many stages the loop has: its own option, or the kernel's.
unsigned stagesOf(mlir::scf::ForOp loop, const Options &options);

// A slot, or a parity, that is known.
mlir::Value slotNumber(mlir::OpBuilder &builder, mlir::Location loc, int32_t value);

mlir::Value nextSlot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot, unsigned slots);
mlir::Value previousSlot(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot, unsigned slots);
// The parity of a slot's barrier: the other one whenever slots start again. `slot` is the next one.
mlir::Value nextPhase(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value slot, mlir::Value phase);

} // namespace nereid::gpu
