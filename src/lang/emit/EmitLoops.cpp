// EmitLoops.cpp: `for` over ranges and `while`. A variable that the body assigns and that had a value before is carried
// through the loop; everything else that the body defines ends with it, but for the variable of a `for`.
#include "dialect/Tile.h"
#include "lang/SyntaxWalk.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/semantic/Semantic.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace nereid::syntax;

namespace nereid::lang {

static void collectTarget(const Expr *target, std::set<std::string> &names) {
  if (auto *name = dynCast<Name>(target))
    names.insert(std::string(name->id));
  else if (target->kind == ExprKind::Tuple || target->kind == ExprKind::List)
    for (const Expr *element :
         target->kind == ExprKind::Tuple ? cast<TupleExpr>(target).elts : cast<ListExpr>(target).elts)
      collectTarget(element, names);
}

void collectAssigned(Body body, std::set<std::string> &names) {
  SyntaxVisitor named;
  named.expression = [&](const Expr *expression) {
    if (auto *assigned = dynCast<NamedExpr>(expression))
      collectTarget(assigned->target, names);
    visitParts(expression, named);
  };
  for (const Stmt *statement : body) {
    visitParts(statement, named);
    switch (statement->kind) {
    case StmtKind::Assign:
      for (const Expr *target : cast<Assign>(statement).targets)
        collectTarget(target, names);
      break;
    case StmtKind::AugAssign: collectTarget(cast<AugAssign>(statement).target, names); break;
    case StmtKind::AnnAssign: collectTarget(cast<AnnAssign>(statement).target, names); break;
    case StmtKind::If:
      collectAssigned(cast<If>(statement).body, names);
      collectAssigned(cast<If>(statement).orelse, names);
      break;
    case StmtKind::For:
      collectTarget(cast<For>(statement).target, names);
      collectAssigned(cast<For>(statement).body, names);
      break;
    case StmtKind::While: collectAssigned(cast<While>(statement).body, names); break;
    case StmtKind::With: collectAssigned(cast<With>(statement).body, names); break;
    default: break;
    }
  }
}

// The names `x` of calls `x.method(…)`, with the name of the method.
static void collectReceivers(Body body, std::set<std::pair<std::string, std::string>> &found) {
  SyntaxVisitor visitor;
  visitor.expression = [&](const Expr *expression) {
    if (auto *call = dynCast<Call>(expression))
      if (auto *method = dynCast<Attribute>(call->func))
        if (auto *name = dynCast<Name>(method->value))
          found.emplace(name->id, method->attr);
    visitParts(expression, visitor);
  };
  visitor.statement = [&](const Stmt *statement) { visitParts(statement, visitor); };
  for (const Stmt *statement : body)
    visitor.statement(statement);
}

// What a loop assigns: its targets, and aggregates whose methods may change them.
std::set<std::string> KernelEmitter::assignedBy(Body body) {
  std::set<std::string> assigned;
  collectAssigned(body, assigned);
  bool hasAggregate =
      std::ranges::any_of(frame().locals, [](const auto &local) { return local.second.template object<Instance>(); });
  if (!hasAggregate)
    return assigned;
  std::set<std::pair<std::string, std::string>> receivers;
  collectReceivers(body, receivers);
  for (const auto &[name, method] : receivers) {
    auto it = frame().locals.find(name);
    Instance *instance = it == frame().locals.end() ? nullptr : it->second.object<Instance>();
    if (!instance || !mayChange(it->second, instance->cls->lookup(method)))
      continue;
    for (const auto &[other, value] : frame().locals) // they all stand for the changed one
      if (value.object<Instance>() == instance)
        assigned.insert(other);
  }
  return assigned;
}

// What to carry: names that the body assigns, with a run-time value before the loop. Constants are carried only when
// `promoted` says that the body really gives them a run-time value.
KernelEmitter::Carried KernelEmitter::gatherCarried(Body body, const std::set<std::string> &promoted) {
  Carried carried;
  std::set<std::string> assigned = assignedBy(body);
  assigned.insert(promoted.begin(), promoted.end());
  for (const std::string &name : assigned) {
    auto it = frame().locals.find(name);
    if (it == frame().locals.end())
      continue;
    if (promoted.count(name) && !it->second.object<Instance>())
      it->second = toAssigned(it->second);
    if (it->second.isConstant())
      continue;
    carried.names.push_back(name);
    carried.initial.push_back(it->second);
    flatten(it->second, carried.flat);
  }
  return carried;
}

// After a first emission of the body: must it be emitted again? Constants from before the loop that now have a run-time
// value must be carried (they come back in `promoted`), and names that the body leaves without a value (the variable of
// an inner loop) or with another one that only the compiler knows have none from its start on (they leave `before`).
bool KernelEmitter::mustEmitAgain(const Carried &carried, Locals &before, SourceRange loop,
                                  std::set<std::string> &promoted) {
  size_t known = promoted.size();
  std::vector<std::string> gone;
  for (const auto &[name, value] : before) {
    auto now = frame().locals.find(name);
    if (now == frame().locals.end())
      gone.push_back(name);
    else if (value.object<Instance>()) {
      // A method that was called by another name, or by what the loop waits for, has changed it.
      if (value.object<Instance>() != now->second.object<Instance>() && !std::ranges::count(carried.names, name) &&
          !promoted.insert(name).second && !sameValue(value, now->second))
        failLoopType(name, value, now->second, loop); // it is all constants
    } else if (value.isConstant() && !now->second.isConstant()) {
      if (toAssigned(value).isConstant()) // None, a string, a dtype: it cannot become a run-time value
        failLoopType(name, value, now->second, loop);
      promoted.insert(name);
    } else if (value.isConstant() && !sameValue(value, now->second)) {
      gone.push_back(name); // a dtype, a string: not what it was in the first iteration
    }
  }
  if (promoted.size() == known && gone.empty())
    return false;
  frame().locals = before;
  for (const std::string &name : gone) {
    frame().locals.erase(name);
    frame().lost[name] = {"loses its value in this loop", session.source(), loop};
  }
  return true;
}

void KernelEmitter::bindCarried(const Carried &carried, mlir::ValueRange values) {
  std::vector<mlir::Value> all(values.begin(), values.end());
  std::span<const mlir::Value> flat(all);
  for (size_t i = 0; i < carried.names.size(); ++i) {
    Value value = unflatten(carried.initial[i], flat);
    aliases.add(value, carried.initial[i]);
    frame().locals.insert_or_assign(carried.names[i], value);
  }
}

void KernelEmitter::failLoopType(const std::string &name, const Value &before, const Value &after, SourceRange loop) {
  auto at = frame().assignedAt.find(name);
  std::string help = "a variable keeps its type through a loop: cast the new value, or start with that type";
  bool hasNewShape = after.isTensor() && after.tensor().type.isBlock() && !after.tensor().type.isPointer() &&
                     !(before.isTensor() && before.tensor().type.shape() == after.tensor().type.shape());
  if (hasNewShape)
    help = "a variable keeps its shape through a loop: start with a block, as `tl.zeros` makes it";
  failAt(at == frame().assignedAt.end() ? loop : at->second,
         "`" + name + "` is " + describe(before) + " before the loop, but becomes " + describe(after) + " in it",
         {help}, "TypeError");
}

Values KernelEmitter::valuesAtEnd(const Carried &carried, SourceRange loop) {
  Values values;
  for (size_t i = 0; i < carried.names.size(); ++i) {
    values.push_back(toAssigned(frame().locals.at(carried.names[i])));
    if (!sameKind(values.back(), carried.initial[i]))
      failLoopType(carried.names[i], carried.initial[i], values.back(), loop);
  }
  return values;
}

std::vector<mlir::Value> KernelEmitter::carriedAtEnd(const Carried &carried, SourceRange loop) {
  std::vector<mlir::Value> flat;
  for (const Value &value : valuesAtEnd(carried, loop))
    flatten(value, flat);
  return flat;
}

// The body was emitted with the names of before the loop standing for different aggregates; so they must at its end. `before`
// has the names that it does not carry.
void KernelEmitter::requireSameAliases(const Carried &carried, const Values &ends, const Locals &before,
                                       SourceRange loop) {
  auto check = [&](const std::string &name, const Value &end, const Value &initial, const std::string &other,
                   const Value &otherEnd, const Value &otherInitial) {
    if (aliases.mayShare(end, otherEnd) && !aliases.mayShare(initial, otherInitial))
      failAt(loop,
             "`" + name + "` and `" + other +
                 "` are one aggregate from the second iteration on, and the loop changes it",
             {"give it one name"}, "TypeError");
  };
  for (size_t i = 0; i < ends.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      check(carried.names[j], ends[j], carried.initial[j], carried.names[i], ends[i], carried.initial[i]);
    for (const auto &[name, value] : before)
      if (!std::ranges::count(carried.names, name))
        check(name, value, value, carried.names[i], ends[i], carried.initial[i]);
  }
}

void KernelEmitter::dropInnerNames(const Locals &before, SourceRange loop, std::string_view what) {
  for (const auto &[name, value] : frame().locals)
    if (!before.count(name))
      frame().lost[name] = {std::string(what), session.source(), loop};
  frame().locals = before;
}

// The ops of a loop after it and those in it are unrolled.
static int64_t sizeAfterUnrolling(mlir::Operation &op) {
  constexpr int64_t kEnough = int64_t(1) << 40;
  int64_t size = 1;
  for (mlir::Region &region : op.getRegions())
    for (mlir::Block &block : region)
      for (mlir::Operation &inner : block)
        size = std::min(size + sizeAfterUnrolling(inner), kEnough);
  auto factor = op.getAttrOfType<mlir::IntegerAttr>("tile.loop_unroll_factor");
  return factor ? std::min(size * std::max<int64_t>(1, factor.getInt()), kEnough) : size;
}

// The time and memory of every later pass grow with what loops are unrolled to.
void KernelEmitter::boundUnrolling(mlir::Operation *loop, SourceRange place) {
  constexpr int64_t kMaxUnrolledOps = 1 << 15; // a larger loop is not unrolled by the pass either
  auto factor = loop->getAttrOfType<mlir::IntegerAttr>("tile.loop_unroll_factor");
  if (!factor || factor.getInt() <= 1)
    return;
  unrolledOps += sizeAfterUnrolling(*loop);
  if (unrolledOps > kMaxUnrolledOps)
    failAt(place,
           "unrolling this loop " + std::to_string(factor.getInt()) + " times makes more than " +
               std::to_string(kMaxUnrolledOps) + " operations",
           {"use a smaller `loop_unroll_factor`"});
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
       {"a kernel loops over `range(…)`, `tl.range(…)`, `tl.static_range(…)` or a tuple"},
       "UnsupportedLanguageConstruct");
}

