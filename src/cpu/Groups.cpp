// Groups.cpp: which ops share a loop nest, and the nest of a group.
#include "cpu/Reduction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;

namespace nereid::cpu {

// ---- Index arithmetic.

static bool isUnitReshape(tile::ReshapeOp op) {
  auto isLong = [](int64_t extent) { return extent != 1; };
  auto from = llvm::make_filter_range(tile::shapeOf(op.getSource().getType()), isLong);
  auto to = llvm::make_filter_range(tile::shapeOf(op.getResult().getType()), isLong);
  return std::equal(from.begin(), from.end(), to.begin(), to.end());
}

bool isView(Operation *op) {
  if (auto reshape = dyn_cast<tile::ReshapeOp>(op))
    return isUnitReshape(reshape);
  return op->hasTrait<tile::SameBits>() || (op->hasTrait<tile::View>() && isTile(op->getOperand(0).getType()));
}

// The buffer of a view of another buffer: the same bytes with other strides.
static Buffer viewOf(Operation *op, const Buffer &source) {
  Buffer view{source.data, {}};
  auto from = tile::shapeOf(op->getOperand(0).getType()), to = tile::shapeOf(op->getResult(0).getType());
  if (auto trans = dyn_cast<tile::TransOp>(op)) {
    for (int32_t d : trans.getOrder())
      view.strides.push_back(source.strides[d]);
  } else if (isa<tile::ExpandDimsOp, tile::ReshapeOp>(op)) {
    size_t d = 0;
    for (int64_t extent : to) {
      while (extent != 1 && from[d] == 1)
        ++d;
      view.strides.push_back(extent == 1 ? 0 : source.strides[d++]);
    }
  } else {
    for (size_t d = 0; d < to.size(); ++d)
      view.strides.push_back(from[d] == 1 && to[d] != 1 ? 0 : source.strides[d]);
  }
  return view;
}

static bool isIndexArithmetic(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    return !dense || dense.isSplat();
  }
  if (isa<tile::ArangeOp, tile::SplatOp, tile::AddPtrOp, ub::PoisonOp>(op) || isView(op))
    return true;
  Type type = op->getNumResults() == 1 ? getElementTypeOrSelf(op->getResult(0).getType()) : Type();
  if (!type || !(type.isIntOrIndex() || isa<tile::PtrType>(type)))
    return false;
  if (isa<arith::CmpFOp, arith::FPToSIOp, arith::FPToUIOp, arith::BitcastOp>(op))
    return false;
  return isa<arith::ArithDialect>(op->getDialect());
}

constexpr unsigned kMaxCost = 40;

unsigned Lowering::costOf(Value value) {
  if (!isTile(value.getType()))
    return 0;
  auto it = costs.find(value);
  if (it != costs.end())
    return it->second;
  unsigned cost = kMaxCost + 1;
  Operation *op = value.getDefiningOp();
  if (op && isIndexArithmetic(op)) {
    cost = isView(op) ? 0 : 1;
    for (Value operand : op->getOperands())
      cost += costOf(operand);
    cost = std::min(cost, kMaxCost + 1);
  }
  return costs[value] = cost;
}

bool Lowering::isCheap(Value value) { return costOf(value) <= kMaxCost; }

// ---- Loads that are done again instead of kept: the memory is as near as a buffer would be.

// Nothing is written between the load and the last op that reads it. A store of what was loaded writes while it reads.
static bool isUnchangedForUsers(Value value) {
  Operation *load = value.getDefiningOp(), *last = load;
  for (Operation *user : value.getUsers()) {
    if (isa<tile::StoreOp>(user) || user->getBlock() != load->getBlock() ||
        (user->getNumRegions() && !isa<tile::ReduceOp>(user)) || isView(user) ||
        user->hasTrait<OpTrait::IsTerminator>())
      return false;
    if (last->isBeforeInBlock(user))
      last = user;
  }
  for (Operation *op = load->getNextNode(); op && op != last; op = op->getNextNode())
    if (!isPure(op) && !op->hasTrait<tile::StatesFact>() && !isa<tile::LoadOp, tile::ReduceOp, tile::ScanOp>(op))
      return false;
  return true;
}

// So many instructions cost less than to write a tile and to read it back.
constexpr unsigned kMostInstructions = 2;

static bool isOneInstruction(Operation *op) {
  return isa_and_nonnull<arith::ExtFOp, arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::NegFOp>(op);
}

