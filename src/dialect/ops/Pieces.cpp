#include "dialect/ops/Pieces.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::tile {

SmallVector<Span, 4> spansOf(int64_t extent) {
  SmallVector<Span, 4> spans;
  for (int64_t start = 0; start < extent;) {
    int64_t next = int64_t(llvm::bit_floor(uint64_t(extent - start)));
    spans.push_back({start, next});
    start += next;
  }
  return spans;
}

bool isUneven(Type type) {
  return llvm::any_of(shapeOf(type), [](int64_t extent) { return !llvm::isPowerOf2_64(uint64_t(extent)); });
}

Cut::Cut(ArrayRef<int64_t> shape) {
  for (int64_t extent : shape)
    axes.push_back(spansOf(extent));
}

size_t Cut::count() const {
  size_t pieces = 1;
  for (auto &spans : axes)
    pieces *= spans.size();
  return pieces;
}

Cut::Place Cut::placeOf(size_t piece) const {
  Place place(axes.size());
  for (size_t axis = axes.size(); axis-- > 0; piece /= axes[axis].size())
    place[axis] = unsigned(piece % axes[axis].size());
  return place;
}

size_t Cut::pieceAt(ArrayRef<unsigned> place) const {
  size_t piece = 0;
  for (auto [spans, index] : llvm::zip_equal(axes, place))
    piece = piece * spans.size() + index;
  return piece;
}

SmallVector<int64_t, 4> Cut::shapeAt(ArrayRef<unsigned> place) const {
  SmallVector<int64_t, 4> shape;
  for (auto [spans, index] : llvm::zip_equal(axes, place))
    shape.push_back(spans[index].extent);
  return shape;
}

// The axis among [begin, end) that may be uneven: the first of more than one element. Nothing: another one is, and its spans
// would lie between each other.
static std::optional<size_t> leadingAxis(ArrayRef<int64_t> shape, size_t begin, size_t end) {
  size_t lead = begin;
  while (lead + 1 < end && shape[lead] == 1)
    ++lead;
  for (size_t axis = lead + 1; axis < end; ++axis)
    if (!llvm::isPowerOf2_64(uint64_t(shape[axis])))
      return std::nullopt;
  return lead;
}

bool matchPieces(ArrayRef<int64_t> from, ArrayRef<int64_t> to, SmallVectorImpl<size_t> &order) {
  SmallVector<std::pair<size_t, size_t>> leads; // axes of `from` and `to` that are cut in the same way
  for (size_t i = 0, j = 0; i < from.size() && j < to.size();) {
    size_t firstFrom = i, firstTo = j;
    int64_t fromCount = from[i++], toCount = to[j++];
    while (fromCount != toCount)
      if (fromCount < toCount)
        fromCount *= from[i++];
      else
        toCount *= to[j++];
    auto fromLead = leadingAxis(from, firstFrom, i), toLead = leadingAxis(to, firstTo, j);
    if (!fromLead || !toLead || spansOf(from[*fromLead]).size() != spansOf(to[*toLead]).size())
      return false;
    leads.push_back({*fromLead, *toLead});
  }
  Cut source(from), result(to);
  for (size_t piece = 0; piece < result.count(); ++piece) {
    Cut::Place place(from.size(), 0), wanted = result.placeOf(piece);
    for (auto [fromLead, toLead] : leads)
      place[fromLead] = wanted[toLead];
    order.push_back(source.pieceAt(place));
  }
  return true;
}

Type withShape(Type type, ArrayRef<int64_t> shape) {
  Type element = getElementTypeOrSelf(type);
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

Value Pieces::at(Value value, ArrayRef<unsigned> place) const {
  return isUneven(value.getType()) ? of(value)[Cut(shapeOf(value.getType())).pieceAt(place)] : value;
}

SmallVector<Value> Pieces::expanded(ValueRange values) const {
  SmallVector<Value> all;
  for (Value value : values)
    if (isUneven(value.getType()))
      llvm::append_range(all, of(value));
    else
      all.push_back(value);
  return all;
}

void Pieces::give(Value value, SmallVector<Value> its) {
  if (isUneven(value.getType()))
    pieces[value] = std::move(its);
  else
    value.replaceAllUsesWith(its.front());
}

bool Pieces::splitPlacewise(Operation *op, function_ref<void(Operation *, ArrayRef<int64_t>)> change) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  ArrayRef<int64_t> shape = shapeOf(*llvm::find_if(types, isUneven));
  Cut cut(shape);
  auto group = dyn_cast<GroupOpInterface>(op);
  SmallVector<SmallVector<Value>> results(op->getNumResults());
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece);
    SmallVector<int64_t, 4> part = cut.shapeAt(place);
    if (group && part.back() % group.getPack() != 0)
      return refuse("groups of elements would reach over the end of a piece: let the last extent be a multiple of a "
                    "power of two that is at least as large as a group");
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, at(operand, place));
    Operation *made = builder.clone(*op, mapping);
    for (auto [i, result] : llvm::enumerate(made->getResults())) {
      if (isUneven(result.getType()))
        result.setType(withShape(result.getType(), part));
      results[i].push_back(result);
    }
    if (change)
      change(made, shape);
  }
  for (auto [result, its] : llvm::zip(op->getResults(), results))
    give(result, std::move(its));
  return true;
}

bool Pieces::splitMoved(Operation *op, function_ref<Cut::Place(ArrayRef<unsigned>)> sourceOf) {
  Value result = op->getResult(0);
  Cut cut(shapeOf(result.getType()));
  SmallVector<Value> its;
  for (size_t piece = 0; piece < cut.count(); ++piece) {
    Cut::Place place = cut.placeOf(piece), source = sourceOf(place);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, at(operand, source));
    its.push_back(builder.clone(*op, mapping)->getResult(0));
    its.back().setType(withShape(result.getType(), cut.shapeAt(place)));
  }
  give(result, its);
  return true;
}

PieceRule pieceRuleOf(Operation *op) {
  static const PieceRules kRules = [] {
    PieceRules rules;
    addShapePieces(rules);
    addElementwisePieces(rules);
    addReducePieces(rules);
    addDotPieces(rules);
    addMemoryPieces(rules);
    return rules;
  }();
  return kRules.rows.lookup(op->getName().getTypeID());
}

} // namespace nereid::tile
