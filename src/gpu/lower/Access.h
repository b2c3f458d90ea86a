// Access.h: one access to global memory by one thread: several elements next to each other, under a predicate, with
// what the source says about caches.
#pragma once

#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

struct AccessHints {
  tile::CacheModifier cache = tile::CacheModifier::None;
  tile::EvictionPolicy evict = tile::EvictionPolicy::Normal;
  bool isVolatile = false;
  bool isPlain() const {
    return cache == tile::CacheModifier::None && evict == tile::EvictionPolicy::Normal && !isVolatile;
  }
};

// How many registers in a row one access can cover: at most 16 bytes, as far as addresses and masks allow. `bytes` are those
// of an element.
unsigned accessWidth(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, mlir::Value mask,
                     const LinearLayout &layout, unsigned bytes);
// The same where masks may end inside of an access: its elements are accessed one by one then.
unsigned accessWidthToEnd(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, mlir::Value mask,
                          const LinearLayout &layout, unsigned bytes);
// The same for copies into shared memory.
unsigned copyWidth(const analysis::AxisInfoAnalysis &axes, warp::CopyAsyncOp op);
// Which pieces of a tile of rows the threads of a producer copy.
LinearLayout layoutOfRows(warp::BufferType buffer);

// How many registers in a row are of one element: pointers, masks and what else decides are the same.
unsigned equalAccesses(const analysis::AxisInfoAnalysis &axes, mlir::ValueRange operands, const LinearLayout &layout);

// Reads `count` elements of `type` (which is how they are in memory). Where the predicate is false the elements of
// `other` come back; a null predicate is always true, a null other is zeros.
Values loadGlobal(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count, llvm::Value *predicate,
                  llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints);
void storeGlobal(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                 llvm::Value *predicate, const AccessHints &hints);

} // namespace nereid::gpu
