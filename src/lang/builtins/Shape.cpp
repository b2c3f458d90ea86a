// Shape.cpp: tensors seen in another shape or order: broadcast, reshape, transpose, join, split, concatenate, gather.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"

namespace nereid::lang {

namespace {

// `f(x, 2, 4)`, `f(x, (2, 4))` and `f(x, [2, 4])` mean the same.
Value unwrapRest(const Value &rest) {
  const Values *items = itemsOf(rest);
  return items->size() == 1 && itemsOf(items->front()) ? items->front() : rest;
}

std::vector<int64_t> toDimensions(Emitter &emitter, const Value &rest) {
  std::vector<int64_t> dimensions;
  for (const Value &item : *itemsOf(unwrapRest(rest)))
    dimensions.push_back(toConstantInt(emitter, item, "a dimension"));
  return dimensions;
}

void checkSameType(Emitter &emitter, const Tensor &a, const Tensor &b, std::string_view what) {
  if (!(a.type.scalar() == b.type.scalar()))
    emitter.fail("`" + std::string(what) + "` needs two tensors of one type, got " + a.type.scalar().shortName() +
                     " and " + b.type.scalar().shortName(),
                 {"cast one of them with `.to`"}, "TypeError");
}

Value emitBroadcast(Emitter &emitter, const BoundArguments &args) {
  auto [a, b] = broadcastTogether(emitter, toTensor(emitter, args[0]), toTensor(emitter, args[1]));
  return Value::tuple({a, b});
}

Value emitBroadcastTo(Emitter &emitter, const BoundArguments &args) {
  return broadcastTo(emitter, toTensor(emitter, args[0]), toShape(emitter, unwrapRest(args[1])));
}

std::string listOf(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

Value emitExpandDims(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  Values single{args[1]};
  const Values &axes = itemsOf(args[1]) ? *itemsOf(args[1]) : single;
  size_t rank = tensor.type.shape().size() + axes.size();
  checkRank(emitter, rank);
  std::vector<int64_t> sorted;
  for (const Value &axis : axes)
    sorted.push_back(toAxis(emitter, axis, rank));
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    emitter.failAt(args.range(1), "duplicate axes, normalized axes = [" + listOf(sorted) + "]");
  for (int64_t axis : sorted)
    tensor = expandDims(emitter, tensor, axis);
  return tensor;
}

Value emitReshape(Emitter &emitter, const BoundArguments &args) {
  bool allowReorder = toConstantBool(emitter, args[2], "`can_reorder`");
  return reshapeTo(emitter, toTensor(emitter, args[0]), toShape(emitter, unwrapRest(args[1])), allowReorder);
}

Value emitView(Emitter &emitter, const BoundArguments &args) {
  return reshapeTo(emitter, toTensor(emitter, args[0]), toShape(emitter, unwrapRest(args[1])), true);
}

Value emitRavel(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  return reshapeTo(emitter, tensor, {tensor.type.elementCount()}, toConstantBool(emitter, args[1], "`can_reorder`"));
}

Value emitItem(Emitter &emitter, const BoundArguments &args) { return toScalar(emitter, toTensor(emitter, args[0])); }

Value emitSqueeze(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  Shape shape = tensor.type.shape();
  int64_t axis = toAxis(emitter, args[1], shape.size(), "`dim`");
  if (shape[axis] != 1)
    emitter.failAt(args.range(1), "`squeeze` drops a dimension of extent 1, but dimension " + std::to_string(axis) +
                                      " has extent " + std::to_string(shape[axis]));
  shape.erase(shape.begin() + axis);
  return reshapeTo(emitter, tensor, shape);
}

Value emitUnsqueeze(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  return expandDims(emitter, tensor, toAxis(emitter, args[1], tensor.type.shape().size() + 1, "`dim`"));
}

Value emitTrans(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  std::vector<int64_t> order = toDimensions(emitter, args[1]);
  int64_t rank = tensor.type.shape().size();
  if (order.empty()) {
    if (rank < 2)
      emitter.failAt(args.range(0), "`trans` needs at least 2 dimensions, got " + tensor.type.shortName());
    for (int64_t i = 0; i < rank; ++i)
      order.push_back(i);
    std::swap(order[rank - 1], order[rank - 2]);
  }
  return permute(emitter, tensor, order);
}

Value emitPermute(Emitter &emitter, const BoundArguments &args) {
  return permute(emitter, toTensor(emitter, args[0]), toDimensions(emitter, args[1]));
}

Tensor join(Emitter &emitter, const Tensor &lhs, const Tensor &rhs) {
  checkSameType(emitter, lhs, rhs, "join");
  auto [a, b] = broadcastTogether(emitter, lhs, rhs);
  bool areScalars = !a.type.isBlock();
  if (areScalars) {
    a = expandDims(emitter, a, 0);
    b = expandDims(emitter, b, 0);
  }
  Shape shape = a.type.shape();
  shape.push_back(2);
  checkRank(emitter, shape.size());
  Type type = a.type.withShape(shape);
  if (type.elementCount() > tile::kMaxTileElements)
    emitter.fail("a tensor holds at most " + std::to_string(tile::kMaxTileElements) + " elements");
  Tensor joined{emitter.create<tile::JoinOp>(type.ir(emitter.context()), a.ir, b.ir), type};
  return areScalars ? reshapeTo(emitter, joined, {2}) : joined;
}

Value emitJoin(Emitter &emitter, const BoundArguments &args) {
  return join(emitter, toTensor(emitter, args[0]), toTensor(emitter, args[1]));
}

Value emitInterleave(Emitter &emitter, const BoundArguments &args) {
  Tensor joined = join(emitter, toTensor(emitter, args[0]), toTensor(emitter, args[1]));
  Shape shape = joined.type.shape();
  if (shape.size() == 1)
    return joined;
  shape.pop_back();
  shape.back() *= 2;
  return reshapeTo(emitter, joined, shape);
}

Value emitSplit(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  Shape shape = tensor.type.shape();
  if (shape.empty() || shape.back() != 2)
    emitter.failAt(args.range(0), "`split` needs a last dimension of extent 2, got " + tensor.type.shortName());
  shape.pop_back();
  Type type = tensor.type.withShape(shape);
  mlir::Type irType = type.ir(emitter.context());
  auto op = emitter.create<tile::SplitOp>(irType, irType, tensor.ir);
  return Value::tuple({Tensor{op.getFirst(), type}, Tensor{op.getSecond(), type}});
}

Value emitCat(Emitter &emitter, const BoundArguments &args) {
  Tensor lhs = toTensor(emitter, args[0]), rhs = toTensor(emitter, args[1]);
  checkSameType(emitter, lhs, rhs, "cat");
  Shape shape = lhs.type.shape(), other = rhs.type.shape();
  if (shape.empty() || shape.size() != other.size())
    emitter.fail("`cat` needs two tensors of one rank, got " + lhs.type.shortName() + " and " + rhs.type.shortName());
  int64_t axis = toAxis(emitter, args[3], shape.size(), "`dim`");
  for (size_t i = 0; i < shape.size(); ++i)
    if (int64_t(i) != axis && shape[i] != other[i])
      emitter.fail("`cat` needs equal extents outside dimension " + std::to_string(axis) + ", got " +
                   lhs.type.shortName() + " and " + rhs.type.shortName());
  shape[axis] += other[axis];
  if (emitter.options.strictExtents && (shape[axis] & (shape[axis] - 1)))
    emitter.fail("`cat` would make an extent of " + std::to_string(shape[axis]) + ", which is not a power of 2");
  Type type = lhs.type.withShape(shape);
  if (type.elementCount() > tile::kMaxTileElements)
    emitter.fail("a tensor holds at most " + std::to_string(tile::kMaxTileElements) + " elements");
  return Tensor{emitter.create<tile::CatOp>(type.ir(emitter.context()), lhs.ir, rhs.ir, uint32_t(axis)), type};
}

Value emitFlip(Emitter &emitter, const BoundArguments &args) {
  Tensor tensor = toTensor(emitter, args[0]);
  if (!tensor.type.isBlock())
    emitter.failAt(args.range(0), "`flip` needs a tensor with dimensions, got " + tensor.type.shortName());
  int64_t rank = tensor.type.shape().size();
  int64_t axis = args[1].isNone() ? rank - 1 : toAxis(emitter, args[1], rank, "`dim`");
  return Tensor{emitter.create<tile::FlipOp>(tensor.type.ir(emitter.context()), tensor.ir, uint32_t(axis)),
                tensor.type};
}

Value emitGather(Emitter &emitter, const BoundArguments &args) {
  Tensor source = toTensor(emitter, args[0]), index = toTensor(emitter, args[1]);
  if (!index.type.isInt())
    emitter.failAt(args.range(1), "`index` must be a tensor of integers, got " + index.type.shortName(), {},
                   "TypeError");
  if (index.type.bitWidth() < 32) // the sign is known here, and not in the IR
    index = castTo(emitter, index, Scalar::Int32);
  const Shape from = source.type.shape(), to = index.type.shape();
  if (from.empty() || from.size() != to.size())
    emitter.failAt(args.range(1), "`src` and `index` must have one rank, got " + source.type.shortName() + " and " +
                                      index.type.shortName());
  int64_t axis = toAxis(emitter, args[2], from.size());
  for (size_t i = 0; i < from.size(); ++i)
    if (int64_t(i) != axis && from[i] != to[i])
      emitter.failAt(args.range(1), "`src` and `index` must have equal extents outside `axis`, got " +
                                        source.type.shortName() + " and " + index.type.shortName());
  if (index.type.bitWidth() < 32)
    index = castTo(emitter, index, Scalar::Int32);
  Type type = source.type.withShape(to);
  return Tensor{emitter.create<tile::GatherOp>(type.ir(emitter.context()), source.ir, index.ir, uint32_t(axis)), type};
}

} // namespace

BuiltinTable shapeBuiltins() {
  static const Builtin kRows[] = {
      {"broadcast(input, other)", "Both tensors in their common shape.", emitBroadcast},
      {"broadcast_to(input, *shape)", "The tensor repeated to a shape.", emitBroadcastTo, true},
      {"expand_dims(input, axis)", "Insert dimensions of extent 1.", emitExpandDims, true},
      {"reshape(input, *shape, can_reorder=False)", "The same elements in another shape.", emitReshape, true},
      {"view(input, *shape)", "The same elements in another shape, in any order.", emitView, true},
      {"ravel(x, can_reorder=False)", "The same elements in one dimension.", emitRavel, true},
      {"item(input)", "The only element of a tensor.", emitItem, true},
      {"squeeze(x, dim)", "Drop a dimension of extent 1.", emitSqueeze, true},
      {"unsqueeze(x, dim)", "Insert a dimension of extent 1.", emitUnsqueeze, true},
      {"trans(input, *dims)", "Permute the dimensions; swap the last two when none are given.", emitTrans, true},
      {"permute(input, *dims)", "Permute the dimensions.", emitPermute, true},
      {"join(a, b)", "Two tensors side by side in a new last dimension.", emitJoin},
      {"interleave(a, b)", "Elements of two tensors in turn along the last dimension.", emitInterleave},
      {"split(a)", "The two halves of a last dimension of extent 2.", emitSplit, true},
      {"cat(input, other, can_reorder=False, dim=0)", "One tensor after the other.", emitCat},
      {"flip(x, dim=None)", "Reverse the order along a dimension, the last by default.", emitFlip, true},
      {"gather(src, index, axis)", "Pick elements of `src` along `axis`.", emitGather, true},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
