// ConstEvalSubscript.cpp: x[i] and x[a:b:c] on constants.
#include "lang/Text.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>

namespace nereid::lang {

namespace {

size_t checkedIndex(Session &session, const Value &index, size_t size, const char *what) {
  auto position = index.integer();
  if (!position)
    session.fail(std::string(what) + " indices must be integers or slices, not `" + typeName(index) + "`", {},
                 "TypeError");
  Integer actual = *position < 0 ? *position + Integer(size) : *position;
  if (actual < 0 || actual >= Integer(size))
    session.fail(std::string(what) + " index " + integerText(*position) + " is out of range: it has " +
                     std::to_string(size) + " items",
                 {}, "IndexError");
  return size_t(actual);
}

} // namespace

Progression ConstEval::selected(const SliceObject &slice, Integer size) {
  auto part = [&](const Value &value) -> std::optional<Integer> {
    if (!value || value.isNone())
      return std::nullopt;
    if (auto whole = value.integer())
      return whole;
    session.fail("slice indices must be integers or None, not `" + typeName(value) + "`", {}, "TypeError");
  };
  Integer step = part(slice.step).value_or(1);
  if (step == 0)
    session.fail("slice step cannot be zero");
  auto clamp = [&](std::optional<Integer> index, Integer whenAbsent) {
    if (!index)
      return whenAbsent;
    Integer position = *index < 0 ? std::max(*index, -size - 1) + size : *index;
    return step > 0 ? std::clamp(position, Integer(0), size) : std::clamp(position, Integer(-1), size - 1);
  };
  Integer start = clamp(part(slice.lower), step > 0 ? 0 : size - 1),
          stop = clamp(part(slice.upper), step > 0 ? size : -1);
  step = std::clamp(step, -size - 1, size + 1);
  Integer distance = step > 0 ? stop - start : start - stop, stride = step > 0 ? step : -step;
  return {start, step, distance <= 0 ? 0 : (distance - 1) / stride + 1};
}

// The part of a range is a range.
static Value rangeSlice(ConstEval &eval, const RangeObject &range, const SliceObject &slice) {
  Progression numbers = eval.progression(range), part = eval.selected(slice, numbers.count);
  auto number = [&](Integer index) { return numbers.start + index * numbers.step; };
  RangeObject result;
  // As CPython names the bounds, which shows in repr().
  Integer step = slice.step && slice.step.integer() ? *slice.step.integer() : 1;
  Integer bound = Integer(1) << 60;
  if (numbers.step > bound || numbers.step < -bound || step > bound || step < -bound)
    eval.session.fail("the step of this range is too large for compile-time evaluation", {}, "OverflowError");
  result.step = Value(numbers.step * step);
  result.start = Value(number(part.start));
  Integer stop = part.start;
  if (slice.upper && !slice.upper.isNone()) {
    Integer given = *slice.upper.integer(), low = step > 0 ? 0 : -1,
            high = step > 0 ? numbers.count : numbers.count - 1;
    stop = std::clamp(given < 0 ? std::max(given, -numbers.count - 1) + numbers.count : given, low, high);
  } else {
    stop = step > 0 ? numbers.count : -1;
  }
  result.stop = Value(number(stop));
  return std::make_shared<const RangeObject>(result);
}

Value ConstEval::sliceOf(const Value &object, const SliceObject &slice) {
  if (auto *range = object.constant<RangeObject>())
    return rangeSlice(*this, *range, slice);
  auto position = [](const Progression &part, Integer i) { return size_t(part.start + i * part.step); };
  if (auto *text = object.str()) {
    bool isPlain = isAscii(*text); // one byte for each character: most texts are, and need not be taken apart
    std::vector<std::string_view> characters = isPlain ? std::vector<std::string_view>() : charactersOf(*text);
    Progression part = selected(slice, Integer(isPlain ? text->size() : characters.size()));
    allocateText(size_t(part.count) * 4);
    if (isPlain && part.step == 1)
      return text->substr(size_t(part.start), size_t(part.count));
    std::string result;
    for (Integer i = 0; i < part.count; ++i)
      result += isPlain ? std::string_view(*text).substr(position(part, i), 1) : characters[position(part, i)];
    session.step(size_t(part.count) / 8);
    return result;
  }
  const Values &items = object.asTuple() ? object.asTuple()->items : object.object<ListObject>()->items;
  Progression part = selected(slice, Integer(items.size()));
  allocate(size_t(part.count));
  Values result;
  result.reserve(size_t(part.count));
  for (Integer i = 0; i < part.count; ++i)
    result.push_back(items[position(part, i)]);
  return object.asTuple() ? Value::tuple(std::move(result)) : makeList(std::move(result));
}

Value ConstEval::subscript(const Value &object, const Value &index) {
  session.step();
  if (auto *opaque = object.constant<Opaque>())
    return makeOpaque(opaque->path + "[…]");
  if (object.object<Function>()) // kernel[grid]
    return makeOpaque("a launch of " + object.object<Function>()->name);
  if (auto *opaque = index.constant<Opaque>(); opaque && !opaque->isKnown)
    return makeOpaque("an item at " + opaque->path);
  bool isSequence = object.asTuple() || object.object<ListObject>() || object.str() || object.constant<RangeObject>();
  if (auto *slice = index.constant<SliceObject>(); slice && isSequence)
    return sliceOf(object, *slice);
  if (auto *tuple = object.asTuple())
    return tuple->items[checkedIndex(session, index, tuple->items.size(), "tuple")];
  if (auto *list = object.object<ListObject>())
    return list->items[checkedIndex(session, index, list->items.size(), "list")];
  if (auto *text = object.str()) {
    size_t at = checkedIndex(session, index, characterCount(*text), "string"), begin = byteOf(*text, at);
    return text->substr(begin, byteOf(std::string_view(*text).substr(begin), 1));
  }
  if (auto *range = object.constant<RangeObject>()) {
    Progression numbers = progression(*range);
    size_t at = checkedIndex(session, index, size_t(std::min(numbers.count, Integer(1) << 62)), "range");
    return numbers.start + Integer(at) * numbers.step;
  }
  if (auto *dict = object.object<DictObject>()) {
    if (Value *found = findItem(*dict, index))
      return *found;
    if (dict->missing) {
      Value made = call(*dict->missing, Values{});
      setItem(*dict, index, made);
      return made;
    }
    session.fail("the dict has no key " + repr(index), {}, "KeyError");
  }
  if (auto *cls = object.object<Class>()) {
    if (cls->kind != Class::Kind::Enum)
      return object; // list[int]: only ever an annotation
    if (Value members = cls->lookup("__members__"); members.object<DictObject>())
      if (Value *member = findItem(*members.object<DictObject>(), index))
        return *member;
    session.fail("`" + cls->name + "` has no member " + repr(index), {}, "KeyError");
  }
  if (object.is<const LibraryFunction *>() || object.is<Type>())
    return object;
  if (Value method = object.object<Instance>() ? attribute(object, "__getitem__") : Value())
    return call(method, Values{index});
  session.fail("`" + typeName(object) + "` cannot be indexed", {}, "TypeError");
}

} // namespace nereid::lang
