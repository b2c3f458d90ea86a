// ConstEval.h: the compile-time Python: module-level code, constexpr functions, config lists, heuristics, grids.
// A small evaluator of expressions and statements with bounded steps and memory. It never runs host code: a call it
// does not know gives an Opaque value at module level, and is an error inside a constexpr function.
#pragma once

#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/Session.h"

namespace nereid::lang {

class ConstEval {
public:
  explicit ConstEval(Session &session) : session(session) {}
  Session &session;

  Value evaluate(const syntax::Expr *expression, const std::shared_ptr<Scope> &scope);
  // Calls a plain function, lambda, constexpr function, class, host function or bound method of constants.
  Value call(const Value &callee, std::vector<CallArgument> arguments);

  // Python's operators on constants; they fail with Python's own words.
  Value binary(syntax::BinaryOperator op, const Value &lhs, const Value &rhs);
  Value unary(syntax::UnaryOperator op, const Value &operand);
  Value compare(syntax::CompareOperator op, const Value &lhs, const Value &rhs);
  bool truth(const Value &value);
  // An attribute of anything but a Tensor: modules, classes, instances, dtypes, named tuples, str and dict methods …
  // No value when there is none.
  Value attribute(const Value &object, const std::string &name);
  Value subscript(const Value &object, const Value &index);
  std::string format(const Value &value, char conversion, const std::string &spec); // one f-string field
  // The items of a tuple, list, range, dict … of constants.
  Values iterate(const Value &iterable);
  Value constantOf(const syntax::Constant &constant); // a literal
};

} // namespace nereid::lang
