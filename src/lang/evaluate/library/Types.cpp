// Types.cpp: constructors of Python's own types: int("12"), float("inf"), range(4) …
#include "lang/DeferredDelete.h"
#include "lang/Text.h"
#include "lang/evaluate/Arithmetic.h"
#include "lang/evaluate/library/Tables.h"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace nereid::lang {

namespace {

// Without the white space around it; what is not ASCII could hold digits of other scripts.
std::string trimmed(LibraryCall &call, const std::string &text) {
  if (!isAscii(text))
    call.session().fail("`" + std::string(call.function.name) + "` reads ASCII text only, not " + quoted(text), {},
                        "NotImplementedError");
  auto isOther = [](char c) { return !isSpace(static_cast<unsigned char>(c)); };
  auto first = std::ranges::find_if(text, isOther);
  auto last = std::find_if(text.rbegin(), text.rend(), isOther).base();
  return first < last ? std::string(first, last) : "";
}

// `_` may stand between two digits, and right after the prefix of a base. False when one stands elsewhere.
bool removeUnderscores(std::string &text, bool afterPrefix) {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '_') {
      bool isInside = i > 0 && i + 1 < text.size() && std::isalnum(static_cast<unsigned char>(text[i + 1]));
      if (!isInside && !(afterPrefix && i == 0 && text.size() > 1 && text[1] != '_'))
        return false;
      if (i > 0 && !std::isalnum(static_cast<unsigned char>(text[i - 1])))
        return false;
    }
  std::erase(text, '_');
  return true;
}

[[noreturn]] void failToRead(LibraryCall &call, const std::string &text) {
  constexpr size_t kShown = 100;
  call.session().fail("`int` cannot read " + quoted(text.substr(0, kShown)));
}

Value parseInteger(LibraryCall &call, const std::string &original, Integer base) {
  std::string text = trimmed(call, original);
  if (base != 0 && (base < 2 || base > 36))
    call.session().fail("the base of `int` is 0 or from 2 to 36, not " + integerText(base));
  bool isNegative = !text.empty() && text[0] == '-', hasPrefix = false;
  if (!text.empty() && (text[0] == '-' || text[0] == '+'))
    text.erase(0, 1);
  if (text.size() > 1 && text[0] == '0') {
    char letter = char(text[1] | 32);
    Integer named = letter == 'x' ? 16 : letter == 'b' ? 2 : letter == 'o' ? 8 : 0;
    hasPrefix = named && (base == 0 || base == named);
    if (hasPrefix) {
      base = named;
      text.erase(0, 2);
    }
  }
  if (!removeUnderscores(text, hasPrefix) || text.empty())
    failToRead(call, original);
  // int("012", 0) is as wrong as the literal 012.
  if (base == 0 && text[0] == '0' && text.find_first_not_of('0') != std::string::npos)
    failToRead(call, original);
  base = base == 0 ? 10 : base;
  Integer value = 0;
  bool isTooLarge = false;
  for (char c : text) {
    int digit = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'z' ? (c | 32) - 'a' + 10 : 99;
    if (digit >= base)
      failToRead(call, original);
    isTooLarge = isTooLarge || __builtin_mul_overflow(value, base, &value) ||
                 __builtin_sub_overflow(value, Integer(digit), &value); // downwards: the least value fits, too
  }
  if (isTooLarge || (!isNegative && value == -value && value != 0))
    failOverflow(call.session());
  return isNegative ? value : -value;
}

Value makeInt(LibraryCall &call) {
  const Value &value = call[0];
  if (call[1] && !value.str())
    call.session().fail("`int` takes a base only with a text", {}, "TypeError");
  if (!value)
    return 0;
  if (value.str())
    return parseInteger(call, *value.str(), call.integer(1, 10));
  if (auto *instance = value.object<Instance>(); instance && instance->cls->lookup("__int__"))
    return call.eval.call(call.eval.attribute(value, "__int__"), Values{});
  if (auto whole = value.integer())
    return *whole;
  return wholeOf(call.session(), std::trunc(call.number(0)));
}

