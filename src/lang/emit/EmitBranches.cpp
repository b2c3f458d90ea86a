// EmitBranches.cpp: `if` and the conditional expression. A condition known at compile time picks one branch and opens
// no scope. At run time there are two shapes:
//
//   no return inside                   a return inside
//   %x = scf.if %c -> T {              %r = scf.if %c -> T {
//     … scf.yield %x1                    … scf.yield %returned
//   } else {                           } else {
//     … scf.yield %x2                    … the rest of the function … scf.yield %returned
//   }                                  }
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/semantic/Semantic.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace nereid::syntax;

namespace nereid::lang {

bool containsReturn(Body body) {
  for (const Stmt *statement : body) {
    switch (statement->kind) {
    case StmtKind::Return: return true;
    case StmtKind::If:
      if (containsReturn(cast<If>(statement).body) || containsReturn(cast<If>(statement).orelse))
        return true;
      break;
    case StmtKind::For:
      if (containsReturn(cast<For>(statement).body))
        return true;
      break;
    case StmtKind::While:
      if (containsReturn(cast<While>(statement).body))
        return true;
      break;
    case StmtKind::With:
      if (containsReturn(cast<With>(statement).body))
        return true;
      break;
    default: break;
    }
  }
  return false;
}

bool KernelEmitter::isPlainCondition(const Value &value) {
  if (value.isTensor())
    return false;
  if (value.constant<Opaque>())
    fail("this condition is not known at compile time");
  if (!value.isConstant() && !value.asTuple())
    fail("a value of type " + describe(value) + " is not a condition", {}, "TypeError");
  return true;
}

KernelEmitter::Outcome KernelEmitter::emitIf(const If &statement, const Rest &rest, bool &consumedRest) {
  Value condition = evaluate(statement.test);
  Session::At at(session, statement.test->range);
  if (isPlainCondition(condition)) {
    Body taken = constEval.truth(condition) ? statement.body : statement.orelse;
    if (!containsReturn(taken))
      return emitStatements(taken, nullptr);
    // The taken branch continues into what follows, so that a return in it ends the function.
    consumedRest = true;
    return emitStatements(taken, &rest);
  }
  Tensor test = toCondition(*this, condition.tensor());
  if (containsReturn(statement.body) || containsReturn(statement.orelse)) {
    if (frame().loopDepth)
      fail("cannot have `return` statements inside `while` or `for` statements in triton",
           {"store the result in a variable and return it after the loop"});
    consumedRest = true;
    return emitReturningIf(statement, test, rest);
  }
  emitMergingIf(statement, test);
  return {};
}

// Runs `fill` with the insertion point in a new block of `region` and the names as they are now, and puts the names
// back afterwards.
template <class Fill> KernelEmitter::Branch KernelEmitter::fillBranch(mlir::Region &region, Fill fill) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  Branch branch;
  branch.block = builder.createBlock(&region);
  Locals savedLocals = frame().locals;
  auto savedLost = frame().lost;
  branch.outcome = fill();
  branch.block = builder.getInsertionBlock();
  branch.locals = std::move(frame().locals);
  branch.lost = std::move(frame().lost);
  frame().locals = std::move(savedLocals);
  frame().lost = std::move(savedLost);
  return branch;
}

// Makes two values of one kind, where a constant on one side (or two different constants) becomes a tensor at the end
// of its branch. False when their kinds differ.
bool KernelEmitter::mergeKinds(Value &a, mlir::Block *aBlock, Value &b, mlir::Block *bBlock) {
  if (sameKind(a, b))
    return true;
  auto isNumber = [](const Value &v) { return v.is<bool>() || v.is<Integer>() || v.is<double>(); };
  auto toTensorIn = [&](Value &value, mlir::Block *block) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    value = toTensor(*this, value);
  };
  if (isNumber(a) && (b.isTensor() || isNumber(b)))
    toTensorIn(a, aBlock);
  if (isNumber(b) && a.isTensor())
    toTensorIn(b, bBlock);
  const Tuple *left = a.asTuple(), *right = b.asTuple();
  if (left && right && left->items.size() == right->items.size()) {
    Values leftItems = left->items, rightItems = right->items;
    for (size_t i = 0; i < leftItems.size(); ++i)
      if (!mergeKinds(leftItems[i], aBlock, rightItems[i], bBlock))
        return false;
    a = Value::tuple(std::move(leftItems), left->cls);
    b = Value::tuple(std::move(rightItems), right->cls);
  }
  return sameKind(a, b);
}

