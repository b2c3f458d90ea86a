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

// Reads `count` elements of `type` (which is how they are in memory). Where the predicate is false the elements of
// `other` come back; a null predicate is always true, a null other is zeros.
Values loadGlobal(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count, llvm::Value *predicate,
                  llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints);
void storeGlobal(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                 llvm::Value *predicate, const AccessHints &hints);

} // namespace nereid::gpu
