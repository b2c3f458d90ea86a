// ConstEvalCompare.cpp: comparison, membership and truth of constants.
#include "lang/ConstEval.h"
#include "lang/HostFunction.h"

#include <algorithm>

namespace nereid::lang {

using syntax::CompareOperator;

namespace {

constexpr int kMaxComparedNesting = 100;

// For the origin of an unknown value: the other operand may be large.
std::string briefly(const Value &value) { return sizeOf(value) > 8 ? "a " + typeName(value) : toString(value); }

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

template <class T> bool ordered(CompareOperator op, const T &a, const T &b) {
  switch (op) {
  case CompareOperator::Lt: return a < b;
  case CompareOperator::LtE: return a <= b;
  case CompareOperator::Gt: return a > b;
  default: return a >= b;
  }
}

const Values *sequenceItems(const Value &value) {
  if (auto *tuple = value.asTuple())
    return &tuple->items;
  if (auto *list = value.object<ListObject>())
    return &list->items;
  return nullptr;
}

bool isSubset(const Values &a, const Values &b) {
  return std::ranges::all_of(a, [&](const Value &item) { return nereid::lang::contains(b, item); });
}

} // namespace

bool ConstEval::areEqual(const Value &a, const Value &b) {
  for (auto [self, other] : {std::pair{&a, &b}, std::pair{&b, &a}})
    if (auto *instance = self->object<Instance>(); instance && instance->cls->lookup("__eq__"))
      return truth(call(attribute(*self, "__eq__"), Values{*other}));
  bool isUnordered = a.object<DictObject>() || a.object<SetObject>();
  session.step(isUnordered ? sizeOf(a) * sizeOf(b) / 8 : std::min(sizeOf(a), sizeOf(b)) / 4);
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
  if (auto a = lhs.integer(), b = rhs.integer(); a && b)
    return ordered(op, *a, *b);
  if (auto a = lhs.number(), b = rhs.number(); a && b)
    return ordered(op, *a, *b);
  if (lhs.str() && rhs.str())
    return ordered(op, *lhs.str(), *rhs.str());
  auto *a = sequenceItems(lhs), *b = sequenceItems(rhs);
  if (a && b && bool(lhs.asTuple()) == bool(rhs.asTuple())) {
    for (size_t i = 0; i < std::min(a->size(), b->size()); ++i)
      if (!areEqual((*a)[i], (*b)[i]))
        return order(op, (*a)[i], (*b)[i]);
    return ordered(op, a->size(), b->size());
  }
  if (auto *x = lhs.object<SetObject>(), *y = rhs.object<SetObject>(); x && y) {
    bool isBelow = op == CompareOperator::Lt || op == CompareOperator::LtE;
    auto &small = isBelow ? x->items : y->items, &large = isBelow ? y->items : x->items;
    bool isStrict = op == CompareOperator::Lt || op == CompareOperator::Gt;
    return isSubset(small, large) && (!isStrict || small.size() < large.size());
  }
  if (auto *instance = lhs.object<Instance>(); instance && instance->cls->lookup(methodOf(op)))
    return truth(call(attribute(lhs, methodOf(op)), Values{rhs}));
  // `a > b` falls back on `b < a`, and total_ordering on `<` and `==`.
  if (auto *instance = lhs.object<Instance>(); instance && instance->cls->lookup("__lt__")) {
    bool below = truth(call(attribute(lhs, "__lt__"), Values{rhs}));
    bool same = areEqual(lhs, rhs);
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
    session.step(text->size() / 64);
    return text->find(*item.str()) != std::string::npos;
  }
  if (auto *dict = container.object<DictObject>()) {
    session.step(dict->items.size() / 8);
    return findItem(*dict, item) != nullptr;
  }
  if (auto *instance = container.object<Instance>(); instance && instance->cls->lookup("__contains__"))
    return truth(call(attribute(container, "__contains__"), Values{item}));
  for (const Value &candidate : iterate(container))
    if (areEqual(candidate, item))
      return true;
  return false;
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
  if (value.constant<RangeObject>())
    return !iterate(value).empty();
  if (auto *opaque = value.constant<Opaque>(); opaque && !opaque->isKnown)
    session.fail("the condition is not known at compile time: it depends on `" + opaque->path + "`");
  if (!value || value.isTensor())
    session.fail("the truth of a `" + typeName(value) + "` is not known at compile time");
  if (auto *instance = value.object<Instance>())
    for (const char *name : {"__bool__", "__len__"})
      if (instance->cls->lookup(name))
        return truth(call(attribute(value, name), Values{}));
  return true;
}

} // namespace nereid::lang
