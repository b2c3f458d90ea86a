// EmitLoops.cpp: `for` over ranges and `while`. A variable that the body assigns and that had a value before is carried
// through the loop; everything else that the body defines ends with it.
#include "lang/ConstEval.h"
#include "lang/KernelEmitter.h"
#include "lang/Semantic.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace nereid::syntax;

namespace nereid::lang {

static void collectTarget(const Expr *target, std::set<std::string> &names) {
  if (auto *name = dynCast<Name>(target))
    names.insert(std::string(name->id));
  else if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List)
    for (const Expr *element : target->kind == ExprKind::Tuple ? cast<TupleExpr>(target).elts : cast<ListExpr>(target).elts)
      collectTarget(element, names);
}

void collectAssigned(Body body, std::set<std::string> &names) {
  for (const Stmt *statement : body) {
    switch (statement->kind) {
    case StmtKind::Assign:
      for (const Expr *target : cast<Assign>(statement).targets)
        collectTarget(target, names);
      break;
    case StmtKind::AugAssign:
      collectTarget(cast<AugAssign>(statement).target, names);
      break;
    case StmtKind::AnnAssign:
      collectTarget(cast<AnnAssign>(statement).target, names);
      break;
    case StmtKind::If:
      collectAssigned(cast<If>(statement).body, names);
      collectAssigned(cast<If>(statement).orelse, names);
      break;
    case StmtKind::For:
      collectTarget(cast<For>(statement).target, names);
      collectAssigned(cast<For>(statement).body, names);
      break;
    case StmtKind::While:
      collectAssigned(cast<While>(statement).body, names);
      break;
    case StmtKind::With:
      collectAssigned(cast<With>(statement).body, names);
      break;
    default:
      break;
    }
  }
}

// The names to carry: assigned in the body, with a run-time value before the loop. Constants are carried only when
// `promoted` says that the body really gives them a run-time value.
std::vector<std::string> KernelEmitter::carriedNames(Body body, const std::set<std::string> &promoted) {
  std::set<std::string> assigned;
  collectAssigned(body, assigned);
  std::vector<std::string> names;
  for (const std::string &name : assigned) {
    auto it = frame().locals.find(name);
    if (it == frame().locals.end())
      continue;
    if (promoted.count(name))
      it->second = toAssigned(it->second);
    if (!it->second.isConstant())
      names.push_back(name);
  }
  return names;
}

// After a first emission of the body: must it be emitted again? Constants from before the loop that now have a run-time
// value must be carried (they come back in `promoted`), and names that the body leaves without a value (the variable of
// an inner loop) have none from its start on (they leave `before`).
bool KernelEmitter::mustEmitAgain(Locals &before, SourceRange loop, std::set<std::string> &promoted) {
  promoted.clear();
  std::vector<std::string> gone;
  for (const auto &[name, value] : before) {
    auto now = frame().locals.find(name);
    if (now == frame().locals.end())
      gone.push_back(name);
    else if (value.isConstant() && !now->second.isConstant()) {
      if (toAssigned(value).isConstant()) // None, a string, a dtype: it cannot become a run-time value
        failLoopType(name, value, now->second, loop);
      promoted.insert(name);
    }
  }
  if (promoted.empty() && gone.empty())
    return false;
  frame().locals = before;
  for (const std::string &name : gone) {
    frame().locals.erase(name);
    frame().lost[name] = {"loses its value in this loop", session.source(), loop};
  }
  return true;
}

void KernelEmitter::bindCarried(const std::vector<std::string> &names, const Values &shapes, mlir::ValueRange values) {
  std::vector<mlir::Value> all(values.begin(), values.end());
  std::span<const mlir::Value> flat(all);
  for (size_t i = 0; i < names.size(); ++i)
    frame().locals.insert_or_assign(names[i], unflatten(shapes[i], flat));
}

void KernelEmitter::failLoopType(const std::string &name, const Value &before, const Value &after, SourceRange loop) {
  auto at = frame().assignedAt.find(name);
  failAt(at == frame().assignedAt.end() ? loop : at->second,
         "`" + name + "` is " + describe(before) + " before the loop, but becomes " + describe(after) + " in it",
         {"a variable keeps its type through a loop: cast the new value, or start with that type"}, "TypeError");
}

std::vector<mlir::Value> KernelEmitter::carriedAtEnd(const std::vector<std::string> &names, const Values &initial, SourceRange loop) {
  std::vector<mlir::Value> flat;
  for (size_t i = 0; i < names.size(); ++i) {
    Value value = toAssigned(frame().locals.at(names[i]));
    if (!sameKind(value, initial[i]))
      failLoopType(names[i], initial[i], value, loop);
    flatten(value, flat);
  }
  return flat;
}

void KernelEmitter::dropInnerNames(const Locals &before, SourceRange loop, std::string_view what) {
  for (const auto &[name, value] : frame().locals)
    if (!before.count(name))
      frame().lost[name] = {std::string(what), session.source(), loop};
  frame().locals = before;
}

void KernelEmitter::emitFor(const For &loop) {
  if (!loop.orelse.empty())
    fail("`for … else` is not supported in a kernel", {}, "UnsupportedLanguageConstruct");
  Value iterable = evaluate(loop.iter);
  Session::At at(session, loop.iter->range);
  if (auto *range = iterable.constant<RangeObject>(); range && range->kind != RangeObject::Kind::Static)
    return emitDynamicFor(loop, *range);
  else if (range)
    return emitUnrolledFor(loop, constEval.iterate(iterable));
  if (const Tuple *tuple = iterable.asTuple())
    return emitUnrolledFor(loop, tuple->items);
  fail("cannot loop over a value of type " + describe(iterable),
       {"a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple"}, "UnsupportedLanguageConstruct");
}