Lowering::Reload Lowering::reloadOf(Value value) {
  if (auto it = reloads.find(value); it != reloads.end())
    return it->second;
  Operation *op = value.getDefiningOp();
  Reload result;
  if (auto load = dyn_cast_or_null<tile::LoadOp>(op)) {
    if (isTile(value.getType()) && !load.getIsVolatile() && isCheap(load.getPtr()) &&
        (!load.getMask() || isCheap(load.getMask())) && (!load.getOther() || isCheap(load.getOther())))
      result.load = load;
  } else if (isOneInstruction(op)) {
    // Of one tile that was loaded and of scalars.
    unsigned others = 0;
    for (Value operand : op->getOperands())
      if (isCheap(operand))
        ++others;
      else
        result = reloadOf(operand);
    if (others + 1 != op->getNumOperands() || ++result.instructions > kMostInstructions)
      result = {};
  }
  if (result.load && !isUnchangedForUsers(value))
    result = {};
  return reloads[value] = result;
}

// ---- Joining.

// Everything that reading the tile inside a nest needs exists by now.
bool Lowering::isReady(Value value) {
  if (!isTile(value.getType()))
    return scalars.count(value);
  if (findBuffer(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (!op || isMember(op))
    return false;
  if (isa<tile::LoadOp>(op) && !isRecomputable(value))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) { return isReady(operand); });
}

// The argument that a pointer is computed from; null: unknown.
static Value rootOf(Value pointer) {
  while (true) {
    if (auto argument = dyn_cast<BlockArgument>(pointer)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(parent))
        return pointer;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || argument.getArgNumber() == 0)
        return {};
      pointer = loop.getInitArgs()[argument.getArgNumber() - 1];
      // The loop must only advance it.
      Value next = loop.getYieldedValues()[argument.getArgNumber() - 1];
      while (auto add = next.getDefiningOp<tile::AddPtrOp>())
        next = add.getPtr();
      if (next != argument)
        return {};
      continue;
    }
    Operation *op = pointer.getDefiningOp();
    if (auto result = dyn_cast<OpResult>(pointer); result && isa<scf::ForOp>(op)) {
      pointer = cast<scf::ForOp>(op).getRegionIterArgs()[result.getResultNumber()];
      continue;
    }
    if (!isa<tile::AddPtrOp, tile::SplatOp>(op) && !isView(op))
      return {};
    pointer = op->getOperand(0);
    if (getElementTypeOrSelf(pointer.getType()).isIntOrIndex()) // the address was a number
      return {};
  }
}

static Value pointerOf(Operation *op) {
  std::optional<tile::Access> access = tile::accessOf(op);
  return access ? access->address : Value();
}

// A nest runs all its accesses block by block; that is right only when an access does not touch, in another block, what
// an earlier one of the nest has touched.
bool Lowering::conflictsInMemory(Operation *op) {
  Value pointer = pointerOf(op);
  if (!pointer)
    return false;
  Value root = rootOf(pointer);
  return llvm::any_of(llvm::concat<Operation *>(group.members, group.reloads), [&](Operation *member) {
    Value other = pointerOf(member);
    if (!other || (isa<tile::LoadOp>(op) && isa<tile::LoadOp>(member)) || other == pointer)
      return false;
    Value otherRoot = rootOf(other);
    return !root || !otherRoot || root == otherRoot || options.mayOverlap;
  });
}

bool Lowering::mustFlushBefore(Operation *op, ArrayRef<int64_t> shape) {
  if (!group.isOpen())
    return false;
  if (ArrayRef<int64_t>(group.shape) != shape || conflictsInMemory(op))
    return true;
  return llvm::any_of(op->getOperands(),
                      [&](Value operand) { return !isMember(operand.getDefiningOp()) && !isReady(operand); }) ||
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return isMember(operand.getDefiningOp()) && isa<tile::ReduceOp>(operand.getDefiningOp());
         });
}

void Lowering::join(Operation *op, ArrayRef<int64_t> shape) {
  if (mustFlushBefore(op, shape))
    flush();
  for (Value operand : op->getOperands())
    if (isTile(operand.getType()) && !isMember(operand.getDefiningOp()) && !isReady(operand))
      materialize(operand);
  for (Value operand : op->getOperands())
    if (tile::LoadOp load = reloadOf(operand).load; load && !isMember(load) && !isMember(operand.getDefiningOp()))
      group.reloads.push_back(load);
  group.shape.assign(shape.begin(), shape.end());
  group.members.push_back(op);
  group.set.insert(op);
}

void Lowering::flush() {
  if (!group.isOpen() || hasFailed())
    return;
  Group now = std::move(group);
  group = {};
  emitGroup(now);
}

