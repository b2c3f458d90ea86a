// ConstEval.cpp: expressions of compile-time Python.
#include "lang/evaluate/ConstEval.h"

#include "lang/DeferredDelete.h"
#include "lang/evaluate/LibraryFunction.h"

namespace nereid::lang {

using namespace syntax;

namespace {

// Keeps count of the nesting of expressions and statements: the tree is walked on the C++ stack.
class Nested {
public:
  Nested(Session &session, int &depth) : depth(depth) {
    if (depth >= ConstEval::kMaxNesting)
      session.fail("compile-time code is nested more than " + std::to_string(ConstEval::kMaxNesting) + " deep", {},
                   "RecursionError");
    ++depth;
  }
  ~Nested() { --depth; }

private:
  int &depth;
};

int digitValue(char c) { return c <= '9' ? c - '0' : (c | 32) - 'a' + 10; }

} // namespace

static void checkSize(Session &session, size_t size, size_t limit, const char *unit) {
  if (size > limit)
    session.fail("a value of " + std::to_string(size) + " " + unit +
                     " is too large for compile-time evaluation (limit " + std::to_string(limit) + ")",
                 {}, "MemoryError");
}

void ConstEval::allocate(size_t count) {
  checkSize(session, count, kMaxItems, "items");
  session.step(count);
  session.make(count * sizeof(Value));
}

void ConstEval::allocateText(size_t bytes, size_t size) {
  checkSize(session, size, kMaxTextBytes, "bytes");
  session.step(bytes / 64);
  session.make(bytes);
}

Value ConstEval::evaluate(const Expr *expression, const std::shared_ptr<Scope> &scope) {
  session.step(2);
  Session::At at(session, expression->range);
  Nested nested(session, nesting);
  return evaluateKind(expression, scope);
}

Value ConstEval::evaluateKind(const Expr *expression, const std::shared_ptr<Scope> &scope) {
  auto part = [&](const Expr *e) { return e ? evaluate(e, scope) : Value(None{}); };
  switch (expression->kind) {
  case ExprKind::Constant: return constantOf(cast<Constant>(expression));
  case ExprKind::Name: return evaluateName(cast<Name>(expression), scope);
  case ExprKind::Attribute: return evaluateAttribute(cast<Attribute>(expression), scope);
  case ExprKind::Call: return evaluateCall(cast<Call>(expression), scope);
  case ExprKind::BinOp: {
    auto &operation = cast<BinOp>(expression);
    Value left = evaluate(operation.left, scope);
    return binary(operation.op, left, evaluate(operation.right, scope));
  }
  case ExprKind::UnaryOp:
    return unary(cast<UnaryOp>(expression).op, evaluate(cast<UnaryOp>(expression).operand, scope));
  case ExprKind::BoolOp: return evaluateBool(cast<BoolOp>(expression), scope);
  case ExprKind::Compare: return evaluateCompare(cast<Compare>(expression), scope);
  case ExprKind::IfExp: return evaluateConditional(cast<IfExp>(expression), scope);
  case ExprKind::Subscript: {
    Value object = evaluate(cast<Subscript>(expression).value, scope);
    return subscript(object, evaluate(cast<Subscript>(expression).slice, scope));
  }
  case ExprKind::Slice: {
    auto &slice = cast<Slice>(expression);
    return Value(std::shared_ptr<const SliceObject>(
        makeNested(SliceObject{part(slice.lower), part(slice.upper), part(slice.step)})));
  }
  case ExprKind::Tuple: return Value::tuple(evaluateItems(cast<TupleExpr>(expression).elts, scope));
  case ExprKind::List: return makeList(evaluateItems(cast<ListExpr>(expression).elts, scope));
  case ExprKind::Set: {
    auto set = std::make_shared<SetObject>();
    for (const Value &item : evaluateItems(cast<Set>(expression).elts, scope))
      addItem(*set, item);
    return set;
  }
  case ExprKind::Dict: return evaluateDict(cast<Dict>(expression), scope);
  case ExprKind::JoinedStr: return evaluateText(cast<JoinedStr>(expression), scope);
  case ExprKind::FormattedValue: return evaluateText(JoinedStr{*expression, {}}, scope);
  case ExprKind::Lambda: return evaluateLambda(cast<Lambda>(expression), scope);
  case ExprKind::ListComp:
  case ExprKind::SetComp:
  case ExprKind::DictComp:
  case ExprKind::GeneratorExp: return evaluateComprehension(expression, scope);
  case ExprKind::NamedExpr: {
    Value value = evaluate(cast<NamedExpr>(expression).value, scope);
    std::shared_ptr<Scope> target = scope;
    while (target->isComprehension && target->parent)
      target = target->parent;
    assign(cast<NamedExpr>(expression).target, value, target);
    return value;
  }
  case ExprKind::Starred: session.fail("a starred expression cannot stand here", {}, "SyntaxError");
  case ExprKind::Await: return makeOpaque("await");
  case ExprKind::Yield: return evaluateYield(cast<Yield>(expression).value, false, scope);
  case ExprKind::YieldFrom: return evaluateYield(cast<YieldFrom>(expression).value, true, scope);
  }
  return {};
}

Value ConstEval::constantOf(const Constant &constant) {
  switch (constant.constantKind) {
  case ConstantKind::None: return None{};
  case ConstantKind::True: return true;
  case ConstantKind::False: return false;
  case ConstantKind::Ellipsis: return Ellipsis{};
  case ConstantKind::Float: return constant.number;
  case ConstantKind::Complex: return makeOpaque("a complex number");
  case ConstantKind::Str: return std::string(constant.text);
  case ConstantKind::Bytes: return makeOpaque("bytes");
  case ConstantKind::Int: break;
  }
  std::string_view digits = constant.text;
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0' && digits[1] > '9') {
    base = (digits[1] | 32) == 'x' ? 16 : (digits[1] | 32) == 'o' ? 8 : 2;
    digits.remove_prefix(2);
  }
  Integer value = 0;
  for (char c : digits)
    if (__builtin_mul_overflow(value, Integer(base), &value) ||
        __builtin_add_overflow(value, Integer(digitValue(c)), &value))
      session.fail("this integer needs more than 127 bits", {"compile-time integers are bounded"}, "OverflowError");
  return value;
}