void KernelEmitter::emitUnrolledFor(const For &loop, const Values &items) {
  ++frame().loopDepth;
  for (const Value &item : items) {
    assignTarget(loop.target, item);
    emitStatements(loop.body, nullptr);
  }
  --frame().loopDepth;
}

// The loop that `open` makes for the carried values, with `body` in it. It is made again for as long as its body shows that
// other values must be carried. `open` leaves the builder at the start of the body, with the carried names bound to
// their values there; it gives no loop when there is no iteration.
void KernelEmitter::emitLoop(Body body, SourceRange place,
                             llvm::function_ref<mlir::Operation *(const Carried &)> open) {
  mlir::Location loc = location();
  std::set<std::string> promoted;
  for (bool again = true; again;) {
    Carried carried = gatherCarried(body, promoted);
    Locals before = frame().locals;
    mlir::Operation *op = nullptr;
    Values ends;
    unsigned changesBefore = changes;
    {
      mlir::OpBuilder::InsertionGuard guard(builder);
      op = open(carried);
      if (!op) {
        frame().locals = before;
        return;
      }
      ++frame().loopDepth;
      emitStatements(body, nullptr);
      --frame().loopDepth;
      again = mustEmitAgain(carried, before, place, promoted);
      if (!again) {
        ends = valuesAtEnd(carried, place);
        std::vector<mlir::Value> flat;
        for (const Value &value : ends)
          flatten(value, flat);
        mlir::scf::YieldOp::create(builder, loc, flat);
      }
    }
    if (again) {
      op->erase();
      continue;
    }
    if (changes != changesBefore)
      requireSameAliases(carried, ends, before, place);
    boundUnrolling(op, place);
    dropInnerNames(before, place, "has a value only inside this loop");
    bindCarried(carried, op->getResults());
    for (size_t i = 0; i < ends.size(); ++i)
      aliases.add(frame().locals.at(carried.names[i]), ends[i]);
  }
}

