// EmitStatements.cpp: statements that are neither branches nor loops.
#include "lang/Constructs.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/semantic/Semantic.h"

using namespace nereid::syntax;

namespace nereid::lang {

KernelEmitter::Outcome KernelEmitter::emitStatements(Body body, const Rest *rest) {
  for (size_t i = 0; i < body.size(); ++i) {
    Rest after{body.subspan(i + 1), rest};
    bool consumedRest = false;
    Outcome outcome = emitStatement(body[i], after, consumedRest);
    if (outcome.returned || consumedRest)
      return outcome;
  }
  return rest ? emitStatements(rest->body, rest->next) : Outcome{};
}

// `consumedRest` is set when the statement emitted everything after it as well (an `if` that may return).
KernelEmitter::Outcome KernelEmitter::emitStatement(const Stmt *statement, const Rest &rest, bool &consumedRest) {
  Session::At at(session, statement->range);
  session.step();
  if (takesNotes && statement->kind != StmtKind::Pass)
    noteStatement();
  switch (statement->kind) {
  case StmtKind::Return: {
    if (frame().loopDepth)
      fail("cannot have `return` statements inside `while` or `for` statements in triton",
           {"store the result in a variable and return it after the loop"});
    const Expr *value = cast<Return>(statement).value;
    return {true, value ? evaluate(value) : Value(None{}), statement->range};
  }
  case StmtKind::If: return emitIf(cast<If>(statement), rest, consumedRest);
  case StmtKind::For: emitFor(cast<For>(statement)); return {};
  case StmtKind::While: emitWhile(cast<While>(statement)); return {};
  case StmtKind::Assign: emitAssign(cast<Assign>(statement)); return {};
  case StmtKind::AugAssign: emitAugAssign(cast<AugAssign>(statement)); return {};
  case StmtKind::AnnAssign: emitAnnAssign(cast<AnnAssign>(statement)); return {};
  case StmtKind::Expr: emitExpressionStatement(cast<ExprStmt>(statement)); return {};
  case StmtKind::Assert: emitAssert(cast<Assert>(statement)); return {};
  case StmtKind::With: return emitWith(cast<With>(statement));
  case StmtKind::Pass: return {};
  default:
    fail(unsupportedStatement(statement->kind), helpForStatement(statement->kind), "UnsupportedLanguageConstruct");
  }
}

// `with scope("name"):` of the profiler is `enter_scope("name")`, the body and `exit_scope("name")`. Any other context
// manager is the host's and means nothing to a kernel.
KernelEmitter::Outcome KernelEmitter::emitWith(const With &with) {
  if (containsReturn(with.body))
    fail("`return` inside `with` is not supported");
  static constexpr std::string_view kSpace = "triton.profiler.language";
  std::vector<std::pair<SourceRange, std::vector<CallArgument>>> scopes;
  for (const WithItem *item : with.items) {
    auto *expression = dynCast<Call>(item->contextExpr);
    if (!expression)
      failAt(item->contextExpr->range, "a kernel cannot enter this with `with`",
             {"it takes calls, such as `with pl.scope(\"name\"):`"}, "UnsupportedLanguageConstruct");
    Value callee = evaluate(expression->func);
    if (item->optionalVars)
      failAt(item->optionalVars->range, "`with … as` is not supported in a kernel", {}, "UnsupportedLanguageConstruct");
    if (auto *builtin = callee.get<const Builtin *>(); !builtin || *builtin != findBuiltin(kSpace, "scope"))
      continue;
    Session::At at(session, expression->range);
    scopes.emplace_back(expression->range, evaluateArguments(*expression));
    call(findBuiltin(kSpace, "enter_scope"), scopes.back().second);
  }
  Outcome outcome = emitStatements(with.body, nullptr);
  for (; !scopes.empty(); scopes.pop_back()) {
    Session::At at(session, scopes.back().first);
    call(findBuiltin(kSpace, "exit_scope"), scopes.back().second);
  }
  return outcome;
}

Value KernelEmitter::toAssigned(const Value &value) {
  if (value.is<bool>() || value.is<Integer>() || value.is<double>())
    return toTensor(*this, value);
  if (const Tuple *tuple = value.asTuple()) {
    Values items;
    session.step(10 * (1 + tuple->items.size())); // tuples of tuples grow fast
    for (const Value &item : tuple->items)
      items.push_back(toAssigned(item));
    return Value::tuple(std::move(items), tuple->cls);
  }
  return value;
}

// As it is bound to a target: a name that was annotated as a constexpr before takes constants as they are, once.
Value KernelEmitter::toAssigned(const Expr *target, const Value &value) {
  if (auto *name = dynCast<Name>(target)) {
    auto annotated = frame().constexprBy.find(name->id);
    if (annotated != frame().constexprBy.end() && !cast<AnnAssign>(annotated->second).value &&
        !frame().locals.contains(name->id))
      return value;
    return toAssigned(value);
  }
  const Tuple *tuple = value.asTuple();
  if (!tuple || !(target->kind == ExprKind::Tuple || target->kind == ExprKind::List))
    return toAssigned(value);
  ExprList targets = target->kind == ExprKind::Tuple ? cast<TupleExpr>(target).elts : cast<ListExpr>(target).elts;
  Values items;
  for (size_t i = 0; i < tuple->items.size(); ++i)
    items.push_back(i < targets.size() ? toAssigned(targets[i], tuple->items[i]) : toAssigned(tuple->items[i]));
  return Value::tuple(std::move(items), tuple->cls);
}

void KernelEmitter::assignName(std::string_view name, Value value, SourceRange range) {
  Frame &f = frame();
  f.lost.erase(std::string(name));
  f.assignedAt.insert_or_assign(std::string(name), range);
  if (takesNotes)
    noteValue(std::string(name), value);
  f.locals.insert_or_assign(std::string(name), std::move(value));
}

void KernelEmitter::assignTarget(const Expr *target, const Value &value) {
  Session::At at(session, target->range);
  if (auto *name = dynCast<Name>(target))
    return assignName(name->id, value, target->range);
  if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List) {
    ExprList targets = target->kind == ExprKind::Tuple ? cast<TupleExpr>(target).elts : cast<ListExpr>(target).elts;
    for (const Expr *each : targets)
      if (each->kind == ExprKind::Starred)
        failAt(each->range, "a starred target is not supported in a kernel", {"name every item"},
               "UnsupportedLanguageConstruct");
    const Tuple *tuple = value.asTuple();
    if (!tuple)
      fail("cannot unpack a value of type " + describe(value) + " into " + std::to_string(targets.size()) + " names",
           {}, "TypeError");
    std::string counts =
        std::to_string(tuple->items.size()) + " values into " + std::to_string(targets.size()) + " names";
    if (tuple->items.size() < targets.size())
      fail("cannot unpack " + counts);
    if (tuple->items.size() > targets.size()) // an error in Python; Triton takes as many as there are names
      session.warn("unpacks " + counts + ": the others are dropped");
    for (size_t i = 0; i < targets.size(); ++i)
      assignTarget(targets[i], tuple->items[i]);
    return;
  }
  if (auto *attribute = dynCast<Attribute>(target)) {
    Value object = evaluate(attribute->value);
    // While it is made, or by a method of Python, which works on a copy.
    bool isOwn = frame().function->name == "__init__" || frame().function->kind == Function::Kind::Plain;
    if (Instance *instance = object.object<Instance>(); instance && isOwn) {
      instance->fields[std::string(attribute->attr)] = value;
      return;
    }
    fail("assignment to an attribute is not supported in a kernel",
         object.object<Instance>() ? std::vector<std::string>{"make a changed copy: `x = tl.aggregate_replace(x, " +
                                                              std::string(attribute->attr) + "=…)`"}
                                   : std::vector<std::string>{},
         "NotImplementedError");
  }
  if (auto *subscript = dynCast<Subscript>(target)) {
    Value object = evaluate(subscript->value);
    bool isPointer = object.isTensor() && object.tensor().type.isPointer();
    auto *name = dynCast<Name>(subscript->value);
    std::string pointer = name ? std::string(name->id) : "pointer";
    fail("assignment to an element is not supported in a kernel",
         {isPointer ? "a pointer is no array: write `tl.store(" + pointer + " + offsets, value)`"
                    : "tiles are values: build the new one with `tl.where`, or store to memory with `tl.store`"},
         "NotImplementedError");
  }
  fail("cannot assign to this expression");
}

