// Cast.cpp: conversions between types, choice between values, and arithmetic under a name.
#include "lang/semantic/Semantic.h"

namespace nereid::lang {

static Value emitCast(Emitter &emitter, const BoundArguments &args) {
  Tensor source = toTensor(emitter, args[0]);
  Type type = toScalarType(emitter, args[1], "`dtype`");
  if (toConstantBool(emitter, args[3], "`bitcast`"))
    return bitcastTo(emitter, source, type);
  return castTo(emitter, source, type, args[2]);
}

static Value emitToTensor(Emitter &emitter, const BoundArguments &args) { return toTensor(emitter, args[0]); }

static Value emitWhere(Emitter &emitter, const BoundArguments &args) {
  return select(emitter, args[0], args[1], args[2]);
}

// tl.add and friends keep to the rules of the operators; two constants meet as tensors.
template <syntax::BinaryOperator op> static Value emitArithmetic(Emitter &emitter, const BoundArguments &args) {
  bool sanitize = toConstantBool(emitter, args[2], "`sanitize_overflow`");
  return emitBinary(emitter, op, args[0], args[1], sanitize);
}

template <syntax::BoolOperator op> static Value emitLogicalMethod(Emitter &emitter, const BoundArguments &args) {
  return emitLogical(emitter, op, args[0], args[1]);
}

BuiltinTable castBuiltins() {
  using enum syntax::BinaryOperator;
  static const Builtin kRows[] = {
      {"cast(input, dtype, fp_downcast_rounding=None, bitcast=False)", "Convert to another type, by value or by bits.",
       emitCast, true},
      {"to_tensor(x)", "A number as a scalar tensor.", emitToTensor},
      {"where(condition, x, y)", "`x` where the condition holds, else `y`; both are computed.", emitWhere},
      {"add(x, y, sanitize_overflow=True)", "`x + y`.", emitArithmetic<Add>},
      {"sub(x, y, sanitize_overflow=True)", "`x - y`.", emitArithmetic<Sub>},
      {"mul(x, y, sanitize_overflow=True)", "`x * y`.", emitArithmetic<Mult>},
  };
  return {"tl", kRows};
}

BuiltinTable tensorMethods() {
  static const Builtin kRows[] = {
      {"to(input, dtype, fp_downcast_rounding=None, bitcast=False)", "Convert to another type, by value or by bits.",
       emitCast, true},
      {"logical_and(input, other)", "Elementwise `and` of booleans.", emitLogicalMethod<syntax::BoolOperator::And>,
       true},
      {"logical_or(input, other)", "Elementwise `or` of booleans.", emitLogicalMethod<syntax::BoolOperator::Or>, true},
  };
  return {"tensor", kRows};
}

} // namespace nereid::lang
