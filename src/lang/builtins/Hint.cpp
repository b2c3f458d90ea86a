// Hint.cpp: facts that the user states about values: divisibility, contiguity, constancy, and conditions that hold.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"
#include "lang/evaluate/ConstEval.h"

namespace nereid::lang {
namespace {

enum class Fact { Divisibility, Contiguity, Constancy };

// One number for each dimension; a scalar counts as one dimension.
std::vector<int64_t> factValues(Emitter &emitter, const BoundArguments &args, size_t rank) {
  std::vector<int64_t> values;
  for (const Value &item : toItems(emitter, args, 1, true))
    values.push_back(toConstantInt(emitter, item, "`values`"));
  if (values.size() != std::max<size_t>(rank, 1))
    emitter.failAt(args.range(1), "`" + std::string(args.builtin->name()) + "` needs one value for each of " +
                                      std::to_string(std::max<size_t>(rank, 1)) + " dimensions, got " +
                                      std::to_string(values.size()));
  for (int64_t value : values)
    if (value < 1)
      emitter.failAt(args.range(1), "`values` must be at least 1, got " + std::to_string(value));
  return values;
}

template <Fact fact> Value emitFact(Emitter &emitter, const BoundArguments &args) {
  if (!args[0].isTensor())
    return args[0]; // all is known of a constant
  const Tensor &source = args[0].tensor();
  auto values = emitter.builder.getDenseI64ArrayAttr(factValues(emitter, args, source.type.shape().size()));
  mlir::DenseI64ArrayAttr none;
  return Tensor{emitter.create<tile::HintOp>(source.ir, fact == Fact::Divisibility ? values : none,
                                             fact == Fact::Contiguity ? values : none,
                                             fact == Fact::Constancy ? values : none),
                source.type};
}

Value emitAssume(Emitter &emitter, const BoundArguments &args) {
  if (!args[0].isTensor()) {
    if (!emitter.constEval.truth(args[0]))
      emitter.failAt(args.range(0), "`assume` is given a condition that is false at compile time");
    return None{};
  }
  emitter.create<tile::AssumeOp>(toCondition(emitter, args[0].tensor()).ir);
  return None{};
}

Value emitDebugBarrier(Emitter &emitter, const BoundArguments &) {
  emitter.create<tile::BarrierOp>();
  return None{};
}

constexpr Builtin kHintRows[] = {
    {"multiple_of(input, values)", "States that the values are multiples of `values`.", emitFact<Fact::Divisibility>},
    {"max_contiguous(input, values)", "States that groups of `values` elements count up by one.",
     emitFact<Fact::Contiguity>},
    {"max_constancy(input, values)", "States that groups of `values` elements are equal.", emitFact<Fact::Constancy>},
    {"assume(cond)", "States that a scalar condition holds.", emitAssume},
    {"debug_barrier()", "Memory accesses before it are done before those after it.", emitDebugBarrier},
};

} // namespace

BuiltinTable hintBuiltins() { return {"tl", kHintRows}; }

} // namespace nereid::lang