Value makeFloat(LibraryCall &call) {
  if (!call[0])
    return 0.0;
  if (auto *instance = call[0].object<Instance>(); instance && instance->cls->lookup("__float__"))
    return call.eval.call(call.eval.attribute(call[0], "__float__"), Values{});
  if (!call[0].str())
    return call.number(0);
  constexpr size_t kMaxDigits = 4096;
  if (call.text(0).size() > kMaxDigits)
    call.session().fail("`float` reads at most " + std::to_string(kMaxDigits) + " characters at compile time", {},
                        "NotImplementedError");
  std::string text = trimmed(call, call.text(0));
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  bool isNegative = text.starts_with("-");
  if (text.starts_with("-") || text.starts_with("+"))
    text.erase(0, 1);
  if (text == "inf" || text == "infinity" || text == "nan")
    return std::copysign(text == "nan" ? NAN : INFINITY, isNegative ? -1.0 : 1.0);
  // DIGITS[.DIGITS][eDIGITS], with a digit before or behind the point.
  size_t at = 0;
  auto digits = [&] {
    size_t begin = at;
    while (at < text.size() && (std::isdigit(static_cast<unsigned char>(text[at])) ||
                                (text[at] == '_' && at > begin && text[at - 1] != '_' && at + 1 < text.size() &&
                                 std::isdigit(static_cast<unsigned char>(text[at + 1])))))
      ++at;
    return at > begin;
  };
  bool isNumber = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    bool hasFraction = digits();
    isNumber = isNumber || hasFraction;
  }
  if (isNumber && at < text.size() && text[at] == 'e') {
    ++at;
    at += at < text.size() && (text[at] == '-' || text[at] == '+');
    isNumber = digits();
  }
  if (!isNumber || at != text.size())
    call.session().fail("`float` cannot read " + quoted(call.text(0)));
  std::erase(text, '_');
  double value = readFloat(text);
  return isNegative ? -value : value;
}

Value makeBool(LibraryCall &call) { return call[0] ? call.eval.truth(call[0]) : false; }
Value makeStr(LibraryCall &call) { return call[0] ? Value(call.eval.textOf(call[0])) : Value(""); }
Value makeBytes(LibraryCall &) { return makeOpaque("bytes()"); }
Value makeComplex(LibraryCall &) { return makeOpaque("complex()"); }
Value makeTuple(LibraryCall &call) { return Value::tuple(call[0] ? call.eval.iterate(call[0]) : Values{}); }
Value makeListOf(LibraryCall &call) { return makeList(call[0] ? call.eval.iterate(call[0]) : Values{}); }

Value makeSet(LibraryCall &call) {
  auto set = std::make_shared<SetObject>();
  if (call[0])
    for (const Value &item : call.eval.iterate(call[0]))
      addItem(*set, item);
  set->isFrozen = call.function.name == "frozenset";
  return set;
}

