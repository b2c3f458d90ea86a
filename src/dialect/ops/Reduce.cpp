// Reduce.cpp: verifiers, layouts and pieces of Reduce.td.
#include "dialect/Tile.h"
#include "dialect/ops/Pieces.h"
#include "dialect/ops/Reduction.h"

#include "layout/LayoutMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nereid::tile;
using namespace nereid::layout;

// All sources have one shape, and the region maps two sets of their elements to one.
static LogicalResult verifyCombine(Operation *op, ValueRange sources, uint32_t axis, Region &combine) {
  if (sources.empty())
    return op->emitOpError("needs a source");
  ArrayRef<int64_t> shape = shapeOf(sources.front().getType());
  if (axis >= shape.size())
    return op->emitOpError("axis ") << axis << " is out of range for rank " << shape.size();
  for (Value source : sources)
    if (shapeOf(source.getType()) != shape)
      return op->emitOpError("sources have different shapes");
  Block &block = combine.front();
  if (block.getNumArguments() != 2 * sources.size())
    return op->emitOpError("the region needs two arguments for each source");
  auto yield = block.empty() ? nullptr : dyn_cast<YieldOp>(block.back());
  if (!yield || yield.getValues().size() != sources.size())
    return op->emitOpError("the region must yield one value for each source");
  for (auto [i, source] : llvm::enumerate(sources)) {
    Type element = getElementTypeOrSelf(source.getType());
    if (block.getArgument(i).getType() != element || block.getArgument(i + sources.size()).getType() != element ||
        yield.getValues()[i].getType() != element)
      return op->emitOpError("the region must work on the sources' element types");
  }
  return success();
}

LogicalResult ReduceOp::verify() {
  if (failed(verifyCombine(*this, getSources(), getAxis(), getCombine())))
    return failure();
  SmallVector<int64_t> expected(shapeOf(getSources().front().getType()));
  expected.erase(expected.begin() + getAxis());
  for (Value result : getResults())
    if (shapeOf(result.getType()) != ArrayRef<int64_t>(expected))
      return emitOpError("results must have the sources' shape without the axis");
  return success();
}

std::optional<LinearLayout> ReduceOp::resultLayout(const LinearLayout &source) {
  return sliceLayout(source, getAxis());
}

LogicalResult ScanOp::verify() {
  if (getSources().getTypes() != getResultTypes())
    return emitOpError("results must have the sources' types");
  return verifyCombine(*this, getSources(), getAxis(), getCombine());
}

LogicalResult SortOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  if (expected.empty() || getCount() < 1 || int64_t(getCount()) > expected.back())
    return emitOpError("count must be between 1 and the last extent");
  expected.back() = getCount();
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result must have `count` elements in the last dimension");
  return success();
}

