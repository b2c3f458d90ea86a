#include "gpu/layouts/LayoutPlan.h"

#include "analysis/ControlFlow.h"
#include "dialect/Tile.h"
#include "dialect/ops/Reduction.h"
#include "gpu/layouts/ReduceOrder.h"
#include "gpu/layouts/ScanRuns.h"
#include "gpu/products/Operands.h"
#include "layout/LayoutMoves.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::gpu {

static bool isTile(Type type) { return isa<RankedTensorType>(type); }

static int64_t sizeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? type.getNumElements() : 1;
}

// How many times the number of warps along the axis can be halved.
static unsigned warpBitsAlong(const LinearLayout &layout, unsigned axis) {
  unsigned found = 0;
  for (unsigned bit = 0; bit < layout.bits(layout::Dim::Warp); ++bit)
    found += layout.basis(layout::Dim::Warp, bit, layout::axisDim(axis)) != 0;
  return found;
}

LayoutPlan::LayoutPlan(func::FuncOp kernel, const Options &options) : anchors(kernel, options) {
  kernel.walk([&](tile::DotOp op) {
    DotPlan plan = planDot(op, options);
    warp::setInstruction(op, plan.kind);
    dots[op] = std::move(plan);
  });
  kernel.walk([&](tile::ReduceOp reduce) {
    if (hasOrder(reduce))
      ordered.insert(reduce);
  });
  flowThroughout(kernel);
  if (adaptShortLoads(kernel)) {
    naturals.clear();
    flowThroughout(kernel);
  }
  settle(kernel);
}

// First from what brings a layout; then reductions of what nothing reached (indices) choose one, knowing whom their
// results will meet.
void LayoutPlan::flowThroughout(func::FuncOp kernel) {
  for (bool may : {false, true}) {
    mayChoose = may;
    bool changed = true;
    while (changed) {
      changed = false;
      kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { changed |= flow(op); });
    }
  }
}

std::optional<LinearLayout> LayoutPlan::home(Value value) const {
  auto found = homes.find(value);
  return found == homes.end() ? std::nullopt : std::optional(found->second);
}

bool LayoutPlan::isLazy(Operation *op) const {
  if (!isFlexible(op) || !isTile(op->getResult(0).getType()))
    return false;
  return isView(op) || !naturals.count(op->getResult(0));
}

std::optional<LayoutPlan::Natural> LayoutPlan::naturalOf(Value value) const {
  auto found = naturals.find(value);
  return found == naturals.end() ? std::nullopt : std::optional(found->second);
}

bool LayoutPlan::improve(Value value, const std::optional<Natural> &natural) {
  if (!natural || !isTile(value.getType()))
    return false;
  Natural &known = naturals[value];
  if (known.strength >= natural->strength)
    return false;
  known = *natural;
  return true;
}

// ---- Forwards.

bool LayoutPlan::flow(Operation *op) {
  bool changed = false;
  analysis::forEachFlow(op, [&](ValueRange from, ValueRange to) {
    for (auto [a, b] : llvm::zip(from, to))
      changed |= improve(b, naturalOf(a));
  });
  if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
    return changed;
  for (Value result : op->getResults())
    if (isTile(result.getType()))
      changed |= improve(result, inferNatural(op, result));
  return changed;
}

std::optional<LayoutPlan::Natural> LayoutPlan::strongestOperand(Operation *op) const {
  std::optional<Natural> best;
  for (Value operand : op->getOperands())
    if (std::optional<Natural> natural = naturalOf(operand))
      if (!best || natural->strength > best->strength)
        best = natural;
  return best;
}

// Ops whose tiles all have one layout, which sourceLayout() gives.
static bool hasSourceLayout(Operation *op) { return op->hasTrait<tile::KeepsLayout>() || groupOf(op) > 1; }

// A sort that gives the first elements only. (Shapes are compared: one of the types may have its layout already.)
static bool isShortened(Operation *op) {
  if (!op->hasTrait<tile::KeepsLayout>() || op->getNumOperands() == 0 || op->getNumResults() == 0)
    return false;
  auto from = tile::shapeOf(op->getOperand(0).getType()), to = tile::shapeOf(op->getResult(0).getType());
  return from.size() == to.size() && from != to;
}

// Whether each `count` registers in turn hold neighbours along one axis, and begin at a multiple of `count`.
static bool hasRuns(const LinearLayout &layout, unsigned count) {
  if (layout.registers() % count)
    return false;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    llvm::SmallVector<int64_t, 4> expected(layout.rank(), 0);
    unsigned run = 1;
    for (; run < count; run *= 2) {
      expected[axis] = run;
      if (layout.element(run) != expected)
        break;
    }
    if (run >= count)
      return true;
  }
  return false;
}

