// Types.cpp: constructors of Python's own types: int("12"), float("inf"), range(4) …
#include "lang/DeferredDelete.h"
#include "lang/host/Tables.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::lang {

namespace {

std::string trimmed(const std::string &text) {
  size_t first = text.find_first_not_of(" \t\n\r"), last = text.find_last_not_of(" \t\n\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

Value parseInteger(HostCall &call, const std::string &original, Integer base) {
  std::string text = trimmed(original);
  std::erase(text, '_');
  size_t position = 0;
  bool isNegative = !text.empty() && text[0] == '-';
  position += !text.empty() && (text[0] == '-' || text[0] == '+');
  if ((base == 16 || base == 2 || base == 8 || base == 0) && position + 1 < text.size() && text[position] == '0') {
    char letter = text[position + 1] | 32;
    Integer named = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    if (named && (base == 0 || base == named)) {
      base = named;
      position += 2;
    }
  }
  if (base == 0)
    base = 10;
  Integer value = 0;
  bool isValid = position < text.size() && base >= 2 && base <= 36;
  for (; position < text.size() && isValid; ++position) {
    char c = text[position];
    int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'z' ? (c | 32) - 'a' + 10 : 99;
    isValid = digit < base && !__builtin_mul_overflow(value, base, &value) &&
              !__builtin_add_overflow(value, Integer(digit), &value);
  }
  if (!isValid)
    call.session().fail("`int` cannot read " + quoted(original));
  return isNegative ? -value : value;
}

Value makeInt(HostCall &call) {
  const Value &value = call[0];
  if (!value)
    return 0;
  if (value.str())
    return parseInteger(call, *value.str(), call.integer(1, 10));
  if (auto *instance = value.object<Instance>(); instance && instance->cls->lookup("__int__"))
    return call.eval.call(call.eval.attribute(value, "__int__"), Values{});
  if (auto whole = value.integer())
    return *whole;
  double real = std::trunc(call.number(0));
  if (!std::isfinite(real) || std::abs(real) > 1e38)
    call.session().fail("`int` cannot hold " + floatText(call.number(0)), {}, "OverflowError");
  return Integer(real);
}

Value makeFloat(HostCall &call) {
  if (!call[0])
    return 0.0;
  if (!call[0].str())
    return call.number(0);
  std::string text = trimmed(call.text(0));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  std::erase(text, '_');
  bool isNegative = text.starts_with("-");
  if (text.starts_with("-") || text.starts_with("+"))
    text.erase(0, 1);
  double value = 0;
  if (text == "inf" || text == "infinity")
    value = INFINITY;
  else if (text == "nan")
    value = NAN;
  else if (auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
           text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument)
    call.session().fail("`float` cannot read " + quoted(call.text(0)));
  return isNegative ? -value : value;
}

Value makeBool(HostCall &call) { return call[0] ? call.eval.truth(call[0]) : false; }
Value makeStr(HostCall &call) { return call[0] ? Value(call.eval.textOf(call[0])) : Value(""); }
Value makeBytes(HostCall &) { return makeOpaque("bytes()"); }
Value makeComplex(HostCall &) { return makeOpaque("complex()"); }
Value makeTuple(HostCall &call) { return Value::tuple(call[0] ? call.eval.iterate(call[0]) : Values{}); }
Value makeListOf(HostCall &call) { return makeList(call[0] ? call.eval.iterate(call[0]) : Values{}); }

Value makeSet(HostCall &call) {
  auto set = std::make_shared<SetObject>();
  if (call[0])
    for (const Value &item : call.eval.iterate(call[0]))
      if (call.session().step(set->items.size() / 8); !contains(set->items, item))
        set->items.push_back(item);
  return set;
}

Value makeDictFrom(HostCall &call) {
  auto dict = std::make_shared<DictObject>();
  if (auto *other = call[0].object<DictObject>())
    dict->items = other->items;
  else if (call[0])
    for (const Value &pair : call.eval.iterate(call[0])) {
      Values items = call.eval.iterate(pair);
      if (items.size() != 2)
        call.session().fail("`dict` expects pairs");
      setItem(*dict, items[0], items[1]);
    }
  for (auto &[key, value] : call[1].object<DictObject>()->items)
    setItem(*dict, key, value);
  return dict;
}

Value makeDefaultDict(HostCall &call) {
  HostCall rest{call.eval, call.function, {call[1], call[2]}};
  Value dict = makeDictFrom(rest);
  if (call[0] && !call[0].isNone())
    dict.object<DictObject>()->missing = std::make_shared<const Value>(call[0]);
  return dict;
}

Value makeRange(HostCall &call) {
  RangeObject range;
  range.start = call[1] ? Value(call.integer(0)) : Value(0);
  range.stop = call[1] ? Value(call.integer(1)) : Value(call.integer(0));
  range.step = Value(call.integer(2, 1));
  if (*range.step.integer() == 0)
    call.session().fail("the step of a range cannot be zero");
  return std::make_shared<const RangeObject>(range);
}

Value makeSlice(HostCall &call) {
  Value none = None{};
  if (!call[1])
    return Value(std::shared_ptr<const SliceObject>(makeNested(SliceObject{none, call[0], none})));
  return Value(std::shared_ptr<const SliceObject>(makeNested(SliceObject{call[0], call[1], call[2] ? call[2] : none})));
}

Value typeOfValue(HostCall &call) {
  if (call[0].constant<Opaque>())
    return makeOpaque("type(" + toString(call[0]) + ")");
  return call[1] ? makeOpaque("type()") : Value(classOf(call[0]));
}

Value wrap(HostCall &call, const char *className, const char *field) {
  auto wrapper = makeInstance(className);
  wrapper->fields[field] = call[0];
  return wrapper;
}
Value makeProperty(HostCall &call) { return wrap(call, "property", "fget"); }
Value makeStaticmethod(HostCall &call) { return wrap(call, "staticmethod", "__func__"); }
Value makeClassmethod(HostCall &call) { return wrap(call, "classmethod", "__func__"); }
Value propertySetter(HostCall &call) { return call[0]; }
Value makeObject(HostCall &) { return makeInstance("object"); }

// Methods of int and float.
Value bitLength(HostCall &call) {
  Integer value = call.integer(0);
  int bits = 0;
  for (unsigned __int128 rest = value < 0 ? -static_cast<unsigned __int128>(value)
                                          : static_cast<unsigned __int128>(value);
       rest; rest >>= 1)
    ++bits;
  return bits;
}
Value bitCount(HostCall &call) {
  Integer value = call.integer(0);
  unsigned __int128 bits = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  return __builtin_popcountll(uint64_t(bits)) + __builtin_popcountll(uint64_t(bits >> 64));
}
Value isIntegral(HostCall &call) {
  return std::isfinite(call.number(0)) && call.number(0) == std::floor(call.number(0));
}

using enum HostFunction::Takes;
const HostFunction intNew{"int", "value? base?", makeInt}, floatNew{"float", "value?", makeFloat},
    boolNew{"bool", "value?", makeBool}, strNew{"str", "value? encoding? errors?", makeStr},
    bytesNew{"bytes", "value? encoding?", makeBytes}, complexNew{"complex", "real? imaginary?", makeComplex},
    tupleNew{"tuple", "iterable?", makeTuple, Anything}, listNew{"list", "iterable?", makeListOf, Anything},
    setNew{"set", "iterable?", makeSet}, frozensetNew{"frozenset", "iterable?", makeSet},
    rangeNew{"range", "start stop? step?", makeRange}, sliceNew{"slice", "start stop? step?", makeSlice},
    dictNew{"dict", "items? **options", makeDictFrom, Unknown},
    defaultDictNew{"defaultdict", "factory? items? **options", makeDefaultDict, Unknown},
    typeNew{"type", "value bases? attributes?", typeOfValue, Anything},
    propertyNew{"property", "function setter? deleter? doc?", makeProperty, Unknown},
    staticmethodNew{"staticmethod", "function", makeStaticmethod, Unknown},
    classmethodNew{"classmethod", "function", makeClassmethod, Unknown}, objectNew{"object", "", makeObject};

const HostFunction intMethods[] = {{"int.bit_length", "self", bitLength}, {"int.bit_count", "self", bitCount}};
const HostFunction floatMethods[] = {{"float.is_integer", "self", isIntegral}};
const HostFunction propertyMethods[] = {{"property.setter", "self function", propertySetter, Unknown},
                                        {"property.getter", "self function", propertySetter, Unknown}};

} // namespace

const HostType objectType{"object", &objectNew, {}, "", true}, typeType{"type", &typeNew, {}, "object", true},
    noneType{"NoneType", nullptr, {}, ""}, boolType{"bool", &boolNew, {}, "int", true},
    intType{"int", &intNew, intMethods, "", true}, floatType{"float", &floatNew, floatMethods, "", true},
    complexType{"complex", &complexNew, {}, "", true}, bytesType{"bytes", &bytesNew, {}, "", true},
    rangeType{"range", &rangeNew, {}, "", true}, sliceType{"slice", &sliceNew, {}, "", true},
    functionType{"function", nullptr, {}, ""}, moduleType{"module", nullptr, {}, ""},
    iteratorType{"iterator", nullptr, {}, ""}, superType{"super", nullptr, {}, ""},
    propertyType{"property", &propertyNew, propertyMethods, "", true},
    staticmethodType{"staticmethod", &staticmethodNew, {}, "", true},
    classmethodType{"classmethod", &classmethodNew, {}, "", true};

// Their methods stand in Strings.cpp and Containers.cpp.
const HostFunction *const strConstructor = &strNew, *const tupleConstructor = &tupleNew,
                          *const listConstructor = &listNew, *const dictConstructor = &dictNew,
                          *const setConstructor = &setNew, *const frozensetConstructor = &frozensetNew,
                          *const defaultDictConstructor = &defaultDictNew;

} // namespace nereid::lang
