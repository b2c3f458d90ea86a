// ConstEvalIterate.cpp: the items of anything that compile-time Python can loop over.
#include "lang/ConstEval.h"
#include "lang/HostFunction.h"

namespace nereid::lang {

namespace {

Values characters(const std::string &text) {
  Values items;
  for (size_t i = 0; i < text.size();) {
    size_t length = 1;
    while (i + length < text.size() && (static_cast<unsigned char>(text[i + length]) & 0xC0) == 0x80)
      ++length;
    items.push_back(text.substr(i, length));
    i += length;
  }
  return items;
}

Values keysOf(const DictObject &dict) {
  Values keys;
  for (auto &item : dict.items)
    keys.push_back(item.first);
  return keys;
}

constexpr Integer kMaxBound = Integer(1) << 120; // so that sums and differences of bounds fit

Values rangeItems(ConstEval &eval, const RangeObject &range) {
  auto start = range.start.integer(), stop = range.stop.integer(), step = range.step.integer();
  if (!start || !stop || !step)
    eval.session.fail("the bounds of this range are not known at compile time");
  if (*step == 0)
    eval.session.fail("the step of a range cannot be zero");
  for (Integer bound : {*start, *stop, *step})
    if (bound > kMaxBound || bound < -kMaxBound)
      eval.session.fail("a bound of this range is too large for compile-time evaluation", {}, "OverflowError");
  Integer distance = *step > 0 ? *stop - *start : *start - *stop, stride = *step > 0 ? *step : -*step;
  Integer count = distance <= 0 ? 0 : (distance - 1) / stride + 1;
  eval.allocate(size_t(std::min(count, Integer(1) << 60)));
  Values items;
  for (Integer i = 0; i < count; ++i)
    items.push_back(*start + i * *step);
  return items;
}

} // namespace

Values ConstEval::iterate(const Value &iterable) {
  session.step(sizeOf(iterable) / 4); // the items are copied
  if (auto *tuple = iterable.asTuple())
    return tuple->items;
  if (auto *list = iterable.object<ListObject>())
    return list->items;
  if (auto *dict = iterable.object<DictObject>())
    return keysOf(*dict);
  if (auto *set = iterable.object<SetObject>())
    return set->items;
  if (auto *range = iterable.constant<RangeObject>())
    return rangeItems(*this, *range);
  if (iterable.str()) {
    allocate(iterable.str()->size());
    return characters(*iterable.str());
  }
  if (auto *cls = iterable.object<Class>(); cls && cls->kind == Class::Kind::Enum)
    if (Value members = cls->lookup("__members__"); members.object<DictObject>()) {
      Values items;
      for (auto &member : members.object<DictObject>()->items)
        items.push_back(member.second);
      return items;
    }
  if (auto *instance = iterable.object<Instance>()) {
    // An iterator (iter(…)) gives what is left of it.
    if (instance->cls == hostClass("iterator")) {
      Values rest = iterate(instance->fields["items"]);
      auto position = std::min(size_t(instance->fields["position"].integer().value_or(0)), rest.size());
      instance->fields["position"] = Value(Integer(rest.size()));
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
