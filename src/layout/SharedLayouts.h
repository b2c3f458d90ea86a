// SharedLayouts.h: tiles in shared memory. The input is `offset`, counted in elements from the start of the buffer.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

// Plain: the axes of `order`, the fastest first, one after the other. rowMajorOrder(rank) gives row-major.
LinearLayout sharedLayout(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<unsigned> order);

// The swizzles of TMA and wgmma: rows of `swizzleBytes` (32, 64 or 128) along the fastest axis, in which the 16-byte
// chunk is XORed with bits 7 and up of the address. A tile that is wider is cut into boxes of that width, one behind
// the other, each with all rows: what TMA writes box by box. The buffer must be aligned to 8 rows (256, 512 or 1024
// bytes). `swizzleBytes` of 16 is no swizzle: boxes of 16 bytes a row.
LinearLayout swizzledSharedLayout(llvm::ArrayRef<int64_t> shape, unsigned elementBytes, unsigned swizzleBytes,
                                  llvm::ArrayRef<unsigned> order);

// The widest of these swizzles whose rows the tile can fill: 128, 64, 32, or 16.
unsigned widestSwizzle(llvm::ArrayRef<int64_t> shape, unsigned elementBytes, llvm::ArrayRef<unsigned> order);

} // namespace nereid::layout
