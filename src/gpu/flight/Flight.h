// Flight.h: what a planned kernel does with shared memory, one event after the other: its scalars are computed with
// assumed numbers as arguments, so that every slot, phase and condition is known.
#pragma once

#include "gpu/dialect/Warp.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <array>
#include <functional>
#include <optional>
#include <vector>

namespace nereid::gpu {

// A slot of a buffer, by the op that makes the buffer.
struct Slot {
  mlir::Operation *buffer = nullptr;
  int64_t index = 0;
  bool operator==(const Slot &) const = default;
};

struct Event {
  mlir::Operation *op = nullptr; // what is done; of the end of a loop whose products are awaited: the loop
  int64_t slot = 0, phase = 0;   // where the op has such
  int64_t product = -1;          // of a product: its number; of another op: a product whose result it uses
  std::vector<Slot> reads = {};  // of a product: slots that it takes operands from
};

// The events in front of a kernel's parts, of both parts, and behind them. A kernel without parts has the first ones only.
struct Flight {
  std::vector<Event> before, producer, consumer, after;
};

// What is known of a launch; everything else is taken to be `size`.
struct Assumed {
  int64_t size = 512;
  std::vector<int64_t> arguments = {};     // from the first one on; addresses too
  std::array<int64_t, 3> grid = {3, 3, 3}; // the second program is followed, along each axis that has one
  // The number at an address, of so many bytes; nothing: it is not known.
  std::function<std::optional<int64_t>(uint64_t address, unsigned bytes)> load = {};
};

// None where the kernel does more than is worth to be followed.
std::optional<Flight> traceFlight(mlir::func::FuncOp kernel, const Assumed &assumed);

// Fails after reporting the first event that finds shared memory in a state in which it must not be.
mlir::LogicalResult checkFlight(const Flight &flight, unsigned warps);

} // namespace nereid::gpu