std::optional<LayoutPlan::Natural> LayoutPlan::inferNatural(Operation *op, Value result) const {
  if (std::optional<LinearLayout> memory = anchors.memoryLayout(op))
    return Natural{*memory, kLoaded};
  if (auto dot = dots.find(op); dot != dots.end())
    return Natural{dot->second.result, kProduct};
  if (hasSourceLayout(op)) {
    std::optional<Natural> source = strongestOperand(op);
    if (!source && !mayChoose)
      return std::nullopt;
    int strength = op->hasTrait<tile::InOrder>() ? kOrdered : source ? source->strength : kLoaded;
    if (isa<tile::ReduceOp>(op) && strength == kLoaded)
      strength = kReduced;
    if (isShortened(op))
      return Natural{anchors.defaultLayout(result.getType()), strength};
    return Natural{combinedLayout(op, sourceLayout(op)), strength};
  }
  if (auto guided = dyn_cast<tile::GuidedOpInterface>(op))
    return naturalOf(op->getOperand(guided.guideOperand()));
  std::optional<Natural> strongest = strongestOperand(op);
  if (bool joins = isa<tile::LayoutOpInterface>(op) && op->getNumOperands() > 1; joins && !strongest)
    strongest = Natural{anchors.defaultLayout(op->getOperand(0).getType()), kLoaded};
  if (!strongest)
    return std::nullopt;
  if (auto layout = resultLayout(op, strongest->layout))
    return Natural{*layout, strongest->strength};
  return std::nullopt;
}

// As memory ops take what is computed from a tile element by element, if nothing else becomes of it.
std::optional<LinearLayout> LayoutPlan::storedLayout(Value value, Stored &known) const {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  std::optional<LinearLayout> stored;
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    std::optional<LinearLayout> taken = anchors.memoryLayout(user);
    if (!taken && isFlexible(user) && user->getNumResults() == 1 && sizeOf(user->getResult(0)) == sizeOf(value))
      if ((taken = storedLayout(user->getResult(0), known)))
        taken = operandLayout(user, use.getOperandNumber(), *taken);
    stored = taken;
    if (!stored)
      break;
  }
  return known[value] = stored;
}

// What ops that combine elements give. Of a reduction between warps, whose results come out of shared memory, each thread
// takes those that it stores; where they are spread over a tile like the source again, as that has them. (Of a function of
// several ops, lanes that have the same results combine what the warps have between them, as long as that is less work.)
LinearLayout LayoutPlan::combinedLayout(Operation *op, const LinearLayout &source) const {
  LinearLayout same = *resultLayout(op, source);
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  unsigned halvings = reduce ? warpBitsAlong(source, reduce.getAxis()) : 0;
  if (halvings == 0 || !isTile(op->getResult(0).getType()))
    return same;
  Stored known;
  std::optional<LinearLayout> stored;
  for (Value result : op->getResults()) {
    if (result.use_empty())
      continue;
    stored = storedLayout(result, known);
    if (!stored)
      return same;
  }
  if (!stored || stored->registers() > same.registers())
    return same;
  bool isOneOp = tile::isCommutativeReduction(reduce);
  bool isLess = ((1u << halvings) - 1) * stored->registers() <= 2 * halvings * same.registers();
  return isOneOp || isLess ? *stored : same;
}

// As the elements came, where a scan can go along that in few chunks (each has totals that change hands); else each
// thread has one run.
LinearLayout LayoutPlan::scannedLayout(tile::ScanOp scan) const {
  auto shape = tile::shapeOf(scan.getSources().front().getType());
  if (std::optional<Natural> natural = strongestOperand(scan); natural && natural->layout.shape() == shape)
    if (std::optional<ScanRuns> runs = scanRuns(natural->layout, scan.getAxis())) {
      bool hasOneRow = natural->layout.registers() == 1u << (runs->run + runs->chunks);
      if (runs->chunks <= (hasOneRow ? 4 : 3))
        return natural->layout;
    }
  return anchors.runsAlong(shape, scan.getAxis(), 1);
}

// Of a tile that is computed as asked: that of others which meet what it is made of (an index that is sorted with its
// number).
std::optional<LinearLayout> LayoutPlan::meetingLayout(Value value, unsigned depth) const {
  Operation *op = value.getDefiningOp();
  if (depth > 8 || !op || naturalOf(value) || !isFlexible(op))
    return std::nullopt;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getNumElements() != cast<RankedTensorType>(value.getType()).getNumElements())
      continue;
    llvm::DenseSet<Value> seen;
    std::optional<LinearLayout> found = wish(operand, seen);
    if (!found)
      found = meetingLayout(operand, depth + 1);
    if (found)
      return resultLayout(op, *found);
  }
  return std::nullopt;
}

