// Iterators.cpp: what a `for` or `while` loop in a kernel runs over: tl.range, tl.static_range, tl.condition.
#include "lang/builtins/Arguments.h"
#include "lang/evaluate/ConstEval.h"

namespace nereid::lang {
namespace {

std::shared_ptr<RangeObject> makeRange(const BoundArguments &args, RangeObject::Kind kind) {
  auto range = std::make_shared<RangeObject>();
  range->kind = kind;
  bool hasStart = !args[1].isNone();
  range->start = hasStart ? args[0] : Value(0);
  range->stop = hasStart ? args[1] : args[0];
  range->step = args[2].isNone() ? Value(1) : args[2];
  return range;
}

constexpr int kMaxOption = 1024; // stages, or iterations in one, of which the pass bounds what they make together

// An option as whoever compiles the loop further can read it.
void checkOption(Emitter &emitter, const Value &option, const std::string &name, SourceRange place) {
  auto number = option.integer();
  bool isNumber = name == "loop_unroll_factor" || name == "num_stages";
  if (isNumber && (!number || *number < 0 || *number > kMaxOption))
    emitter.failAt(place, "`" + name + "` of `tl.range` is an integer from 0 to " + std::to_string(kMaxOption) +
                              ", got " + (number ? integerText(*number) : typeName(option)));
  if (!isNumber && (!number || *number < 0 || *number > 1))
    emitter.failAt(place, "`" + name + "` of `tl.range` is True or False, got " +
                              (number ? integerText(*number) : typeName(option)));
}

Value emitRange(Emitter &emitter, const BoundArguments &args) {
  std::shared_ptr<RangeObject> range = makeRange(args, RangeObject::Kind::Dynamic);
  const Signature &signature = signatureOf(*args.builtin);
  for (size_t i = 3; i < args.size(); ++i) {
    if (!args[i].isConstant())
      emitter.failAt(args.range(i),
                     "`" + signature.parameters[i].name + "` of `tl.range` must be known at compile time");
    if (args.isGiven(i) && !args[i].isNone()) {
      checkOption(emitter, args[i], signature.parameters[i].name, args.range(i));
      range->options[signature.parameters[i].name] = args[i];
    }
  }
  return std::shared_ptr<const RangeObject>(range);
}

Value emitStaticRange(Emitter &emitter, const BoundArguments &args) {
  for (size_t i = 0; i < 3; ++i)
    if (!args[i].isNone() && !args[i].integer())
      emitter.failAt(args.range(i),
                     "`tl.static_range` needs integers that are known at compile time, got " + typeName(args[i]),
                     {"for run-time bounds, use `range` or `tl.range`"});
  std::shared_ptr<RangeObject> range = makeRange(args, RangeObject::Kind::Static);
  if (*range->step.integer() == 0)
    emitter.failAt(args.range(2), "the step of `tl.static_range` must not be 0");
  return std::shared_ptr<const RangeObject>(range);
}

// `disable_licm` keeps an optimizer from moving code out of the loop: what computes the condition says so.
Value emitCondition(Emitter &emitter, const BoundArguments &args) {
  if (!args[0].isConstant() && emitter.constEval.truth(args[1]))
    if (mlir::Operation *op = toTensor(emitter, args[0]).ir.getDefiningOp())
      op->setAttr("tile.disable_licm", emitter.builder.getUnitAttr());
  return args[0];
}

constexpr Builtin kIteratorsRows[] = {
    {"range(arg1, arg2=None, step=None, num_stages=None, loop_unroll_factor=None, disallow_acc_multi_buffer=False, "
     "flatten=False, "
     "warp_specialize=False, disable_licm=False)",
     "The integers from `arg1` up to `arg2`, with options for the loop.", emitRange},
    {"static_range(arg1, arg2=None, step=None)", "Integers known at compile time; the loop is unrolled.",
     emitStaticRange},
    {"condition(arg1, disable_licm=False)", "The condition of a `while` loop, with options.", emitCondition},
};

} // namespace

BuiltinTable iteratorBuiltins() { return {"tl", kIteratorsRows}; }

} // namespace nereid::lang
