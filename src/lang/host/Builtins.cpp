// Builtins.cpp: Python's own functions: len, sorted, isinstance, getattr …
#include "lang/HostFunction.h"
#include "lang/host/Tables.h"

#include <algorithm>
#include <cmath>

namespace nereid::lang {

namespace {

Value callLen(HostCall &call) {
  const Value &value = call[0];
  if (value.constant<Opaque>())
    return makeOpaque("len(" + toString(value) + ")");
  if (auto *instance = value.object<Instance>(); instance && instance->cls->lookup("__len__"))
    return call.eval.call(call.eval.attribute(value, "__len__"), Values{});
  bool isSized =
      value.asTuple() || value.object<ListObject>() || value.object<DictObject>() || value.object<SetObject>();
  return Value(Integer(isSized ? sizeOf(value) : call.eval.iterate(value).size()));
}

Value callAbs(HostCall &call) {
  if (auto whole = call[0].integer())
    return *whole < 0 ? call.eval.unary(syntax::UnaryOperator::USub, call[0]) : Value(*whole);
  return std::abs(call.number(0));
}

Value extremum(HostCall &call, bool wantsLess) {
  Values items = call[0].asTuple()->items;
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
Value callMin(HostCall &call) { return extremum(call, true); }
Value callMax(HostCall &call) { return extremum(call, false); }

Value callSum(HostCall &call) {
  Value total = call[1] ? call[1] : Value(0);
  for (const Value &item : call.eval.iterate(call[0]))
    total = call.eval.binary(syntax::BinaryOperator::Add, total, item);
  return total;
}

Value callAny(HostCall &call) {
  for (const Value &item : call.eval.iterate(call[0]))
    if (call.eval.truth(item))
      return true;
  return false;
}

Value callAll(HostCall &call) {
  for (const Value &item : call.eval.iterate(call[0]))
    if (!call.eval.truth(item))
      return false;
  return true;
}

Value callReversed(HostCall &call) {
  Values items = call.eval.iterate(call[0]);
  std::ranges::reverse(items);
  return makeList(std::move(items));
}

Value callEnumerate(HostCall &call) {
  Values pairs;
  Value index = Value(call.integer(1, 0));
  for (const Value &item : call.eval.iterate(call[0])) {
    pairs.push_back(Value::tuple({index, item}));
    index = call.eval.binary(syntax::BinaryOperator::Add, index, 1);
  }
  return makeList(std::move(pairs));
}

Value callZip(HostCall &call) {
  std::vector<Values> columns;
  size_t length = SIZE_MAX;
  for (const Value &iterable : call[0].asTuple()->items) {
    columns.push_back(call.eval.iterate(iterable));
    length = std::min(length, columns.back().size());
  }
  Values rows;
  for (size_t i = 0; i < length && !columns.empty(); ++i) {
    Values row;
    for (const Values &column : columns)
      row.push_back(column[i]);
    rows.push_back(Value::tuple(std::move(row)));
  }
  return makeList(std::move(rows));
}

Value callMap(HostCall &call) {
  Values mapped;
  const Values &iterables = call[1].asTuple()->items;
  if (iterables.size() == 1) {
    for (const Value &item : call.eval.iterate(iterables[0]))
      mapped.push_back(call.eval.call(call[0], Values{item}));
    return makeList(std::move(mapped));
  }
  HostCall rows{call.eval, call.function, {call[1]}};
  for (const Value &row : call.eval.iterate(callZip(rows)))
    mapped.push_back(call.eval.call(call[0], row.asTuple()->items));
  return makeList(std::move(mapped));
}

Value callFilter(HostCall &call) {
  Values kept;
  for (const Value &item : call.eval.iterate(call[1]))
    if (call.eval.truth(call[0].isNone() ? item : call.eval.call(call[0], Values{item})))
      kept.push_back(item);
  return makeList(std::move(kept));
}

Value callIsInstance(HostCall &call) {
  const Value &value = call[0];
  if (auto *opaque = value.constant<Opaque>(); opaque && !opaque->isKnown)
    return makeOpaque("isinstance(" + opaque->path + ")");
  return isInstance(value, call[1]);
}

Value callIsSubclass(HostCall &call) {
  auto *cls = call[0].object<Class>();
  if (!cls)
    return makeOpaque("issubclass()");
  Values wanted = call[1].asTuple() ? call[1].asTuple()->items : Values{call[1]};
  return std::ranges::any_of(
      wanted, [&](const Value &each) { return each.object<Class>() && cls->isSubclassOf(*each.object<Class>()); });
}

Value callGetAttribute(HostCall &call) {
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

Value callHasAttribute(HostCall &call) {
  if (isOtherDevice(call[0], call.text(1)))
    return false;
  Value found = call.eval.attribute(call[0], call.text(1));
  if (auto *opaque = found.constant<Opaque>(); opaque && !opaque->isKnown)
    return makeOpaque("hasattr(" + opaque->path + ")");
  return bool(found);
}

Value callSetAttribute(HostCall &call) {
  if (auto *instance = call[0].object<Instance>())
    instance->fields[call.text(1)] = call[2];
  return None{};
}

Value callCallable(HostCall &call) {
  const Value &value = call[0];
  return value.object<Function>() || value.is<const HostFunction *>() || value.is<const Builtin *>() ||
         value.object<Class>() || value.constant<BoundMethod>() ||
         (value.object<Instance>() && value.object<Instance>()->cls->lookup("__call__"));
}

Value callRepr(HostCall &call) { return call.eval.reprOf(call[0]); }
Value callFormat(HostCall &call) { return call.eval.format(call[0], 0, call[1] ? call.text(1) : ""); }
Value callPrint(HostCall &) { return None{}; }

// Half to even, as Python rounds.
Value callRound(HostCall &call) {
  if (call[0].integer() && (!call[1] || call[1].isNone()))
    return *call[0].integer();
  double value = call.number(0);
  if (!call[1] || call[1].isNone()) {
    double rounded = std::nearbyint(value);
    if (!std::isfinite(rounded) || std::abs(rounded) > 1e38)
      call.session().fail("cannot round " + floatText(value) + " to an integer", {}, "OverflowError");
    return Integer(rounded);
  }
  double scale = std::pow(10.0, double(call.integer(1)));
  return std::nearbyint(value * scale) / scale;
}

Value callPow(HostCall &call) {
  Value power = call.eval.binary(syntax::BinaryOperator::Pow, call[0], call[1]);
  return call[2] ? call.eval.binary(syntax::BinaryOperator::Mod, power, call[2]) : power;
}

Value callDivmod(HostCall &call) {
  return Value::tuple({call.eval.binary(syntax::BinaryOperator::FloorDiv, call[0], call[1]),
                       call.eval.binary(syntax::BinaryOperator::Mod, call[0], call[1])});
}

Value callOrd(HostCall &call) {
  const std::string &text = call.text(0);
  if (text.size() != 1)
    call.expected(0, "one ASCII character");
  return int(static_cast<unsigned char>(text[0]));
}

Value callChr(HostCall &call) {
  Integer code = call.integer(0);
  if (code < 0 || code > 127)
    call.session().fail("`chr` is supported for ASCII only");
  return std::string(1, char(code));
}

Value callHex(HostCall &call) { return call.eval.format(Value(call.integer(0)), 0, "#x"); }
Value callBin(HostCall &call) { return call.eval.format(Value(call.integer(0)), 0, "#b"); }
Value callOct(HostCall &call) { return call.eval.format(Value(call.integer(0)), 0, "#o"); }

Value callIter(HostCall &call) {
  auto iterator = makeInstance("iterator");
  iterator->fields["items"] = makeList(call.eval.iterate(call[0]));
  iterator->fields["position"] = 0;
  return iterator;
}

Value callNext(HostCall &call) {
  // A generator is a list here: its first item is what one `next` gives.
  Values items;
  size_t position = 0;
  auto *instance = call[0].object<Instance>();
  if (instance && instance->cls == hostClass("iterator")) {
    items = call.eval.iterate(instance->fields["items"]);
    position = size_t(instance->fields["position"].integer().value_or(0));
    instance->fields["position"] = Value(Integer(position + 1));
  } else {
    items = call.eval.iterate(call[0]);
  }
  if (position < items.size())
    return items[position];
  if (call[1])
    return call[1];
  call.session().fail("`next` of an exhausted iterator", {}, "StopIteration");
}

Value callSorted(HostCall &call) {
  Values items = call.eval.iterate(call[0]);
  sortValues(call.eval, items, call[1], call.flag(2, false));
  return makeList(std::move(items));
}

Value callUnknown(HostCall &call) { return makeOpaque(std::string(call.function.name) + "()"); }

using enum HostFunction::Takes;
using enum HostFunction::Cost;
const HostFunction functions[] = {
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
    {"format", "value spec?", callFormat},
    {"print", "*values **options", callPrint, Unknown, Fixed},
    {"round", "number digits?", callRound},
    {"pow", "base exponent modulus?", callPow},
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
  for (const HostType *type : hostTypes())
    if (type->isBuiltin)
      globals.names[std::string(type->name)] = hostClass(type->name);
  globals.names["NotImplemented"] = makeOpaque("NotImplemented", true);
  globals.names["__debug__"] = true;
}

} // namespace

// A merge sort of our own: a comparison may run a user's __lt__, which std::sort would have to trust.
void sortValues(ConstEval &eval, Values &items, const Value &key, bool isReversed) {
  using Keyed = std::pair<Value, Value>;
  std::vector<Keyed> keyed, merged(items.size());
  for (Value &item : items)
    keyed.emplace_back(key && !key.isNone() ? eval.call(key, Values{item}) : item, item);
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

const HostModule builtinsModule = {"builtins", functions, populateBuiltins, false};

} // namespace nereid::lang