Value ConstEval::evaluateName(const Name &name, const std::shared_ptr<Scope> &scope) {
  bool isGlobal = activation && activation->globals.contains(name.id) && activation->module;
  if (Value *found = isGlobal ? activation->module->globals->find(name.id) : scope->find(name.id))
    return *found;
  std::vector<std::string> candidates;
  // Module-level code shows none of it.
  for (Scope *s = activation && activation->isLenient ? nullptr : scope.get(); s; s = s->parent.get())
    for (auto &entry : s->names)
      candidates.push_back(entry.first);
  session.step(10 * candidates.size());
  std::string nearest = nearestName(name.id, candidates);
  session.fail("`" + std::string(name.id) + "` is not defined",
               nearest.empty() ? std::vector<std::string>{}
                               : std::vector<std::string>{"did you mean `" + nearest + "`?"},
               "NameError");
}

Value ConstEval::evaluateBool(const BoolOp &operation, const std::shared_ptr<Scope> &scope) {
  bool isAnd = operation.op == BoolOperator::And;
  Value last, unknown;
  for (const Expr *operand : operation.values) {
    last = evaluate(operand, scope);
    auto *opaque = last.constant<Opaque>();
    // `unknown and False` is false whatever the unknown is.
    if (opaque && !opaque->isKnown)
      unknown = last;
    else if (truth(last) != isAnd)
      return last;
  }
  return unknown ? unknown : last;
}

Value ConstEval::evaluateCompare(const Compare &comparison, const std::shared_ptr<Scope> &scope) {
  Value left = evaluate(comparison.left, scope), result = true;
  for (size_t i = 0; i < comparison.ops.size(); ++i) {
    Value right = evaluate(comparison.comparators[i], scope);
    result = compare(comparison.ops[i], left, right);
    if (result.constant<Opaque>() || !truth(result))
      return result;
    left = right;
  }
  return result;
}

Value ConstEval::evaluateConditional(const IfExp &conditional, const std::shared_ptr<Scope> &scope) {
  Value test = evaluate(conditional.test, scope);
  if (auto *opaque = test.constant<Opaque>(); opaque && !opaque->isKnown) {
    if (!activation || !activation->isLenient)
      truth(test); // fails with the reason
    return makeOpaque("a value that depends on `" + opaque->path + "`");
  }
  return evaluate(truth(test) ? conditional.body : conditional.orelse, scope);
}

Values ConstEval::evaluateItems(ExprList items, const std::shared_ptr<Scope> &scope) {
  Values result;
  result.reserve(items.size());
  for (const Expr *item : items) {
    if (auto *starred = dynCast<Starred>(item)) {
      Values spread = iterate(evaluate(starred->value, scope));
      result.insert(result.end(), spread.begin(), spread.end());
      allocate(result.size());
    } else {
      result.push_back(evaluate(item, scope));
    }
  }
  return result;
}

Value ConstEval::evaluateDict(const Dict &dict, const std::shared_ptr<Scope> &scope) {
  std::shared_ptr<DictObject> result = makeNested(DictObject{});
  for (size_t i = 0; i < dict.values.size(); ++i) {
    Value value = evaluate(dict.values[i], scope);
    if (dict.keys[i]) {
      setItem(*result, evaluate(dict.keys[i], scope), value);
      continue;
    }
    if (value.constant<Opaque>())
      return makeOpaque("a dict with " + toString(value));
    if (auto *other = value.object<DictObject>())
      for (auto &[key, item] : other->items)
        setItem(*result, key, item);
    else
      session.fail("`**` needs a dict, not `" + typeName(value) + "`", {}, "TypeError");
  }
  return result;
}

