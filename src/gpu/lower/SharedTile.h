// SharedTile.h: writes and reads tiles in shared memory as a plan of layout/Conversion.h says.
#pragma once

#include "gpu/lower/Lowering.h"

#include "layout/Conversion.h"

namespace nereid::gpu {

// The registers of a tile as integers of the size that they have in memory, and back to `type`.
llvm::Value *toMemoryBits(Lowering &lowering, llvm::Value *tile);
llvm::Value *fromMemoryBits(Lowering &lowering, llvm::Value *bits, llvm::Type *type);

// The accesses `first` … of `access` on memory that starts at `base`. Registers are integers, one value for each.
void writeShared(Lowering &lowering, const layout::SharedAccess &access, unsigned first, unsigned count,
                 llvm::Value *base, llvm::ArrayRef<llvm::Value *> registers);
void readShared(Lowering &lowering, const layout::SharedAccess &access, unsigned first, unsigned count,
                llvm::Value *base, llvm::Type *element, llvm::MutableArrayRef<llvm::Value *> registers);

} // namespace nereid::gpu