Value makeDictFrom(LibraryCall &call) {
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

Value makeDefaultDict(LibraryCall &call) {
  LibraryCall rest{call.eval, call.function, {call[1], call[2]}};
  Value dict = makeDictFrom(rest);
  if (call[0] && !call[0].isNone())
    dict.object<DictObject>()->missing = std::make_shared<const Value>(call[0]);
  return dict;
}

Value makeRange(LibraryCall &call) {
  RangeObject range;
  range.start = call[1] ? Value(call.integer(0)) : Value(0);
  range.stop = call[1] ? Value(call.integer(1)) : Value(call.integer(0));
  range.step = Value(call[2] ? call.integer(2) : Integer(1));
  if (*range.step.integer() == 0)
    call.session().fail("the step of a range cannot be zero");
  return std::make_shared<const RangeObject>(range);
}

Value makeSlice(LibraryCall &call) {
  Value none = None{};
  if (!call[1])
    return Value(std::shared_ptr<const SliceObject>(makeNested(SliceObject{none, call[0], none})));
  return Value(std::shared_ptr<const SliceObject>(makeNested(SliceObject{call[0], call[1], call[2] ? call[2] : none})));
}

Value typeOfValue(LibraryCall &call) {
  if (call[0].constant<Opaque>())
    return makeOpaque("type(" + toString(call[0]) + ")");
  return call[1] ? makeOpaque("type()") : Value(classOf(call[0]));
}

Value wrap(LibraryCall &call, const char *className, const char *field) {
  auto wrapper = makeInstance(className);
  wrapper->fields[field] = call[0];
  return wrapper;
}
Value makeProperty(LibraryCall &call) {
  Value property = wrap(call, "property", "fget");
  if (call[1])
    property.object<Instance>()->fields["fset"] = call[1];
  return property;
}
Value makeStaticmethod(LibraryCall &call) { return wrap(call, "staticmethod", "__func__"); }
Value makeClassmethod(LibraryCall &call) { return wrap(call, "classmethod", "__func__"); }
Value propertySetter(LibraryCall &call) {
  auto changed = std::make_shared<Instance>(*call[0].object<Instance>());
  changed->fields[call.function.name == "property.setter" ? "fset" : "fget"] = call[1];
  return changed;
}
Value makeObject(LibraryCall &) { return makeInstance("object"); }

// Methods of int and float.
Value bitLength(LibraryCall &call) {
  Integer value = call.integer(0);
  int bits = 0;
  for (unsigned __int128 rest = value < 0 ? -static_cast<unsigned __int128>(value)
                                          : static_cast<unsigned __int128>(value);
       rest; rest >>= 1)
    ++bits;
  return bits;
}
Value bitCount(LibraryCall &call) {
  Integer value = call.integer(0);
  unsigned __int128 bits = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  return __builtin_popcountll(uint64_t(bits)) + __builtin_popcountll(uint64_t(bits >> 64));
}
Value isIntegral(LibraryCall &call) {
  return std::isfinite(call.number(0)) && call.number(0) == std::floor(call.number(0));
}

using enum LibraryFunction::Takes;
const LibraryFunction intNew{"int", "value? base?", makeInt}, floatNew{"float", "value?", makeFloat},
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

const LibraryFunction intMethods[] = {{"int.bit_length", "self", bitLength}, {"int.bit_count", "self", bitCount}};
const LibraryFunction floatMethods[] = {{"float.is_integer", "self", isIntegral}};
const LibraryFunction propertyMethods[] = {{"property.setter", "self function", propertySetter, Unknown},
                                           {"property.getter", "self function", propertySetter, Unknown}};

} // namespace

const LibraryType objectType{"object", &objectNew, {}, "", true}, typeType{"type", &typeNew, {}, "object", true},
    noneType{"NoneType", nullptr, {}, ""}, boolType{"bool", &boolNew, {}, "int", true},
    intType{"int", &intNew, intMethods, "", true}, floatType{"float", &floatNew, floatMethods, "", true},
    complexType{"complex", &complexNew, {}, "", true}, bytesType{"bytes", &bytesNew, {}, "", true},
    sliceType{"slice", &sliceNew, {}, "", true}, functionType{"function", nullptr, {}, ""},
    moduleType{"module", nullptr, {}, ""}, iteratorType{"iterator", nullptr, {}, ""},
    dictViewType{"dict_view", nullptr, {}, ""}, dictKeysType{"dict_keys", nullptr, {}, "dict_view"},
    dictValuesType{"dict_values", nullptr, {}, "dict_view"}, dictItemsType{"dict_items", nullptr, {}, "dict_view"},
    superType{"super", nullptr, {}, ""}, propertyType{"property", &propertyNew, propertyMethods, "", true},
    staticmethodType{"staticmethod", &staticmethodNew, {}, "", true},
    classmethodType{"classmethod", &classmethodNew, {}, "", true};

// Their methods stand in Strings.cpp and Containers.cpp.
const LibraryFunction *const strConstructor = &strNew, *const tupleConstructor = &tupleNew,
                             *const listConstructor = &listNew, *const dictConstructor = &dictNew,
                             *const setConstructor = &setNew, *const frozensetConstructor = &frozensetNew,
                             *const defaultDictConstructor = &defaultDictNew, *const rangeConstructor = &rangeNew;

} // namespace nereid::lang
