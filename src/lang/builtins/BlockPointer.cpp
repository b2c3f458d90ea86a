// BlockPointer.cpp: make_block_ptr and advance. Newer releases dropped block pointers for descriptors, yet many kernels
// have them; they never reach the IR.
#include "lang/builtins/BlockPointer.h"

#include "dialect/Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <set>

namespace nereid::lang {

using namespace mlir;

std::vector<Tensor> toScalars(Emitter &emitter, const Value &value, const Type &type, std::string_view what) {
  Values single{value};
  const Values *items = itemsOf(value);
  std::vector<Tensor> scalars;
  for (const Value &item : items ? *items : single) {
    if (item.integer()) {
      scalars.push_back(constant(emitter, type, item));
      continue;
    }
    Tensor tensor = toScalar(emitter, toTensor(emitter, item));
    if (!tensor.type.isInt())
      emitter.fail(std::string(what) + " must be integers, got " + tensor.type.shortName(), {}, "TypeError");
    if (tensor.type.bitWidth() > type.bitWidth())
      emitter.fail(std::string(what) + " have " + std::to_string(type.bitWidth()) + " bits, got " +
                       tensor.type.shortName(),
                   {"add `.to(tl." + languageName(type) + ")`"}, "TypeError");
    scalars.push_back(castTo(emitter, tensor, type));
  }
  return scalars;
}

static std::vector<int> toOrder(Emitter &emitter, const Value &value) {
  Values single{value};
  const Values *items = itemsOf(value);
  std::vector<int> order;
  for (const Value &item : items ? *items : single)
    order.push_back(static_cast<int>(toConstantInt(emitter, item, "`order`")));
  std::set<int> distinct(order.begin(), order.end());
  if (distinct.size() != order.size() ||
      (!order.empty() && (*distinct.begin() != 0 || *distinct.rbegin() != int(order.size()) - 1)))
    emitter.fail("`order` must be a permutation of 0 to " + std::to_string(int(order.size()) - 1));
  return order;
}

static Value emitMakeBlockPtr(Emitter &emitter, const BoundArguments &args) {
  auto result = std::make_shared<BlockPointer>();
  result->base = toTensor(emitter, args[0]);
  if (!result->base.type.isPointer() || result->base.type.isBlock())
    emitter.failAt(args.range(0), "`base` must be a single pointer, got " + result->base.type.shortName(), {},
                   "TypeError");
  if (result->base.type.pointee().isBool()) // in memory a boolean is a byte
    result->base =
        castTo(emitter, result->base,
               Type::pointer(Scalar::Int8, result->base.type.isConstPointer(), result->base.type.addressSpace()));
  result->shape = toScalars(emitter, args[1], Scalar::Int64, "`shape`");
  result->strides = toScalars(emitter, args[2], Scalar::Int64, "`strides`");
  result->offsets = toScalars(emitter, args[3], Scalar::Int64, "`offsets`");
  result->blockShape = toShape(emitter, args[4]);
  result->order = toOrder(emitter, args[5]);
  size_t rank = result->blockShape.size();
  for (size_t i = 1; i <= 5; ++i) {
    size_t sizes[] = {result->shape.size(), result->strides.size(), result->offsets.size(), rank, result->order.size()};
    static constexpr std::string_view kNames[] = {"shape", "strides", "offsets", "block_shape", "order"};
    if (sizes[i - 1] != rank)
      emitter.failAt(args.range(i), "`" + std::string(kNames[i - 1]) + "` has " + std::to_string(sizes[i - 1]) +
                                        " entries but `block_shape` has " + std::to_string(rank));
  }
  return std::shared_ptr<const BlockPointer>(std::move(result));
}

static Value emitAdvance(Emitter &emitter, const BoundArguments &args) {
  auto *pointer = args[0].constant<BlockPointer>();
  if (!pointer)
    emitter.failAt(args.range(0), "`advance` moves a block pointer, got " + typeName(args[0]),
                   {"make one with `tl.make_block_ptr`"}, "TypeError");
  auto offsets = toScalars(emitter, args[1], Scalar::Int64, "`offsets`");
  if (offsets.size() != pointer->offsets.size())
    emitter.failAt(args.range(1), "`offsets` has " + std::to_string(offsets.size()) + " entries but the block has " +
                                      std::to_string(pointer->offsets.size()) + " dimensions");
  auto result = std::make_shared<BlockPointer>(*pointer);
  for (size_t i = 0; i < offsets.size(); ++i)
    result->offsets[i].ir = emitter.fold<arith::AddIOp>(pointer->offsets[i].ir, offsets[i].ir);
  return std::shared_ptr<const BlockPointer>(std::move(result));
}

// The coordinates of the block along one dimension: offset, offset + 1 …, as i64 with the block's rank.
static Tensor coordinates(Emitter &emitter, const BlockPointer &pointer, size_t dimension) {
  int64_t extent = pointer.blockShape[dimension];
  Type type = Type(Scalar::Int32).withShape({extent});
  Tensor steps{emitter.create<tile::ArangeOp>(type.ir(emitter.context()), uint32_t(0), uint32_t(extent)), type};
  auto [offset, wide] = broadcastTogether(emitter, pointer.offsets[dimension], castTo(emitter, steps, Scalar::Int64));
  Tensor sum{emitter.fold<arith::AddIOp>(offset.ir, wide.ir), wide.type};
  for (size_t i = 0; i < pointer.blockShape.size(); ++i)
    if (i != dimension)
      sum = expandDims(emitter, sum, i);
  return sum;
}

static std::set<int64_t> checkedDimensions(Emitter &emitter, const Value &boundaryCheck, size_t rank) {
  Values single{boundaryCheck};
  const Values *items = itemsOf(boundaryCheck);
  std::set<int64_t> checked;
  if (!boundaryCheck || boundaryCheck.isNone())
    return checked;
  for (const Value &item : items ? *items : single) {
    int64_t dimension = toConstantInt(emitter, item, "`boundary_check`");
    if (dimension < 0 || dimension >= int64_t(rank))
      emitter.fail("`boundary_check` names dimension " + std::to_string(dimension) + ", but the block has " +
                   std::to_string(rank) + " dimensions");
    if (!checked.insert(dimension).second)
      emitter.fail("`boundary_check` names dimension " + std::to_string(dimension) + " twice");
  }
  return checked;
}

BlockAccess expandBlockPointer(Emitter &emitter, const BlockPointer &pointer, const Value &boundaryCheck) {
  using enum syntax::BinaryOperator;
  using enum syntax::CompareOperator;
  std::set<int64_t> checked = checkedDimensions(emitter, boundaryCheck, pointer.blockShape.size());
  std::optional<Tensor> offsets, mask;
  for (size_t i = 0; i < pointer.blockShape.size(); ++i) {
    Tensor at = coordinates(emitter, pointer, i);
    Tensor scaled = emitBinary(emitter, Mult, at, pointer.strides[i], false).tensor();
    offsets = offsets ? emitBinary(emitter, Add, *offsets, scaled, false).tensor() : scaled;
    if (!checked.count(i))
      continue;
    Value inside = emitLogical(emitter, syntax::BoolOperator::And, emitCompare(emitter, GtE, at, 0),
                               emitCompare(emitter, Lt, at, pointer.shape[i]));
    mask = mask ? emitLogical(emitter, syntax::BoolOperator::And, *mask, inside).tensor() : inside.tensor();
  }
  BlockAccess access;
  access.pointers = emitBinary(emitter, Add, pointer.base, broadcastTo(emitter, *offsets, pointer.blockShape)).tensor();
  if (mask)
    access.mask = broadcastTo(emitter, *mask, pointer.blockShape);
  return access;
}

BuiltinTable blockPointerBuiltins() {
  static const Builtin kRows[] = {
      {"make_block_ptr(base, shape, strides, offsets, block_shape, order)", "A pointer to a block of a strided tensor.",
       emitMakeBlockPtr},
      {"advance(base, offsets)", "The block pointer moved by a number of elements in each dimension.", emitAdvance,
       true},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
