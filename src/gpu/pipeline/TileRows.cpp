// TileRows.cpp: from tiles of pointers and masks to scalars.
//
//   before  %rows = splat %first + arange;  %p = addptr (splat %base), %rows * splat %stride + %columns
//           %t = tile.load %p mask (%rows < splat %n)
//   found   pointer %base + %first * %stride, stride %stride, count %n - %first
//
// The first element is the same arithmetic on the first elements, in the same types. From there on addresses grow by a number that is
// the same in the whole tile. (Where a tile's own 32-bit offsets wrap around within it, they are no addresses of one tensor.)
#include "gpu/pipeline/TileRows.h"

#include "gpu/pipeline/LoopCopies.h"
#include "gpu/products/Operands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

// What elements grow by along an axis: the factor, times the element of a uniform tile where there is one.
struct Step {
  int64_t factor = 0;
  Value times = {};

  bool isNothing() const { return factor == 0; }
  bool is(int64_t number) const { return factor == number && !times; }
};
using FoundStep = std::optional<Step>;

bool isUniformConstant(Value tile) {
  DenseElementsAttr constant;
  return matchPattern(tile, m_Constant(&constant)) && constant.isSplat();
}

// The axis of its source that a view's axis is; none where its elements along it are all the same one.
std::optional<unsigned> sourceAxis(Operation *view, unsigned axis) {
  if (auto expand = dyn_cast<tile::ExpandDimsOp>(view)) {
    unsigned added = expand.getAxis();
    return axis == added ? std::nullopt : std::optional(axis > added ? axis - 1 : axis);
  }
  auto source = dyn_cast<RankedTensorType>(view->getOperand(0).getType());
  bool isOne = !source || source.getDimSize(axis) == 1; // a scalar, or an axis that is broadcast
  return isOne ? std::nullopt : std::optional(axis);
}
bool isKnownView(Operation *op) { return isa<tile::SplatOp, tile::ExpandDimsOp, tile::BroadcastOp>(op); }

FoundStep sum(FoundStep a, FoundStep b) {
  if (!a || !b)
    return std::nullopt;
  if (a->isNothing() || b->isNothing())
    return a->isNothing() ? b : a;
  return a->times == b->times ? FoundStep({a->factor + b->factor, a->times}) : std::nullopt;
}

FoundStep negative(FoundStep step) { return step ? FoundStep({-step->factor, step->times}) : step; }

// `place` < `end`, where places are numbers that follow each other along one axis of the tile.
struct Bound {
  unsigned axis;
  Value place, end;
  bool isIncluded; // `end` itself
};

// Which axis of a value each axis of the loaded tile is.
using AxesOf = std::array<std::optional<unsigned>, 2>;

class Steps {
public:
  FoundStep along(Value tile, unsigned axis) {
    if (auto [known, isNew] = found.try_emplace({tile, axis}); !isNew)
      return known->second;
    FoundStep step = find(tile, axis);
    found[{tile, axis}] = step;
    return step;
  }

  bool findBounds(Value mask, AxesOf axes, llvm::SmallVectorImpl<Bound> &bounds) {
    Operation *op = mask.getDefiningOp();
    if (!op)
      return false;
    if (isa<tile::ExpandDimsOp, tile::BroadcastOp>(op)) {
      for (std::optional<unsigned> &axis : axes)
        axis = axis ? sourceAxis(op, *axis) : std::nullopt;
      return findBounds(op->getOperand(0), axes, bounds);
    }
    if (isa<arith::AndIOp>(op))
      return findBounds(op->getOperand(0), axes, bounds) && findBounds(op->getOperand(1), axes, bounds);
    auto compare = dyn_cast<arith::CmpIOp>(op);
    return compare && findBound(compare, axes, bounds);
  }

private:
  bool isUniform(Value tile) {
    return llvm::all_of(llvm::seq<unsigned>(0, tile::shapeOf(tile.getType()).size()), [&](unsigned axis) {
      FoundStep step = along(tile, axis);
      return step && step->isNothing();
    });
  }

  FoundStep find(Value tile, unsigned axis) {
    Operation *op = tile.getDefiningOp();
    if (!isa<RankedTensorType>(tile.getType()) || isUniformConstant(tile))
      return Step();
    if (!op)
      return std::nullopt;
    if (isKnownView(op)) {
      std::optional<unsigned> source = sourceAxis(op, axis);
      return source ? along(op->getOperand(0), *source) : Step();
    }
    llvm::SmallVector<FoundStep, 2> steps;
    for (Value operand : op->getOperands())
      steps.push_back(along(operand, axis));
    // The same along the axis where all that it is made of is.
    bool isPlain = op->hasTrait<OpTrait::Elementwise>() && isMemoryEffectFree(op) && op->getNumRegions() == 0;
    if (isPlain && llvm::all_of(steps, [](FoundStep step) { return step && step->isNothing(); }))
      return Step();
    return llvm::TypeSwitch<Operation *, FoundStep>(op)
        .Case<tile::ArangeOp>([](auto) { return Step{1}; })
        .Case<tile::HintOp, arith::ExtSIOp>([&](auto) { return steps[0]; })
        .Case<arith::AddIOp, tile::AddPtrOp>([&](auto) { return sum(steps[0], steps[1]); })
        .Case<arith::SubIOp>([&](auto) { return sum(steps[0], negative(steps[1])); })
        .Case<arith::MulIOp>([&](arith::MulIOp op) {
          return isUniform(op.getRhs()) ? multiple(steps[0], op.getRhs()) : multiple(steps[1], op.getLhs());
        })
        .Default([](auto) { return std::nullopt; });
  }

