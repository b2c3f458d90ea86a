// Debug.cpp: output and assertions, at compile time and at run time, and scopes for profilers.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"
#include "lang/evaluate/ConstEval.h"

namespace nereid::lang {
namespace {

// The text of a compile-time message: what str() gives for each value. A tensor is its type: int32[constexpr[128]].
std::string textOf(const Value &value) {
  if (!value.isTensor())
    return toString(value);
  const Type &type = value.tensor().type;
  std::string extents;
  for (int64_t extent : type.shape())
    extents += (extents.empty() ? "constexpr[" : ", constexpr[") + std::to_string(extent) + "]";
  return type.scalar().name() + "[" + extents + "]";
}

Value emitStaticPrint(Emitter &emitter, const BoundArguments &args) {
  std::string separator = stringArgument(emitter, args, 1), line;
  bool isFirst = true;
  for (const Value &item : toItems(emitter, args, 0, true)) {
    line += (std::exchange(isFirst, false) ? "" : separator) + textOf(item);
  }
  emitter.session.diagnostics.report(Severity::Remark, emitter.session.source(), emitter.session.place(), line);
  return None{};
}

Value emitStaticAssert(Emitter &emitter, const BoundArguments &args) {
  if (!args[0].isConstant())
    emitter.failAt(args.range(0),
                   "`static_assert` needs a condition that is known at compile time, got a tensor of type " +
                       (args[0].isTensor() ? args[0].tensor().type.shortName() : typeName(args[0])),
                   {"for run-time conditions, use `tl.device_assert`"});
  if (emitter.constEval.truth(args[0]))
    return None{};
  std::string message = textOf(args[1]);
  emitter.fail("static assertion failed" + (message.empty() ? "" : ": " + message), {}, "CompileTimeAssertionFailure");
}

// " pid: " from "pid", as Triton prints it.
std::string printPrefix(std::string prefix, bool hasArguments) {
  if (hasArguments && !prefix.ends_with(' '))
    prefix += ' ';
  if (hasArguments && !prefix.ends_with(": "))
    prefix = prefix.substr(0, prefix.size() - 1) + ": ";
  if (prefix.size() > 2 && !prefix.starts_with(' '))
    prefix = ' ' + prefix;
  return prefix;
}

bool isPrintable(char c) { return (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); }

Value emitDevicePrint(Emitter &emitter, const BoundArguments &args) {
  std::string prefix = stringArgument(emitter, args, 0);
  for (char c : prefix)
    if (!isPrintable(c))
      emitter.failAt(args.range(0), "the prefix of `device_print` must be plain ASCII text");
  std::vector<mlir::Value> values;
  std::vector<bool> isSigned;
  for (const Value &item : toItems(emitter, args, 1, true)) {
    Tensor tensor = toTensor(emitter, item);
    values.push_back(tensor.ir);
    isSigned.push_back(tensor.type.isSignedInt());
  }
  llvm::SmallVector<bool> flags(isSigned.begin(), isSigned.end());
  bool hex = boolArgument(emitter, args, 2);
  emitter.create<tile::PrintOp>(printPrefix(std::move(prefix), !values.empty()), hex, values, flags);
  return None{};
}

void emitAssertion(Emitter &emitter, Tensor condition, const std::string &message, const Value &maskArgument) {
  if (!condition.type.isBool())
    condition = castTo(emitter, condition, Scalar::Int1);
  mlir::Value mask;
  if (!maskArgument.isNone()) {
    auto [shared, given] =
        broadcastTogether(emitter, condition, castTo(emitter, toTensor(emitter, maskArgument), Scalar::Int1));
    condition = shared;
    mask = given.ir;
  }
  emitter.create<tile::AssertOp>(condition.ir, message, mask);
}

// Emitted only in debug builds, as in Triton: an assertion costs time on every launch.
Value emitDeviceAssert(Emitter &emitter, const BoundArguments &args) {
  if (!emitter.options.debug)
    return None{};
  std::string message = args[1].isConstant() ? textOf(args[1]) : stringArgument(emitter, args, 1);
  emitAssertion(emitter, toTensor(emitter, args[0]), message, args[2]);
  return None{};
}

// `x`, which is 0 wherever the mask is true; debug builds check it.
Value emitExpectZero(Emitter &emitter, const BoundArguments &args) {
  if (emitter.options.debug) {
    Value isZero = emitCompare(emitter, syntax::CompareOperator::Eq, toTensor(emitter, args[0]), 0);
    emitAssertion(emitter, isZero.tensor(), "expect_zero: a value is not zero where the mask is true", args[1]);
  }
  return args[0];
}

template <bool exit> Value emitScopeMark(Emitter &emitter, const BoundArguments &args) {
  emitter.create<tile::ScopeOp>(stringArgument(emitter, args, 0), exit);
  return None{};
}

// A scope that no `with` enters marks nothing.
Value emitScope(Emitter &emitter, const BoundArguments &args) {
  stringArgument(emitter, args, 0);
  return None{};
}

constexpr Builtin kDebugRows[] = {
    {"static_print(*values, sep=\" \", end=\"\\n\", file=None, flush=False)", "Print at compile time.",
     emitStaticPrint},
    {"static_assert(cond, msg=\"\")", "Stop the compilation when the condition is false.", emitStaticAssert},
    {"device_print(prefix, *args, hex=False)", "Print values at run time, one line for each element.", emitDevicePrint},
    {"device_assert(cond, msg=\"\", mask=None)", "Fail the launch where the condition is false; in debug builds.",
     emitDeviceAssert},
    {"expect_zero(x, mask)", "States that `x` is zero where the mask is true.", emitExpectZero},
};

constexpr Builtin kProfilerRows[] = {
    {"enter_scope(name)", "A named part of the kernel begins, for a profiler.", emitScopeMark<false>},
    {"exit_scope(name)", "A named part of the kernel ends.", emitScopeMark<true>},
    {"scope(name)", "In a `with` statement: its body is a named part of the kernel.", emitScope},
};

} // namespace

BuiltinTable debugBuiltins() { return {"tl", kDebugRows}; }
BuiltinTable profilerBuiltins() { return {"triton.profiler.language", kProfilerRows}; }

} // namespace nereid::lang
