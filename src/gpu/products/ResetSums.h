// ResetSums.h: a loop over tiles and over K in one: at the end of a tile its sum is taken by a branch, and starts anew.
//
//   before  for … { %s = tile.dot %a, %b, %sum;  if %isLast { …%s… }
//                   %next = arith.select %isLast, %zeros, %s;  yield %next }
//   after   for … { %s = tile.dot %a, %b, %sum {async}
//                   %next = if %isLast { %d = warp.await 0 for %s;  …%d…;  yield %zeros } else { yield %s };  yield %next }
//
// Only the branch waits for the product, which goes on into the next iteration otherwise.
#pragma once

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace nereid::gpu {

// The branch that takes the sum of this product, if what the loop carries on is selected as above; null otherwise.
mlir::scf::IfOp endOfSum(tile::DotOp dot);

} // namespace nereid::gpu
