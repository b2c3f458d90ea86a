// Scan.cpp: inclusive prefix combinations along an axis: cumsum, cumprod, and tl.associative_scan with a function of
// the user.
#include "lang/builtins/Arguments.h"
#include "lang/builtins/Combine.h"

namespace nereid::lang {
namespace {

using syntax::BinaryOperator;

Value emitAssociativeScan(Emitter &emitter, const BoundArguments &args) {
  std::vector<Tensor> sources;
  for (const Value &item : toItems(emitter, args, 0, true))
    sources.push_back(toTensor(emitter, item));
  if (sources.empty())
    emitter.failAt(args.range(0), "`associative_scan` needs at least one tensor");
  for (const Tensor &source : sources)
    if (source.type.shape() != sources.front().type.shape())
      emitter.fail("`associative_scan` needs tensors of one shape, got " + sources.front().type.shortName() + " and " +
                   source.type.shortName());
  int axis = axisArgument(emitter, args, 1, sources.front().type);
  bool reverse = boolArgument(emitter, args, 3);
  std::vector<Tensor> results = emitScan(emitter, sources, axis, reverse, combineBy(emitter, args[2]));
  if (args[0].isTensor())
    return results.front();
  return Value::tuple(Values(results.begin(), results.end()));
}

Value emitCumulative(Emitter &emitter, const BoundArguments &args, BinaryOperator op) {
  Tensor source = promoteBf16(emitter, toTensor(emitter, args[0]));
  if (!source.type.isInt() && !source.type.isFloat())
    failType(emitter, args, 0, "numbers", source.type);
  if (op == BinaryOperator::Add || !args[3].isNone())
    source = promoteForSum(emitter, source, args[3]);
  int axis = axisArgument(emitter, args, 1, source.type);
  bool reverse = boolArgument(emitter, args, 2);
  Combine combine = [&](std::span<const Tensor> scalars) -> std::vector<Tensor> {
    return {emitBinary(emitter, op, scalars[0], scalars[1]).tensor()};
  };
  std::vector<Tensor> sources{source};
  return emitScan(emitter, sources, axis, reverse, combine).front();
}

Value emitCumsum(Emitter &emitter, const BoundArguments &args) {
  return emitCumulative(emitter, args, BinaryOperator::Add);
}
Value emitCumprod(Emitter &emitter, const BoundArguments &args) {
  return emitCumulative(emitter, args, BinaryOperator::Mult);
}

constexpr bool kScanMember = true;

constexpr Builtin kScanRows[] = {
    {"associative_scan(input, axis, combine_fn, reverse=False)",
     "Running combination along `axis` with a jit function.", emitAssociativeScan, kScanMember},
    {"cumsum(input, axis=0, reverse=False, dtype=None)", "Running sum along `axis`.", emitCumsum, kScanMember},
    {"cumprod(input, axis=0, reverse=False, dtype=None)", "Running product along `axis`.", emitCumprod, kScanMember},
};

} // namespace

BuiltinTable scanBuiltins() { return {"tl", kScanRows}; }

} // namespace nereid::lang