void KernelEmitter::emitAssign(const Assign &assign) {
  if (assign.targets.size() != 1)
    fail("several targets in one assignment are not supported in a kernel", {"write one assignment for each name"},
         "UnsupportedLanguageConstruct");
  assignTarget(assign.targets[0], toAssigned(assign.targets[0], evaluate(assign.value)));
}

void KernelEmitter::emitAugAssign(const AugAssign &assign) {
  if (assign.target->kind != ExprKind::Name)
    assignTarget(assign.target, None{}); // reports what is wrong with the target
  Value lhs = evaluate(assign.target);
  Value rhs = evaluate(assign.value);
  assignTarget(assign.target, toAssigned(evaluateBinary(assign.op, lhs, rhs)));
}

void KernelEmitter::emitAnnAssign(const AnnAssign &assign) {
  if (!isConstexprAnnotation(assign.annotation)) {
    if (assign.value)
      assignTarget(assign.target, toAssigned(evaluate(assign.value)));
    return;
  }
  auto *name = dynCast<Name>(assign.target);
  if (!name)
    fail("only a plain name can be a constexpr");
  auto previous = frame().constexprBy.find(name->id);
  bool again =
      previous != frame().constexprBy.end() && previous->second == &assign; // the same line, in an unrolled loop
  if (frame().locals.count(name->id) && !again)
    fail("`" + std::string(name->id) + "` is already defined, and a constexpr cannot be assigned again");
  if (!assign.value) {
    frame().constexprBy[std::string(name->id)] = &assign;
    return;
  }
  // A value of run time stays one (so it does in Triton); a use that needs a constant complains itself.
  Value value = evaluate(assign.value);
  frame().constexprBy[std::string(name->id)] = &assign;
  assignName(name->id, value, name->range);
}

void KernelEmitter::emitAssert(const Assert &statement) {
  Value test = evaluate(statement.test);
  if (test.isConstant()) {
    if (constEval.truth(test))
      return;
    // Not an error: Triton asserts when the kernel runs, and in debug mode alone.
    session.warn("this assertion is false" +
                 (statement.msg ? ": " + toString(evaluate(statement.msg)) : std::string()));
  }
  std::vector<CallArgument> arguments{{test, "", statement.test->range}};
  if (statement.msg)
    arguments.push_back({evaluate(statement.msg), "", statement.msg->range});
  call(findBuiltin("tl", "device_assert"), std::move(arguments));
}

void KernelEmitter::emitExpressionStatement(const ExprStmt &statement) {
  if (statement.value->kind == ExprKind::Constant) // a docstring or `...`
    return;
  unusedCall = statement.value;
  evaluate(statement.value);
}

} // namespace nereid::lang
