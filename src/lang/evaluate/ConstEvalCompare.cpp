// ConstEvalCompare.cpp: comparison, membership and truth of constants.
#include "lang/Text.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>
#include <cmath>

namespace nereid::lang {

using syntax::CompareOperator;

namespace {

constexpr int kMaxComparedNesting = 100;

const char *symbolOf(CompareOperator op) {
  static const char *const symbols[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
  return symbols[int(op)];
}

const char *methodOf(CompareOperator op) {
  switch (op) {
  case CompareOperator::Lt: return "__lt__";
  case CompareOperator::LtE: return "__le__";
  case CompareOperator::Gt: return "__gt__";
  case CompareOperator::GtE: return "__ge__";
  case CompareOperator::NotEq: return "__ne__";
  default: return "__eq__";
  }
}

// `a > b` is `b < a`.
const char *reflectedOf(CompareOperator op) {
  switch (op) {
  case CompareOperator::Lt: return "__gt__";
  case CompareOperator::LtE: return "__ge__";
  case CompareOperator::Gt: return "__lt__";
  case CompareOperator::GtE: return "__le__";
  default: return methodOf(op);
  }
}

template <class T> bool ordered(CompareOperator op, const T &a, const T &b) {
  switch (op) {
  case CompareOperator::Lt: return a < b;
  case CompareOperator::LtE: return a <= b;
  case CompareOperator::Gt: return a > b;
  default: return a >= b;
  }
}

// Exact, as in Python: 2**53 + 1 is more than float(2**53).
bool orderedNumbers(CompareOperator op, const Value &lhs, const Value &rhs) {
  auto a = lhs.integer(), b = rhs.integer();
  if (a && b)
    return ordered(op, *a, *b);
  double x = *lhs.number(), y = *rhs.number();
  constexpr double kBound = 1.7e38; // 2 ** 127
  double real = a ? y : x;
  if ((!a && !b) || !std::isfinite(real) || std::abs(real) >= kBound)
    return ordered(op, x, y);
  // The integer against the whole part of the float, then against the rest.
  Integer whole = Integer(std::floor(real));
  double rest = real - std::floor(real);
  auto sign = [&](Integer number) { return number < whole ? -1 : number > whole ? 1 : rest > 0 ? -1 : 0; };
  return a ? ordered(op, sign(*a), 0) : ordered(op, 0, sign(*b));
}

const Values *sequenceItems(const Value &value) {
  if (auto *tuple = value.asTuple())
    return &tuple->items;
  if (auto *list = value.object<ListObject>())
    return &list->items;
  return nullptr;
}

bool isSubset(const SetObject &a, const SetObject &b) {
  return std::ranges::all_of(a.items, [&](const Value &item) { return nereid::lang::contains(b, item); });
}

} // namespace

std::shared_ptr<SetObject> ConstEval::asSet(const Value &value) {
  if (auto *set = value.get<std::shared_ptr<SetObject>>())
    return *set;
  if (!viewedDict(value) || value.object<Instance>()->cls->name == "dict_values")
    return nullptr;
  auto set = std::make_shared<SetObject>();
  for (const Value &item : iterate(value))
    addItem(*set, item);
  return set;
}

Value ConstEval::askObject(const Value &object, const char *method, const Value &operand) {
  auto *instance = object.object<Instance>();
  if (!instance || !instance->cls->lookup(method))
    return {};
  Value answer = call(attribute(object, method), Values{operand});
  auto *opaque = answer.constant<Opaque>();
  return opaque && opaque->isKnown && opaque->path == "NotImplemented" ? Value() : answer;
}

Value ConstEval::compareObjects(CompareOperator op, const Value &lhs, const Value &rhs) {
  Value answer = askObject(lhs, methodOf(op), rhs);
  return answer ? answer : askObject(rhs, reflectedOf(op), lhs);
}

bool ConstEval::areEqual(const Value &a, const Value &b) {
  if (Value answer = compareObjects(CompareOperator::Eq, a, b))
    return truth(answer);
  auto *x = a.object<Instance>(), *y = b.object<Instance>();
  if (x && y && (x->cls->lookup("__eq__") || y->cls->lookup("__eq__"))) // which know nothing of each other
    return identical(a, b);
  if (viewedDict(a) || viewedDict(b))
    if (auto x = asSet(a), y = asSet(b); x && y)
      return equal(Value(x), Value(y));
  return equal(a, b);
}

bool ConstEval::isLess(const Value &a, const Value &b) { return order(CompareOperator::Lt, a, b); }

bool ConstEval::order(CompareOperator op, const Value &lhs, const Value &rhs) {
  static thread_local int depth = 0; // lists can contain themselves
  struct Nested {
    Nested() { ++depth; }
    ~Nested() { --depth; }
  } nested;
  if (depth > kMaxComparedNesting)
    session.fail("values are nested too deeply to be compared", {}, "RecursionError");
  session.step();
  if (lhs.number() && rhs.number())
    return orderedNumbers(op, lhs, rhs);
  if (lhs.str() && rhs.str()) {
    session.step(std::min(lhs.str()->size(), rhs.str()->size()) / 64);
    return ordered(op, *lhs.str(), *rhs.str());
  }
  auto *a = sequenceItems(lhs), *b = sequenceItems(rhs);
  if (a && b && bool(lhs.asTuple()) == bool(rhs.asTuple())) {
    for (size_t i = 0; i < std::min(a->size(), b->size()); ++i)
      if (!areEqualItems((*a)[i], (*b)[i]))
        return order(op, (*a)[i], (*b)[i]);
    return ordered(op, a->size(), b->size());
  }
  if (auto x = asSet(lhs), y = asSet(rhs); x && y) {
    bool isBelow = op == CompareOperator::Lt || op == CompareOperator::LtE;
    SetObject &small = isBelow ? *x : *y, &large = isBelow ? *y : *x;
    bool isStrict = op == CompareOperator::Lt || op == CompareOperator::Gt;
    return isSubset(small, large) && (!isStrict || small.items.size() < large.items.size());
  }
  if (Value answer = compareObjects(op, lhs, rhs))
    return truth(answer);
  // total_ordering falls back on `<` and `==`.
  auto *instance = lhs.object<Instance>();
  bool isTotal = instance && instance->cls->lookup("__total_ordering__");
  if (Value answer = isTotal ? askObject(lhs, "__lt__", rhs) : Value()) {
    bool below = truth(answer), same = areEqual(lhs, rhs);
    return op == CompareOperator::GtE ? !below : op == CompareOperator::Gt ? !below && !same : below || same;
  }
  session.fail(std::string("`") + symbolOf(op) + "` is not supported between `" + typeName(lhs) + "` and `" +
                   typeName(rhs) + "`",
               {}, "TypeError");
}

bool ConstEval::contains(const Value &container, const Value &item) {
  if (auto *text = container.str()) {
    if (!item.str())
      session.fail("`in <string>` requires a string on its left, not `" + typeName(item) + "`", {}, "TypeError");
    return findText(*text, *item.str()) != std::string::npos;
  }
  if (auto *dict = container.object<DictObject>())
    return findItem(*dict, item) != nullptr;
  if (DictObject *dict = viewedDict(container)) {
    const std::string &kind = container.object<Instance>()->cls->name;
    if (kind == "dict_keys") // by their hash
      return findItem(*dict, item) != nullptr;
    if (kind == "dict_items") {
      const Tuple *pair = item.asTuple();
      const Value *found = pair && pair->items.size() == 2 ? findItem(*dict, pair->items[0]) : nullptr;
      return found && areEqualItems(*found, pair->items[1]);
    }
  }
  if (auto *set = container.object<SetObject>())
    return nereid::lang::contains(*set, asMember(item));
  if (auto *range = container.constant<RangeObject>(); range && item.number()) {
    Progression numbers = progression(*range);
    auto whole = item.integer();
    if (auto *real = item.get<double>(); real && std::abs(*real) < 1e36 && *real == std::floor(*real))
      whole = Integer(*real);
    constexpr Integer kFar = Integer(1) << 121; // beyond the bounds of all ranges
    if (!whole || numbers.count == 0 || *whole > kFar || *whole < -kFar)
      return false;
    Integer distance = *whole - numbers.start;
    return distance % numbers.step == 0 && distance / numbers.step >= 0 && distance / numbers.step < numbers.count;
  }
  if (auto *instance = container.object<Instance>(); instance && instance->cls->lookup("__contains__"))
    return truth(call(attribute(container, "__contains__"), Values{item}));
  Cursor cursor(*this, container);
  while (std::optional<Value> candidate = cursor.next())
    if (areEqualItems(*candidate, item))
      return true;
  return false;
}

bool ConstEval::areEqualItems(const Value &a, const Value &b) {
  bool hasOwn = a.object<Instance>() || b.object<Instance>();
  return hasOwn ? identical(a, b) || areEqual(a, b) : equalItems(a, b);
}

Value ConstEval::compare(CompareOperator op, const Value &lhs, const Value &rhs) {
  session.step();
  switch (op) {
  case CompareOperator::Is: return identical(lhs, rhs);
  case CompareOperator::IsNot: return !identical(lhs, rhs);
  default: break;
  }
  // Two unknown values that come from the same place are the same (torch.float16 == torch.float16).
  bool isEquality = op == CompareOperator::Eq || op == CompareOperator::NotEq;
  auto *a = lhs.constant<Opaque>(), *b = rhs.constant<Opaque>();
  if (isEquality && a && b && a->isKnown && b->isKnown)
    return (a->path == b->path) == (op == CompareOperator::Eq);
  if ((a && !(isEquality && a->isKnown)) || (b && !(isEquality && b->isKnown)))
    return makeOpaque(briefly(lhs) + " " + symbolOf(op) + " " + briefly(rhs));
  bool isMembership = op == CompareOperator::In || op == CompareOperator::NotIn;
  if (Value answer = isMembership ? Value() : compareObjects(op, lhs, rhs)) // of any type
    return answer;
  switch (op) {
  case CompareOperator::Eq: return areEqual(lhs, rhs);
  case CompareOperator::NotEq: return !areEqual(lhs, rhs);
  case CompareOperator::In: return contains(rhs, lhs);
  case CompareOperator::NotIn: return !contains(rhs, lhs);
  default: return order(op, lhs, rhs);
  }
}

bool ConstEval::truth(const Value &value) {
  if (auto *boolean = value.get<bool>())
    return *boolean;
  if (auto *whole = value.get<Integer>())
    return *whole != 0;
  if (auto *real = value.get<double>())
    return *real != 0;
  if (value.isNone())
    return false;
  if (value.str())
    return !value.str()->empty();
  if (auto *tuple = value.asTuple())
    return !tuple->items.empty();
  if (auto *list = value.object<ListObject>())
    return !list->items.empty();
  if (auto *dict = value.object<DictObject>())
    return !dict->items.empty();
  if (auto *set = value.object<SetObject>())
    return !set->items.empty();
  if (auto *range = value.constant<RangeObject>())
    return progression(*range).count != 0;
  if (DictObject *dict = viewedDict(value))
    return !dict->items.empty();
  if (auto *opaque = value.constant<Opaque>(); opaque && !opaque->isKnown)
    session.fail("the condition is not known at compile time: it depends on `" + opaque->path + "`");
  if (!value || value.isTensor())
    session.fail("the truth of a `" + typeName(value) + "` is not known at compile time");
  if (auto *instance = value.object<Instance>())
    for (const char *name : {"__bool__", "__len__"})
      if (instance->cls->lookup(name)) {
        Value answer = call(attribute(value, name), Values{});
        bool isBool = name == std::string_view("__bool__");
        if (!answer.constant<Opaque>() && !(isBool ? answer.is<bool>() : answer.integer() && *answer.integer() >= 0))
          session.fail(std::string("`") + name + "` gives " + briefly(answer), {}, isBool ? "TypeError" : "ValueError");
        return truth(answer);
      }
  return true;
}

} // namespace nereid::lang