Value ConstEval::evaluateText(const JoinedStr &text, const std::shared_ptr<Scope> &scope) {
  std::string result;
  for (const Expr *piece : text.values) {
    size_t before = result.size();
    if (auto *literal = dynCast<Constant>(piece)) {
      result += literal->text;
    } else {
      auto &field = cast<FormattedValue>(piece);
      Value value = evaluate(field.value, scope);
      if (value.constant<Opaque>() && !value.constant<Opaque>()->isKnown)
        return makeOpaque("text with " + toString(value));
      std::string spec;
      if (field.formatSpec)
        spec = toString(evaluate(field.formatSpec, scope));
      Session::At at(session, field.value->range);
      result += format(value, field.conversion < 0 ? '\0' : char(field.conversion), spec);
    }
    allocateText(result.size() - before, result.size());
  }
  return result;
}

Value ConstEval::evaluateLambda(const Lambda &lambda, const std::shared_ptr<Scope> &scope) {
  std::shared_ptr<Function> function = makeNested(Function{});
  function->name = "<lambda>";
  function->lambda = &lambda;
  function->parameters = makeParameters(*lambda.args, scope);
  capture(*function, scope);
  return function;
}

bool ConstEval::forEachItem(List<Comprehension> generators, const std::shared_ptr<Scope> &outer,
                            const std::shared_ptr<Scope> &scope, const std::function<void()> &visit) {
  if (generators.empty()) {
    visit();
    return true;
  }
  const Comprehension &generator = *generators.front();
  Value iterable = evaluate(generator.iter, outer);
  if (iterable.constant<Opaque>())
    return false;
  Cursor cursor(*this, iterable);
  while (std::optional<Value> item = cursor.next()) {
    assign(generator.target, *item, scope);
    bool isKept = true;
    for (const Expr *condition : generator.ifs) {
      Value test = evaluate(condition, scope);
      if (test.constant<Opaque>() && !test.constant<Opaque>()->isKnown)
        return false;
      if (!(isKept = truth(test)))
        break;
    }
    if (isKept && !forEachItem(generators.subspan(1), scope, scope, visit))
      return false;
  }
  return true;
}

Value ConstEval::evaluateComprehension(const Expr *expression, const std::shared_ptr<Scope> &outer) {
  auto scope = std::make_shared<Scope>();
  scope->parent = outer;
  while (scope->parent->isClass && scope->parent->parent) // its names are not seen, as in functions
    scope->parent = scope->parent->parent;
  scope->isComprehension = true;
  if (expression->kind == ExprKind::DictComp) {
    auto &comprehension = cast<DictComp>(expression);
    std::shared_ptr<DictObject> dict = makeNested(DictObject{});
    bool isKnown = forEachItem(comprehension.generators, outer, scope, [&] {
      Value key = evaluate(comprehension.key, scope);
      setItem(*dict, key, evaluate(comprehension.value, scope));
      if (dict->items.size() > kMaxItems)
        allocate(dict->items.size());
    });
    return isKnown ? Value(dict) : makeOpaque("a dict comprehension");
  }
  // ListComp, SetComp and GeneratorExp have the same layout; a generator is run to its end at once.
  auto &comprehension = cast<ListComp>(expression);
  auto set = expression->kind == ExprKind::SetComp ? std::make_shared<SetObject>() : nullptr;
  bool isKnown = true;
  auto fill = [&](Values &items) {
    isKnown = forEachItem(comprehension.generators, outer, scope, [&] {
      Value item = evaluate(comprehension.elt, scope);
      if (set)
        return addItem(*set, item);
      items.push_back(std::move(item));
      if (items.size() > kMaxItems)
        allocate(items.size());
    });
  };
  Values items;
  Value iterator;
  if (expression->kind == ExprKind::GeneratorExp)
    iterator = makeIterator(fill);
  else
    fill(items);
  if (!isKnown)
    return makeOpaque("a comprehension over unknown values");
  return iterator ? iterator : set ? Value(set) : makeList(std::move(items));
}

Value ConstEval::evaluateYield(const Expr *value, bool from, const std::shared_ptr<Scope> &scope) {
  if (!activation || !activation->yielded)
    session.fail("`yield` outside of a function", {}, "SyntaxError");
  Value item = value ? evaluate(value, scope) : Value(None{});
  if (from)
    for (Value &each : iterate(item))
      activation->yielded->push_back(std::move(each));
  else
    activation->yielded->push_back(std::move(item));
  if (activation->yielded->size() > kMaxItems)
    allocate(activation->yielded->size());
  return None{};
}

} // namespace nereid::lang
