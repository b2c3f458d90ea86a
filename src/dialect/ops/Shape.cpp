// Shape.cpp: verifiers, folds, layouts and pieces of Shape.td.
#include "dialect/Halves.h"
#include "dialect/Tile.h"
#include "dialect/ops/Pieces.h"
#include "dialect/ops/Reduction.h"

#include "layout/LayoutMoves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace nereid::tile;
using namespace nereid::layout;

// A shape op on a tile whose elements are all one constant gives the same constant in the new shape.
static OpFoldResult foldSplatConstant(Attribute source, Type result) {
  if (auto dense = dyn_cast_if_present<SplatElementsAttr>(source))
    return dense.resizeSplat(cast<ShapedType>(result));
  return {};
}

LogicalResult ArangeOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || !type.getElementType().isInteger(32) ||
      type.getDimSize(0) != int64_t(getEnd()) - int64_t(getStart()))
    return emitOpError("result must be a 1-D i32 tile of end - start elements");
  return success();
}

LogicalResult SplatOp::verify() {
  if (getSource().getType() != cast<RankedTensorType>(getType()).getElementType())
    return emitOpError("source is not of the element type");
  return success();
}

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  if (Attribute value = adaptor.getSource(); isa_and_present<IntegerAttr, FloatAttr>(value))
    return SplatElementsAttr::get(cast<ShapedType>(getType()), value);
  return {};
}

LogicalResult UnsplatOp::verify() {
  auto type = getSource().getType();
  if (type.getNumElements() != 1 || type.getElementType() != getType())
    return emitOpError("source must hold one element of the result type");
  return success();
}

LogicalResult BroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (from.size() != to.size())
    return emitOpError("source and result have different ranks");
  for (auto [source, result] : llvm::zip(from, to))
    if (source != 1 && source != result)
      return emitOpError("cannot repeat an extent of ") << source << " to " << result;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

// The axes where the source has one element are shrunk.
LinearLayout BroadcastOp::operandLayout(unsigned, const LinearLayout &result) {
  LinearLayout layout = result;
  ArrayRef<int64_t> shape = shapeOf(getSource().getType());
  auto wide = layout.shape();
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    if (shape[axis] != wide[axis])
      layout = shrinkAxisLayout(layout, axis);
  return layout;
}

std::optional<LinearLayout> BroadcastOp::resultLayout(const LinearLayout &) { return std::nullopt; }

LogicalResult ExpandDimsOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getSource().getType()));
  if (getAxis() > expected.size())
    return emitOpError("axis is out of range");
  expected.insert(expected.begin() + getAxis(), 1);
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result has not the source's shape with a 1 at the axis");
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) { return foldSplatConstant(adaptor.getSource(), getType()); }

LinearLayout ExpandDimsOp::operandLayout(unsigned, const LinearLayout &result) {
  return reshapeLayout(result, shapeOf(getSource().getType()));
}

std::optional<LinearLayout> ExpandDimsOp::resultLayout(const LinearLayout &source) {
  return reshapeLayout(source, shapeOf(getType()));
}

LogicalResult ReshapeOp::verify() {
  auto result = cast<RankedTensorType>(getType());
  if (getSource().getType().getNumElements() != result.getNumElements() ||
      getSource().getType().getElementType() != result.getElementType())
    return emitOpError("source and result hold different elements");
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

LinearLayout ReshapeOp::operandLayout(unsigned, const LinearLayout &result) {
  return reshapeLayout(result, shapeOf(getSource().getType()));
}

std::optional<LinearLayout> ReshapeOp::resultLayout(const LinearLayout &source) {
  return reshapeLayout(source, shapeOf(getType()));
}

LogicalResult TransOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType()), to = shapeOf(getType());
  if (getOrder().size() != from.size() || to.size() != from.size())
    return emitOpError("order needs one entry for each dimension");
  SmallVector<bool> seen(from.size());
  for (auto [i, source] : llvm::enumerate(getOrder())) {
    if (source < 0 || source >= int64_t(from.size()) || seen[source])
      return emitOpError("order is not a permutation");
    seen[source] = true;
    if (to[i] != from[source])
      return emitOpError("result shape does not follow the order");
  }
  return success();
}

OpFoldResult TransOp::fold(FoldAdaptor adaptor) {
  bool identity = true;
  for (auto [i, source] : llvm::enumerate(getOrder()))
    identity &= int64_t(i) == source;
  if (identity)
    return getSource();
  return foldSplatConstant(adaptor.getSource(), getType());
}

