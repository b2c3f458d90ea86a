// Emitter.h: what builtins and operators need from the emission of one kernel: where to put ops, how to fail, how to
// call back into functions. EmitIR*.cpp implement the statements and expressions on top of it.
#pragma once

#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/Session.h"

#include "mlir/IR/Builders.h"

#include <tuple>

namespace nereid::lang {

class ConstEval;

struct EmitOptions {
  ProgramShape shape;
  bool debug = false;           // device_assert is emitted, and
  bool sanitizeOverflow = true; // with `debug`: + - * of integers assert that they do not overflow
  std::string defaultDotPrecision = "tf32";
  bool allowPlainGlobals = false;
  bool strictExtents = false; // only powers of two, as Triton has it
};

class Emitter {
public:
  Emitter(mlir::OpBuilder &builder, Session &session, ConstEval &constEval, const EmitOptions &options)
      : builder(builder), session(session), constEval(constEval), options(options) {}
  virtual ~Emitter() = default;

  mlir::OpBuilder &builder;
  Session &session;
  ConstEval &constEval;
  const EmitOptions &options;

  // Makes an op at the current place: `emitter.create<tile::SplatOp>(type, scalar)`.
  template <class Op, class... Args> Op create(Args &&...args) {
    return Op::create(builder, location(), std::forward<Args>(args)...);
  }
  // The same, folded when it is constant; for ops with one result.
  template <class Op, class... Args> mlir::Value fold(Args &&...args) {
    return builder.createOrFold<Op>(location(), std::forward<Args>(args)...);
  }
  mlir::MLIRContext *context() const { return builder.getContext(); }
  mlir::Location location(); // of the current place, with the calls that led to it

  [[noreturn]] void fail(std::string message, std::vector<std::string> notes = {},
                         std::string pythonType = "ValueError") {
    session.fail(std::move(message), std::move(notes), std::move(pythonType));
  }
  [[noreturn]] void failAt(SourceRange range, std::string message, std::vector<std::string> notes = {},
                           std::string pythonType = "ValueError") {
    session.failAt(range, std::move(message), std::move(notes), std::move(pythonType));
  }

  // The place of `value` when it is an argument of the builtin being emitted, else the current place: a mistake in one
  // argument is shown there, and not at the whole call.
  SourceRange placeOf(const Value &value) const;
  const BoundArguments *arguments = nullptr; // of that builtin

  // Calls any callable with values: jit function (emitted in place), builtin, constexpr function, class.
  virtual Value call(const Value &callee, std::vector<CallArgument> arguments) = 0;

private:
  // The last place asked for (as source and range of each call): one statement makes many ops.
  mlir::LocationAttr lastLocation;
  std::vector<std::tuple<const void *, uint32_t, uint32_t>> lastPlace, currentPlace;
};

// A run-time value flattened to SSA values and put together again: loop-carried variables, branch results and
// function arguments pass through this. Constants flatten to nothing and come back unchanged.
void flatten(const Value &value, std::vector<mlir::Value> &out);
Value unflatten(const Value &shape, std::span<const mlir::Value> &in); // takes from the front of `in`

} // namespace nereid::lang
