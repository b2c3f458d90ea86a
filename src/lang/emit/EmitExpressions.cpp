// EmitExpressions.cpp: expressions of a kernel. What is known at compile time goes to ConstEval; the rest becomes ops.
#include "lang/Builtin.h"
#include "lang/Constructs.h"
#include "lang/Foreign.h"
#include "lang/Modules.h"
#include "lang/Suggest.h"
#include "lang/SyntaxWalk.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/semantic/Semantic.h"

#include <algorithm>

using namespace nereid::syntax;

namespace nereid::lang {

// What is emitted costs memory and the time of every later pass, so that it counts more than what is evaluated: a kernel
// that unrolls without end stops within a second.
static constexpr uint64_t kStepsOfEmission = 50;

Value KernelEmitter::evaluate(const Expr *expression) {
  Session::At at(session, expression->range);
  session.step(kStepsOfEmission);
  Value value = evaluateKind(expression);
  if (!value)
    fail("this expression has no value");
  return value;
}

Value KernelEmitter::evaluateKind(const Expr *expression) {
  switch (expression->kind) {
  case ExprKind::Constant: return constEval.constantOf(cast<Constant>(expression));
  case ExprKind::Name: return evaluateName(cast<Name>(expression));
  case ExprKind::Attribute: return evaluateAttribute(cast<Attribute>(expression));
  case ExprKind::Subscript: return evaluateSubscript(cast<Subscript>(expression));
  case ExprKind::Call: return evaluateCall(cast<Call>(expression));
  case ExprKind::BinOp: {
    auto &binary = cast<BinOp>(expression);
    Value lhs = evaluate(binary.left);
    Value rhs = evaluate(binary.right);
    return evaluateBinary(binary.op, lhs, rhs);
  }
  case ExprKind::UnaryOp: return evaluateUnary(cast<UnaryOp>(expression));
  case ExprKind::Compare: return evaluateCompare(cast<Compare>(expression));
  case ExprKind::BoolOp: return evaluateBool(cast<BoolOp>(expression));
  case ExprKind::IfExp: return emitIfExpression(cast<IfExp>(expression));
  case ExprKind::Tuple: return evaluateItems(cast<TupleExpr>(expression).elts);
  case ExprKind::List: return evaluateItems(cast<ListExpr>(expression).elts);
  case ExprKind::ListComp: return evaluateListComp(cast<ListComp>(expression));
  case ExprKind::NamedExpr: return evaluateNamed(cast<NamedExpr>(expression));
  case ExprKind::JoinedStr: return evaluateJoinedStr(cast<JoinedStr>(expression));
  case ExprKind::Slice: {
    auto &slice = cast<Slice>(expression);
    auto part = [&](const Expr *e) { return e ? evaluate(e) : Value(None{}); };
    return std::make_shared<const SliceObject>(SliceObject{part(slice.lower), part(slice.upper), part(slice.step)});
  }
  case ExprKind::Dict:
    if (frame().function->isExtern)
      return evaluateDict(cast<Dict>(expression));
    [[fallthrough]];
  default:
    fail(unsupportedExpression(expression->kind), helpForExpression(expression->kind), "UnsupportedLanguageConstruct");
  }
}

// The symbols of extern_elementwise by argument types.
Value KernelEmitter::evaluateDict(const Dict &dict) {
  auto object = std::make_shared<DictObject>();
  for (size_t i = 0; i < dict.keys.size(); ++i) {
    if (!dict.keys[i])
      failAt(dict.values[i]->range, "`**` is not supported in a dict here", {}, "UnsupportedLanguageConstruct");
    Value key = evaluate(dict.keys[i]);
    object->items.emplace_back(std::move(key), evaluate(dict.values[i]));
  }
  return object;
}

Value KernelEmitter::evaluateName(const Name &name) {
  Frame &f = frame();
  if (auto it = f.locals.find(name.id); it != f.locals.end())
    return it->second;
  if (auto it = f.lost.find(name.id); it != f.lost.end()) {
    Diagnostic why{Severity::Note, it->second.source, it->second.range, "it " + it->second.reason, {}};
    session.failWith(
        {Severity::Error, session.source(), name.range, "`" + std::string(name.id) + "` may have no value here", {why}},
        "NameError");
  }
  // Every scope ends in Python's builtins, of which a kernel sees only some.
  const Value *builtin = builtinScope()->find(name.id);
  if (f.function->closure)
    if (Value *captured = f.function->closure->find(name.id); captured && captured != builtin)
      return evaluateGlobal(name.id, *captured);
  if (f.function->module && f.function->module->globals)
    if (Value *global = f.function->module->globals->find(name.id); global && global != builtin)
      return evaluateGlobal(name.id, *global);
  if (Value python = pythonName(name.id, session))
    return python;
  failUndefined(name.id);
}

void KernelEmitter::failUndefined(std::string_view name) {
  std::vector<std::string> known;
  for (const auto &[local, value] : frame().locals)
    known.push_back(local);
  for (std::shared_ptr<Scope> scope = frame().function->module ? frame().function->module->globals : nullptr; scope;
       scope = scope->parent)
    for (const auto &[global, value] : scope->names)
      known.push_back(global);
  std::vector<std::string> help = didYouMean(name, known);
  if (findBuiltin("tl", name))
    help = {"write `tl." + std::string(name) + "(…)`"};
  if (help.empty() && name == "tl")
    help = {"write `import triton.language as tl` at the top of the file"};
  std::string quoted = "`" + std::string(name) + "`";
  if (builtinScope()->find(name))
    fail("the function " + quoted + " of Python cannot be used in a kernel", pythonNameHelp(name), "NameError");
  fail(quoted + " is not defined", help, "NameError");
}

// A kernel sees constexpr globals, modules, jit functions, dtypes and classes; other globals could change between
// compilation and launch.
GlobalProblem globalProblem(std::string_view name, const Value &value, bool allowPlainGlobals) {
  if (auto *opaque = value.constant<Opaque>(); opaque && opaque->foreign) {
    if (opaque->foreign->isReadable() || allowPlainGlobals)
      return {};
    std::string message = "cannot access global variable `" + std::string(name) + "` in a kernel";
    if (opaque->foreign->isPlainFunction())
      return {message, "it is a plain Python function: decorate it with `@triton.jit`, or with "
                       "`@triton.constexpr_function` if it runs at compile time"};
    size_t address = opaque->path.find(" at 0x");
    return {message, (address == std::string::npos ? "it is `" : "its type is `") + opaque->path.substr(0, address) +
                         "`; make it a constant: `" + std::string(name) +
                         " = tl.constexpr(…)`, or pass it as a parameter"};
  }
  if (auto *opaque = value.constant<Opaque>())
    return {"`" + std::string(name) + "` is not known at compile time", originOf(*opaque)};
  bool isPlain = value.is<bool>() || value.is<Integer>() || value.is<double>() || value.str() || value.asTuple() ||
                 value.object<ListObject>() || value.object<DictObject>();
  if (isPlain && !value.isConstexpr && !allowPlainGlobals)
    return {"cannot access global variable `" + std::string(name) + "` in a kernel",
            "make it a constant: `" + std::string(name) + " = tl.constexpr(" + repr(value) +
                ")`, or pass it as a parameter"};
  return {};
}

Value KernelEmitter::evaluateGlobal(std::string_view name, const Value &value) {
  if (GlobalProblem problem = globalProblem(name, value, options.allowPlainGlobals); !problem.message.empty())
    fail(std::move(problem.message), {std::move(problem.help)}, "NameError");
  return value;
}

Value KernelEmitter::attributeOf(const Value &object, const std::string &name) {
  if (auto *tensor = object.get<Tensor>())
    return tensorAttribute(*this, *tensor, name);
  if (auto *descriptor = object.constant<Descriptor>())
    return descriptorAttribute(*this, *descriptor, name);
  if (auto *pointer = object.constant<BlockPointer>())
    return blockPointerAttribute(*this, *pointer, name);
  return constEval.attribute(object, name);
}

Value KernelEmitter::evaluateAttribute(const Attribute &attribute) {
  Value object = evaluate(attribute.value);
  std::string name(attribute.attr);
  Session::At at(session, attribute.attrRange);
  Value result = attributeOf(object, name);
  if (!result)
    failAttribute(object, name, attribute.value);
  return result;
}

void KernelEmitter::failAttribute(const Value &object, const std::string &name, const Expr *written) {
  std::vector<std::string> help = attributeHelp(object, name);
  if (Module *module = object.object<Module>()) {
    if (help.empty())
      help = didYouMean(name, publicNames(constEval, *module));
    std::string text(session.source() ? session.source()->slice(written->range) : std::string_view(module->name));
    fail("`" + text + "` has no `" + name + "`", help, "AttributeError");
  }
  fail(missingAttribute(object, name), help, "AttributeError");
}

Value KernelEmitter::evaluateSubscript(const Subscript &subscript) {
  Value object = evaluate(subscript.value);
  Value index = evaluate(subscript.slice);
  Session::At at(session, subscript.slice->range);
  if (auto *tensor = object.get<Tensor>())
    return emitSubscript(*this, *tensor, index);
  // The shape of a pointer or of one number is `()`.
  if (auto *shape = dynCast<Attribute>(subscript.value); shape && shape->attr == "shape")
    if (const Tuple *tuple = object.asTuple(); tuple && tuple->items.empty())
      fail("a pointer or a single number has no extents",
           {"a kernel gets the address of a tensor: pass its extents as parameters"}, "IndexError");
  if (Instance *instance = object.object<Instance>())
    if (Value method = instance->cls->lookup("__getitem__"))
      return call(method, {{object, "", subscript.value->range}, {index, "", subscript.slice->range}});
  if (!index.isConstant())
    fail("a " + typeName(object) + " can only be indexed with values known at compile time", {}, "TypeError");
  return constEval.subscript(object, index);
}

static const char *methodName(BinaryOperator op) {
  static constexpr const char *kNames[] = {"add",    "sub",    "mul", "matmul", "truediv", "mod",     "pow",
                                           "lshift", "rshift", "or",  "xor",    "and",     "floordiv"};
  return kNames[static_cast<size_t>(op)];
}

Value KernelEmitter::evaluateBinary(BinaryOperator op, const Value &lhs, const Value &rhs) {
  // An aggregate may define the operator.
  for (bool reflected : {false, true}) {
    const Value &owner = reflected ? rhs : lhs;
    if (Instance *instance = owner.object<Instance>())
      if (Value method = instance->cls->lookup(std::string(reflected ? "__r" : "__") + methodName(op) + "__"))
        return call(method, {{owner, "", {}}, {reflected ? lhs : rhs, "", {}}});
  }
  for (const Value *operand : {&lhs, &rhs})
    if (auto *opaque = operand->constant<Opaque>()) {
      size_t address = opaque->path.find(" at 0x");
      if (address != std::string::npos) // an object of the program that launches
        fail("a `" + opaque->path.substr(0, address) + "` of the host is no number that is known at compile time",
             {"for a parameter with `tl.constexpr` pass a number (`x.item()` of a tensor with one)"});
      fail("`" + opaque->path + "` is not known at compile time");
    }
  if (lhs.isTensor() || rhs.isTensor()) {
    if (op == BinaryOperator::MatMult)
      fail("`@` is not supported in a kernel", {"write `tl.dot(a, b)`"}, "UnsupportedLanguageConstruct");
    return emitBinary(*this, op, lhs, rhs);
  }
  return constEval.binary(op, lhs, rhs);
}

Value KernelEmitter::evaluateUnary(const UnaryOp &expression) {
  Value operand = evaluate(expression.operand);
  if (auto *tensor = operand.get<Tensor>())
    return emitUnary(*this, expression.op, *tensor);
  if (expression.op == UnaryOperator::Not && operand.asTuple())
    fail("`not` of a tuple is not supported in a kernel", {"compare its length: `len(x) == 0`"},
         "UnsupportedLanguageConstruct");
  return constEval.unary(expression.op, operand);
}

static bool hasBitwiseOperand(const Compare &expression) {
  return std::ranges::any_of(expression.comparators, [](const Expr *operand) {
    auto *binary = dynCast<BinOp>(operand);
    return binary && (binary->op == BinaryOperator::BitAnd || binary->op == BinaryOperator::BitOr);
  });
}

Value KernelEmitter::evaluateCompare(const Compare &expression) {
  if (expression.ops.size() != 1)
    fail("a chained comparison is not supported in a kernel",
         {hasBitwiseOperand(expression) ? "`&` and `|` bind tighter than `<`: write `(a < b) & (b < c)`"
                                        : "write `(a < b) & (b < c)`"},
         "UnsupportedLanguageConstruct");
  CompareOperator op = expression.ops[0];
  Value lhs = evaluate(expression.left);
  Value rhs = evaluate(expression.comparators[0]);
  if (op == CompareOperator::Is || op == CompareOperator::IsNot)
    return identical(lhs, rhs) == (op == CompareOperator::Is);
  if (op == CompareOperator::In || op == CompareOperator::NotIn)
    if (!lhs.isConstant() || !rhs.isConstant())
      fail("`in` is not supported on run-time values", {}, "UnsupportedLanguageConstruct");
  if (lhs.isTensor() || rhs.isTensor()) {
    bool isEquality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
    if (isEquality && (lhs.isNone() || rhs.isNone())) // a run-time value never equals None
      return op == CompareOperator::NotEq;
    return emitCompare(*this, op, lhs, rhs);
  }
  return constEval.compare(op, lhs, rhs);
}

// Constants short-circuit; run-time operands are combined element by element.
Value KernelEmitter::evaluateBool(const BoolOp &expression) {
  bool isAnd = expression.op == BoolOperator::And;
  Value last, combined;
  for (const Expr *operand : expression.values) {
    last = evaluate(operand);
    if (!last.isTensor()) {
      if (constEval.truth(last) != isAnd)
        return last;
      continue;
    }
    combined = combined ? emitLogical(*this, expression.op, combined, last) : last;
  }
  return combined ? combined : last;
}

Value KernelEmitter::evaluateItems(ExprList items) {
  Values values;
  for (const Expr *item : items) {
    if (auto *starred = dynCast<Starred>(item)) {
      Value inner = evaluate(starred->value);
      const Tuple *tuple = inner.asTuple();
      if (!tuple)
        failAt(item->range, "only a tuple can be unpacked with `*`, not " + describe(inner), {}, "TypeError");
      values.insert(values.end(), tuple->items.begin(), tuple->items.end());
      continue;
    }
    values.push_back(evaluate(item));
  }
  return Value::tuple(std::move(values));
}

Value KernelEmitter::evaluateNamed(const NamedExpr &expression) {
  Value value = toAssigned(expression.target, evaluate(expression.value));
  assignTarget(expression.target, value);
  return value;
}

// Names are bound where a line begins that always runs as a whole: branches and loops follow what lines assign.
void KernelEmitter::refuseNamed(const Expr *expression, const std::string &where) {
  if (expression->kind == ExprKind::NamedExpr)
    failAt(expression->range, "`:=` is not supported in " + where, {"assign in a line of its own"},
           "UnsupportedLanguageConstruct");
  visitParts(expression, {[&](const Expr *part) { refuseNamed(part, where); }, nullptr});
}

Value KernelEmitter::evaluateListComp(const ListComp &expression) {
  if (expression.generators.size() != 1)
    fail("nested comprehensions are not supported in a kernel");
  refuseNamed(expression.elt, "a comprehension");
  const Comprehension &generator = *expression.generators[0];
  Value iterable = evaluate(generator.iter);
  Values items;
  if (const Tuple *tuple = iterable.asTuple())
    items = tuple->items;
  else if (iterable.constant<RangeObject>() && iterable.isConstant())
    items = constEval.iterate(iterable);
  else
    failAt(generator.iter->range, "a comprehension in a kernel runs over a tuple, not over " + describe(iterable),
           {"a `for` loop takes bounds of run time; or give the number as a `tl.constexpr`"}, "NotImplementedError");
  Locals saved = frame().locals;
  Values results;
  for (const Value &item : items) {
    assignTarget(generator.target, item);
    bool keep = true;
    for (const Expr *condition : generator.ifs) {
      refuseNamed(condition, "a comprehension");
      Value test = evaluate(condition);
      Session::At at(session, condition->range);
      if (!isPlainCondition(test))
        fail("the condition of a comprehension must be known at compile time");
      keep = keep && constEval.truth(test);
    }
    if (keep)
      results.push_back(evaluate(expression.elt));
  }
  frame().locals = std::move(saved);
  return Value::tuple(std::move(results));
}

Value KernelEmitter::evaluateJoinedStr(const JoinedStr &expression) {
  std::string text;
  for (const Expr *part : expression.values) {
    if (auto *constant = dynCast<Constant>(part)) {
      text += constant->text;
      continue;
    }
    auto &field = cast<FormattedValue>(part);
    Value value = evaluate(field.value);
    if (!value.isConstant())
      failAt(field.value->range,
             "an f-string in a kernel can only show values known at compile time, but this is " + describe(value),
             {"print run-time values with `tl.device_print`"}, "UnsupportedLanguageConstruct");
    std::string spec;
    if (field.formatSpec)
      spec = *evaluateJoinedStr(cast<JoinedStr>(field.formatSpec)).str();
    text += constEval.format(value, field.conversion < 0 ? '\0' : char(field.conversion), spec);
  }
  return text;
}

} // namespace nereid::lang
