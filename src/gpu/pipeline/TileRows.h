// TileRows.h: loads of tiles whose rows lie a stride apart, said in scalars, so that threads which hold no tiles can copy them.
#pragma once

#include "gpu/dialect/Warp.h"

#include "analysis/AxisInfo.h"
#include "dialect/Tile.h"

#include <optional>

namespace nereid::gpu {

// What a thread copies at once.
constexpr unsigned kBytesOfRowPiece = 16;

struct TileRows {
  tile::LoadOp load;
  warp::BufferType buffer;         // of one slot; rows lie along its fast axis
  mlir::Value pointer;             // to the first element
  mlir::Value stride;              // i64: elements from one row to the next
  mlir::Value rowCount, rowLength; // i64, with a mask: so many rows, and elements of each; null: all of them
};

// None where the addresses or the mask are no such rows, or pieces of 16 bytes are not known to be aligned. The scalars are computed
// in front of the load.
std::optional<TileRows> findRows(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes);

} // namespace nereid::gpu
