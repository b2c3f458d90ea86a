// Flight.h: what a planned kernel does with shared memory, one event after the other: its scalars are computed with
// assumed numbers as arguments, so that every slot, phase and condition is known.
#pragma once

#include "gpu/dialect/Warp.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

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

// None where the kernel does more than is worth to be followed. `size`: what arguments and loaded numbers are taken for;
// `arguments`: those that are known, from the first one on.
std::optional<Flight> traceFlight(mlir::func::FuncOp kernel, int64_t size, llvm::ArrayRef<int64_t> arguments = {});

// Fails after reporting the first event that finds shared memory in a state in which it must not be.
mlir::LogicalResult checkFlight(const Flight &flight, unsigned warps);

} // namespace nereid::gpu
