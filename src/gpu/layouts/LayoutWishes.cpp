// LayoutWishes.cpp: what the users of a tile want it in, for LayoutPlan.cpp: rows that are loaded as larger tiles hold them, tiles that no
// layout reached, and what an op that is not lazy takes.
#include "gpu/layouts/LayoutPlan.h"

#include "dialect/Tile.h"
#include "gpu/products/Operands.h"
#include "layout/LayoutMoves.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::gpu {

// Whether all elements lie along one axis.
static bool isRow(RankedTensorType type) {
  return llvm::count_if(type.getShape(), [](int64_t extent) { return extent > 1; }) <= 1;
}

// A conversion through shared memory costs a barrier; the few elements of a row come as fast from the cache, once for
// each thread that wants them: rows that go into products' tiles, and rows that are spread over larger tiles.
bool LayoutPlan::adaptShortLoads(func::FuncOp kernel) {
  constexpr int64_t kShort = 512, kFew = 32; // elements of the row, and of a thread
  bool adapts = false;
  kernel.walk([&](tile::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || type.getNumElements() > kShort || !isRow(type))
      return;
    std::optional<RowWish> wished = rowWish(load.getResult(), false, 0);
    // Addresses that come out of a reduction, say, are used where they are.
    if (std::optional<Natural> natural = naturalOf(load.getPtr()); natural && !wished)
      wished = RowWish{natural->layout};
    if (!wished || wished->layout.registers() > kFew || wished->layout == anchors.memoryLayout(load))
      return;
    if (anchors.loadsOf(load, wished->layout) <= wished->mostLoads) {
      anchors.setMemoryLayout(load, wished->layout);
      adapts = true;
    }
  });
  return adapts;
}

// What a loop carries on from this use: a tile that came an iteration early is used only there.
static Value carriedFrom(OpOperand &use) {
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()))
    return isa<RankedTensorType>(use.get().getType()) ? loop.getTiedLoopRegionIterArg(&use) : Value();
  if (auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp()); loop && isa<scf::YieldOp>(use.getOwner()))
    return loop.getRegionIterArg(use.getOperandNumber());
  return {};
}

// How a product takes the tile as an operand, from registers or on its way to shared memory.
std::optional<LinearLayout> LayoutPlan::operandWish(OpOperand &use) const {
  unsigned index = use.getOperandNumber();
  auto dot = dots.find(use.getOwner());
  if (dot != dots.end() && index == 3)
    return dot->second.places;
  if (dot == dots.end() || index > 1)
    return storeLayout(use.getOwner());
  bool isInRegisters = dot->second.kind == DotPlan::Kind::Mma ||
                       (dot->second.kind == DotPlan::Kind::Wgmma && index == 0 && !sharedOperand(use.get(), 0));
  return isInRegisters ? std::optional(index == 0 ? dot->second.lhs : dot->second.rhs) : std::nullopt;
}

// Whether the op gives a larger tile with the same elements, each several times.
static bool isSpreading(Operation *op) {
  return isa<tile::BroadcastOp>(op) && cast<RankedTensorType>(op->getOperand(0).getType()).getNumElements() > 1;
}

std::optional<LayoutPlan::RowWish> LayoutPlan::rowWish(Value value, bool isSpread, unsigned depth) const {
  constexpr unsigned kMaxDepth = 10, kFewForAddresses = 16, kFewForValues = 4;
  if (depth > kMaxDepth)
    return std::nullopt;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (Value carried = carriedFrom(use)) {
      if (std::optional<RowWish> wished = rowWish(carried, isSpread, depth + 1))
        return wished;
      continue;
    }
    if (std::optional<LinearLayout> wished = operandWish(use))
      return RowWish{*wished};
    // An access waits for its addresses; a value is there before the tile that it meets.
    if (std::optional<LinearLayout> memory = anchors.memoryLayout(user); memory && isSpread)
      return RowWish{*memory, use.getOperandNumber() == 0 ? kFewForAddresses : kFewForValues};
    if (!user->getNumResults() || !isa<RankedTensorType>(user->getResult(0).getType()))
      continue;
    std::optional<Natural> natural = naturalOf(user->getResult(0));
    if (isElementwise(user) && natural && natural->strength == kProduct)
      return RowWish{natural->layout};
    if (isElementwise(user) && natural && isSpread)
      return RowWish{natural->layout, kFewForValues};
    if (!isView(user) && !isElementwise(user))
      continue;
    if (std::optional<RowWish> wished = rowWish(user->getResult(0), isSpread || isSpreading(user), depth + 1)) {
      wished->layout = operandLayout(user, use.getOperandNumber(), wished->layout);
      return wished;
    }
  }
  return std::nullopt;
}