// The layout in which reductions, scans, prints and the like take all of their tiles.
LinearLayout LayoutPlan::sourceLayout(Operation *op) const {
  if (auto settled = sources.find(op); settled != sources.end())
    return settled->second;
  Value first;
  for (Value operand : op->getOperands())
    if (isTile(operand.getType()) && !first)
      first = operand;
  if (auto scan = dyn_cast<tile::ScanOp>(op))
    return scannedLayout(scan);
  if (auto reduce = dyn_cast<tile::ReduceOp>(op); reduce && ordered.contains(op)) {
    std::optional<Natural> natural = strongestOperand(op);
    auto shape = tile::shapeOf(first.getType());
    bool isGood = natural && natural->layout.shape() == shape && isInOrder(natural->layout, reduce.getAxis());
    return isGood ? natural->layout : anchors.runsAlong(shape, reduce.getAxis(), 1);
  }
  if (unsigned group = groupOf(op); group > 1) {
    // As the elements came from memory; where that leaves no runs, or for mapped functions, along the last axis.
    bool isFree = !cast<tile::GroupOpInterface>(op).isAlongLastAxis();
    std::optional<Natural> natural = isFree ? strongestOperand(op) : std::nullopt;
    auto shape = tile::shapeOf(first.getType());
    if (natural && natural->layout.shape() == shape && hasRuns(natural->layout, group))
      return natural->layout;
    return anchors.runsAlong(shape, shape.size() - 1, group);
  }
  if (isShortened(op))
    return anchors.defaultLayout(first.getType());
  if (std::optional<Natural> natural = strongestOperand(op))
    if (natural->layout.shape() == tile::shapeOf(first.getType()))
      return natural->layout;
  if (std::optional<LinearLayout> stored = storeLayout(op))
    return *stored;
  if (std::optional<LinearLayout> settled = home(first))
    return *settled;
  if (std::optional<LinearLayout> met = meetingLayout(first, 0))
    return *met;
  llvm::DenseSet<Value> seen;
  std::optional<LinearLayout> found = bufferLayout(first, seen);
  // Lanes beside each other have neighbours: what is combined across them stays in a thread for longer.
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  std::optional<unsigned> fast = fastAxisOf(first);
  bool isAcross = reduce && fast && *fast != reduce.getAxis();
  return found && !isAcross ? *found : anchors.defaultLayout(first.getType());
}

// Of what comes out of one buffer and goes into another, where it lies the same way, or is turned: words by themselves, bytes by matrices.
std::optional<LinearLayout> LayoutPlan::storeLayout(Operation *op) const {
  auto store = dyn_cast<warp::StoreOp>(op);
  std::optional<unsigned> from = store ? fastAxisOf(store.getTile()) : std::nullopt;
  if (!from)
    return std::nullopt;
  warp::BufferType buffer = store.getBuffer().getType();
  bool isTurned = *from != buffer.getFast();
  if (isTurned && buffer.elementBytes() != 4)
    return anchors.turnedBytes(buffer);
  // Lanes beside each other read 16 bytes each side by side: wider runs of a thread would meet those of others in a bank.
  return anchors.storeLayout(buffer, bytesReadFor(store.getTile()));
}

// ---- Settling: every tile that is not lazy gets its layout.

void LayoutPlan::settleValue(Value value) {
  if (!isTile(value.getType()) || homes.count(value))
    return;
  if (std::optional<Natural> natural = naturalOf(value)) {
    homes[value] = natural->layout;
    return;
  }
  llvm::DenseSet<Value> seen;
  std::optional<LinearLayout> wished = wish(value, seen);
  seen.clear();
  homes[value] = wished ? *wished : bufferLayout(value, seen).value_or(anchors.defaultLayout(value.getType()));
}

// Of a tile whose elements come out of a buffer: in the widest pieces.
std::optional<LinearLayout> LayoutPlan::bufferLayout(Value value, llvm::DenseSet<Value> &seen) const {
  if (!isTile(value.getType()) || !seen.insert(value).second)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop ? bufferLayout(loop.getTiedLoopYieldedValue(argument)->get(), seen) : std::nullopt;
  }
  Operation *op = value.getDefiningOp();
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return bufferLayout(loop.getYieldedValues()[cast<OpResult>(value).getResultNumber()], seen);
  if (auto read = dyn_cast<warp::ReadOp>(op))
    return anchors.storeLayout(read.getBuffer().getType());
  if (isElementwise(op))
    for (Value operand : op->getOperands())
      if (std::optional<LinearLayout> found = bufferLayout(operand, seen))
        return found;
  return std::nullopt;
}

void LayoutPlan::settle(func::FuncOp kernel) {
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isLazy(op))
      return;
    // What a reduction gives follows from what it takes, and that is settled now: it would see more later.
    if (hasSourceLayout(op))
      sources[op] = sourceLayout(op);
    if (hasSourceLayout(op) && !isShortened(op))
      for (Value result : op->getResults())
        if (isTile(result.getType()))
          homes[result] = combinedLayout(op, sourceLayout(op));
    for (Value result : op->getResults())
      settleValue(result);
    // Combine regions hold scalars only; those of loops and branches have tiles.
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          settleValue(argument);
  });
  // What a loop carries and what it gives are one value.
  kernel.walk([&](scf::ForOp loop) {
    for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
      if (isTile(result.getType()))
        homes[result] = homes[argument];
  });
  // What a condition passes on goes to both.
  kernel.walk([&](scf::WhileOp loop) {
    for (auto [argument, result] : llvm::zip(loop.getAfterArguments(), loop.getResults()))
      if (isTile(result.getType()))
        homes[argument] = homes[result];
  });
  // Halves of a tile are as its first one.
  kernel.walk([&](tile::LayoutOpInterface op) {
    for (Value result : op->getResults().drop_front())
      if (isTile(result.getType()))
        homes[result] = homes[op->getResult(0)];
  });
}

} // namespace nereid::gpu