Buffer Lowering::materialize(Value value) {
  if (isMember(value.getDefiningOp()))
    flush();
  if (const Buffer *buffer = findBuffer(value))
    return *buffer;
  auto it = assigned.find(value);
  if (Operation *op = value.getDefiningOp(); op && isView(op) && !isCheap(value) && it == assigned.end()) {
    Buffer view = viewOf(op, materialize(op->getOperand(0)));
    return buffers[value] = view;
  }
  Buffer buffer = it != assigned.end() ? it->second : allocate(value.getType(), value);
  copyTo(value, buffer);
  buffers[value] = buffer;
  return buffer;
}

void Lowering::copyTo(Value value, const Buffer &buffer) {
  flush();
  if (const Buffer *from = findBuffer(value); from && from->data == buffer.data && from->strides == buffer.strides)
    return;
  Operation *op = value.getDefiningOp();
  if (op && !findBuffer(value))
    for (Value operand : op->getOperands())
      if (isTile(operand.getType()) && !isReady(operand))
        materialize(operand);
  Group copy;
  copy.shape.assign(tile::shapeOf(value.getType()).begin(), tile::shapeOf(value.getType()).end());
  copy.copies.push_back({value, buffer});
  emitGroup(copy);
}

// ---- The nest of a group.

// How far an index tile moves per step along a dimension, where that is a constant.
static std::optional<int64_t> stepAlong(Value value, unsigned dim) {
  if (!isTile(value.getType()))
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  auto source = [&](unsigned i, unsigned d) { return stepAlong(op->getOperand(i), d); };
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case<tile::ArangeOp>([](auto) { return 1; })
      .Case<tile::SplatOp, ub::PoisonOp>([](auto) { return 0; })
      .Case<arith::ConstantOp>([](auto op) -> std::optional<int64_t> {
        return cast<DenseElementsAttr>(op.getValue()).isSplat() ? std::optional<int64_t>(0) : std::nullopt;
      })
      .Case<tile::ExpandDimsOp>([&](auto op) -> std::optional<int64_t> {
        return dim == op.getAxis() ? std::optional<int64_t>(0) : source(0, dim > op.getAxis() ? dim - 1 : dim);
      })
      .Case<tile::BroadcastOp>([&](auto op) -> std::optional<int64_t> {
        return tile::shapeOf(op.getSource().getType())[dim] == 1 ? std::optional<int64_t>(0) : source(0, dim);
      })
      .Case<tile::TransOp>([&](auto op) { return source(0, op.getOrder()[dim]); })
      .Case<tile::HintOp, tile::PtrCastOp, arith::ExtSIOp, arith::ExtUIOp, arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return source(0, dim); })
      .Case<arith::AddIOp, tile::AddPtrOp>([&](auto) -> std::optional<int64_t> {
        auto a = source(0, dim), b = source(1, dim);
        return a && b ? std::optional(*a + *b) : std::nullopt;
      })
      .Case<arith::MulIOp>([&](auto) -> std::optional<int64_t> {
        auto a = source(0, dim), b = source(1, dim);
        if (a && b && *a == 0 && *b == 0)
          return 0;
        for (unsigned i = 0; i < 2; ++i) {
          DenseElementsAttr factor;
          Value scalar = op->getOperand(i);
          while (Operation *view = scalar.getDefiningOp()) {
            if (!isView(view))
              break;
            scalar = view->getOperand(0);
          }
          if (auto constant = scalar.getDefiningOp<arith::ConstantOp>())
            factor = dyn_cast<DenseElementsAttr>(constant.getValue());
          auto other = i ? a : b;
          if (factor && factor.isSplat() && other)
            return factor.getSplatValue<APInt>().getSExtValue() * *other;
        }
        return std::nullopt;
      })
      .Default([](auto) { return std::nullopt; });
}

// The dimension of the lanes: along which most accesses touch neighbours.
unsigned Lowering::chooseVectorDim(const Group &group) {
  size_t rank = group.shape.size();
  unsigned best = unsigned(rank) - 1;
  if (llvm::any_of(group.members, [](Operation *op) { return isa<tile::ReshapeOp>(op); }))
    return best; // strips lie along the row
  int64_t bestScore = -1;
  for (size_t d = rank; d-- > 0;) {
    if (group.shape[d] == 1)
      continue;
    int64_t score = std::min<int64_t>(group.shape[d], 2 * target.lanes(32));
    int64_t neighbours = 0;
    for (Operation *member : group.members)
      if (Value pointer = pointerOf(member))
        if (auto step = stepAlong(pointer, unsigned(d)))
          neighbours += *step == 1 ? 4 : *step == 0 ? 1 : 0;
    for (auto &[value, buffer] : group.copies)
      neighbours += buffer.strides[d] == 1 ? 2 : 0;
    for (Operation *member : group.members)
      for (Value operand : member->getOperands())
        if (const Buffer *buffer = findBuffer(operand); buffer && buffer->strides.size() == rank)
          neighbours += buffer->strides[d] == 1 ? 2 : 0;
    score *= 1 + neighbours;
    if (score > bestScore)
      bestScore = score, best = unsigned(d);
  }
  return best;
}