static SmallVector<unsigned, 4> permutationOf(ArrayRef<int32_t> order) { return {order.begin(), order.end()}; }

LinearLayout TransOp::operandLayout(unsigned, const LinearLayout &result) {
  return transposeLayout(result, invertPermutation(permutationOf(getOrder())));
}

std::optional<LinearLayout> TransOp::resultLayout(const LinearLayout &source) {
  return transposeLayout(source, permutationOf(getOrder()));
}

LogicalResult FlipOp::verify() {
  if (getSource().getType() != getType() || getAxis() >= shapeOf(getType()).size())
    return emitOpError("result must have the source's type, and the axis be one of its dimensions");
  return success();
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> expected(shapeOf(getLhs().getType()));
  expected.push_back(2);
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result must have a new last dimension of extent 2");
  return success();
}

LinearLayout JoinOp::operandLayout(unsigned, const LinearLayout &result) { return *splitLayout(result); }

std::optional<LinearLayout> JoinOp::resultLayout(const LinearLayout &source) { return joinLayout(source); }

std::pair<Value, Value> nereid::tile::halvesOf(ImplicitLocOpBuilder &builder, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  auto half = RankedTensorType::get(type.getShape().drop_back(), type.getElementType());
  auto split = SplitOp::create(builder, half, half, tile);
  return {split.getFirst(), split.getSecond()};
}

LogicalResult SplitOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getSource().getType());
  if (from.empty() || from.back() != 2 || shapeOf(getFirst().getType()) != from.drop_back())
    return emitOpError("source must have a last dimension of extent 2, and the results its other dimensions");
  return success();
}

LinearLayout SplitOp::operandLayout(unsigned, const LinearLayout &result) { return joinLayout(result); }

std::optional<LinearLayout> SplitOp::resultLayout(const LinearLayout &source) { return splitLayout(source); }

LogicalResult CatOp::verify() {
  ArrayRef<int64_t> lhs = shapeOf(getLhs().getType()), rhs = shapeOf(getRhs().getType());
  SmallVector<int64_t> expected(lhs);
  if (lhs.size() != rhs.size() || getAxis() >= lhs.size())
    return emitOpError("operands have different ranks, or the axis is out of range");
  expected[getAxis()] += rhs[getAxis()];
  if (shapeOf(getType()) != ArrayRef<int64_t>(expected))
    return emitOpError("result is not as long as both operands together");
  return success();
}

LinearLayout CatOp::operandLayout(unsigned, const LinearLayout &result) {
  return beforeConcatenation(result, getAxis());
}

std::optional<LinearLayout> CatOp::resultLayout(const LinearLayout &source) {
  return concatenateLayout(source, getAxis());
}

LogicalResult GatherOp::verify() {
  if (shapeOf(getIndex().getType()) != shapeOf(getType()) ||
      getSource().getType().getRank() != getIndex().getType().getRank() ||
      getAxis() >= uint64_t(getSource().getType().getRank()))
    return emitOpError("index and result must have one shape, of the source's rank");
  return success();
}