std::vector<mlir::Value> KernelEmitter::finishIf(mlir::Value condition, Branch &thenBranch, Branch &elseBranch,
                                                 const std::vector<Value> &thenValues,
                                                 const std::vector<Value> &elseValues) {
  std::vector<mlir::Value> thenFlat, elseFlat;
  for (const Value &value : thenValues)
    flatten(value, thenFlat);
  for (const Value &value : elseValues)
    flatten(value, elseFlat);
  mlir::Location loc = location();
  auto yield = [&](mlir::Block *block, const std::vector<mlir::Value> &values) {
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    mlir::scf::YieldOp::create(builder, loc, values);
  };
  yield(thenBranch.block, thenFlat);
  yield(elseBranch.block, elseFlat);

  llvm::SmallVector<mlir::Type> types;
  for (mlir::Value value : thenFlat)
    types.push_back(value.getType());
  auto op = mlir::scf::IfOp::create(builder, loc, types, condition, /*addThenBlock=*/false, /*addElseBlock=*/false);
  op.getThenRegion().takeBody(*thenBranch.block->getParent());
  mlir::Block &elseBlock = *elseBranch.block;
  if (!types.empty() || elseBlock.getOperations().size() > 1)
    op.getElseRegion().takeBody(*elseBlock.getParent());
  return {op.getResults().begin(), op.getResults().end()};
}

KernelEmitter::Outcome KernelEmitter::emitReturningIf(const If &statement, const Tensor &condition, const Rest &rest) {
  mlir::Region thenRegion, elseRegion;
  Branch thenBranch = fillBranch(thenRegion, [&] { return emitStatements(statement.body, &rest); });
  Branch elseBranch = fillBranch(elseRegion, [&] { return emitStatements(statement.orelse, &rest); });
  auto result = [](const Branch &branch) { return branch.outcome.returned ? branch.outcome.result : Value(None{}); };
  Value thenResult = result(thenBranch), elseResult = result(elseBranch);
  for (auto [result, other, branch] :
       {std::tuple(&thenResult, &elseResult, &thenBranch), std::tuple(&elseResult, &thenResult, &elseBranch)})
    if (!branch->outcome.returned &&
        (other->isTensor() || other->number())) { // it falls off the end: its value must not be used
      mlir::OpBuilder::InsertionGuard guard(builder);
      builder.setInsertionPointToEnd((branch == &thenBranch ? elseBranch : thenBranch).block);
      *other = toTensor(*this, *other);
      builder.setInsertionPointToEnd(branch->block);
      *result = Tensor{create<mlir::ub::PoisonOp>(other->tensor().ir.getType()), other->tensor().type};
    }
  if (!mergeKinds(thenResult, thenBranch.block, elseResult, elseBranch.block))
    failAt(elseBranch.outcome.returned ? elseBranch.outcome.place : thenBranch.outcome.place,
           "inconsistent return types: " + describe(thenResult) + " on one path and " + describe(elseResult) +
               " on another",
           {"every `return` of a function must give the same type"}, "TypeError");
  std::vector<mlir::Value> results = finishIf(condition.ir, thenBranch, elseBranch, {thenResult}, {elseResult});
  std::span<const mlir::Value> flat(results);
  return {true, unflatten(thenResult, flat),
          elseBranch.outcome.returned ? elseBranch.outcome.place : thenBranch.outcome.place};
}

// None, types and functions are no values of run time: where one branch alone gives such a name another value, nobody can
// say what it is afterwards (Triton takes the value from before, whichever way was taken).
static bool endsWithBranch(const Value &before, const Value &thenValue, const Value &elseValue) {
  bool isOfRunTime = !before.isNone() && !before.is<Type>() && !before.object<Function>();
  return !isOfRunTime && (sameValue(before, thenValue) || sameValue(before, elseValue));
}

