// SemanticShape.cpp: broadcasting, indexing with `:` and `None`, and the changes of shape they are made of.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"

namespace nereid::lang {

std::string shapeText(const Shape &shape) {
  std::string result = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? ", " : "") + std::to_string(shape[i]);
  return result + "]";
}

static Tensor splat(Emitter &emitter, const Tensor &scalar, const Shape &shape) {
  if (shape.empty())
    return scalar;
  Type type = scalar.type.withShape(shape);
  return {emitter.fold<tile::SplatOp>(type.ir(emitter.context()), scalar.ir), type};
}

Tensor expandDims(Emitter &emitter, const Tensor &tensor, int64_t axis) {
  checkRank(emitter, tensor.type.shape().size() + 1);
  Shape shape = tensor.type.shape();
  axis = std::min<int64_t>(axis < 0 ? axis + shape.size() + 1 : axis, shape.size());
  shape.insert(shape.begin() + axis, 1);
  if (!tensor.type.isBlock())
    return splat(emitter, tensor, shape);
  Type type = tensor.type.withShape(shape);
  return {emitter.fold<tile::ExpandDimsOp>(type.ir(emitter.context()), tensor.ir, uint32_t(axis)), type};
}

Tensor toScalar(Emitter &emitter, const Tensor &tensor) {
  if (!tensor.type.isBlock())
    return tensor;
  if (tensor.type.elementCount() != 1)
    emitter.fail("expected a scalar or a tensor of one element, got " + tensor.type.shortName());
  Type scalar = tensor.type.scalar();
  return {emitter.fold<tile::UnsplatOp>(scalar.ir(emitter.context()), tensor.ir), scalar};
}

Tensor reshapeTo(Emitter &emitter, const Tensor &tensor, const Shape &shape, bool allowReorder) {
  Type type = tensor.type.withShape(shape);
  if (tensor.type.elementCount() != type.elementCount())
    emitter.fail("cannot reshape " + tensor.type.shortName() + " (" + std::to_string(tensor.type.elementCount()) +
                 " elements) to " + shapeText(shape) + " (" + std::to_string(type.elementCount()) + " elements)");
  if (shape.empty())
    return toScalar(emitter, tensor);
  if (!tensor.type.isBlock())
    return splat(emitter, tensor, shape);
  if (type == tensor.type)
    return tensor;
  return {emitter.fold<tile::ReshapeOp>(type.ir(emitter.context()), tensor.ir, allowReorder), type};
}

Tensor permute(Emitter &emitter, const Tensor &tensor, const std::vector<int64_t> &order) {
  const Shape &from = tensor.type.shape();
  if (order.size() != from.size())
    emitter.fail("a permutation of " + tensor.type.shortName() + " needs " + std::to_string(from.size()) +
                 " dimensions, got " + std::to_string(order.size()));
  Shape shape;
  std::vector<int32_t> dims;
  std::vector<bool> seen(from.size());
  for (int64_t dim : order) {
    if (dim < 0 || dim >= int64_t(from.size()) || seen[dim])
      emitter.fail("dimensions must be a permutation of 0 to " + std::to_string(int64_t(from.size()) - 1) + ", got " +
                   shapeText(order));
    seen[dim] = true;
    shape.push_back(from[dim]);
    dims.push_back(static_cast<int32_t>(dim));
  }
  Type type = tensor.type.withShape(shape);
  return {emitter.fold<tile::TransOp>(type.ir(emitter.context()), tensor.ir, dims), type};
}

int64_t toAxis(Emitter &emitter, const Value &value, size_t rank, std::string_view what) {
  Session::At at(emitter.session, emitter.placeOf(value));
  int64_t axis = toConstantInt(emitter, value, what), count = rank;
  if (axis < -count || axis >= count)
    emitter.fail("invalid axis " + std::to_string(axis) + ": " + std::string(what) + " must be in " +
                 std::to_string(-count) + " to " + std::to_string(count - 1));
  return axis < 0 ? axis + count : axis;
}

static Tensor repeatTo(Emitter &emitter, const Tensor &source, const Shape &shape) {
  if (source.type.shape() == shape)
    return source;
  Type type = source.type.withShape(shape);
  return {emitter.fold<tile::BroadcastOp>(type.ir(emitter.context()), source.ir), type};
}