// How a range counts: upwards from `low` by `step` to below `high`; `isDown` when the range itself counts the other way.
struct LoopBounds {
  Tensor low, high, step;
  Type type;
  bool isDown = false;
};

// A step that shows at run time only is looked at when the loop begins (codegen/LoopStep.h). One of constants that is empty for every
// step upwards (`range(10, 0, step)`) would be taken for nothing, and the look with it: it is empty for such steps alone.
static void keepLook(Emitter &emitter, LoopBounds &bounds) {
  mlir::APInt low, high;
  if (!matchPattern(bounds.low.ir, mlir::m_ConstantInt(&low)) ||
      !matchPattern(bounds.high.ir, mlir::m_ConstantInt(&high)))
    return;
  bool isUnsigned = bounds.type.isUnsignedInt();
  if (isUnsigned ? low.ult(high) : low.slt(high))
    return;
  using namespace mlir::arith;
  mlir::OpBuilder &builder = emitter.builder;
  mlir::Location loc = emitter.location();
  unsigned width = low.getBitWidth();
  auto constant = [&](const mlir::APInt &number) {
    return ConstantOp::create(builder, loc, builder.getIntegerAttr(bounds.low.ir.getType(), number));
  };
  auto isMore = isUnsigned ? CmpIPredicate::ugt : CmpIPredicate::sgt;
  mlir::Value isUpwards = CmpIOp::create(builder, loc, isMore, bounds.step.ir, constant(mlir::APInt::getZero(width)));
  mlir::Value largest = constant(isUnsigned ? mlir::APInt::getMaxValue(width) : mlir::APInt::getSignedMaxValue(width));
  bounds.high.ir = SelectOp::create(builder, loc, isUpwards, bounds.high.ir, largest);
}