// Pieces of uneven tiles.
namespace nereid::tile {

Value reshaped(ImplicitLocOpBuilder &builder, Value tile, ArrayRef<int64_t> shape) {
  if (shapeOf(tile.getType()) == shape)
    return tile;
  return ReshapeOp::create(builder, withShape(tile.getType(), shape), tile, false);
}

Value flipped(ImplicitLocOpBuilder &builder, Value tile, unsigned axis) {
  return FlipOp::create(builder, tile.getType(), tile, axis);
}

Value spread(ImplicitLocOpBuilder &builder, Value value, unsigned axis, Type type) {
  if (shapeOf(value.getType()).empty())
    return SplatOp::create(builder, type, value);
  SmallVector<int64_t> thin(shapeOf(type));
  thin[axis] = 1;
  value = ExpandDimsOp::create(builder, withShape(type, thin), value, axis);
  return BroadcastOp::create(builder, type, value);
}

// The first or the second half of a tile along an axis.
static Value halfOf(ImplicitLocOpBuilder &builder, Value tile, unsigned axis, bool isSecond) {
  SmallVector<int64_t> shape(shapeOf(tile.getType())), halvesLast;
  shape.insert(shape.begin() + axis, 2);
  shape[axis + 1] /= 2;
  SmallVector<int32_t> order;
  for (size_t d = 0; d < shape.size(); ++d)
    if (d != axis)
      order.push_back(int32_t(d));
  order.push_back(int32_t(axis));
  for (int32_t d : order)
    halvesLast.push_back(shape[d]);
  Value halves = reshaped(builder, tile, shape);
  if (axis + 1 != shape.size())
    halves = TransOp::create(builder, withShape(tile.getType(), halvesLast), halves, order);
  auto [first, second] = halvesOf(builder, halves);
  return isSecond ? second : first;
}

Value cutOut(ImplicitLocOpBuilder &builder, ArrayRef<Placed> tiles, unsigned axis, Span wanted) {
  for (const Placed &placed : tiles) {
    int64_t start = wanted.start - placed.span.start;
    if (start < 0 || wanted.end() > placed.span.end() || start % wanted.extent != 0)
      continue;
    Value tile = placed.tile;
    for (int64_t extent = placed.span.extent / 2; extent >= wanted.extent; extent /= 2) {
      bool isSecond = start >= extent;
      tile = halfOf(builder, tile, axis, isSecond);
      start -= isSecond ? extent : 0;
    }
    return tile;
  }
  int64_t half = wanted.extent / 2;
  Value first = cutOut(builder, tiles, axis, {wanted.start, half});
  Value second = cutOut(builder, tiles, axis, {wanted.start + half, half});
  SmallVector<int64_t> shape(shapeOf(first.getType()));
  shape[axis] = wanted.extent;
  return CatOp::create(builder, withShape(first.getType(), shape), first, second, axis);
}

static bool split(Pieces &pieces, ArangeOp op) {
  SmallVector<Value> its;
  for (Span span : spansOf(shapeOf(op.getType())[0]))
    its.push_back(ArangeOp::create(pieces.builder, withShape(op.getType(), {span.extent}),
                                   uint32_t(op.getStart() + span.start), uint32_t(op.getStart() + span.end())));
  pieces.give(op, its);
  return true;
}

static bool split(Pieces &pieces, SplatOp op) {
  return pieces.splitMoved(op, [](ArrayRef<unsigned> place) { return Cut::Place(place); });
}

static bool split(Pieces &pieces, BroadcastOp op) {
  return pieces.splitMoved(op, [&](ArrayRef<unsigned> place) {
    Cut::Place source(place);
    for (auto [index, extent] : llvm::zip_equal(source, shapeOf(op.getSource().getType())))
      index = extent == 1 ? 0 : index;
    return source;
  });
}

static bool split(Pieces &pieces, ExpandDimsOp op) {
  return pieces.splitMoved(op, [&](ArrayRef<unsigned> place) {
    Cut::Place source(place);
    source.erase(source.begin() + op.getAxis());
    return source;
  });
}

static bool split(Pieces &pieces, TransOp op) {
  return pieces.splitMoved(op, [&](ArrayRef<unsigned> place) {
    Cut::Place source(place.size());
    for (auto [i, axis] : llvm::enumerate(op.getOrder()))
      source[axis] = place[i];
    return source;
  });
}

static bool split(Pieces &pieces, JoinOp op) {
  return pieces.splitMoved(op, [](ArrayRef<unsigned> place) { return Cut::Place(place.drop_back()); });
}

static bool split(Pieces &pieces, SplitOp op) {
  SmallVector<Value> first, second;
  for (Value piece : pieces.of(op.getSource())) {
    auto [one, other] = halvesOf(pieces.builder, piece);
    first.push_back(one);
    second.push_back(other);
  }
  pieces.give(op.getFirst(), first);
  pieces.give(op.getSecond(), second);
  return true;
}

// The axes of a shape that a reshape changes, as rows: before the last axis that is uneven, and from it on.
struct Rows {
  Rows(ArrayRef<int64_t> shape) {
    size_t axis = shape.size() - 1;
    while (axis > 0 && llvm::isPowerOf2_64(uint64_t(shape[axis])))
      --axis;
    outer = shape.take_front(axis);
    extent = shape[axis];
    inner = product(shape.drop_front(axis + 1));
  }
  static int64_t product(ArrayRef<int64_t> extents) {
    int64_t count = 1;
    for (int64_t each : extents)
      count *= each;
    return count;
  }
  int64_t count() const { return product(outer); }
  // The index of a row along each of the outer axes.
  SmallVector<int64_t> indexOf(int64_t row) const {
    SmallVector<int64_t> index(outer.size());
    for (size_t axis = outer.size(); axis-- > 0; row /= outer[axis])
      index[axis] = row % outer[axis];
    return index;
  }
  ArrayRef<int64_t> outer;
  int64_t extent, inner;
};

// Tiles one above the other, along a new axis.
static Value stacked(ImplicitLocOpBuilder &builder, ArrayRef<Value> tiles, unsigned axis) {
  SmallVector<int64_t> shape(shapeOf(tiles[0].getType()));
  if (tiles.size() == 1) {
    shape.insert(shape.begin() + axis, 1);
    return reshaped(builder, tiles[0], shape);
  }
  Value first = stacked(builder, tiles.take_front(tiles.size() / 2), axis);
  Value second = stacked(builder, tiles.drop_front(tiles.size() / 2), axis);
  shape.insert(shape.begin() + axis, int64_t(tiles.size()));
  return CatOp::create(builder, withShape(first.getType(), shape), first, second, axis);
}

// Where pieces do not stay whole, each row is cut out of those that it lies in: few rows, as halves of a head are.
static bool splitMixed(Pieces &pieces, ReshapeOp op) {
  ImplicitLocOpBuilder &builder = pieces.builder;
  ArrayRef<int64_t> from = shapeOf(op.getSource().getType()), to = shapeOf(op.getType());
  size_t before = 0, behind = 0; // axes that stay as they are
  while (before + 1 < std::min(from.size(), to.size()) && from[before] == to[before])
    ++before;
  while (before + behind + 1 < std::min(from.size(), to.size()) &&
         from[from.size() - 1 - behind] == to[to.size() - 1 - behind])
    ++behind;
  Rows source(from.drop_front(before).drop_back(behind)), result(to.drop_front(before).drop_back(behind));
  constexpr int64_t kMostRows = 16;
  if (source.count() > kMostRows || result.count() > kMostRows)
    return false;
  Cut sourceCut(from), cut(to);
  size_t line = before; // the axis that all of the source's rows lie along
  auto lineUp = [&](ArrayRef<unsigned> wanted) {
    SmallVector<Placed> tiles;
    Cut::Place place(from.size(), 0);
    std::copy_n(wanted.begin(), before, place.begin());
    std::copy_n(wanted.end() - behind, behind, place.end() - behind);
    for (int64_t row = 0; row < source.count(); ++row)
      for (auto [i, span] : llvm::enumerate(spansOf(source.extent))) {
        SmallVector<int64_t> index = source.indexOf(row);
        for (auto [axis, at] : llvm::enumerate(index))
          place[before + axis] = unsigned(
              llvm::find_if(sourceCut.axes[before + axis], [at = at](const Span &each) { return at < each.end(); }) -
              sourceCut.axes[before + axis].begin());
        place[before + index.size()] = unsigned(i);
        Value tile = pieces.at(op.getSource(), place);
        for (auto [axis, at] : llvm::enumerate(index))
          tile = cutOut(builder, Placed{sourceCut.axes[before + axis][place[before + axis]], tile},
                        unsigned(before + axis), {at, 1});
        SmallVector<int64_t, 4> shape = sourceCut.shapeAt(place);
        shape.erase(shape.begin() + line, shape.end() - behind);
        shape.insert(shape.begin() + line, span.extent * source.inner);
        tiles.push_back({{(row * source.extent + span.start) * source.inner, span.extent * source.inner},
                         reshaped(builder, tile, shape)});
      }
    return tiles;
  };
  SmallVector<Value> its;
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece);
    SmallVector<Placed> tiles = lineUp(place);
    Span span = cut.axes[before + result.outer.size()][place[before + result.outer.size()]];
    SmallVector<Value> rows;
    for (int64_t row = 0; row < result.count(); ++row) {
      bool isHere = llvm::all_of(llvm::enumerate(result.indexOf(row)), [&](auto at) {
        const Span &outer = cut.axes[before + at.index()][place[before + at.index()]];
        return at.value() >= outer.start && at.value() < outer.end();
      });
      if (isHere)
        rows.push_back(cutOut(builder, tiles, unsigned(line),
                              {(row * result.extent + span.start) * result.inner, span.extent * result.inner}));
    }
    its.push_back(reshaped(builder, stacked(builder, rows, unsigned(line)), cut.shapeAt(place)));
  }
  pieces.give(op, its);
  return true;
}

