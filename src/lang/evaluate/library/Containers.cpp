// Containers.cpp: methods of list, dict, set and tuple.
#include "lang/evaluate/library/Tables.h"

#include <algorithm>

namespace nereid::lang {

namespace {

ListObject &list(LibraryCall &call) {
  if (auto *object = call[0].object<ListObject>())
    return *object;
  call.expected(0, "a list");
}

DictObject &dict(LibraryCall &call) {
  if (auto *object = call[0].object<DictObject>())
    return *object;
  call.expected(0, "a dict");
}

SetObject &set(LibraryCall &call) {
  if (auto *object = call[0].object<SetObject>())
    return *object;
  call.expected(0, "a set");
}

Value append(LibraryCall &call) {
  list(call).items.push_back(call[1]);
  if (list(call).items.size() > ConstEval::kMaxItems)
    call.eval.allocate(list(call).items.size());
  return None{};
}

Value extend(LibraryCall &call) {
  if (call[1].constant<Opaque>())
    call.session().fail("the items of `" + toString(call[1]) + "` are not known at compile time");
  Values items = call.eval.iterate(call[1]);
  call.eval.allocate(items.size() + list(call).items.size());
  list(call).items.insert(list(call).items.end(), items.begin(), items.end());
  return None{};
}

Value insert(LibraryCall &call) {
  Integer size = Integer(list(call).items.size()), at = call.size(1, 0);
  at = std::clamp(at < 0 ? std::max(at, -size) + size : at, Integer(0), size);
  call.session().step(size_t(size - at) / 8);
  list(call).items.insert(list(call).items.begin() + size_t(at), call[2]);
  if (list(call).items.size() > ConstEval::kMaxItems)
    call.eval.allocate(list(call).items.size());
  return None{};
}

Value popItem(LibraryCall &call) {
  Values &items = list(call).items;
  Integer at = call.size(1, -1);
  at = at < 0 ? at + Integer(items.size()) : at;
  if (at < 0 || at >= Integer(items.size()))
    call.session().fail("pop index is out of range", {}, "IndexError");
  Value item = items[size_t(at)];
  call.session().step((items.size() - size_t(at)) / 8);
  items.erase(items.begin() + size_t(at));
  return item;
}

Value removeFirst(LibraryCall &call) {
  Values &items = list(call).items;
  auto found = std::ranges::find_if(items, [&](const Value &item) { return call.eval.areEqualItems(item, call[1]); });
  if (found == items.end())
    call.session().fail("the list does not contain " + repr(call[1]));
  items.erase(found);
  return None{};
}

Value clearList(LibraryCall &call) {
  list(call).items.clear();
  return None{};
}
Value copyList(LibraryCall &call) { return makeList(list(call).items); }
Value reverseList(LibraryCall &call) {
  std::ranges::reverse(list(call).items);
  return None{};
}

Value sortList(LibraryCall &call) {
  Values items = list(call).items;
  sortValues(call.eval, items, call[1], call.flag(2, false));
  list(call).items = std::move(items);
  return None{};
}

Value indexOfItem(LibraryCall &call) {
  Values items = call.eval.iterate(call[0]);
  Integer size = Integer(items.size());
  auto bound = [&](size_t index, Integer whenAbsent) {
    Integer at = call[index] ? call.integer(index) : whenAbsent;
    return std::clamp(at < 0 ? std::max(at, -size) + size : at, Integer(0), size);
  };
  Integer end = bound(3, size);
  for (Integer i = bound(2, 0); i < end; ++i)
    if (call.eval.areEqualItems(items[size_t(i)], call[1]))
      return i;
  call.session().fail(repr(call[1]) + " is not in the sequence");
}

Value indexInRange(LibraryCall &call) {
  LibraryCall whole{call.eval, call.function, {call[0], call[1], {}, {}}};
  return indexOfItem(whole);
}

Value countOf(LibraryCall &call) {
  Values items = call.eval.iterate(call[0]);
  return Value(
      Integer(std::ranges::count_if(items, [&](const Value &item) { return call.eval.areEqualItems(item, call[1]); })));
}

Value keys(LibraryCall &call) { return makeView("dict_keys", (dict(call), call[0])); }
Value values(LibraryCall &call) { return makeView("dict_values", (dict(call), call[0])); }
Value items(LibraryCall &call) { return makeView("dict_items", (dict(call), call[0])); }

Value getItem(LibraryCall &call) {
  if (Value *found = findItem(dict(call), call[1]))
    return *found;
  return call[2] ? call[2] : Value(None{});
}

Value setDefault(LibraryCall &call) {
  if (Value *found = findItem(dict(call), call[1]))
    return *found;
  Value value = call[2] ? call[2] : Value(None{});
  setItem(dict(call), call[1], value);
  return value;
}

Value popKey(LibraryCall &call) {
  if (Value value = removeItem(dict(call), call[1]))
    return value;
  if (call[2])
    return call[2];
  call.session().fail("the dict has no key " + repr(call[1]), {}, "KeyError");
}

Value popLast(LibraryCall &call) {
  auto &entries = dict(call).items;
  if (entries.empty())
    call.session().fail("`popitem` of an empty dict", {}, "KeyError");
  Value last = Value::tuple({entries.back().first, entries.back().second});
  entries.pop_back();
  dict(call).index.forget();
  return last;
}

Value updateDict(LibraryCall &call) {
  if (auto *other = call[1].object<DictObject>())
    for (auto &[key, value] : std::vector(other->items))
      setItem(dict(call), key, value);
  else if (call[1])
    for (const Value &pair : call.eval.iterate(call[1])) {
      Values both = call.eval.iterate(pair);
      if (both.size() != 2)
        call.session().fail("`update` expects pairs");
      setItem(dict(call), both[0], both[1]);
    }
  for (auto &[key, value] : call[2].object<DictObject>()->items)
    setItem(dict(call), key, value);
  return None{};
}

Value copyDict(LibraryCall &call) { return std::make_shared<DictObject>(dict(call)); }
Value clearDict(LibraryCall &call) {
  dict(call).items.clear();
  dict(call).index.forget();
  return None{};
}

Value addToSet(LibraryCall &call) {
  addItem(set(call), call[1]);
  if (set(call).items.size() > ConstEval::kMaxItems)
    call.eval.allocate(set(call).items.size());
  return None{};
}
Value discardItem(LibraryCall &call) {
  removeItem(set(call), asMember(call[1]));
  return None{};
}
Value removeFromSet(LibraryCall &call) {
  if (!removeItem(set(call), asMember(call[1])))
    call.session().fail("the set does not contain " + repr(call[1]), {}, "KeyError");
  return None{};
}
// Which item CPython takes depends on its table; of one item there is no choice.
Value popFromSet(LibraryCall &call) {
  SetObject &from = set(call);
  if (from.items.empty())
    call.session().fail("`pop` of an empty set", {}, "KeyError");
  if (from.items.size() > 1)
    call.session().fail("`set.pop` is supported at compile time for sets of one item", {}, "NotImplementedError");
  Value item = from.items.front();
  removeItem(from, item);
  return item;
}
Value clearSet(LibraryCall &call) {
  set(call).items.clear();
  set(call).index.forget();
  return None{};
}
Value copySet(LibraryCall &call) { return std::make_shared<SetObject>(set(call)); }

// The items of any iterable as a set.
std::shared_ptr<SetObject> setOf(LibraryCall &call, const Value &iterable) {
  auto result = std::make_shared<SetObject>();
  for (const Value &item : call.eval.iterate(iterable))
    addItem(*result, item);
  return result;
}

// Of two equal items that of the iterable stays. It is read no further than to the item that completes the set.
std::shared_ptr<SetObject> commonItems(LibraryCall &call, const SetObject &items, const Value &iterable) {
  auto result = std::make_shared<SetObject>();
  result->isFrozen = items.isFrozen;
  ConstEval::Cursor cursor(call.eval, iterable);
  while (std::optional<Value> item = cursor.next())
    if (contains(items, *item)) {
      addItem(*result, *item);
      if (result->items.size() == items.items.size())
        break;
    }
  return result;
}

// self.union(a, b, …): one operator after the other.
template <syntax::BinaryOperator Op> Value combine(LibraryCall &call) {
  Value result = std::make_shared<SetObject>(set(call));
  for (const Value &other : call[1].asTuple()->items) {
    if (Op == syntax::BinaryOperator::BitAnd && !other.object<SetObject>())
      result = commonItems(call, *result.object<SetObject>(), other);
    else
      result = call.eval.binary(Op, result, Value(setOf(call, other)));
  }
  return result;
}
template <syntax::BinaryOperator Op> Value combineInPlace(LibraryCall &call) {
  SetObject changed = *combine<Op>(call).template object<SetObject>();
  set(call) = std::move(changed);
  return None{};
}

Value isSubset(LibraryCall &call) {
  auto other = setOf(call, call[1]);
  return std::ranges::all_of(set(call).items, [&](const Value &item) { return contains(*other, item); });
}
// These look at the other's items one by one, and end with the first that decides.
Value isSuperset(LibraryCall &call) {
  ConstEval::Cursor cursor(call.eval, call[1]);
  while (std::optional<Value> item = cursor.next())
    if (!contains(set(call), *item))
      return false;
  return true;
}
Value isDisjoint(LibraryCall &call) {
  ConstEval::Cursor cursor(call.eval, call[1]);
  while (std::optional<Value> item = cursor.next())
    if (contains(set(call), *item))
      return false;
  return true;
}

Value replaceTupleFields(LibraryCall &call) {
  auto *tuple = call[0].asTuple();
  if (!tuple || !tuple->cls)
    call.expected(0, "a named tuple");
  Values fresh = tuple->items;
  for (auto &[name, value] : call[1].object<DictObject>()->items) {
    auto field = std::ranges::find(tuple->cls->fields, toString(name));
    if (field == tuple->cls->fields.end())
      call.session().fail("`" + tuple->cls->name + "` has no field `" + toString(name) + "`");
    fresh[field - tuple->cls->fields.begin()] = value;
  }
  return Value::tuple(std::move(fresh), tuple->cls);
}

Value fieldsAsDict(LibraryCall &call) {
  auto result = std::make_shared<DictObject>();
  auto *tuple = call[0].asTuple();
  for (size_t i = 0; tuple && tuple->cls && i < tuple->items.size() && i < tuple->cls->fields.size(); ++i)
    setItem(*result, Value(tuple->cls->fields[i]), tuple->items[i]);
  return result;
}

using enum LibraryFunction::Takes;
using enum LibraryFunction::Cost;
const LibraryFunction listMethods[] = {
    {"list.append", "self item", append, Unknown, Fixed},
    {"list.extend", "self items", extend, Unknown},
    {"list.insert", "self index item", insert, Unknown},
    {"list.pop", "self index?", popItem, Constants, Fixed},
    {"list.remove", "self item", removeFirst},
    {"list.clear", "self", clearList},
    {"list.copy", "self", copyList},
    {"list.reverse", "self", reverseList},
    {"list.sort", "self key? reverse?", sortList},
    {"list.index", "self item start? stop?", indexOfItem},
    {"list.count", "self item", countOf},
};
const LibraryFunction tupleMethods[] = {{"tuple.index", "self item start? stop?", indexOfItem},
                                        {"tuple.count", "self item", countOf}};
const LibraryFunction namedTupleMethods[] = {{"NamedTuple._replace", "self **fields", replaceTupleFields, Anything},
                                             {"NamedTuple._asdict", "self", fieldsAsDict, Anything},
                                             {"NamedTuple.index", "self item start? stop?", indexOfItem},
                                             {"NamedTuple.count", "self item", countOf}};
const LibraryFunction dictMethods[] = {
    {"dict.keys", "self", keys},
    {"dict.values", "self", values},
    {"dict.items", "self", items},
    {"dict.get", "self key default?", getItem, Unknown, Fixed},
    {"dict.setdefault", "self key default?", setDefault, Unknown, Fixed},
    {"dict.pop", "self key default?", popKey, Unknown, Fixed},
    {"dict.popitem", "self", popLast},
    {"dict.update", "self other? **names", updateDict, Unknown},
    {"dict.copy", "self", copyDict},
    {"dict.clear", "self", clearDict},
};
using B = syntax::BinaryOperator;
// A frozenset has the first ones only.
const LibraryFunction setMethods[] = {
    {"set.copy", "self", copySet},
    {"set.union", "self *others", combine<B::BitOr>},
    {"set.intersection", "self *others", combine<B::BitAnd>},
    {"set.difference", "self *others", combine<B::Sub>},
    {"set.symmetric_difference", "self *others", combine<B::BitXor>},
    {"set.issubset", "self other", isSubset},
    {"set.issuperset", "self other", isSuperset},
    {"set.isdisjoint", "self other", isDisjoint},
    {"set.add", "self item", addToSet, Unknown, Fixed},
    {"set.discard", "self item", discardItem},
    {"set.remove", "self item", removeFromSet},
    {"set.pop", "self", popFromSet},
    {"set.clear", "self", clearSet},
    {"set.update", "self *others", combineInPlace<B::BitOr>},
    {"set.intersection_update", "self *others", combineInPlace<B::BitAnd>},
    {"set.difference_update", "self *others", combineInPlace<B::Sub>},
    {"set.symmetric_difference_update", "self *others", combineInPlace<B::BitXor>},
};
constexpr size_t kFrozenMethods = 8;
const LibraryFunction rangeMethods[] = {{"range.index", "self item", indexInRange},
                                        {"range.count", "self item", countOf}};

} // namespace

const LibraryType tupleType{"tuple", tupleConstructor, tupleMethods, "", true},
    listType{"list", listConstructor, listMethods, "", true}, dictType{"dict", dictConstructor, dictMethods, "", true},
    setType{"set", setConstructor, setMethods, "", true},
    frozensetType{"frozenset", frozensetConstructor, LibraryFunctions(setMethods).first(kFrozenMethods), "", true},
    rangeType{"range", rangeConstructor, rangeMethods, "", true},
    orderedDictType{"OrderedDict", dictConstructor, dictMethods, "dict"},
    defaultDictType{"defaultdict", defaultDictConstructor, dictMethods, "dict"},
    namedTupleType{"NamedTuple", namedTupleConstructor, namedTupleMethods, ""};

} // namespace nereid::lang
