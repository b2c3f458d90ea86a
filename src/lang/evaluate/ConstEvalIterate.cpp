// ConstEvalIterate.cpp: the items of anything that compile-time Python can loop over.
#include "lang/Text.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

namespace nereid::lang {

Progression ConstEval::progression(const RangeObject &range) {
  if (auto known = progressionOf(range))
    return *known;
  if (!range.start.integer() || !range.stop.integer() || !range.step.integer())
    session.fail("the bounds of this range are not known at compile time");
  if (*range.step.integer() == 0)
    session.fail("the step of a range cannot be zero");
  session.fail("a bound of this range is too large for compile-time evaluation", {}, "OverflowError");
}

namespace {

Values viewItems(const Instance &view, const DictObject &dict) {
  Values items;
  for (auto &[key, value] : dict.items)
    items.push_back(view.cls->name == "dict_keys"     ? key
                    : view.cls->name == "dict_values" ? value
                                                      : Value::tuple({key, value}));
  return items;
}

// The error that making the next item ended with; afterwards the iterator is at its end.
void failLate(Session &session, Instance &iterator) {
  auto found = iterator.fields.find("failure");
  if (found == iterator.fields.end())
    return;
  Values failure = found->second.asTuple()->items;
  iterator.fields.erase(found);
  session.fail(*failure[0].str(), {}, *failure[1].str());
}

} // namespace

Value asMember(const Value &item) {
  auto *set = item.object<SetObject>();
  if (!set || set->isFrozen)
    return item;
  auto frozen = std::make_shared<SetObject>(*set);
  frozen->isFrozen = true;
  return frozen;
}

DictObject *viewedDict(const Value &value) {
  auto *instance = value.object<Instance>();
  if (!instance || !instance->cls->isSubclassOf(*libraryClass("dict_view")))
    return nullptr;
  return instance->fields["mapping"].object<DictObject>();
}

ConstEval::Cursor::Cursor(ConstEval &eval, const Value &iterable) : eval(eval), iterable(iterable) {
  auto *instance = iterable.object<Instance>();
  isIterator = instance && instance->cls == libraryClass("iterator");
  dict = viewedDict(iterable) ? viewedDict(iterable) : iterable.object<DictObject>();
  if (dict)
    dictSize = dict->items.size();
  if (auto *range = iterable.constant<RangeObject>())
    numbers = eval.progression(*range);
  else if (!isIterator && !iterable.object<ListObject>() && !iterable.asTuple())
    items = eval.iterate(iterable);
}

// A list is looked at as it is now, not as it was when the loop began; an iterator goes on for whoever asks next.
std::optional<Value> ConstEval::Cursor::next() {
  eval.session.step();
  if (isIterator) {
    Instance &instance = *iterable.object<Instance>();
    const Values &all = instance.fields["items"].object<ListObject>()->items;
    auto at = size_t(instance.fields["position"].integer().value_or(0));
    if (at >= all.size()) {
      failLate(eval.session, instance);
      return std::nullopt;
    }
    instance.fields["position"] = Value(Integer(at + 1));
    return all[at];
  }
  if (numbers)
    return Integer(position) < numbers->count
               ? std::optional<Value>(numbers->start + Integer(position++) * numbers->step)
               : std::nullopt;
  if (dict && dict->items.size() != dictSize)
    eval.session.fail("the dict changed its size while it was looped over", {}, "RuntimeError");
  auto *list = iterable.object<ListObject>();
  const Values &now = list ? list->items : iterable.asTuple() ? iterable.asTuple()->items : items;
  return position < now.size() ? std::optional<Value>(now[position++]) : std::nullopt;
}

Values ConstEval::iterate(const Value &iterable) {
  session.step(sizeOf(iterable) / 4); // the items are copied
  session.make(sizeOf(iterable) * sizeof(Value));
  if (auto *tuple = iterable.asTuple())
    return tuple->items;
  if (auto *list = iterable.object<ListObject>())
    return list->items;
  if (auto *dict = iterable.object<DictObject>()) {
    Values keys;
    for (auto &item : dict->items)
      keys.push_back(item.first);
    return keys;
  }
  if (auto *set = iterable.object<SetObject>())
    return set->items;
  if (auto *range = iterable.constant<RangeObject>()) {
    Progression numbers = progression(*range);
    allocate(size_t(std::min(numbers.count, Integer(1) << 60)));
    Values items;
    items.reserve(size_t(numbers.count));
    for (Integer i = 0; i < numbers.count; ++i)
      items.push_back(numbers.start + i * numbers.step);
    return items;
  }
  if (iterable.str()) {
    allocate(iterable.str()->size());
    Values items;
    for (std::string_view character : charactersOf(*iterable.str()))
      items.push_back(std::string(character));
    return items;
  }
  if (auto *cls = iterable.object<Class>(); cls && cls->kind == Class::Kind::Enum)
    if (Value members = cls->lookup("__members__"); members.object<DictObject>()) {
      Values items;
      for (auto &member : members.object<DictObject>()->items)
        items.push_back(member.second);
      return items;
    }
  if (DictObject *dict = viewedDict(iterable)) {
    allocate(dict->items.size());
    return viewItems(*iterable.object<Instance>(), *dict);
  }
  if (auto *instance = iterable.object<Instance>()) {
    // An iterator (iter(…)) gives what is left of it.
    if (instance->cls == libraryClass("iterator")) {
      Values rest = iterate(instance->fields["items"]);
      auto position = std::min(size_t(instance->fields["position"].integer().value_or(0)), rest.size());
      instance->fields["position"] = Value(Integer(rest.size()));
      failLate(session, *instance);
      return Values(rest.begin() + position, rest.end());
    }
    if (instance->cls->lookup("__iter__"))
      return iterate(call(attribute(iterable, "__iter__"), Values{}));
  }
  if (auto *opaque = iterable.constant<Opaque>())
    session.fail("the items of `" + opaque->path + "` are not known at compile time");
  session.fail("`" + typeName(iterable) + "` cannot be looped over", {}, "TypeError");
}

} // namespace nereid::lang