// Pieces of uneven tiles.
namespace nereid::tile {

using Parts = SmallVector<Value>; // one value for each of the sources that are combined together

bool isCommutativeReduction(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  if (!reduce)
    return false;
  Block &combine = reduce.getCombine().front();
  Operation &first = combine.front();
  return combine.getNumArguments() == 2 && combine.getOperations().size() == 2 &&
         first.hasTrait<OpTrait::IsCommutative>() && first.getNumOperands() == 2 &&
         llvm::all_of(first.getOperands(), [](Value operand) { return isa<BlockArgument>(operand); });
}

static bool isElementwise(Block &combine) {
  return llvm::all_of(combine.without_terminator(), [&](Operation &op) {
    auto isInside = [&](Value operand) { return operand.getParentBlock() == &combine; };
    return op.hasTrait<OpTrait::ConstantLike>() ||
           (op.hasTrait<OpTrait::Elementwise>() && llvm::all_of(op.getOperands(), isInside));
  });
}

// Two sets of tiles (or of scalars), combined element by element.
static Parts combined(ImplicitLocOpBuilder &builder, Region &region, ValueRange left, ValueRange right) {
  Block &body = region.front();
  ArrayRef<int64_t> shape = shapeOf(left[0].getType());
  Parts sources(left), results;
  llvm::append_range(sources, right);
  if (!shape.empty() && !isElementwise(body))
    return mapped(builder, region, sources, left.getTypes());
  IRMapping mapping;
  mapping.map(body.getArguments(), sources);
  for (Operation &op : body.without_terminator()) {
    Operation *made = builder.clone(op, mapping);
    if (shape.empty())
      continue;
    for (auto [from, to] : llvm::zip(op.getResults(), made->getResults())) {
      Type type = withShape(from.getType(), shape);
      if (op.hasTrait<OpTrait::ConstantLike>())
        mapping.map(from, spread(builder, to, 0, type));
      else
        to.setType(type);
    }
  }
  for (Value value : body.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(value));
  return results;
}

static SmallVector<int64_t, 4> without(ArrayRef<int64_t> shape, unsigned axis) {
  SmallVector<int64_t, 4> rest(shape);
  rest.erase(rest.begin() + axis);
  return rest;
}

static Parts reduced(ImplicitLocOpBuilder &builder, Region &combine, ValueRange sources, unsigned axis) {
  SmallVector<Type> types;
  for (Value source : sources)
    types.push_back(withShape(source.getType(), without(shapeOf(source.getType()), axis)));
  auto made = ReduceOp::create(builder, types, sources, axis);
  IRMapping mapping;
  combine.cloneInto(&made.getCombine(), mapping);
  return Parts(made.getResults());
}

// As many elements along the axis as `extent`, each combined of those that lie that far apart.
static Parts folded(ImplicitLocOpBuilder &builder, Region &combine, ValueRange sources, unsigned axis, int64_t extent) {
  SmallVector<int64_t> shape(shapeOf(sources[0].getType()));
  if (shape[axis] == extent)
    return Parts(sources);
  shape.insert(shape.begin() + axis, shape[axis] / extent);
  shape[axis + 1] = extent;
  return reduced(builder, combine, reshaped(builder, sources[0], shape), axis);
}

// The pieces of all sources at a place.
static Parts partsAt(Pieces &pieces, ValueRange sources, ArrayRef<unsigned> place) {
  Parts parts;
  for (Value source : sources)
    parts.push_back(pieces.at(source, place));
  return parts;
}

static bool splitUnordered(Pieces &pieces, ReduceOp op) {
  Parts total;
  for (Value piece : pieces.of(op.getSources()[0])) {
    Parts next = reduced(pieces.builder, op.getCombine(), piece, 0);
    total = total.empty() ? next : combined(pieces.builder, op.getCombine(), total, next);
  }
  pieces.give(op.getResult(0), total);
  return true;
}

// In kernels with products the pieces are first combined to one as long as the shortest: in the layout of a result
// of tensor cores a thread has all that takes, and the threads meet once. Otherwise each piece is reduced, in their order.
static bool split(Pieces &pieces, ReduceOp op) {
  if (pieces.unordered.contains(op.getSources()[0]))
    return splitUnordered(pieces, op);
  unsigned axis = op.getAxis();
  ArrayRef<int64_t> shape = shapeOf(op.getSources()[0].getType());
  Cut cut(shape), rest(without(shape, axis));
  constexpr int64_t kFewest = 8; // neighbours that threads have together
  int64_t shortest = cut.axes[axis].back().extent;
  bool folds = pieces.hasProducts && isCommutativeReduction(op) && shortest >= kFewest;
  SmallVector<SmallVector<Value>> results(op.getNumResults());
  for (size_t piece = 0; piece < rest.count(); ++piece) {
    Cut::Place place = rest.placeOf(piece);
    place.insert(place.begin() + axis, 0);
    Parts total;
    for (; place[axis] < cut.axes[axis].size(); ++place[axis]) {
      Parts sources = partsAt(pieces, op.getSources(), place);
      Parts next = folds ? folded(pieces.builder, op.getCombine(), sources, axis, shortest)
                         : reduced(pieces.builder, op.getCombine(), sources, axis);
      total = total.empty() ? next : combined(pieces.builder, op.getCombine(), total, next);
    }
    if (folds)
      total = reduced(pieces.builder, op.getCombine(), total, axis);
    for (auto [its, value] : llvm::zip(results, total))
      its.push_back(value);
  }
  for (auto [result, its] : llvm::zip(op.getResults(), results))
    pieces.give(result, its);
  return true;
}

// Pieces one after the other: what all before give together is combined with each prefix.
static bool split(Pieces &pieces, ScanOp op) {
  ImplicitLocOpBuilder &builder = pieces.builder;
  unsigned axis = op.getAxis();
  ArrayRef<int64_t> shape = shapeOf(op.getSources()[0].getType());
  Cut cut(shape), rest(without(shape, axis));
  size_t steps = cut.axes[axis].size();
  SmallVector<SmallVector<Value>> results(op.getNumResults(), SmallVector<Value>(cut.count()));
  for (size_t piece = 0; piece < rest.count(); ++piece) {
    Cut::Place place = rest.placeOf(piece);
    place.insert(place.begin() + axis, 0);
    Parts before;
    for (size_t i = 0; i < steps; ++i) {
      place[axis] = unsigned(op.getReverse() ? steps - 1 - i : i);
      Parts sources = partsAt(pieces, op.getSources(), place);
      auto made = ScanOp::create(builder, ValueRange(sources).getTypes(), sources, axis, op.getReverse());
      IRMapping mapping;
      op.getCombine().cloneInto(&made.getCombine(), mapping);
      Parts prefixes(made.getResults());
      if (!before.empty()) {
        Parts all;
        for (auto [value, prefix] : llvm::zip(before, prefixes))
          all.push_back(spread(builder, value, axis, prefix.getType()));
        prefixes = combined(builder, op.getCombine(), all, prefixes);
      }
      for (auto [its, prefix] : llvm::zip(results, prefixes))
        its[cut.pieceAt(place)] = prefix;
      if (i + 1 == steps)
        break;
      if (op.getReverse())
        for (Value &source : sources)
          source = flipped(builder, source, axis);
      Parts total = reduced(builder, op.getCombine(), sources, axis);
      before = before.empty() ? total : combined(builder, op.getCombine(), before, total);
    }
  }
  for (auto [result, its] : llvm::zip(op.getResults(), results))
    pieces.give(result, its);
  return true;
}

static bool split(Pieces &pieces, SortOp op) {
  if (!llvm::isPowerOf2_64(uint64_t(shapeOf(op.getSource().getType()).back())))
    return pieces.refuse(
        "only a power of two of elements can be sorted: load as many as `triton.next_power_of_2` says, "
        "with a value for the rest that is sorted to the end");
  SmallVector<Value> its;
  for (Value piece : pieces.of(op.getSource())) {
    SmallVector<int64_t> sorted(shapeOf(piece.getType()));
    sorted.back() = op.getCount();
    its.push_back(SortOp::create(pieces.builder, withShape(piece.getType(), sorted), piece, op.getCount(),
                                 op.getDescending(), op.getIsUnsigned()));
  }
  pieces.give(op, its);
  return true;
}

// Each piece is counted by itself, in as many bins as the next power of two.
static bool split(Pieces &pieces, HistogramOp op) {
  ImplicitLocOpBuilder &builder = pieces.builder;
  int64_t bins = shapeOf(op.getType())[0], more = int64_t(llvm::bit_ceil(uint64_t(bins)));
  Value total;
  for (unsigned i = 0; i < spansOf(shapeOf(op.getSource().getType())[0]).size(); ++i) {
    Value mask = op.getMask() ? pieces.at(op.getMask(), i) : Value();
    Value counts = HistogramOp::create(builder, withShape(op.getType(), {more}), pieces.at(op.getSource(), i), mask);
    total = total ? arith::AddIOp::create(builder, total, counts).getResult() : counts;
  }
  SmallVector<Value> its;
  for (Span span : spansOf(bins))
    its.push_back(cutOut(builder, Placed{{0, more}, total}, 0, span));
  pieces.give(op, its);
  return true;
}

void addReducePieces(PieceRules &rules) { rules.add<ReduceOp, ScanOp, SortOp, HistogramOp>(); }

} // namespace nereid::tile