static bool leavesGroup(Value value, const Group &group) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return !group.set.contains(user); });
}

// Registers for a block of lanes: two hide the latency of most work. A short chain of additions or comparisons, each of
// which waits for the one before, goes twice as fast with four. Where neighbours are combined in their order, half of the
// lanes are done with each step: the first steps of a large block have whole registers to do, those of small ones never.
static unsigned chooseRegisters(const Group &group, unsigned vectorDim) {
  constexpr size_t kShort = 6, kLong = 16;
  bool reduces = false, keepsOrder = false;
  for (Operation *op : group.members)
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      bool commutes = isCommutative(reduce.getCombine().front());
      reduces |= commutes;
      keepsOrder |= !commutes && reduce.getAxis() == vectorDim;
    }
  if (keepsOrder)
    return group.members.size() <= kLong ? 8 : 4;
  bool isShort =
      group.members.size() <= kShort && llvm::all_of(group.members, [](Operation *op) {
        return isa<arith::ArithDialect>(op->getDialect()) || isa<tile::LoadOp, tile::ReduceOp, tile::ReshapeOp>(op);
      });
  return reduces && isShort ? 4 : 2;
}

void Lowering::emitGroup(Group &now) {
  // A load that is done again where it is needed, and is not needed here.
  llvm::erase_if(now.members, [&](Operation *op) {
    return isa<tile::LoadOp>(op) && isRecomputable(op->getResult(0)) &&
           llvm::none_of(op->getUsers(), [&](Operation *user) { return now.set.contains(user); });
  });
  if (now.members.empty() && now.copies.empty())
    return;
  unsigned vectorDim = chooseVectorDim(now);
  Nest nest(*this, now.shape, vectorDim, chooseRegisters(now, vectorDim));
  llvm::SmallVector<unsigned, 4> order;
  for (unsigned d = 0; d < now.shape.size(); ++d)
    if (d != nest.vectorDimension())
      order.push_back(d);
  order.push_back(nest.vectorDimension());
  llvm::SmallVector<std::pair<Value, Buffer>> kept;
  for (Operation *op : now.members)
    for (Value result : op->getResults())
      if (!isa<tile::ReduceOp, tile::ReshapeOp>(op) && leavesGroup(result, now) && !isRecomputable(result)) {
        auto it = assigned.find(result);
        kept.push_back({result, it != assigned.end() ? it->second : allocateWith(result.getType(), order, result)});
      }
  prefetcher.noteLoads(now);
  nest.open();
  llvm::DenseMap<Operation *, std::unique_ptr<Reduction>> reductions;
  for (Operation *op : now.members)
    if (auto reduce = dyn_cast<tile::ReduceOp>(op)) {
      reductions[op] = std::make_unique<Reduction>(*this, nest, reduce);
      reductions[op]->prepare();
    }
  nest.emitBodies([&] {
    if (nest.isFast())
      prefetcher.noteBody(now, nest);
    for (Operation *op : now.members) {
      if (hasFailed())
        return;
      setLocation(op->getLoc());
      if (auto load = dyn_cast<tile::LoadOp>(op))
        nest.emitLoad(load);
      else if (auto store = dyn_cast<tile::StoreOp>(op))
        nest.emitStore(store);
      else if (reductions.count(op))
        reductions[op]->accumulate();
      else if (!isa<tile::ReshapeOp>(op)) // strips: read by their reduction
        for (Value result : op->getResults())
          nest.evaluate(result);
      for (auto &[value, buffer] : kept)
        if (value.getDefiningOp() == op)
          nest.writeBuffer(buffer, nest.identity(), nest.evaluate(value), value.getType());
    }
    for (auto &[value, buffer] : now.copies)
      nest.writeBuffer(buffer, nest.identity(), nest.evaluate(value), value.getType());
  });
  nest.close([&] {
    for (Operation *op : now.members)
      if (reductions.count(op))
        reductions[op]->finish();
  });
  for (auto &[value, buffer] : kept)
    buffers[value] = buffer;
}

} // namespace nereid::cpu