  FoundStep multiple(FoundStep step, Value by) {
    if (!step || !isUniform(by))
      return std::nullopt;
    APInt constant;
    if (matchPattern(by, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 32)
      return Step{step->factor * constant.getSExtValue(), step->times};
    return step->times ? std::nullopt : FoundStep({step->factor, by});
  }

  bool findBound(arith::CmpIOp compare, AxesOf axes, llvm::SmallVectorImpl<Bound> &bounds) {
    using Predicate = arith::CmpIPredicate;
    Predicate predicate = compare.getPredicate();
    Value place = compare.getLhs(), end = compare.getRhs();
    if (predicate == Predicate::sgt || predicate == Predicate::sge) {
      std::swap(place, end);
      predicate = predicate == Predicate::sgt ? Predicate::slt : Predicate::sle;
    }
    bool isBound = predicate == Predicate::slt || predicate == Predicate::sle;
    if (!isBound || !isUniform(end))
      return false;
    auto stepOn = [&](unsigned axis) { return axes[axis] ? along(place, *axes[axis]) : FoundStep(Step()); };
    for (unsigned axis : {0u, 1u}) {
      FoundStep here = stepOn(axis), across = stepOn(1 - axis);
      if (here && here->is(1) && across && across->isNothing()) {
        bounds.push_back({axis, place, end, predicate == Predicate::sle});
        return true;
      }
    }
    return false;
  }

  llvm::DenseMap<std::pair<Value, unsigned>, FoundStep> found;
};

// Computes with the first elements of tiles.
class FirstElements {
public:
  FirstElements(Operation *before) : builder(before), loc(before->getLoc()) {}

  Value of(Value tile) {
    auto type = dyn_cast<RankedTensorType>(tile.getType());
    if (!type)
      return tile;
    if (auto [known, isNew] = made.try_emplace(tile); !isNew)
      return known->second;
    return made[tile] = make(tile, type.getElementType());
  }

  Value wide(Value tile) { return widened(of(tile)); }

  Value strideOf(const Step &step) {
    Value factor = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(step.factor));
    return step.times ? builder.createOrFold<arith::MulIOp>(loc, wide(step.times), factor) : factor;
  }

  // How many places are in bounds, along the axis of each.
  Value countOf(const Bound &bound) {
    Value count = builder.createOrFold<arith::SubIOp>(loc, wide(bound.end), wide(bound.place));
    if (!bound.isIncluded)
      return count;
    Value one = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(1));
    return builder.createOrFold<arith::AddIOp>(loc, count, one);
  }
  Value smaller(Value a, Value b) { return a ? builder.createOrFold<arith::MinSIOp>(loc, a, b) : b; }

private:
  Value make(Value tile, Type element) {
    DenseElementsAttr constant;
    if (matchPattern(tile, m_Constant(&constant)))
      return arith::ConstantOp::create(builder, loc, constant.getSplatValue<TypedAttr>());
    Operation *op = tile.getDefiningOp();
    if (auto arange = dyn_cast<tile::ArangeOp>(op))
      return arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(element, arange.getStart()));
    if (isKnownView(op) || isa<tile::HintOp>(op))
      return of(op->getOperand(0));
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, of(operand));
    Operation *scalar = builder.clone(*op, mapping);
    scalar->getResult(0).setType(element);
    llvm::SmallVector<Value> folded;
    if (failed(builder.tryFold(scalar, folded)) || folded.empty())
      return scalar->getResult(0);
    scalar->erase();
    return folded[0];
  }

  Value widened(Value number) {
    Type wide = builder.getI64Type();
    return number.getType() == wide ? number : builder.createOrFold<arith::ExtSIOp>(loc, wide, number);
  }

  OpBuilder builder;
  Location loc;
  llvm::DenseMap<Value, Value> made;
};

} // namespace

std::optional<TileRows> findRows(tile::LoadOp load, const analysis::AxisInfoAnalysis &axes) {
  auto type = dyn_cast<RankedTensorType>(load.getType());
  if (!type || type.getRank() != 2 || load.getIsVolatile() || !isZeroElsewhere(load))
    return std::nullopt;
  const analysis::AxisInfo &info = axes.of(load.getPtr());
  unsigned fast = fastAxis(info);
  warp::BufferType buffer = operandBuffer(type, fast);
  int64_t run = std::min(info.contiguity[fast] * buffer.elementBytes(), info.divisibility[fast]);
  Steps steps;
  FoundStep along = steps.along(load.getPtr(), fast), stride = steps.along(load.getPtr(), 1 - fast);
  llvm::SmallVector<Bound> bounds;
  if (run < kBytesOfRowPiece || !along || !along->is(1) || !stride ||
      (load.getMask() && !steps.findBounds(load.getMask(), {0u, 1u}, bounds)))
    return std::nullopt;
  FirstElements first(load);
  TileRows rows{load, buffer, first.of(load.getPtr()), first.strideOf(*stride), {}, {}};
  for (const Bound &bound : bounds) {
    Value &count = bound.axis == fast ? rows.rowLength : rows.rowCount;
    count = first.smaller(count, first.countOf(bound));
  }
  return rows;
}

} // namespace nereid::gpu