static LoopBounds boundsOf(Emitter &emitter, const RangeObject &range) {
  LoopBounds bounds;
  Value step = range.step ? range.step : Value(1);
  auto constantStep = step.integer();
  if (constantStep && *constantStep == 0)
    emitter.fail("the step of a range must not be zero");
  bounds.isDown = constantStep && *constantStep < 0;
  bounds.low = toTensor(emitter, range.start ? range.start : Value(0)), bounds.high = toTensor(emitter, range.stop);
  if (bounds.isDown)
    std::swap(bounds.low, bounds.high), step = Value(Integer(-*constantStep));
  bounds.step = toTensor(emitter, step);
  Tensor *all[] = {&bounds.low, &bounds.high, &bounds.step};
  for (const Tensor *bound : all) {
    std::vector<std::string> notes;
    if (bound->type.isBlock())
      notes = {"all elements of a block are computed at once: a loop counts blocks"};
    else if (bound->type.isFloat())
      notes = {"divide integers with `//`, or convert it: `.to(tl.int32)`"};
    if (bound->type.isBlock() || !bound->type.isInt())
      emitter.fail("the bounds of a loop must be integer scalars, but one is " + describe(Value(*bound)),
                   std::move(notes), "TypeError");
  }
  auto promoted = [&](const Type &a, const Type &b) { return promoteTypes(emitter, a, false, b, false, false); };
  bounds.type = promoted(promoted(bounds.low.type, bounds.high.type), bounds.step.type);
  if (bounds.type.bitWidth() < 32)
    bounds.type = Type(Scalar::Int32);
  for (Tensor *bound : all)
    *bound = castTo(emitter, *bound, bounds.type);
  if (!constantStep)
    keepLook(emitter, bounds);
  return bounds;
}