void KernelEmitter::emitMergingIf(const If &statement, const Tensor &condition) {
  mlir::Region thenRegion, elseRegion;
  Branch thenBranch = fillBranch(thenRegion, [&] { return emitStatements(statement.body, nullptr); });
  Branch elseBranch = fillBranch(elseRegion, [&] { return emitStatements(statement.orelse, nullptr); });

  std::vector<std::string> names;
  Values thenValues, elseValues;
  Locals &locals = frame().locals;
  auto lose = [&](const std::string &name, std::string reason) {
    locals.erase(name);
    frame().lost[name] = {std::move(reason), session.source(), statement.test->range};
  };
  std::set<std::string> all;
  for (const auto &[name, value] : thenBranch.locals)
    all.insert(name);
  for (const auto &[name, value] : elseBranch.locals)
    all.insert(name);
  for (const std::string &name : all) {
    auto thenIt = thenBranch.locals.find(name), elseIt = elseBranch.locals.find(name);
    if (thenIt == thenBranch.locals.end() || elseIt == elseBranch.locals.end()) {
      const auto &lostThere = thenIt == thenBranch.locals.end() ? thenBranch.lost : elseBranch.lost;
      auto lost = lostThere.find(name);
      lose(name, lost != lostThere.end() ? lost->second.reason : "is assigned only in one branch of this `if`");
      continue;
    }
    Value thenValue = thenIt->second, elseValue = elseIt->second;
    if (sameValue(thenValue, elseValue)) {
      locals.insert_or_assign(name, standingForBoth(thenValue, elseValue));
      continue;
    }
    if (auto before = locals.find(name);
        before != locals.end() && endsWithBranch(before->second, thenValue, elseValue)) {
      lose(name, "is " + describe(thenValue) + " if this condition holds, but " + describe(elseValue) + " otherwise");
      continue;
    }
    if (!mergeKinds(thenValue, thenBranch.block, elseValue, elseBranch.block)) {
      auto at = frame().assignedAt.find(name);
      if (at != frame().assignedAt.end())
        failAt(at->second,
               "mismatched type for " + name + ": it is " + describe(thenValue) + " if the condition holds, but " +
                   describe(elseValue) + " otherwise",
               {"both branches must give `" + name + "` the same type"}, "TypeError");
      lose(name, "has different types in the branches of this `if`");
      continue;
    }
    names.push_back(name);
    thenValues.push_back(thenValue);
    elseValues.push_back(elseValue);
  }
  std::vector<mlir::Value> results = finishIf(condition.ir, thenBranch, elseBranch, thenValues, elseValues);
  std::span<const mlir::Value> flat(results);
  for (size_t i = 0; i < names.size(); ++i) {
    Value merged = unflatten(thenValues[i], flat);
    aliases.add(merged, thenValues[i]);
    aliases.add(merged, elseValues[i]);
    locals.insert_or_assign(names[i], merged);
  }
}

// A value that both branches give; where these are two objects, it is neither of them for sure.
Value KernelEmitter::standingForBoth(const Value &thenValue, const Value &elseValue) {
  Instance *instance = thenValue.object<Instance>();
  if (!instance || instance == elseValue.object<Instance>())
    return thenValue;
  Value merged = std::make_shared<Instance>(*instance);
  aliases.add(merged, thenValue);
  aliases.add(merged, elseValue);
  return merged;
}

Value KernelEmitter::emitIfExpression(const IfExp &expression) {
  Value condition = evaluate(expression.test);
  Session::At at(session, expression.test->range);
  if (isPlainCondition(condition))
    return evaluate(constEval.truth(condition) ? expression.body : expression.orelse);
  Tensor test = toCondition(*this, condition.tensor());
  for (const Expr *part : {expression.body, expression.orelse})
    refuseNamed(part, "a branch of a conditional expression");
  mlir::Region thenRegion, elseRegion;
  Branch thenBranch = fillBranch(thenRegion, [&] { return Outcome{true, toAssigned(evaluate(expression.body))}; });
  Branch elseBranch = fillBranch(elseRegion, [&] { return Outcome{true, toAssigned(evaluate(expression.orelse))}; });
  for (Branch *branch : {&thenBranch, &elseBranch})
    for (const auto &[name, value] : frame().locals)
      if (value.object<Instance>() != branch->locals.at(name).object<Instance>())
        fail("a method changes `" + name + "` in one branch of a conditional expression",
             {"write it as `if` and `else`"}, "TypeError");
  Value &a = thenBranch.outcome.result, &b = elseBranch.outcome.result;
  if (!mergeKinds(a, thenBranch.block, b, elseBranch.block))
    fail("ternary expression with dynamic condition has inconsistent types " + describe(a) + " and " + describe(b), {},
         "TypeError");
  std::vector<mlir::Value> results = finishIf(test.ir, thenBranch, elseBranch, {a}, {b});
  std::span<const mlir::Value> flat(results);
  Value merged = unflatten(a, flat);
  aliases.add(merged, a);
  aliases.add(merged, b);
  return merged;
}

} // namespace nereid::lang