static bool split(Pieces &pieces, ReshapeOp op) {
  ArrayRef<int64_t> from = shapeOf(op.getSource().getType()), to = shapeOf(op.getType());
  SmallVector<size_t> order;
  SmallVector<Value> its;
  if (matchPieces(from, to, order)) {
    Cut cut(to);
    for (auto [piece, source] : llvm::enumerate(order))
      its.push_back(ReshapeOp::create(pieces.builder, withShape(op.getType(), cut.shapeAt(cut.placeOf(piece))),
                                      pieces.of(op.getSource())[source], op.getAllowReorder()));
    pieces.give(op, its);
    return true;
  }
  // A sum of all elements takes them in any order.
  if (to.size() == 1 && !op->use_empty() && llvm::all_of(op->getUsers(), isCommutativeReduction)) {
    for (Value piece : pieces.of(op.getSource()))
      its.push_back(reshaped(pieces.builder, piece, cast<RankedTensorType>(piece.getType()).getNumElements()));
    pieces.give(op, its);
    pieces.unordered.insert(op);
    return true;
  }
  return splitMixed(pieces, op) ||
         pieces.refuse(
             "this reshape mixes the parts of an extent that is no power of two: at most 16 rows may be before "
             "such an extent among those that are put together or taken apart");
}

// What lies along an axis in all places of the others, cut anew: `lineUp` says which tiles lie where.
static bool cutAnew(Pieces &pieces, Value result, unsigned axis,
                    function_ref<SmallVector<Placed>(ArrayRef<unsigned>)> lineUp) {
  Cut cut(shapeOf(result.getType()));
  SmallVector<Value> its;
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece);
    its.push_back(cutOut(pieces.builder, lineUp(place), axis, cut.axes[axis][place[axis]]));
  }
  pieces.give(result, its);
  return true;
}