void KernelEmitter::emitUnrolledFor(const For &loop, const Values &items) {
  ++frame().loopDepth;
  for (const Value &item : items) {
    assignTarget(loop.target, item);
    emitStatements(loop.body, nullptr);
  }
  --frame().loopDepth;
}

// `i = start, start + step, …`, as Python counts: for a negative step the loop runs upwards and the index is mirrored.
void KernelEmitter::emitDynamicFor(const For &loop, const RangeObject &range) {
  auto *target = dynCast<Name>(loop.target);
  if (!target)
    fail("the variable of a loop must be a plain name");
  Value step = range.step ? range.step : Value(1);
  auto constantStep = step.integer();
  if (constantStep && *constantStep == 0)
    fail("the step of a range must not be zero");
  bool isDown = constantStep && *constantStep < 0;
  Tensor low = toTensor(*this, range.start ? range.start : Value(0)), high = toTensor(*this, range.stop);
  if (isDown)
    std::swap(low, high), step = Value(Integer(-*constantStep));
  Tensor by = toTensor(*this, step);
  for (const Tensor *bound : {&low, &high, &by})
    if (bound->type.isBlock() || !bound->type.isInt())
      fail("the bounds of a loop must be integer scalars, but one is " + describe(Value(*bound)), {}, "TypeError");
  Type type = promoteTypes(*this, promoteTypes(*this, low.type, false, high.type, false, false), false, by.type, false, false);
  if (type.bitWidth() < 32)
    type = Type(Scalar::Int32);
  low = castTo(*this, low, type), high = castTo(*this, high, type), by = castTo(*this, by, type);

  Frame &f = frame();
  mlir::Location loc = location();
  std::set<std::string> promoted;
  while (true) {
    f.locals.erase(std::string(target->id)); // the loop gives it its value
    std::vector<std::string> names = carriedNames(loop.body, promoted);
    Locals before = f.locals;
    bool again = false;
    Values initial;
    std::vector<mlir::Value> initialFlat;
    for (const std::string &name : names) {
      initial.push_back(f.locals.at(name));
      flatten(initial.back(), initialFlat);
    }
    auto op = mlir::scf::ForOp::create(builder, loc, low.ir, high.ir, by.ir, initialFlat, nullptr, type.isUnsignedInt());
    op.getBody()->clear();
    {
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToStart(op.getBody());
      bindCarried(names, initial, op.getRegionIterArgs());
      Value index = Tensor{op.getInductionVar(), type};
      if (isDown)
        index = evaluateBinary(BinaryOperator::Add, evaluateBinary(BinaryOperator::Sub, Tensor(high), index), Tensor(low));
      assignName(target->id, index, target->range);
      ++f.loopDepth;
      emitStatements(loop.body, nullptr);
      --f.loopDepth;
      again = mustEmitAgain(before, loop.iter->range, promoted);
      if (!again)
        mlir::scf::YieldOp::create(builder, loc, carriedAtEnd(names, initial, loop.iter->range));
    }
    if (again) {
      op.erase();
      continue;
    }
    for (const auto &[name, option] : range.options)
      if (auto number = option.integer())
        op->setAttr("tile." + name, option.is<bool>() ? mlir::Attribute(builder.getBoolAttr(*number != 0))
                                                      : mlir::Attribute(builder.getI32IntegerAttr(int32_t(*number))));
    dropInnerNames(before, loop.iter->range, "has a value only inside this loop");
    bindCarried(names, initial, op.getResults());
    return;
  }
}

void KernelEmitter::emitWhile(const While &loop) {
  if (!loop.orelse.empty())
    fail("`while … else` is not supported in a kernel", {}, "UnsupportedLanguageConstruct");
  Frame &f = frame();
  mlir::Location loc = location();
  std::set<std::string> promoted;
  while (true) {
    std::vector<std::string> names = carriedNames(loop.body, promoted);
    Locals before = f.locals;
    bool again = false;
    Values initial;
    std::vector<mlir::Value> initialFlat;
    for (const std::string &name : names) {
      initial.push_back(f.locals.at(name));
      flatten(initial.back(), initialFlat);
    }
    llvm::SmallVector<mlir::Type> types;
    for (mlir::Value value : initialFlat)
      types.push_back(value.getType());
    llvm::SmallVector<mlir::Location> locations(types.size(), loc);
    auto op = mlir::scf::WhileOp::create(builder, loc, types, initialFlat);
    {
      mlir::OpBuilder::InsertionGuard guard(builder);
      mlir::Block *test = builder.createBlock(&op.getBefore(), {}, types, locations);
      bindCarried(names, initial, test->getArguments());
      Value condition = evaluate(loop.test);
      if (isPlainCondition(condition)) {
        if (constEval.truth(condition))
          failAt(loop.test->range, "this loop never ends: its condition is always true");
        op.erase();
        f.locals = before;
        return;
      }
      Session::At at(session, loop.test->range);
      mlir::scf::ConditionOp::create(builder, loc, toCondition(*this, condition.tensor()).ir, test->getArguments());
      mlir::Block *body = builder.createBlock(&op.getAfter(), {}, types, locations);
      bindCarried(names, initial, body->getArguments());
      ++f.loopDepth;
      emitStatements(loop.body, nullptr);
      --f.loopDepth;
      again = mustEmitAgain(before, loop.test->range, promoted);
      if (!again)
        mlir::scf::YieldOp::create(builder, loc, carriedAtEnd(names, initial, loop.test->range));
    }
    if (again) {
      op.erase();
      continue;
    }
    dropInnerNames(before, loop.test->range, "has a value only inside this loop");
    bindCarried(names, initial, op.getResults());
    return;
  }
}

} // namespace nereid::lang
