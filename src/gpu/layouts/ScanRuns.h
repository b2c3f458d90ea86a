// ScanRuns.h: how the elements along one axis of a tile are shared out to threads, where that has an order in which a
// scan can go: runs of registers, then lanes, then warps, then the same once more, chunk by chunk.
#pragma once

#include "layout/LinearLayout.h"

#include <optional>

namespace nereid::gpu {

// Numbers of bits, from the lowest of the axis on. Lanes and warps along the axis are `lanes` bits of the lane's number
// from bit `firstLane` on, and so for warps.
struct ScanRuns {
  unsigned run = 0, lanes = 0, warps = 0, chunks = 0;
  unsigned firstLane = 0, firstWarp = 0;
};

// None where the axis is shared out in another way, or where a thread holds an element twice.
std::optional<ScanRuns> scanRuns(const layout::LinearLayout &layout, unsigned axis);

// The same with one chunk: what a thread has of the axis is in one piece, and what a warp has. Where lanes lie along the
// axis they stay as they are, unless they may move: then lanes that touched neighbours along it touch elements apart.
layout::LinearLayout withLongRuns(const layout::LinearLayout &layout, unsigned axis, bool movesLanes);

// The same with warps along other axes instead, as far as a thread has elements of those: then warps need not meet.
layout::LinearLayout withWarpsAcross(const layout::LinearLayout &layout, unsigned axis);

} // namespace nereid::gpu
