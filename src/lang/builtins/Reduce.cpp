// Reduce.cpp: reductions along one axis or over a whole block: sum, max, min, their indices, bitwise ones, softmax, and
// tl.reduce with a function of the user.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"
#include "lang/builtins/Combine.h"
#include "lang/builtins/Select.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace nereid::lang {
namespace {

using syntax::BinaryOperator;
using syntax::CompareOperator;

// Reduces along argument `axisIndex`, or over all elements when it is None; `keepDims` leaves extents of 1.
std::vector<Tensor> reduceAlong(Emitter &emitter, const BoundArguments &args, std::vector<Tensor> sources,
                                size_t axisIndex, bool keepDims, const Combine &combine) {
  Shape shape = sources.front().type.shape();
  for (const Tensor &source : sources)
    if (source.type.shape() != shape)
      emitter.fail("`" + std::string(args.builtin->name()) + "` needs tensors of one shape, got " +
                   sources.front().type.shortName() + " and " + source.type.shortName());
  if (shape.empty())
    emitter.failAt(args.range(0), "`" + std::string(args.builtin->name()) + "` needs a block, got a scalar of type " +
                                      sources.front().type.shortName());
  bool overAll = args[axisIndex].isNone();
  int axis = overAll ? 0 : axisArgument(emitter, args, axisIndex, sources.front().type);
  if (overAll && shape.size() > 1)
    for (Tensor &source : sources)
      source = reshapeTo(emitter, source, {source.type.elementCount()});
  std::vector<Tensor> results = emitReduce(emitter, sources, axis, combine);
  if (keepDims) {
    Shape kept = overAll ? Shape(shape.size(), 1) : shape;
    kept[axis] = 1;
    for (Tensor &result : results)
      result = reshapeTo(emitter, result, kept);
  }
  return results;
}

Combine combineByOperator(Emitter &emitter, BinaryOperator op) {
  return [&emitter, op](std::span<const Tensor> scalars) -> std::vector<Tensor> {
    return {emitBinary(emitter, op, scalars[0], scalars[1]).tensor()};
  };
}

Value emitUserReduce(Emitter &emitter, const BoundArguments &args) {
  std::vector<Tensor> sources;
  for (const Value &item : toItems(emitter, args, 0, true))
    sources.push_back(toTensor(emitter, item));
  if (sources.empty())
    emitter.failAt(args.range(0), "`reduce` needs at least one tensor");
  bool keepDims = boolArgument(emitter, args, 3);
  std::vector<Tensor> results = reduceAlong(emitter, args, sources, 1, keepDims, combineBy(emitter, args[2]));
  if (args[0].isTensor())
    return results.front();
  return Value::tuple(Values(results.begin(), results.end()));
}

Value emitSum(Emitter &emitter, const BoundArguments &args) {
  if (args[0].isTensor() && args[0].tensor().type.isPointer())
    failType(emitter, args, 0, "numbers", args[0].tensor().type);
  Tensor source = promoteForSum(emitter, toTensor(emitter, args[0]), args[3]);
  bool keepDims = boolArgument(emitter, args, 2);
  return reduceAlong(emitter, args, {source}, 1, keepDims, combineByOperator(emitter, BinaryOperator::Add)).front();
}

template <BinaryOperator op> Value emitBitwise(Emitter &emitter, const BoundArguments &args) {
  Tensor source = toTensor(emitter, args[0]);
  if (!source.type.isInt())
    failType(emitter, args, 0, "integers", source.type);
  bool keepDims = boolArgument(emitter, args, 2);
  return reduceAlong(emitter, args, {source}, 1, keepDims, combineByOperator(emitter, op)).front();
}

// The position of each element along `axis`, as i32 in the shape of the source.
Tensor indicesAlong(Emitter &emitter, const Type &type, int axis) {
  int64_t count = type.shape()[axis];
  Type line = Type(Scalar::Int32).withShape({count});
  Tensor indices{emitter.create<tile::ArangeOp>(line.ir(emitter.context()), 0, uint32_t(count)), line};
  if (type.shape().size() == 1)
    return indices;
  Shape shape(type.shape().size(), 1);
  shape[axis] = count;
  return broadcastTo(emitter, reshapeTo(emitter, indices, shape), type.shape());
}

// (value, index) pairs: the better value wins; of equal ones the lower index, or (tieBreakLeft false) the right one.
Combine combineWithIndex(Emitter &emitter, bool isMaximum, bool tieBreakLeft) {
  return [&emitter, isMaximum, tieBreakLeft](std::span<const Tensor> s) -> std::vector<Tensor> {
    Value better = emitCompare(emitter, isMaximum ? CompareOperator::Gt : CompareOperator::Lt, s[0], s[2]);
    if (tieBreakLeft) {
      Value equal = emitCompare(emitter, CompareOperator::Eq, s[0], s[2]);
      Value left = emitCompare(emitter, CompareOperator::Lt, s[1], s[3]);
      better =
          emitBinary(emitter, BinaryOperator::BitOr, better, emitBinary(emitter, BinaryOperator::BitAnd, equal, left));
    }
    return {emitSelect(emitter, better.tensor(), s[0], s[2]), emitSelect(emitter, better.tensor(), s[1], s[3])};
  };
}

std::vector<Tensor> reduceWithIndices(Emitter &emitter, const BoundArguments &args, const Tensor &source,
                                      bool isMaximum, bool tieBreakLeft, bool keepDims) {
  if (args[1].isNone())
    emitter.fail("`" + std::string(args.builtin->name()) + "` needs an `axis` to return indices");
  int axis = axisArgument(emitter, args, 1, source.type);
  Tensor indices = indicesAlong(emitter, source.type, axis);
  return reduceAlong(emitter, args, {source, indices}, 1, keepDims, combineWithIndex(emitter, isMaximum, tieBreakLeft));
}

Tensor comparableArgument(Emitter &emitter, const BoundArguments &args) {
  Tensor source = toTensor(emitter, args[0]);
  if (!source.type.isInt() && !source.type.isFloat())
    failType(emitter, args, 0, "numbers", source.type);
  return promoteBf16(emitter, source);
}

// Elements under 32 bits are compared, and returned, as fp32 or int32.
Tensor emitExtremumReduce(Emitter &emitter, const BoundArguments &args, Tensor source, bool isMaximum, bool keepDims) {
  if (source.type.bitWidth() < 32)
    source = castTo(emitter, source, source.type.isFloat() ? Scalar::Fp32 : Scalar::Int32);
  Combine combine = [&](std::span<const Tensor> scalars) -> std::vector<Tensor> {
    return {emitExtremum(emitter, isMaximum, false, scalars[0], scalars[1])};
  };
  return reduceAlong(emitter, args, {source}, 1, keepDims, combine).front();
}

template <bool isMaximum> Value emitMaxMin(Emitter &emitter, const BoundArguments &args) {
  Tensor source = comparableArgument(emitter, args);
  if (args[1].isTensor() || args[1].is<double>()) // as `max(a, b)` of Python
    emitter.failAt(args.range(1), "`axis` must be a constant integer, got " + typeName(args[1]),
                   {std::string("the ") + (isMaximum ? "larger" : "smaller") + " of two values is `tl." +
                    (isMaximum ? "maximum" : "minimum") + "(a, b)`"},
                   "TypeError");
  bool keepDims = boolArgument(emitter, args, 4);
  if (!boolArgument(emitter, args, 2))
    return emitExtremumReduce(emitter, args, source, isMaximum, keepDims);
  bool tieBreakLeft = boolArgument(emitter, args, 3);
  std::vector<Tensor> results = reduceWithIndices(emitter, args, source, isMaximum, tieBreakLeft, keepDims);
  return Value::tuple({results[0], results[1]});
}

template <bool isMaximum> Value emitArg(Emitter &emitter, const BoundArguments &args) {
  Tensor source = comparableArgument(emitter, args);
  bool tieBreakLeft = boolArgument(emitter, args, 2);
  bool keepDims = boolArgument(emitter, args, 3);
  return reduceWithIndices(emitter, args, source, isMaximum, tieBreakLeft, keepDims)[1];
}

// exp(x - max) / sum(exp(x - max)) along `dim` (the first one when it is None).
Value emitSoftmax(Emitter &emitter, const BoundArguments &args) {
  BoundArguments along = args;
  if (args[1].isNone())
    along.values[1] = 0;
  Tensor x = comparableArgument(emitter, args);
  // Each element is divided by the sum of its own row whatever `keep_dims` says, which Triton 3.9 no longer asks.
  bool keepDims = boolArgument(emitter, args, 2) || x.type.shape().size() > 1;
  Tensor largest = emitExtremumReduce(emitter, along, x, true, keepDims);
  Tensor shifted = emitBinary(emitter, BinaryOperator::Sub, toTensor(emitter, args[0]), largest).tensor();
  if (shifted.type.scalarKind() != Scalar::Fp32 && shifted.type.scalarKind() != Scalar::Fp64)
    failType(emitter, args, 0, "floating point elements", x.type, "float32");
  Tensor exponentials{emitter.create<mlir::math::ExpOp>(shifted.ir), shifted.type};
  Tensor total =
      reduceAlong(emitter, along, {exponentials}, 1, keepDims, combineByOperator(emitter, BinaryOperator::Add)).front();
  auto [numerator, denominator] = broadcastTogether(emitter, exponentials, total);
  if (boolArgument(emitter, args, 3))
    return Tensor{emitter.create<tile::DivRnOp>(numerator.ir.getType(), numerator.ir, denominator.ir), numerator.type};
  return Tensor{emitter.create<mlir::arith::DivFOp>(numerator.ir, denominator.ir), numerator.type};
}

constexpr bool kReduceMember = true;

constexpr Builtin kReduceRows[] = {
    {"reduce(input, axis, combine_fn, keep_dims=False)", "Combine the elements along `axis` with a jit function.",
     emitUserReduce, kReduceMember},
    {"sum(input, axis=None, keep_dims=False, dtype=None)", "Sum along `axis`, or of all elements.", emitSum,
     kReduceMember},
    {"max(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)",
     "Largest element along `axis`, or of all, with its index on demand.", emitMaxMin<true>, kReduceMember},
    {"min(input, axis=None, return_indices=False, return_indices_tie_break_left=True, keep_dims=False)",
     "Smallest element along `axis`, or of all, with its index on demand.", emitMaxMin<false>, kReduceMember},
    {"argmax(input, axis, tie_break_left=True, keep_dims=False)", "Index of the largest element along `axis`.",
     emitArg<true>, kReduceMember},
    {"argmin(input, axis, tie_break_left=True, keep_dims=False)", "Index of the smallest element along `axis`.",
     emitArg<false>, kReduceMember},
    {"xor_sum(input, axis=None, keep_dims=False)", "Exclusive or of the elements along `axis`.",
     emitBitwise<BinaryOperator::BitXor>, kReduceMember},
    {"reduce_or(input, axis=None, keep_dims=False)", "Bitwise or of the elements along `axis`.",
     emitBitwise<BinaryOperator::BitOr>, kReduceMember},
    {"softmax(x, dim=None, keep_dims=False, ieee_rounding=False)",
     "exp(x) over its sum along `dim`, shifted to avoid overflow.", emitSoftmax, kReduceMember},
};

} // namespace

BuiltinTable reduceBuiltins() { return {"tl", kReduceRows}; }

} // namespace nereid::lang
