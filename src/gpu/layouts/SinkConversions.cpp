// SinkConversions.cpp: a conversion of what was just loaded waits for it, goes through shared memory, and neither the
// assembler nor a thread moves a load past the barrier in it. Behind the loads that stand between it and its first user
// it keeps them from nothing: they are under way while it waits.
//
//   before  %a = tile.load %p                after  %a = tile.load %p
//           %c = warp.convert_layout %a             %b = tile.load %q
//           %b = tile.load %q                       %c = warp.convert_layout %a
//           %s = arith.mulf %c, %b                  %s = arith.mulf %c, %b
//
// What is read from a buffer is there at any time until the slot is filled again. So it is read where it is first used: behind
// products that come before that, it would take registers which those need, and nobody moves a read past their barriers.
//
//   before  %a = warp.read %A                after  %a = warp.read %A
//           %b = warp.read %B                       %c = tile.dot %a, …
//           %c = tile.dot %a, …                     %b = warp.read %B
//           %d = tile.dot %c, %b                    %d = tile.dot %c, %b
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/layouts/LayoutRules.h"
#include "gpu/products/Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

// Whether the tile is a loaded one, or computed from some element by element: nothing has waited for it yet.
static bool isOnItsWay(Value value, Block *block, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 6;
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != block || depth > kMaxDepth || !isa<RankedTensorType>(value.getType()))
    return false;
  if (isa<tile::LoadOp>(op))
    return true;
  return isElementwise(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) { return isOnItsWay(operand, block, depth + 1); });
}

// A conversion, or what passes its tile on for nothing.
static bool canSink(Operation *op) {
  while (op && op->hasTrait<tile::View>())
    op = op->getOperand(0).getDefiningOp();
  auto conversion = dyn_cast_or_null<warp::ConvertLayoutOp>(op);
  return conversion && isOnItsWay(conversion.getOperand(), conversion->getBlock());
}

// Registers that a load fills: they are taken while the conversion waits.
static unsigned registersOf(tile::LoadOp load) {
  Type element = getElementTypeOrSelf(load.getType());
  unsigned bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
  return warp::hasLayout(load.getType()) ? warp::layoutOf(load.getType()).registers() * bits / 32 : 0;
}

// What has regions waits for its tiles; buffers that come and go, and what waits for them, stay where they are planned.
static bool isFixed(Operation *op) {
  bool isPlanned = isa<warp::WarpDialect>(op->getDialect()) && !isa<warp::ConvertLayoutOp, warp::ReadOp>(op);
  return isPlanned || op->getNumRegions() > 0;
}

static llvm::SmallPtrSet<Operation *, 4> usersInBlock(Operation *op) {
  llvm::SmallPtrSet<Operation *, 4> users;
  for (Operation *user : op->getUsers())
    users.insert(op->getBlock()->findAncestorOpInBlock(*user));
  return users;
}

static void sink(Operation *op) {
  constexpr unsigned kMostRegisters = 64;
  llvm::SmallPtrSet<Operation *, 4> users = usersInBlock(op);
  Operation *place = op->getNextNode();
  unsigned registers = 0;
  for (; !place->hasTrait<OpTrait::IsTerminator>() && !users.contains(place) && !isFixed(place);
       place = place->getNextNode())
    if (auto load = dyn_cast<tile::LoadOp>(place); load && (registers += registersOf(load)) > kMostRegisters)
      break;
  op->moveBefore(place);
}

static void sinkConversions(func::FuncOp kernel) {
  llvm::SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (canSink(op))
      ops.push_back(op);
  });
  // Users first: they make way for what they use.
  for (Operation *op : llvm::reverse(ops))
    sink(op);
}

// ---- Reads of buffers.

// Whether a read of the buffer has to stand before this: behind it the slot may be filled anew, or is gone.
static bool endsReads(Operation *op, Value buffer) {
  if (isa<warp::BarrierOp, warp::ArriveOp>(op) || op->getNumRegions() > 0)
    return true;
  return isa<warp::WarpDialect>(op->getDialect()) && !isa<warp::ReadOp>(op) &&
         llvm::is_contained(op->getOperands(), buffer);
}

static void sinkRead(Operation *op, Value buffer) {
  llvm::SmallPtrSet<Operation *, 4> users = usersInBlock(op);
  Operation *place = op->getNextNode();
  while (!place->hasTrait<OpTrait::IsTerminator>() && !users.contains(place) && !endsReads(place, buffer))
    place = place->getNextNode();
  op->moveBefore(place);
}

// Read early, such an operand waits in half the registers that it takes from the moment it is used.
static bool isWidenedForProduct(warp::ReadOp read) {
  return llvm::any_of(read->getUsers(), [](Operation *user) {
    return isa<arith::ExtFOp>(user) && llvm::any_of(user->getUsers(), llvm::IsaPred<tile::DotOp>);
  });
}

// Few registers hold it while products are under way, and nobody waits for it behind them.
static bool isShort(warp::ReadOp read) {
  constexpr unsigned kFew = 4;
  return warp::hasLayout(read.getResult().getType()) && warp::layoutOf(read.getResult().getType()).registers() <= kFew;
}

// The read that the op is, or passes on for nothing; none where products take it from shared memory.
static warp::ReadOp readBehind(Operation *op) {
  Operation *from = op;
  while (from && from->hasTrait<tile::View>() && from->getNumOperands() == 1)
    from = from->getOperand(0).getDefiningOp();
  auto read = dyn_cast_or_null<warp::ReadOp>(from);
  bool canMove = read && read->getBlock() == op->getBlock() && !isOnlyForTensorCores(read) && !isShort(read);
  return canMove && !isWidenedForProduct(read) ? read : warp::ReadOp();
}

static void sinkReads(func::FuncOp kernel) {
  llvm::SmallVector<std::pair<Operation *, Value>> ops;
  kernel.walk([&](Operation *op) {
    if (warp::ReadOp read = readBehind(op))
      ops.push_back({op, read.getBuffer()});
  });
  for (auto [op, buffer] : llvm::reverse(ops))
    sinkRead(op, buffer);
}

namespace {

struct SinkConversionsPass : PlanPass<SinkConversionsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SinkConversionsPass)
  StringRef getArgument() const final { return "warp-sink-conversions"; }
  StringRef getDescription() const final {
    return "Move conversions behind the loads that need not wait for them, and reads to where they are used";
  }
  void runOnOperation() final {
    sinkConversions(getOperation());
    sinkReads(getOperation());
  }
};

} // namespace

PassPtr createSinkConversionsPass(const Options &options) { return std::make_unique<SinkConversionsPass>(options); }

} // namespace nereid::gpu
