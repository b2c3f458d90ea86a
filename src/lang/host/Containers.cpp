// Containers.cpp: methods of list, dict, set and tuple.
#include "lang/host/Tables.h"

#include <algorithm>

namespace nereid::lang {

namespace {

ListObject &list(HostCall &call) {
  if (auto *object = call[0].object<ListObject>())
    return *object;
  call.expected(0, "a list");
}

DictObject &dict(HostCall &call) {
  if (auto *object = call[0].object<DictObject>())
    return *object;
  call.expected(0, "a dict");
}

SetObject &set(HostCall &call) {
  if (auto *object = call[0].object<SetObject>())
    return *object;
  call.expected(0, "a set");
}

Value append(HostCall &call) {
  list(call).items.push_back(call[1]);
  if (list(call).items.size() > ConstEval::kMaxItems)
    call.eval.allocate(list(call).items.size());
  return None{};
}

Value extend(HostCall &call) {
  if (call[1].constant<Opaque>())
    call.session().fail("the items of `" + toString(call[1]) + "` are not known at compile time");
  Values items = call.eval.iterate(call[1]);
  call.eval.allocate(items.size() + list(call).items.size());
  list(call).items.insert(list(call).items.end(), items.begin(), items.end());
  return None{};
}

Value insert(HostCall &call) {
  Integer size = Integer(list(call).items.size()), at = call.integer(1);
  at = std::clamp(at < 0 ? at + size : at, Integer(0), size);
  list(call).items.insert(list(call).items.begin() + size_t(at), call[2]);
  return None{};
}

Value popItem(HostCall &call) {
  Values &items = list(call).items;
  Integer at = call.integer(1, -1);
  at = at < 0 ? at + Integer(items.size()) : at;
  if (at < 0 || at >= Integer(items.size()))
    call.session().fail("pop index is out of range", {}, "IndexError");
  Value item = items[size_t(at)];
  items.erase(items.begin() + size_t(at));
  return item;
}

Value removeItem(HostCall &call) {
  Values &items = list(call).items;
  auto found = std::ranges::find_if(items, [&](const Value &item) { return equal(item, call[1]); });
  if (found == items.end())
    call.session().fail("the list does not contain " + repr(call[1]));
  items.erase(found);
  return None{};
}

Value clearList(HostCall &call) {
  list(call).items.clear();
  return None{};
}
Value copyList(HostCall &call) { return makeList(list(call).items); }
Value reverseList(HostCall &call) {
  std::ranges::reverse(list(call).items);
  return None{};
}

Value sortList(HostCall &call) {
  Values items = list(call).items;
  sortValues(call.eval, items, call[1], call.flag(2, false));
  list(call).items = std::move(items);
  return None{};
}

Value indexOfItem(HostCall &call) {
  Values items = call.eval.iterate(call[0]);
  for (size_t i = 0; i < items.size(); ++i)
    if (call.eval.areEqual(items[i], call[1]))
      return Value(Integer(i));
  call.session().fail(repr(call[1]) + " is not in the sequence");
}

Value countOf(HostCall &call) {
  Values items = call.eval.iterate(call[0]);
  return Value(
      Integer(std::ranges::count_if(items, [&](const Value &item) { return call.eval.areEqual(item, call[1]); })));
}

Value keys(HostCall &call) { return makeList(call.eval.iterate(call[0])); }

Value values(HostCall &call) {
  Values items;
  for (auto &item : dict(call).items)
    items.push_back(item.second);
  return makeList(std::move(items));
}

Value items(HostCall &call) {
  Values pairs;
  for (auto &item : dict(call).items)
    pairs.push_back(Value::tuple({item.first, item.second}));
  return makeList(std::move(pairs));
}

Value getItem(HostCall &call) {
  call.session().step(dict(call).items.size() / 8);
  if (Value *found = findItem(dict(call), call[1]))
    return *found;
  return call[2] ? call[2] : Value(None{});
}

Value setDefault(HostCall &call) {
  if (Value *found = findItem(dict(call), call[1]))
    return *found;
  Value value = call[2] ? call[2] : Value(None{});
  setItem(dict(call), call[1], value);
  return value;
}

Value popKey(HostCall &call) {
  auto &entries = dict(call).items;
  auto found = std::ranges::find_if(entries, [&](auto &item) { return equal(item.first, call[1]); });
  if (found == entries.end()) {
    if (call[2])
      return call[2];
    call.session().fail("the dict has no key " + repr(call[1]), {}, "KeyError");
  }
  Value value = found->second;
  entries.erase(found);
  return value;
}

Value updateDict(HostCall &call) {
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

Value copyDict(HostCall &call) { return std::make_shared<DictObject>(dict(call)); }
Value clearDict(HostCall &call) {
  dict(call).items.clear();
  return None{};
}

Value addItem(HostCall &call) {
  call.session().step(set(call).items.size() / 8);
  if (!contains(set(call).items, call[1]))
    set(call).items.push_back(call[1]);
  return None{};
}
Value discardItem(HostCall &call) {
  std::erase_if(set(call).items, [&](const Value &item) { return equal(item, call[1]); });
  return None{};
}
Value updateSet(HostCall &call) {
  for (const Value &item : call.eval.iterate(call[1]))
    if (!contains(set(call).items, item))
      set(call).items.push_back(item);
  return None{};
}

Value combine(HostCall &call, syntax::BinaryOperator op) {
  return call.eval.binary(op, call[0], std::make_shared<SetObject>(SetObject{call.eval.iterate(call[1])}));
}
Value unite(HostCall &call) { return combine(call, syntax::BinaryOperator::BitOr); }
Value intersect(HostCall &call) { return combine(call, syntax::BinaryOperator::BitAnd); }
Value subtract(HostCall &call) { return combine(call, syntax::BinaryOperator::Sub); }

Value isSubset(HostCall &call) {
  Values others = call.eval.iterate(call[1]);
  return std::ranges::all_of(set(call).items, [&](const Value &item) { return contains(others, item); });
}
Value isSuperset(HostCall &call) {
  Values others = call.eval.iterate(call[1]);
  return std::ranges::all_of(others, [&](const Value &item) { return contains(set(call).items, item); });
}

Value replaceTupleFields(HostCall &call) {
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

Value fieldsAsDict(HostCall &call) {
  auto result = std::make_shared<DictObject>();
  auto *tuple = call[0].asTuple();
  for (size_t i = 0; tuple && tuple->cls && i < tuple->items.size() && i < tuple->cls->fields.size(); ++i)
    setItem(*result, Value(tuple->cls->fields[i]), tuple->items[i]);
  return result;
}

using enum HostFunction::Takes;
using enum HostFunction::Cost;
const HostFunction listMethods[] = {
    {"list.append", "self item", append, Unknown, Fixed},
    {"list.extend", "self items", extend, Unknown},
    {"list.insert", "self index item", insert, Unknown},
    {"list.pop", "self index?", popItem, Constants, Fixed},
    {"list.remove", "self item", removeItem},
    {"list.clear", "self", clearList},
    {"list.copy", "self", copyList},
    {"list.reverse", "self", reverseList},
    {"list.sort", "self key? reverse?", sortList},
    {"list.index", "self item", indexOfItem},
    {"list.count", "self item", countOf},
};
const HostFunction tupleMethods[] = {{"tuple.index", "self item", indexOfItem}, {"tuple.count", "self item", countOf}};
const HostFunction namedTupleMethods[] = {{"NamedTuple._replace", "self **fields", replaceTupleFields, Anything},
                                          {"NamedTuple._asdict", "self", fieldsAsDict, Anything},
                                          {"NamedTuple.index", "self item", indexOfItem},
                                          {"NamedTuple.count", "self item", countOf}};
const HostFunction dictMethods[] = {
    {"dict.keys", "self", keys},
    {"dict.values", "self", values},
    {"dict.items", "self", items},
    {"dict.get", "self key default?", getItem, Unknown, Fixed},
    {"dict.setdefault", "self key default?", setDefault, Unknown, Fixed},
    {"dict.pop", "self key default?", popKey, Unknown, Fixed},
    {"dict.update", "self other? **names", updateDict, Unknown},
    {"dict.copy", "self", copyDict},
    {"dict.clear", "self", clearDict},
};
const HostFunction setMethods[] = {
    {"set.add", "self item", addItem, Unknown, Fixed},
    {"set.discard", "self item", discardItem},
    {"set.remove", "self item", discardItem},
    {"set.update", "self items", updateSet},
    {"set.union", "self other", unite},
    {"set.intersection", "self other", intersect},
    {"set.difference", "self other", subtract},
    {"set.issubset", "self other", isSubset},
    {"set.issuperset", "self other", isSuperset},
};

} // namespace

const HostType tupleType{"tuple", tupleConstructor, tupleMethods, "", true},
    listType{"list", listConstructor, listMethods, "", true}, dictType{"dict", dictConstructor, dictMethods, "", true},
    setType{"set", setConstructor, setMethods, "", true},
    frozensetType{"frozenset", frozensetConstructor, setMethods, "set", true},
    orderedDictType{"OrderedDict", dictConstructor, dictMethods, "dict"},
    defaultDictType{"defaultdict", defaultDictConstructor, dictMethods, "dict"},
    namedTupleType{"NamedTuple", namedTupleConstructor, namedTupleMethods, ""};

} // namespace nereid::lang
