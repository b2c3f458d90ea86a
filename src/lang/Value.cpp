// Value.cpp: questions that can be asked of any value, and Python's `is` and `==` on constants.
#include "lang/Value.h"

#include "lang/Builtin.h"
#include "lang/DeferredDelete.h"
#include "lang/Function.h"
#include "lang/Session.h"
#include "lang/evaluate/LibraryFunction.h"

#include "llvm/ADT/SmallPtrSet.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <ranges>

namespace nereid::lang {

namespace {

// Lists can contain themselves: walks over nested values stop at this depth.
constexpr int kMaxNesting = 200;

// Whether a value and all that it holds is constant. What it holds several times is looked at once: a list of lists of lists may
// have any number of leaves, and hold itself.
class ConstantWalk {
public:
  bool isConstant(const Value &value) {
    if (value.is<Tensor>() || value.constant<BlockPointer>() || value.constant<Descriptor>())
      return false;
    if (auto *tuple = value.asTuple())
      return areConstant(tuple->items);
    if (auto *list = value.object<ListObject>())
      return areConstant(list->items);
    if (auto *dict = value.object<DictObject>())
      return areConstant(dict->items | std::views::values);
    if (auto *range = value.constant<RangeObject>())
      return areConstant(std::array{std::cref(range->start), std::cref(range->stop), std::cref(range->step)});
    if (auto *slice = value.constant<SliceObject>())
      return areConstant(std::array{std::cref(slice->lower), std::cref(slice->upper), std::cref(slice->step)});
    if (auto *method = value.constant<BoundMethod>())
      return areConstant(std::array{std::cref(method->self)});
    if (auto *instance = value.object<Instance>())
      return areConstant(instance->fields | std::views::values);
    return true;
  }

private:
  template <class Items> bool areConstant(Items &&items) {
    if (items.empty() || depth > kMaxNesting)
      return true;
    // Most hold few: only a walk that goes on notes where it was, each place by its first item, which nothing else has.
    constexpr unsigned kFew = 512;
    const Value &first = *items.begin();
    if (++visited > kFew && !seen.insert(&first).second)
      return true;
    if (items.size() > 8)
      Session::charge(items.size() / 2);
    else if (visited % 8 == 0) // small ones are a step together
      Session::charge(1);
    ++depth;
    bool all = std::ranges::all_of(items, [&](const Value &item) { return isConstant(item); });
    --depth;
    return all;
  }

