// ConstEvalSubscript.cpp: x[i] and x[a:b:c] on constants.
#include "lang/ConstEval.h"
#include "lang/HostFunction.h"

#include <algorithm>

namespace nereid::lang {

namespace {

// The positions that a slice selects, as Python's slice.indices does.
std::vector<size_t> sliceIndices(Session &session, const SliceObject &slice, size_t size) {
  auto part = [&](const Value &value) -> std::optional<Integer> {
    if (!value || value.isNone())
      return std::nullopt;
    if (auto whole = value.integer())
      return whole;
    session.fail("slice indices must be integers or None, not `" + typeName(value) + "`", {}, "TypeError");
  };
  Integer count = Integer(size), step = part(slice.step).value_or(1);
  if (step == 0)
    session.fail("slice step cannot be zero");
  auto clamp = [&](std::optional<Integer> index, Integer whenAbsent) {
    if (!index)
      return whenAbsent;
    Integer position = *index < 0 ? std::max(*index, -count - 1) + count : *index;
    return step > 0 ? std::clamp(position, Integer(0), count) : std::clamp(position, Integer(-1), count - 1);
  };
  Integer start = clamp(part(slice.lower), step > 0 ? 0 : count - 1),
          stop = clamp(part(slice.upper), step > 0 ? count : -1);
  std::vector<size_t> indices;
  step = std::clamp(step, -count - 1, count + 1);
  for (Integer i = start; step > 0 ? i < stop : i > stop; i += step)
    indices.push_back(size_t(i));
  return indices;
}

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

// One byte for each character: most texts are, and need not be taken apart.
static bool isAscii(const std::string &text) {
  return std::ranges::none_of(text, [](char c) { return c & 0x80; });
}

Value ConstEval::sliceOf(const Value &object, const SliceObject &slice) {
  if (auto *text = object.str(); text && isAscii(*text)) {
    allocate(text->size(), kMaxTextBytes);
    std::string selected;
    for (size_t index : sliceIndices(session, slice, text->size()))
      selected += (*text)[index];
    return selected;
  }
  Values items = iterate(object);
  session.step(items.size());
  Values selected;
  for (size_t index : sliceIndices(session, slice, items.size()))
    selected.push_back(items[index]);
  if (object.str()) {
    std::string text;
    for (const Value &item : selected)
      text += *item.str();
    return text;
  }
  if (object.object<ListObject>())
    return makeList(std::move(selected));
  return Value::tuple(std::move(selected));
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
  if (auto *text = object.str(); text && isAscii(*text)) {
    session.step(text->size() / 64);
    return std::string(1, (*text)[checkedIndex(session, index, text->size(), "string")]);
  }
  if (isSequence) {
    Values items = iterate(object);
    return items[checkedIndex(session, index, items.size(), object.str() ? "string" : "range")];
  }
  if (auto *dict = object.object<DictObject>()) {
    session.step(dict->items.size() / 8);
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
  if (object.is<const HostFunction *>() || object.is<Type>())
    return object;
  if (Value method = object.object<Instance>() ? attribute(object, "__getitem__") : Value())
    return call(method, Values{index});
  session.fail("`" + typeName(object) + "` cannot be indexed", {}, "TypeError");
}

} // namespace nereid::lang
