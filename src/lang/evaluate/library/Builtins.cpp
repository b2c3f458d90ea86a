// Builtins.cpp: Python's own functions: len, sorted, isinstance, getattr …
#include "lang/Text.h"
#include "lang/evaluate/Arithmetic.h"
#include "lang/evaluate/library/Tables.h"

#include <algorithm>
#include <cmath>

namespace nereid::lang {

namespace {

// What an object's own `__len__` gives.
Value lengthOf(LibraryCall &call, const Value &object) {
  Value length = call.eval.call(call.eval.attribute(object, "__len__"), Values{});
  auto count = length.integer();
  if (!count && !length.constant<Opaque>())
    call.session().fail("`__len__` gives a `" + typeName(length) + "`, which is no integer", {}, "TypeError");
  if (count && *count < 0)
    call.session().fail("`__len__` gives " + integerText(*count) + ", which is below 0");
  if (count && *count > INT64_MAX)
    call.session().fail("`__len__` gives " + integerText(*count) + ", which is too large", {}, "OverflowError");
  return count ? Value(*count) : length;
}

Value callLen(LibraryCall &call) {
  const Value &value = call[0];
  if (value.constant<Opaque>())
    return makeOpaque("len(" + toString(value) + ")");
  if (auto *instance = value.object<Instance>(); instance && instance->cls->lookup("__len__"))
    return lengthOf(call, value);
  if (value.asTuple() || value.object<ListObject>() || value.object<DictObject>() || value.object<SetObject>())
    return Value(Integer(sizeOf(value)));
  if (value.str())
    return Value(Integer(characterCount(*value.str())));
  if (auto *range = value.constant<RangeObject>()) {
    Integer count = call.eval.progression(*range).count;
    if (count > INT64_MAX)
      call.session().fail("a range of " + integerText(count) + " items is too long for `len`", {}, "OverflowError");
    return count;
  }
  if (DictObject *dict = viewedDict(value))
    return Value(Integer(dict->items.size()));
  if (auto *cls = value.object<Class>(); cls && cls->kind == Class::Kind::Enum)
    return Value(Integer(call.eval.iterate(value).size()));
  call.expected(0, "a value with a length");
}

Value callAbs(LibraryCall &call) {
  if (auto *instance = call[0].object<Instance>(); instance && instance->cls->lookup("__abs__"))
    return call.eval.call(call.eval.attribute(call[0], "__abs__"), Values{});
  if (auto whole = call[0].integer())
    return *whole < 0 ? call.eval.unary(syntax::UnaryOperator::USub, call[0]) : Value(*whole);
  return std::abs(call.number(0));
}

Value extremum(LibraryCall &call, bool wantsLess) {
  Values items = call[0].asTuple()->items;
  if (items.empty())
    call.session().fail("`" + std::string(call.function.name) + "` of nothing", {}, "TypeError");
  if (items.size() > 1 && call[2])
    call.session().fail("`default` of `" + std::string(call.function.name) + "` goes with one thing to loop over", {},
                        "TypeError");
  if (items.size() == 1)
    items = call.eval.iterate(items[0]);
  if (items.empty()) {
    if (call[2])
      return call[2];
    call.session().fail("`" + std::string(call.function.name) + "` of nothing");
  }
  auto keyOf = [&](const Value &item) {
    return call[1] && !call[1].isNone() ? call.eval.call(call[1], Values{item}) : item;
  };
  Value best = items[0], bestKey = keyOf(best);
  for (size_t i = 1; i < items.size(); ++i) {
    Value key = keyOf(items[i]);
    if (key.constant<Opaque>() || bestKey.constant<Opaque>())
      return makeOpaque(std::string(call.function.name) + " of unknown values");
    if (wantsLess ? call.eval.isLess(key, bestKey) : call.eval.isLess(bestKey, key)) {
      best = items[i];
      bestKey = key;
    }
  }
  return best;
}
Value callMin(LibraryCall &call) { return extremum(call, true); }
Value callMax(LibraryCall &call) { return extremum(call, false); }

Value callSum(LibraryCall &call) {
  Value total = call[1] ? call[1] : Value(0);
  if (total.str())
    call.session().fail("`sum` does not add texts: write `''.join(…)`", {}, "TypeError");
  ConstEval::Cursor cursor(call.eval, call[0]);
  while (std::optional<Value> item = cursor.next())
    total = call.eval.binary(syntax::BinaryOperator::Add, total, *item);
  return total;
}

Value callAny(LibraryCall &call) {
  ConstEval::Cursor cursor(call.eval, call[0]);
  while (std::optional<Value> item = cursor.next())
    if (call.eval.truth(*item))
      return true;
  return false;
}

Value callAll(LibraryCall &call) {
  ConstEval::Cursor cursor(call.eval, call[0]);
  while (std::optional<Value> item = cursor.next())
    if (!call.eval.truth(*item))
      return false;
  return true;
}

Value callReversed(LibraryCall &call) {
  if (call[0].object<SetObject>() || (call[0].object<Instance>() && !viewedDict(call[0])))
    call.expected(0, "a sequence");
  Values items = call.eval.iterate(call[0]);
  std::ranges::reverse(items);
  return makeIterator(std::move(items));
}

Value callEnumerate(LibraryCall &call) {
  Values pairs;
  Value index = Value(call.integer(1, 0));
  for (const Value &item : call.eval.iterate(call[0])) {
    pairs.push_back(Value::tuple({index, item}));
    index = call.eval.binary(syntax::BinaryOperator::Add, index, 1);
  }
  return makeIterator(std::move(pairs));
}

// The items of several iterables side by side, until one of them ends.
Values rowsOf(LibraryCall &call, const Values &iterables, bool isStrict) {
  std::vector<ConstEval::Cursor> cursors;
  for (const Value &iterable : iterables)
    cursors.emplace_back(call.eval, iterable);
  Values rows;
  while (!cursors.empty()) {
    Values row;
    for (size_t i = 0; i < cursors.size(); ++i) {
      std::optional<Value> item = cursors[i].next();
      if (item && i > 0 && row.empty())
        call.session().fail("argument " + std::to_string(i + 1) + " of `zip` is longer than those before it");
      if (!item && !isStrict)
        return rows;
      if (!item && i > 0 && !row.empty())
        call.session().fail("argument " + std::to_string(i + 1) + " of `zip` is shorter than those before it");
      if (item)
        row.push_back(std::move(*item));
    }
    if (row.empty())
      return rows;
    call.eval.allocate(row.size());
    rows.push_back(Value::tuple(std::move(row)));
  }
  return rows;
}

Value callZip(LibraryCall &call) { return makeIterator(rowsOf(call, call[0].asTuple()->items, call.flag(1, false))); }

Value callMap(LibraryCall &call) {
  if (call[1].asTuple()->items.empty())
    call.session().fail("`map` needs something to loop over", {}, "TypeError");
  Values rows = rowsOf(call, call[1].asTuple()->items, false);
  return makeIterator([&](Values &mapped) {
    for (const Value &row : rows)
      mapped.push_back(call.eval.call(call[0], row.asTuple()->items));
  });
}

Value callFilter(LibraryCall &call) {
  Values items = call.eval.iterate(call[1]);
  return makeIterator([&](Values &kept) {
    for (const Value &item : items)
      if (call.eval.truth(call[0].isNone() ? item : call.eval.call(call[0], Values{item})))
        kept.push_back(item);
  });
}

// A jit function and the one that it wraps are one value here: of which class it is (`types.FunctionType`) nobody can say.
Value callIsInstance(LibraryCall &call) {
  const Value &value = call[0];
  auto *unknown = (value.object<Function>() ? call[1] : value).constant<Opaque>();
  if (unknown && !unknown->isKnown)
    return makeOpaque("isinstance(" + unknown->path + ")");
  return isInstance(value, call[1]);
}

Value callIsSubclass(LibraryCall &call) {
  auto *cls = call[0].object<Class>();
  if (!cls)
    return makeOpaque("issubclass()");
  Values wanted = call[1].asTuple() ? call[1].asTuple()->items : Values{call[1]};
  return std::ranges::any_of(
      wanted, [&](const Value &each) { return each.object<Class>() && cls->isSubclassOf(*each.object<Class>()); });
}

Value callGetAttribute(LibraryCall &call) {
  if (Value found = call.eval.attribute(call[0], call.text(1)))
    return found;
  if (call[2])
    return call[2];
  call.session().fail("`" + typeName(call[0]) + "` has no attribute `" + call.text(1) + "`", {}, "AttributeError");
}

// Devices of other vendors that extend torch: the target has none of them.
bool isOtherDevice(const Value &object, const std::string &name) {
  static constexpr std::string_view devices[] = {"mlu", "musa", "npu", "gcu", "hpu", "ipu", "txda", "ptpu", "hip"};
  auto *module = object.object<Module>();
  return module && module->name == "torch" && std::ranges::find(devices, name) != std::end(devices);
}

Value callHasAttribute(LibraryCall &call) {
  if (isOtherDevice(call[0], call.text(1)))
    return false;
  Value found = call.eval.attribute(call[0], call.text(1));
  if (auto *opaque = found.constant<Opaque>(); opaque && !opaque->isKnown)
    return makeOpaque("hasattr(" + opaque->path + ")");
  return bool(found);
}

Value callSetAttribute(LibraryCall &call) {
  call.eval.setAttribute(call[0], call.text(1), call[2]);
  return None{};
}

Value callCallable(LibraryCall &call) {
  const Value &value = call[0];
  return value.object<Function>() || value.is<const LibraryFunction *>() || value.is<const Builtin *>() ||
         value.object<Class>() || value.constant<BoundMethod>() ||
         (value.object<Instance>() && value.object<Instance>()->cls->lookup("__call__"));
}

Value callRepr(LibraryCall &call) { return call.eval.reprOf(call[0]); }
Value callAscii(LibraryCall &call) { return call.eval.asciiOf(call[0]); }
Value callFormat(LibraryCall &call) { return call.eval.format(call[0], 0, call[1] ? call.text(1) : ""); }
Value callPrint(LibraryCall &) { return None{}; }

Value callRound(LibraryCall &call) {
  bool hasDigits = call[1] && !call[1].isNone();
  if (auto whole = call[0].integer())
    return hasDigits ? roundInteger(call.session(), *whole, call.integer(1)) : *whole;
  double value = call.number(0);
  if (hasDigits)
    return roundFloat(call.session(), value, call.integer(1));
  return wholeOf(call.session(), std::nearbyint(value)); // half to even
}

Value callPow(LibraryCall &call) {
  if (!call[2] || call[2].isNone())
    return call.eval.binary(syntax::BinaryOperator::Pow, call[0], call[1]);
  return powerModulo(call.session(), call.integer(0), call.integer(1), call.integer(2));
}

Value callDivmod(LibraryCall &call) {
  return Value::tuple({call.eval.binary(syntax::BinaryOperator::FloorDiv, call[0], call[1]),
                       call.eval.binary(syntax::BinaryOperator::Mod, call[0], call[1])});
}

Value callOrd(LibraryCall &call) {
  const std::string &text = call.text(0);
  if (characterCount(text) != 1)
    call.expected(0, "one character");
  return int64_t(codePointOf(text));
}

Value callChr(LibraryCall &call) {
  Integer code = call.integer(0);
  if (code < 0 || code > 0x10FFFF)
    call.session().fail(integerText(code) + " is not the code of a character");
  if (code >= 0xD800 && code < 0xE000)
    call.session().fail("`chr` of a surrogate is not supported at compile time", {}, "NotImplementedError");
  return utf8(uint32_t(code));
}

Value callHex(LibraryCall &call) { return call.eval.format(Value(call.integer(0)), 0, "#x"); }
Value callBin(LibraryCall &call) { return call.eval.format(Value(call.integer(0)), 0, "#b"); }
Value callOct(LibraryCall &call) { return call.eval.format(Value(call.integer(0)), 0, "#o"); }

Value callIter(LibraryCall &call) {
  auto *instance = call[0].object<Instance>();
  bool isIterator = instance && instance->cls == libraryClass("iterator");
  return isIterator ? call[0] : makeIterator(call.eval.iterate(call[0]));
}

Value callNext(LibraryCall &call) {
  auto *instance = call[0].object<Instance>();
  if (!instance || instance->cls != libraryClass("iterator"))
    call.expected(0, "an iterator");
  if (std::optional<Value> item = ConstEval::Cursor(call.eval, call[0]).next())
    return *item;
  if (call[1])
    return call[1];
  call.session().fail("`next` of an exhausted iterator", {}, "StopIteration");
}

Value callSorted(LibraryCall &call) {
  Values items = call.eval.iterate(call[0]);
  sortValues(call.eval, items, call[1], call.flag(2, false));
  return makeList(std::move(items));
}

Value callUnknown(LibraryCall &call) { return makeOpaque(std::string(call.function.name) + "()"); }

using enum LibraryFunction::Takes;
using enum LibraryFunction::Cost;
const LibraryFunction functions[] = {
    {"len", "value", callLen, Anything, Fixed},
    {"abs", "value", callAbs},
    {"min", "*values key? default?", callMin},
    {"max", "*values key? default?", callMax},
    {"sum", "iterable start?", callSum},
    {"any", "iterable", callAny},
    {"all", "iterable", callAll},
    {"sorted", "iterable key? reverse?", callSorted},
    {"reversed", "iterable", callReversed, Anything},
    {"enumerate", "iterable start?", callEnumerate, Anything},
    {"zip", "*iterables strict?", callZip, Anything},
    {"map", "function *iterables", callMap},
    {"filter", "function iterable", callFilter},
    {"isinstance", "value classes", callIsInstance, Anything, Fixed},
    {"issubclass", "cls classes", callIsSubclass, Unknown},
    {"getattr", "object name default?", callGetAttribute, Unknown, Fixed},
    {"hasattr", "object name", callHasAttribute, Unknown, Fixed},
    {"setattr", "object name value", callSetAttribute, Unknown, Fixed},
    {"callable", "value", callCallable, Constants, Fixed},
    {"repr", "value", callRepr},
    {"ascii", "value", callAscii},
    {"format", "value spec?", callFormat},
    {"print", "*values **options", callPrint, Unknown, Fixed},
    {"round", "number ndigits?", callRound},
    {"pow", "base exp mod?", callPow},
    {"divmod", "a b", callDivmod},
    {"ord", "character", callOrd},
    {"chr", "code", callChr},
    {"hex", "value", callHex},
    {"bin", "value", callBin},
    {"oct", "value", callOct},
    {"iter", "iterable", callIter},
    {"next", "iterator default?", callNext},
    {"id", "value", callUnknown, Unknown},
    {"hash", "value", callUnknown, Unknown},
    {"globals", "", callUnknown},
    {"locals", "", callUnknown},
    {"vars", "value?", callUnknown, Unknown},
    {"dir", "value?", callUnknown, Unknown},
    {"open", "*arguments **options", callUnknown, Unknown},
    {"input", "*arguments", callUnknown, Unknown},
    {"exec", "*arguments", callUnknown, Unknown},
    {"eval", "*arguments", callUnknown, Unknown},
    {"compile", "*arguments **options", callUnknown, Unknown},
    {"__import__", "*arguments **options", callUnknown, Unknown},
};

void populateBuiltins(Scope &globals) {
  for (const LibraryType *type : libraryTypes())
    if (type->isBuiltin)
      globals.names[std::string(type->name)] = libraryClass(type->name);
  globals.names["NotImplemented"] = makeOpaque("NotImplemented", true);
  globals.names["__debug__"] = true;
}

} // namespace

// What is neither less, equal nor more than others: the result would depend on the way of sorting.
static bool isUnordered(const Value &value) {
  Session::charge(1);
  if (auto *real = value.get<double>())
    return std::isnan(*real);
  auto *tuple = value.asTuple();
  auto *list = value.object<ListObject>();
  if (tuple || list)
    return std::ranges::any_of(tuple ? tuple->items : list->items, isUnordered);
  return value.object<SetObject>() || viewedDict(value);
}

// A merge sort of our own: a comparison may run a user's __lt__, which std::sort would have to trust.
void sortValues(ConstEval &eval, Values &items, const Value &key, bool isReversed) {
  using Keyed = std::pair<Value, Value>;
  std::vector<Keyed> keyed, merged(items.size());
  for (Value &item : items)
    keyed.emplace_back(key && !key.isNone() ? eval.call(key, Values{item}) : item, item);
  for (const Keyed &each : keyed)
    if (keyed.size() > 1 && isUnordered(each.first))
      eval.session.fail("a list with nan or sets in it has no order that is known at compile time", {},
                        "NotImplementedError");
  auto isBefore = [&](const Keyed &a, const Keyed &b) {
    return isReversed ? eval.isLess(b.first, a.first) : eval.isLess(a.first, b.first);
  };
  for (size_t width = 1; width < keyed.size(); width *= 2) {
    for (size_t begin = 0; begin < keyed.size(); begin += 2 * width) {
      size_t left = begin, middle = std::min(begin + width, keyed.size()), right = middle,
             end = std::min(begin + 2 * width, keyed.size());
      for (size_t out = begin; out < end; ++out) {
        bool takesRight = right < end && (left == middle || isBefore(keyed[right], keyed[left]));
        merged[out] = keyed[takesRight ? right++ : left++];
      }
    }
    keyed.swap(merged);
  }
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = keyed[i].second;
}

const LibraryModule builtinsModule = {"builtins", functions, populateBuiltins, false};

} // namespace nereid::lang