// The options of tl.range, for whoever compiles the loop further.
static void setOptions(mlir::OpBuilder &builder, mlir::Operation *loop, const RangeObject &range) {
  for (const auto &[name, option] : range.options)
    if (auto number = option.integer())
      loop->setAttr("tile." + name, option.is<bool>() ? mlir::Attribute(builder.getBoolAttr(*number != 0))
                                                      : mlir::Attribute(builder.getI32IntegerAttr(int32_t(*number))));
}

// What a loop counts, as the range counts: for a negative step the loop runs upwards and its index is mirrored.
static mlir::Value mirrored(mlir::OpBuilder &builder, mlir::Location loc, const LoopBounds &bounds, mlir::Value index) {
  if (!bounds.isDown)
    return index;
  mlir::Value left = mlir::arith::SubIOp::create(builder, loc, bounds.high.ir, index);
  return mlir::arith::AddIOp::create(builder, loc, left, bounds.low.ir);
}

// Names that are mentioned anywhere but in the loops that give them their values.
static std::set<std::string_view> namesOutsideOfLoops(Body body) {
  std::set<std::string_view> outside;
  std::multiset<std::string_view> counted; // by the loops around
  SyntaxVisitor visitor;
  visitor.expression = [&](const Expr *expression) {
    if (auto *mention = dynCast<Name>(expression); mention && !counted.contains(mention->id))
      outside.insert(mention->id);
    visitParts(expression, visitor);
  };
  visitor.statement = [&](const Stmt *statement) {
    auto *loop = statement->kind == StmtKind::For ? static_cast<const For *>(statement) : nullptr;
    auto *target = loop ? dynCast<Name>(loop->target) : nullptr;
    if (!target)
      return visitParts(statement, visitor);
    visitor.expression(loop->iter);
    auto entry = counted.insert(target->id);
    for (Body part : {loop->body, loop->orelse})
      for (const Stmt *each : part)
        visitor.statement(each);
    counted.erase(entry);
  };
  for (const Stmt *statement : body)
    visitor.statement(statement);
  return outside;
}

// Nobody asks for the variables of most loops after them.
bool KernelEmitter::isReadOutsideOfLoops(std::string_view name) {
  const FunctionDef *definition = frame().function->definition;
  auto known = readOutside.find(definition);
  if (known == readOutside.end())
    known = readOutside.emplace(definition, namesOutsideOfLoops(definition->body)).first;
  return known->second.contains(name);
}