static bool split(Pieces &pieces, FlipOp op) {
  unsigned axis = op.getAxis();
  Cut cut(shapeOf(op.getType()));
  SmallVector<Value> turned;
  for (Value piece : pieces.of(op.getSource()))
    turned.push_back(flipped(pieces.builder, piece, axis));
  return cutAnew(pieces, op, axis, [&](ArrayRef<unsigned> at) {
    SmallVector<Placed> tiles;
    Cut::Place place(at);
    for (auto [i, span] : llvm::enumerate(cut.axes[axis])) {
      place[axis] = unsigned(i);
      tiles.push_back({{shapeOf(op.getType())[axis] - span.end(), span.extent}, turned[cut.pieceAt(place)]});
    }
    return tiles;
  });
}

static bool split(Pieces &pieces, CatOp op) {
  unsigned axis = op.getAxis();
  return cutAnew(pieces, op, axis, [&](ArrayRef<unsigned> at) {
    SmallVector<Placed> tiles;
    int64_t start = 0;
    Cut::Place place(at);
    for (Value side : {op.getLhs(), op.getRhs()}) {
      int64_t extent = shapeOf(side.getType())[axis];
      for (auto [i, span] : llvm::enumerate(spansOf(extent))) {
        place[axis] = unsigned(i);
        tiles.push_back({{start + span.start, span.extent}, pieces.at(side, place)});
      }
      start += extent;
    }
    return tiles;
  });
}

// From several pieces along the axis: the one that an index points into, chosen last.
static bool split(Pieces &pieces, GatherOp op) {
  ImplicitLocOpBuilder &builder = pieces.builder;
  unsigned axis = op.getAxis();
  Cut cut(shapeOf(op.getType()));
  auto sources = spansOf(shapeOf(op.getSource().getType())[axis]);
  SmallVector<Value> its;
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece), source = place;
    Value index = pieces.at(op.getIndex(), place), chosen;
    auto number = [&](int64_t value) {
      auto type = cast<ShapedType>(index.getType());
      return arith::ConstantOp::create(
          builder, DenseElementsAttr::get(type, builder.getIntegerAttr(type.getElementType(), value)));
    };
    for (auto [i, span] : llvm::enumerate(sources)) {
      source[axis] = unsigned(i);
      Value inside = index;
      if (sources.size() > 1) {
        inside = arith::SubIOp::create(builder, index, number(span.start));
        inside =
            arith::AndIOp::create(builder, inside, number(span.extent - 1)); // of another piece: anywhere in this one
      }
      Value found = GatherOp::create(builder, withShape(op.getType(), cut.shapeAt(place)),
                                     pieces.at(op.getSource(), source), inside, axis);
      if (i > 0) {
        Value isHere = arith::CmpIOp::create(builder, arith::CmpIPredicate::sge, index, number(span.start));
        found = arith::SelectOp::create(builder, isHere, found, chosen);
      }
      chosen = found;
    }
    its.push_back(chosen);
  }
  pieces.give(op, its);
  return true;
}

void addShapePieces(PieceRules &rules) {
  rules.add<ArangeOp, SplatOp, BroadcastOp, ExpandDimsOp, TransOp, JoinOp, SplitOp, ReshapeOp, FlipOp, CatOp,
            GatherOp>();
}

} // namespace nereid::tile
