// Select.cpp: choosing between values element by element: minimum, maximum and clamp.
#include "lang/builtins/Select.h"
#include "lang/builtins/Arguments.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace nereid::lang {

using namespace mlir::arith;

Tensor emitExtremum(Emitter &emitter, bool isMaximum, bool propagateNan, const Tensor &x, const Tensor &y) {
  if (x.type.scalarKind() == Scalar::Fp8E4B15) { // has no float type in the IR
    Tensor wideX = castTo(emitter, x, Scalar::Fp16), wideY = castTo(emitter, y, Scalar::Fp16);
    return castTo(emitter, emitExtremum(emitter, isMaximum, propagateNan, wideX, wideY), Scalar::Fp8E4B15);
  }
  mlir::Value result;
  if (x.type.isFloat() && propagateNan)
    result = isMaximum ? emitter.create<MaximumFOp>(x.ir, y.ir).getResult()
                       : emitter.create<MinimumFOp>(x.ir, y.ir).getResult();
  else if (x.type.isFloat())
    result = isMaximum ? emitter.create<MaxNumFOp>(x.ir, y.ir).getResult()
                       : emitter.create<MinNumFOp>(x.ir, y.ir).getResult();
  else if (x.type.isSignedInt())
    result =
        isMaximum ? emitter.create<MaxSIOp>(x.ir, y.ir).getResult() : emitter.create<MinSIOp>(x.ir, y.ir).getResult();
  else
    result =
        isMaximum ? emitter.create<MaxUIOp>(x.ir, y.ir).getResult() : emitter.create<MinUIOp>(x.ir, y.ir).getResult();
  return {result, x.type};
}

Tensor emitSelect(Emitter &emitter, const Tensor &condition, const Tensor &x, const Tensor &y) {
  return {emitter.create<SelectOp>(condition.ir, x.ir, y.ir).getResult(), x.type};
}

namespace {

// tl.PropagateNan.ALL is a number other than 0 (prelude/core.py).
bool toPropagateNan(Emitter &emitter, const BoundArguments &args, size_t index) {
  std::optional<Integer> choice = args[index].integer();
  if (!choice || (*choice != 0 && *choice != 0xffff))
    emitter.failAt(args.range(index),
                   "`propagate_nan` must be `tl.PropagateNan.NONE` or `tl.PropagateNan.ALL`, got " + repr(args[index]));
  return *choice != 0;
}

Tensor numberArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Tensor tensor = toTensor(emitter, args[index]);
  if (!tensor.type.isFloat() && !tensor.type.isInt())
    failType(emitter, args, index, "numbers", tensor.type);
  return promoteBf16(emitter, tensor);
}

// Constants take part in the promotion like tensors: fp16 and the literal 0.0 give fp32, as in Triton.
template <bool isMaximum> Value emitMinMax(Emitter &emitter, const BoundArguments &args) {
  bool propagateNan = toPropagateNan(emitter, args, 2);
  Tensor x = numberArgument(emitter, args, 0), y = numberArgument(emitter, args, 1);
  std::tie(x, y) = promoteOperands(emitter, x, y);
  return emitExtremum(emitter, isMaximum, propagateNan, x, y);
}

Value emitClamp(Emitter &emitter, const BoundArguments &args) {
  bool propagateNan = toPropagateNan(emitter, args, 3);
  Tensor x = numberArgument(emitter, args, 0), low = numberArgument(emitter, args, 1),
         high = numberArgument(emitter, args, 2);
  std::tie(low, high) = promoteOperands(emitter, low, high);
  std::tie(x, low) = promoteOperands(emitter, x, low);
  std::tie(x, high) = promoteOperands(emitter, x, high);
  std::tie(x, low) = promoteOperands(emitter, x, low); // `high` may have widened the shape
  if (!x.type.isFloat())
    emitter.failAt(args.range(0), "`clamp` needs floating point operands, got " + x.type.scalar().shortName(),
                   {"for integers, write `tl.minimum(tl.maximum(x, min), max)`"}, "TypeError");
  return emitExtremum(emitter, false, propagateNan, emitExtremum(emitter, true, propagateNan, x, low), high);
}

constexpr Builtin kSelectRows[] = {
    {"minimum(x, y, propagate_nan=0)", "The smaller of two values; a NaN is ignored unless `propagate_nan` is ALL.",
     emitMinMax<false>},
    {"maximum(x, y, propagate_nan=0)", "The larger of two values; a NaN is ignored unless `propagate_nan` is ALL.",
     emitMinMax<true>},
    {"clamp(x, min, max, propagate_nan=0)", "`x` kept between `min` and `max`.", emitClamp},
};

constexpr Builtin kSelectMathRows[] = {
    // spellings of Triton 2
    {"min(x, y, propagate_nan=0)", "The smaller of two values.", emitMinMax<false>},
    {"max(x, y, propagate_nan=0)", "The larger of two values.", emitMinMax<true>},
};

} // namespace

BuiltinTable selectBuiltins() { return {"tl", kSelectRows}; }
BuiltinTable selectMathBuiltins() { return {"tl.math", kSelectMathRows}; }

} // namespace nereid::lang
