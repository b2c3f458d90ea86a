// ConstEvalStatements.cpp: statements of compile-time Python: control flow, assignment, definitions.
#include "lang/SyntaxWalk.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"
#include "syntax/Parser.h"

#include <algorithm>

namespace nereid::lang {

using namespace syntax;

namespace {

bool isUnknown(const Value &value) {
  auto *opaque = value.constant<Opaque>();
  return opaque && !opaque->isKnown;
}

// At module level, a call whose result is dropped is host code, which is left alone: all that kernels can depend on is a
// container that it fills.
bool isHostCode(const Expr *expression) {
  auto *call = dynCast<Call>(expression);
  auto *method = call ? dynCast<Attribute>(call->func) : nullptr;
  static constexpr std::string_view filling[] = {"append", "extend", "insert", "update", "add",     "setdefault",
                                                 "pop",    "remove", "clear",  "sort",   "reverse", "discard"};
  return call && (!method || std::ranges::find(filling, method->attr) == std::end(filling));
}

bool isCompound(const Stmt *statement) {
  switch (statement->kind) {
  case StmtKind::If:
  case StmtKind::For:
  case StmtKind::While:
  case StmtKind::With:
  case StmtKind::Try:
  case StmtKind::TryStar:
  case StmtKind::Match: return true;
  default: return false;
  }
}

} // namespace

Flow ConstEval::execute(Body body) {
  for (const Stmt *statement : body)
    if (Flow flow = execute(statement); flow != Flow::Normal)
      return flow;
  return Flow::Normal;
}

Flow ConstEval::execute(const Stmt *statement) {
  session.step();
  return activation->isLenient ? executeLeniently(statement) : executeKind(statement);
}

// A loop of the host may wait for what only a running program has: it ends when its share is spent, and the rest goes on.
Flow ConstEval::executeLeniently(const Stmt *statement) {
  std::optional<Session::Share> share;
  if (statement->kind == StmtKind::While || statement->kind == StmtKind::For)
    share.emplace(session);
  try {
    return executeKind(statement);
  } catch (const CompileError &error) {
    if (error.isFinal && !(share && share->isSpent()))
      throw;
    share.reset();
    session.step(200); // unwinding takes that long
    bindOpaque(statement, error.diagnostic.message);
    return Flow::Normal;
  }
}

void ConstEval::bindOpaque(const Stmt *statement, const std::string &reason) {
  std::vector<std::string_view> names;
  boundNames(statement, names);
  for (std::string_view name : names)
    // What a compound statement bound before it failed is good.
    if (!isCompound(statement) || !activation->scope->names.contains(name))
      bind(name, makeOpaque(std::string(name) + " (" + reason + ")"), activation->scope);
}

void ConstEval::executeModule(const std::shared_ptr<Module> &module) {
  Activation inner;
  inner.module = module;
  inner.scope = module->globals;
  inner.isLenient = true;
  Session::Enter enter(session, module->source, module->name, {});
  Activation *outer = std::exchange(activation, &inner);
  struct Restore {
    Activation *&slot, *saved;
    ~Restore() { slot = saved; }
  } restore{activation, outer};
  execute(module->file->body);
}

Flow ConstEval::executeKind(const Stmt *statement) {
  Session::At at(session, statement->range);
  const std::shared_ptr<Scope> &scope = activation->scope;
  switch (statement->kind) {
  case StmtKind::Expr: {
    const Expr *value = cast<ExprStmt>(statement).value;
    if (value->kind != ExprKind::Constant && !(activation->isLenient && isHostCode(value)))
      evaluate(value, scope);
    return Flow::Normal;
  }
  case StmtKind::Assign: {
    Value value = evaluate(cast<Assign>(statement).value, scope);
    for (const Expr *target : cast<Assign>(statement).targets)
      assign(target, value, scope);
    return Flow::Normal;
  }
  case StmtKind::AnnAssign:
    if (auto *value = cast<AnnAssign>(statement).value)
      assign(cast<AnnAssign>(statement).target, evaluate(value, scope), scope);
    return Flow::Normal;
  case StmtKind::AugAssign: executeAugmented(cast<AugAssign>(statement)); return Flow::Normal;
  case StmtKind::If: return executeIf(cast<If>(statement));
  case StmtKind::For:
  case StmtKind::AsyncFor: return executeFor(*static_cast<const For *>(statement));
  case StmtKind::While: return executeWhile(cast<While>(statement));
  case StmtKind::With:
  case StmtKind::AsyncWith: return executeWith(*static_cast<const With *>(statement));
  case StmtKind::Try:
  case StmtKind::TryStar: return executeTry(*static_cast<const Try *>(statement));
  case StmtKind::Match: return executeMatch(cast<Match>(statement));
  case StmtKind::Return:
    activation->result = cast<Return>(statement).value ? evaluate(cast<Return>(statement).value, scope) : Value(None{});
    return Flow::Return;
  case StmtKind::Break: return Flow::Break;
  case StmtKind::Continue: return Flow::Continue;
  case StmtKind::FunctionDef:
  case StmtKind::AsyncFunctionDef: {
    auto &definition = *static_cast<const FunctionDef *>(statement);
    bind(definition.name, define(definition, scope), scope);
    return Flow::Normal;
  }
  case StmtKind::ClassDef: {
    auto &definition = *static_cast<const ClassDef *>(statement);
    bind(definition.name, defineClass(definition, scope), scope);
    return Flow::Normal;
  }
  case StmtKind::Import: executeImport(cast<Import>(statement)); return Flow::Normal;
  case StmtKind::ImportFrom: executeImportFrom(cast<ImportFrom>(statement)); return Flow::Normal;
  case StmtKind::Assert: {
    Value test = evaluate(cast<Assert>(statement).test, scope);
    if (!isUnknown(test) && !truth(test))
      session.fail(cast<Assert>(statement).msg ? textOf(evaluate(cast<Assert>(statement).msg, scope))
                                               : "the assertion fails",
                   {}, "AssertionError");
    return Flow::Normal;
  }
  case StmtKind::Raise: executeRaise(cast<Raise>(statement));
  case StmtKind::Global:
    activation->globals.insert(cast<GlobalStmt>(statement).names.begin(), cast<GlobalStmt>(statement).names.end());
    return Flow::Normal;
  case StmtKind::Nonlocal:
    activation->nonlocals.insert(cast<NonlocalStmt>(statement).names.begin(),
                                 cast<NonlocalStmt>(statement).names.end());
    return Flow::Normal;
  case StmtKind::Delete:
    for (const Expr *target : cast<Delete>(statement).targets)
      executeDelete(target);
    return Flow::Normal;
  case StmtKind::TypeAlias: assign(cast<TypeAlias>(statement).name, makeOpaque("a type"), scope); return Flow::Normal;
  case StmtKind::Pass: return Flow::Normal;
  }
  return Flow::Normal;
}

Flow ConstEval::executeIf(const If &conditional) {
  Value test = evaluate(conditional.test, activation->scope);
  if (isUnknown(test) && activation->isLenient)
    return executeBoth(conditional);
  Session::At at(session, conditional.test->range);
  return execute(truth(test) ? conditional.body : conditional.orelse);
}

// Both branches of an unknown condition: the later definition wins, but never an unknown one over a known one.
Flow ConstEval::executeBoth(const If &conditional) {
  execute(conditional.body);
  std::vector<std::string_view> names;
  for (const Stmt *statement : conditional.body)
    boundNames(statement, names);
  std::vector<std::pair<std::string_view, Value>> first;
  for (std::string_view name : names)
    if (auto found = activation->scope->names.find(name); found != activation->scope->names.end())
      first.emplace_back(name, found->second);
  execute(conditional.orelse);
  for (auto &[name, value] : first) {
    auto now = activation->scope->names.find(name);
    if (now == activation->scope->names.end() || (now->second.constant<Opaque>() && !value.constant<Opaque>()))
      bind(name, value, activation->scope);
  }
  return Flow::Normal;
}

Flow ConstEval::executeFor(const For &loop) {
  Value iterable = evaluate(loop.iter, activation->scope);
  if (isUnknown(iterable) && activation->isLenient) {
    assign(loop.target, makeOpaque("an item of " + toString(iterable)), activation->scope);
    execute(loop.body);
    return Flow::Normal;
  }
  Cursor cursor(*this, iterable);
  while (std::optional<Value> item = cursor.next()) {
    assign(loop.target, *item, activation->scope);
    Flow flow = execute(loop.body);
    if (flow == Flow::Return)
      return flow;
    if (flow == Flow::Break)
      return Flow::Normal;
  }
  return execute(loop.orelse);
}

Flow ConstEval::executeWhile(const While &loop) {
  while (true) {
    session.step();
    Value test = evaluate(loop.test, activation->scope);
    if (isUnknown(test) && activation->isLenient) {
      execute(loop.body);
      return Flow::Normal;
    }
    if (!truth(test))
      return execute(loop.orelse);
    Flow flow = execute(loop.body);
    if (flow == Flow::Return)
      return flow;
    if (flow == Flow::Break)
      return Flow::Normal;
  }
}

// Context managers have no effect at compile time.
Flow ConstEval::executeWith(const With &with) {
  for (const WithItem *item : with.items) {
    Value context = evaluate(item->contextExpr, activation->scope);
    if (item->optionalVars)
      assign(item->optionalVars, context, activation->scope);
  }
  return execute(with.body);
}

void ConstEval::executeAugmented(const AugAssign &statement) {
  const std::shared_ptr<Scope> &scope = activation->scope;
  Value current = evaluate(statement.target, scope), operand = evaluate(statement.value, scope);
  if (!changeInPlace(statement.op, current, operand))
    assign(statement.target, augmented(statement.op, current, operand), scope);
}

// A list, a set or a dict changes in place: others see it.
bool ConstEval::changeInPlace(BinaryOperator op, const Value &current, const Value &operand) {
  if (operand.constant<Opaque>())
    return false;
  if (auto *list = current.object<ListObject>(); list && op == BinaryOperator::Add) {
    Values items = iterate(operand);
    allocate(list->items.size() + items.size());
    list->items.insert(list->items.end(), items.begin(), items.end());
    return true;
  }
  if (auto *list = current.object<ListObject>(); list && op == BinaryOperator::Mult && operand.integer()) {
    list->items = repeat(current, *operand.integer()).object<ListObject>()->items;
    return true;
  }
  auto *set = current.object<SetObject>();
  if (auto other = set && !set->isFrozen ? asSet(operand) : nullptr)
    if (Value changed = setBinary(op, *set, *other)) {
      *set = *changed.object<SetObject>();
      set->isFrozen = false;
      return true;
    }
  if (auto *dict = current.object<DictObject>(), *other = operand.object<DictObject>();
      dict && other && op == BinaryOperator::BitOr) {
    for (auto &[key, value] : std::vector(other->items))
      setItem(*dict, key, value);
    return true;
  }
  return false;
}

} // namespace nereid::lang