  int depth = 0;
  unsigned visited = 0;
  llvm::SmallPtrSet<const void *, 8> seen;
};

bool equalNumbers(const Value &a, const Value &b) {
  auto ai = a.integer(), bi = b.integer();
  if (ai && bi)
    return *ai == *bi;
  if (!ai && !bi)
    return *a.number() == *b.number();
  double real = ai ? *b.number() : *a.number();
  Integer whole = ai ? *ai : *bi;
  // Exact, as in Python: 2**53 + 1 is not equal to float(2**53 + 1).
  if (!std::isfinite(real) || real != std::floor(real) || std::abs(real) > 1e38)
    return false;
  return Integer(real) == whole;
}

// One object: it is equal to itself as an item of a container, whatever its own `==` says. A float has no identity here.
bool isSameObject(const Value &a, const Value &b) {
  if (a.storage().index() != b.storage().index())
    return false;
  return std::visit(
      [&]<class T>(const T &x) {
        if constexpr (requires { x.get(); })
          return x.get() == b.get<T>()->get();
        else
          return false;
      },
      a.storage());
}

bool equalAt(const Value &a, const Value &b, int depth);

bool equalItemsAt(const Value &a, const Value &b, int depth) {
  if (isSameObject(a, b))
    return true;
  auto *x = a.get<double>(), *y = b.get<double>();
  if (x && y && std::isnan(*x) && std::isnan(*y))
    Session::refuse("whether two `nan`s in containers are the same object is not known at compile time");
  return equalAt(a, b, depth);
}

bool areEqual(const Values &a, const Values &b, int depth) {
  return a.size() == b.size() &&
         std::ranges::equal(a, b, [&](const Value &x, const Value &y) { return equalItemsAt(x, y, depth); });
}

bool equalDicts(const DictObject &a, const DictObject &b, int depth) {
  return a.items.size() == b.items.size() && std::ranges::all_of(a.items, [&](auto &item) {
           Value *other = findItem(const_cast<DictObject &>(b), item.first);
           return other && equalItemsAt(item.second, *other, depth);
         });
}

bool equalSets(const SetObject &a, const SetObject &b) {
  return a.items.size() == b.items.size() &&
         std::ranges::all_of(a.items, [&](const Value &item) { return contains(b, item); });
}

// Only dataclasses compare by their fields; other instances by identity (a user's __eq__ is ConstEval's business).
bool equalInstances(const Instance &a, const Instance &b, int depth) {
  if (&a == &b)
    return true;
  for (const Instance *each : {&a, &b})
    if (each->cls->lookup("__eq__"))
      Session::refuse("whether two `" + each->cls->name +
                      "` in containers are equal is not known at compile time: the class has an `__eq__`");
  if (a.cls != b.cls || a.cls->kind != Class::Kind::Dataclass || a.fields.size() != b.fields.size())
    return false;
  return std::ranges::equal(a.fields, b.fields, [&](auto &x, auto &y) {
    return x.first == y.first && equalItemsAt(x.second, y.second, depth);
  });
}

bool equalRanges(const RangeObject &a, const RangeObject &b, int depth) {
  auto first = progressionOf(a), second = progressionOf(b);
  if (a.kind == RangeObject::Kind::Python && b.kind == a.kind && first && second) // as sequences
    return first->count == second->count && (first->count == 0 || first->start == second->start) &&
           (first->count < 2 || first->step == second->step);
  return a.kind == b.kind && equalAt(a.start, b.start, depth) && equalAt(a.stop, b.stop, depth) &&
         equalAt(a.step, b.step, depth);
}

bool equalAt(const Value &a, const Value &b, int depth) {
  Session::charge(1);
  if (isSameObject(a, b) && !a.object<Instance>())
    return true;
  if (depth > kMaxNesting)
    Session::refuse("values are nested too deeply to be compared");
  if (a.number() && b.number())
    return equalNumbers(a, b);
  if (a.str() && b.str()) {
    Session::charge(std::min(a.str()->size(), b.str()->size()) / 64);
    return *a.str() == *b.str();
  }
  if (auto *x = a.get<Type>(), *y = b.get<Type>(); x && y)
    return *x == *y;
  if (auto *x = a.asTuple(), *y = b.asTuple(); x && y)
    return areEqual(x->items, y->items, depth + 1);
  if (auto *x = a.object<ListObject>(), *y = b.object<ListObject>(); x && y)
    return areEqual(x->items, y->items, depth + 1);
  if (auto *x = a.object<DictObject>(), *y = b.object<DictObject>(); x && y)
    return equalDicts(*x, *y, depth + 1);
  if (auto *x = a.object<SetObject>(), *y = b.object<SetObject>(); x && y)
    return equalSets(*x, *y);
  if (auto *x = a.object<Instance>(), *y = b.object<Instance>(); x && y)
    return equalInstances(*x, *y, depth + 1);
  if (auto *x = a.constant<RangeObject>(), *y = b.constant<RangeObject>(); x && y)
    return equalRanges(*x, *y, depth + 1);
  if (auto *x = a.constant<SliceObject>(), *y = b.constant<SliceObject>(); x && y)
    return equalAt(x->lower, y->lower, depth + 1) && equalAt(x->upper, y->upper, depth + 1) &&
           equalAt(x->step, y->step, depth + 1);
  if (auto *x = a.constant<BoundMethod>(), *y = b.constant<BoundMethod>(); x && y)
    return identical(x->self, y->self) && identical(x->function, y->function);
  return identical(a, b);
}

} // namespace

Value Value::tuple(Values items, std::shared_ptr<const Class> cls) {
  return Value(std::shared_ptr<const Tuple>(makeNested(Tuple{std::move(items), std::move(cls)})));
}

std::optional<Integer> Value::integer() const {
  if (auto *boolean = get<bool>())
    return Integer(*boolean);
  if (auto *whole = get<Integer>())
    return *whole;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (auto *real = get<double>())
    return *real;
  if (auto whole = integer())
    return double(*whole);
  return std::nullopt;
}

bool Value::isConstant() const { return ConstantWalk().isConstant(*this); }

std::optional<Progression> progressionOf(const RangeObject &range) {
  constexpr Integer kMaxBound = Integer(1) << 120; // so that sums and differences of bounds fit
  auto start = range.start.integer(), stop = range.stop.integer(), step = range.step.integer();
  if (!start || !stop || !step || *step == 0)
    return std::nullopt;
  for (Integer bound : {*start, *stop, *step})
    if (bound > kMaxBound || bound < -kMaxBound)
      return std::nullopt;
  Integer distance = *step > 0 ? *stop - *start : *start - *stop, stride = *step > 0 ? *step : -*step;
  return Progression{*start, *step, distance <= 0 ? 0 : (distance - 1) / stride + 1};
}

Value Class::lookup(const std::string &name) const {
  if (auto found = attributes.find(name); found != attributes.end())
    return found->second;
  for (const std::shared_ptr<Class> &base : bases)
    if (Value inherited = base->lookup(name))
      return inherited;
  return {};
}

bool Class::isSubclassOf(const Class &other) const {
  return this == &other || std::ranges::any_of(bases, [&](auto &base) { return base->isSubclassOf(other); });
}

Value *Scope::find(std::string_view name) {
  for (Scope *scope = this; scope; scope = scope->parent.get())
    if (auto found = scope->names.find(name); found != scope->names.end())
      return &found->second;
  return nullptr;
}

bool identical(const Value &a, const Value &b) {
  if (a.storage().index() != b.storage().index())
    return false;
  // Small ints, strings and dtypes are one object each in CPython as kernels meet them (`dtype is tl.float32`).
  return std::visit(
      [&](const auto &x) {
        using T = std::decay_t<decltype(x)>;
        const T &y = *b.get<T>();
        if constexpr (std::is_same_v<T, std::monostate> || std::is_same_v<T, None> || std::is_same_v<T, Ellipsis>)
          return true;
        else if constexpr (std::is_same_v<T, Value::Str>)
          return x == y || (x->size() == y->size() && (Session::charge(x->size() / 64), *x == *y));
        else if constexpr (std::is_same_v<T, Tensor>)
          return x.ir == y.ir;
        else if constexpr (std::is_same_v<T, std::shared_ptr<const Opaque>>)
          return x->path == y->path;
        else if constexpr (std::is_same_v<T, std::shared_ptr<const Tuple>>)
          return x == y || (x->items.empty() && y->items.empty());
        else
          return x == y;
      },
      a.storage());
}

bool equal(const Value &a, const Value &b) { return equalAt(a, b, 0); }

bool equalItems(const Value &a, const Value &b) { return equalItemsAt(a, b, 0); }

} // namespace nereid::lang