// The variable after its loop: the value of the last iteration, or `before` when there was none. Triton leaves it undefined
// but lets kernels read it.
static Tensor afterLoop(mlir::OpBuilder &builder, mlir::Location loc, const LoopBounds &bounds, mlir::Value before) {
  using namespace mlir::arith;
  mlir::Value low = bounds.low.ir, high = bounds.high.ir, step = bounds.step.ir;
  mlir::Value one = ConstantOp::create(builder, loc, builder.getIntegerAttr(low.getType(), 1));
  mlir::Value left = SubIOp::create(builder, loc, SubIOp::create(builder, loc, high, low), one);
  mlir::Value whole = MulIOp::create(builder, loc, DivUIOp::create(builder, loc, left, step), step);
  mlir::Value last = mirrored(builder, loc, bounds, AddIOp::create(builder, loc, low, whole));
  auto isLess = bounds.type.isUnsignedInt() ? CmpIPredicate::ult : CmpIPredicate::slt;
  mlir::Value ran = CmpIOp::create(builder, loc, isLess, low, high);
  mlir::Value otherwise = before ? before : mirrored(builder, loc, bounds, low);
  return {SelectOp::create(builder, loc, ran, last, otherwise), bounds.type};
}

// `i = start, start + step, …`, as Python counts.
void KernelEmitter::emitDynamicFor(const For &loop, const RangeObject &range) {
  auto *target = dynCast<Name>(loop.target);
  if (!target)
    fail("the variable of a loop must be a plain name");
  LoopBounds bounds = boundsOf(*this, range);
  mlir::Location loc = location();
  mlir::Value before; // what the variable is where the loop has no iteration
  if (auto it = frame().locals.find(target->id); it != frame().locals.end()) {
    if (it->second.isTensor() && it->second.tensor().type == bounds.type)
      before = it->second.tensor().ir;
    frame().locals.erase(it); // the loop gives it its value
  }
  emitLoop(loop.body, loop.iter->range, [&](const Carried &carried) -> mlir::Operation * {
    auto op = mlir::scf::ForOp::create(builder, loc, bounds.low.ir, bounds.high.ir, bounds.step.ir, carried.flat,
                                       nullptr, bounds.type.isUnsignedInt());
    setOptions(builder, op, range);
    op.getBody()->clear();
    builder.setInsertionPointToStart(op.getBody());
    bindCarried(carried, op.getRegionIterArgs());
    noteStatement();
    assignName(target->id, Tensor{mirrored(builder, loc, bounds, op.getInductionVar()), bounds.type}, target->range);
    return op;
  });
  if (isReadOutsideOfLoops(target->id))
    assignName(target->id, afterLoop(builder, loc, bounds, before), target->range);
}

void KernelEmitter::emitWhile(const While &loop) {
  if (!loop.orelse.empty())
    fail("`while … else` is not supported in a kernel", {}, "UnsupportedLanguageConstruct");
  mlir::Location loc = location();
  emitLoop(loop.body, loop.test->range, [&](const Carried &carried) -> mlir::Operation * {
    llvm::SmallVector<mlir::Type> types(mlir::ValueRange(carried.flat).getTypes());
    llvm::SmallVector<mlir::Location> locations(types.size(), loc);
    auto op = mlir::scf::WhileOp::create(builder, loc, types, carried.flat);
    mlir::Block *test = builder.createBlock(&op.getBefore(), {}, types, locations);
    bindCarried(carried, test->getArguments());
    refuseNamed(loop.test, "the condition of a `while`");
    Value condition = evaluate(loop.test);
    if (isPlainCondition(condition)) {
      if (constEval.truth(condition))
        failAt(loop.test->range, "this loop never ends: its condition is always true",
               {"write what it waits for: `while i < n:`"});
      op.erase();
      return nullptr;
    }
    Session::At at(session, loop.test->range);
    // As they are now: a method in the condition may have changed its object.
    mlir::Value goesOn = toCondition(*this, condition.tensor()).ir;
    mlir::scf::ConditionOp::create(builder, loc, goesOn, carriedAtEnd(carried, loop.test->range));
    mlir::Block *body = builder.createBlock(&op.getAfter(), {}, types, locations);
    bindCarried(carried, body->getArguments());
    noteStatement();
    // A loop whose results nobody uses is removed, also one without an end: in debug code, which the checker's is, it is
    // run, so that the mistake shows.
    if (options.debug)
      create<tile::BarrierOp>();
    return op;
  });
}

} // namespace nereid::lang