std::optional<LinearLayout> LayoutPlan::wish(Value value, llvm::DenseSet<Value> &seen) const {
  if (!seen.insert(value).second)
    return std::nullopt;
  for (OpOperand &use : value.getUses())
    if (std::optional<LinearLayout> wished = wishOf(use, seen))
      return wished;
  return std::nullopt;
}

std::optional<LinearLayout> LayoutPlan::wishOf(OpOperand &use, llvm::DenseSet<Value> &seen) const {
  Operation *user = use.getOwner();
  if (Value next = passedOn(use)) {
    std::optional<LinearLayout> settled = home(next);
    return settled ? settled : wish(next, seen);
  }
  if (isLazy(user)) {
    for (Value result : user->getResults())
      if (std::optional<LinearLayout> wished = wish(result, seen))
        return operandLayout(user, use.getOperandNumber(), *wished);
    return std::nullopt;
  }
  if (std::optional<LinearLayout> memory = anchors.memoryLayout(user))
    return memory;
  if (std::optional<LinearLayout> stored = storeLayout(user))
    return stored;
  if (isElementwise(user) && user->getNumResults())
    if (std::optional<Natural> natural = naturalOf(user->getResult(0)))
      return natural->layout;
  return std::nullopt;
}

LinearLayout LayoutPlan::required(OpOperand &use) const {
  Operation *op = use.getOwner();
  unsigned index = use.getOperandNumber();
  auto homeOf = [&](Value value) { return homes.find(value)->second; };
  if (std::optional<LinearLayout> memory = anchors.memoryLayout(op))
    return *memory;
  if (Value next = passedOn(use))
    return homeOf(next);
  return llvm::TypeSwitch<Operation *, LinearLayout>(op)
      .Case<tile::DotOp>([&](auto dot) {
        if (index == 2)
          return homeOf(dot.getResult());
        const DotPlan &plan = dots.find(op)->second;
        if (index == 3)
          return plan.places;
        const LinearLayout &planned = index == 0 ? plan.lhs : plan.rhs;
        bool isFma = plan.kind == DotPlan::Kind::Fma;
        if (!isFma && !(plan.kind == DotPlan::Kind::Wgmma && sharedOperand(use.get(), index)))
          return planned;
        std::optional<Natural> natural = naturalOf(use.get());
        return natural ? natural->layout : isFma ? planned : anchors.defaultLayout(use.get().getType());
      })
      .Case<tile::GuidedOpInterface>([&](auto guided) {
        if (index == guided.guideOperand())
          return homeOf(op->getResult(0));
        std::optional<Natural> natural = naturalOf(use.get());
        return natural ? natural->layout : anchors.defaultLayout(use.get().getType());
      })
      .Default([&](Operation *) {
        Value first = op->getNumResults() ? op->getResult(0) : Value();
        if (isa<warp::StoreOp, warp::StoreBlockOp>(op) || op->hasTrait<tile::OneLayout>()) {
          // Prints may have tiles of several shapes.
          LinearLayout source = sourceLayout(op);
          if (source.shape() == tile::shapeOf(use.get().getType()))
            return source;
          std::optional<Natural> natural = naturalOf(use.get());
          return natural ? natural->layout : anchors.defaultLayout(use.get().getType());
        }
        if (isa<RankedTensorType>(first.getType()))
          return operandLayout(op, index, homeOf(first));
        // Two elements, taken apart.
        return operandLayout(op, index, layout::sliceLayout(anchors.defaultLayout(use.get().getType()), 0));
      });
}

} // namespace nereid::gpu