Tensor broadcastTo(Emitter &emitter, const Tensor &source, const Shape &shape) {
  if (!source.type.isBlock())
    return splat(emitter, source, shape);
  const Shape &from = source.type.shape();
  if (from.size() != shape.size())
    emitter.fail("cannot broadcast " + source.type.shortName() + " to shape " + shapeText(shape) + ": it has " +
                     std::to_string(from.size()) + " dimensions, not " + std::to_string(shape.size()),
                 {"insert dimensions with `[:, None]` or `expand_dims`"});
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1 && from[i] != shape[i])
      emitter.fail("cannot broadcast " + source.type.shortName() + " to shape " + shapeText(shape) + ": dimension " +
                   std::to_string(i) + " has extent " + std::to_string(from[i]) + ", not 1 or " +
                   std::to_string(shape[i]));
  return repeatTo(emitter, source, shape);
}

// What may have been meant by two shapes that do not fit.
static std::vector<std::string> broadcastNotes(const Shape &a, const Shape &b) {
  const Shape &flat = a.size() < b.size() ? a : b, &other = a.size() < b.size() ? b : a;
  if (flat.size() == 1 && other.size() == 2 && flat[0] == other[0])
    return {"`[:, None]` behind the block of " + shapeText(flat) + " makes one value for each row of it"};
  if (a.size() == 2 && b.size() == 2 && a[1] == b[0])
    return {"a product of matrices is `tl.dot(a, b)`"};
  return {};
}

std::pair<Tensor, Tensor> broadcastTogether(Emitter &emitter, const Tensor &a, const Tensor &b) {
  if (!a.type.isBlock() || !b.type.isBlock())
    return {a.type.isBlock() ? a : splat(emitter, a, b.type.shape()),
            b.type.isBlock() ? b : splat(emitter, b, a.type.shape())};
  if (a.type.shape() == b.type.shape())
    return {a, b};
  Tensor left = a, right = b;
  while (left.type.shape().size() < right.type.shape().size())
    left = expandDims(emitter, left, 0);
  while (right.type.shape().size() < left.type.shape().size())
    right = expandDims(emitter, right, 0);
  Shape shape;
  for (size_t i = 0; i < left.type.shape().size(); ++i) {
    int64_t l = left.type.shape()[i], r = right.type.shape()[i];
    if (l != r && l != 1 && r != 1)
      emitter.fail("shapes " + shapeText(a.type.shape()) + " and " + shapeText(b.type.shape()) +
                       " do not broadcast: dimension " + std::to_string(i) + " has extents " + std::to_string(l) +
                       " and " + std::to_string(r),
                   broadcastNotes(a.type.shape(), b.type.shape()));
    shape.push_back(l == 1 ? r : l);
  }
  if (Type type = left.type.withShape(shape); type.elementCount() > tile::kMaxTileElements)
    emitter.fail("broadcasting " + shapeText(a.type.shape()) + " with " + shapeText(b.type.shape()) + " gives " +
                 std::to_string(type.elementCount()) + " elements; a tensor holds at most " +
                 std::to_string(tile::kMaxTileElements));
  return {repeatTo(emitter, left, shape), repeatTo(emitter, right, shape)};
}

void broadcastAll(Emitter &emitter, std::vector<Tensor> &tensors) {
  for (int round = 0; round < 2; ++round) // the first round finds the common shape, the second gives it to all
    for (size_t i = 1; i < tensors.size(); ++i)
      std::tie(tensors[0], tensors[i]) = broadcastTogether(emitter, tensors[0], tensors[i]);
}

Value emitSubscript(Emitter &emitter, const Tensor &tensor, const Value &index) {
  Values single{index};
  const Values *items = itemsOf(index);
  Tensor result = tensor;
  int64_t dimension = 0;
  for (const Value &item : items ? *items : single) {
    auto *slice = item.constant<SliceObject>();
    auto isAbsent = [](const Value &bound) { return !bound || bound.isNone(); };
    if (item.isNone())
      result = expandDims(emitter, result, dimension);
    else if (!slice || !isAbsent(slice->lower) || !isAbsent(slice->upper) || !isAbsent(slice->step))
      emitter.fail(
          "unsupported tensor index: " + (slice ? std::string("a slice with bounds") : typeName(item)),
          tensor.type.isPointer()
              ? std::vector<
                    std::string>{"a pointer is no array: write `tl.load(pointer + offsets)`, with `offsets` such as a "
                                 "number or `tl.arange(0, BLOCK)`"}
              : std::vector<std::string>{"a tensor is indexed by `:` and `None`",
                                         "pick elements with `tl.gather`, or load them from memory"});
    ++dimension;
  }
  return result;
}

} // namespace nereid::lang
