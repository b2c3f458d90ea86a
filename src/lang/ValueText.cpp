// ValueText.cpp: values as text: Python's repr() and str(), and names of types for messages.
#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/Text.h"
#include "lang/Value.h"
#include "lang/evaluate/LibraryFunction.h"

#include "llvm/Support/Unicode.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::lang {

namespace {

constexpr size_t kMaxTextNesting = 200;
constexpr size_t kMaxTextBytes = 1 << 24;

// Writes a value as repr() does, into one text.
class Printer {
public:
  explicit Printer(const CustomText &custom) : custom(custom) {}

  void print(const Value &value) {
    Session::charge(1);
    if (open.size() > kMaxTextNesting)
      Session::refuse("a value is nested too deeply to be printed", "RecursionError");
    if (text.size() > kMaxTextBytes)
      Session::refuse("a text of more than " + std::to_string(kMaxTextBytes) +
                          " bytes is too large for compile-time evaluation",
                      "MemoryError");
    if (!value)
      text += "<no value>";
    else if (value.isNone())
      text += "None";
    else if (value.is<Ellipsis>())
      text += "Ellipsis";
    else if (auto *boolean = value.get<bool>())
      text += *boolean ? "True" : "False";
    else if (auto *whole = value.get<Integer>())
      text += integerText(*whole);
    else if (auto *real = value.get<double>())
      text += floatText(*real);
    else if (value.str())
      text += quoted(*value.str());
    else if (auto *type = value.get<Type>())
      text += "triton.language." + languageName(*type);
    else
      printObject(value);
  }

  std::string text;

private:
  void printItems(const Values &items) {
    for (size_t i = 0; i < items.size(); ++i) {
      text += i ? ", " : "";
      print(items[i]);
    }
  }

  // A container inside itself is shown as `[...]`.
  template <class Work>
  void nested(const void *object, std::string_view begin, std::string_view end, bool isEmpty, Work work) {
    text += begin;
    if (std::ranges::find(open, object) != open.end()) {
      text += "...";
    } else if (!isEmpty) {
      open.push_back(object);
      work();
      open.pop_back();
    }
    text += end;
  }

  void printTuple(const Tuple &tuple) {
    if (!tuple.cls)
      return nested(&tuple, "(", tuple.items.size() == 1 ? ",)" : ")", tuple.items.empty(),
                    [&] { printItems(tuple.items); });
    nested(&tuple, tuple.cls->name + "(", ")", false, [&] {
      for (size_t i = 0; i < tuple.items.size(); ++i) {
        text += (i ? ", " : "") + (i < tuple.cls->fields.size() ? tuple.cls->fields[i] + "=" : "");
        print(tuple.items[i]);
      }
    });
  }

  void printDict(const DictObject &dict) {
    nested(&dict, "{", "}", dict.items.empty(), [&] {
      for (size_t i = 0; i < dict.items.size(); ++i) {
        text += i ? ", " : "";
        print(dict.items[i].first);
        text += ": ";
        print(dict.items[i].second);
      }
    });
  }

  void printSet(const SetObject &set) {
    std::string_view name = set.isFrozen ? "frozenset(" : "";
    if (set.items.empty())
      text += set.isFrozen ? "frozenset()" : "set()";
    else
      nested(&set, std::string(name) + "{", set.isFrozen ? "})" : "}", false, [&] { printItems(set.items); });
  }

  void printInstance(const Value &value, const Instance &instance) {
    if (std::string own = custom ? custom(value) : ""; !own.empty()) {
      text += own;
      return;
    }
    const std::string &name = instance.cls->name;
    auto field = [&](const char *key) {
      auto found = instance.fields.find(key);
      return found == instance.fields.end() ? nullptr : &found->second;
    };
    if (instance.cls->kind == Class::Kind::Enum && field("name") && field("value"))
      return nested(&instance, "<" + name + "." + toString(*field("name")) + ": ", ">", false,
                    [&] { print(*field("value")); });
    if (auto *arguments = field("args"); arguments && arguments->asTuple()) // an exception
      return nested(&instance, name + "(", ")", false, [&] { printItems(arguments->asTuple()->items); });
    if (instance.cls->kind != Class::Kind::Dataclass && instance.cls->kind != Class::Kind::Aggregate) {
      text += "<" + name + " object>";
      return;
    }
    nested(&instance, name + "(", ")", false, [&] {
      bool isFirst = true;
      for (const std::string &each : instance.cls->fields)
        if (auto found = instance.fields.find(each); found != instance.fields.end()) {
          text += (isFirst ? "" : ", ") + each + "=";
          isFirst = false;
          print(found->second);
        }
    });
  }

  void printRange(const RangeObject &range) {
    nested(&range, "range(", ")", false, [&] {
      print(range.start);
      text += ", ";
      print(range.stop);
      if (!(range.step.integer() && *range.step.integer() == 1)) {
        text += ", ";
        print(range.step);
      }
    });
  }

  void printObject(const Value &value) {
    if (auto *tuple = value.asTuple())
      printTuple(*tuple);
    else if (auto *list = value.object<ListObject>())
      nested(list, "[", "]", list->items.empty(), [&] { printItems(list->items); });
    else if (auto *dict = value.object<DictObject>())
      printDict(*dict);
    else if (auto *set = value.object<SetObject>())
      printSet(*set);
    else if (auto *range = value.constant<RangeObject>())
      printRange(*range);
    else if (auto *slice = value.constant<SliceObject>())
      nested(slice, "slice(", ")", false, [&] { printItems({slice->lower, slice->upper, slice->step}); });
    else if (auto *instance = value.object<Instance>())
      printInstance(value, *instance);
    else if (auto *method = value.constant<BoundMethod>())
      nested(method, "<bound method ", ">", false, [&] { print(method->function); });
    else
      text += nameOf(value);
  }

  static std::string nameOf(const Value &value) {
    if (auto *cls = value.object<Class>())
      return "<class '" + cls->name + "'>";
    if (auto *function = value.object<Function>())
      return "<function " + function->name + ">";
    if (auto *module = value.object<Module>())
      return "<module '" + module->name + "'>";
    if (auto *builtin = value.get<const Builtin *>())
      return "<function " + std::string((*builtin)->name()) + ">";
    if (auto *function = value.get<const LibraryFunction *>())
      return "<function " + std::string((*function)->name) + ">";
    if (auto *opaque = value.constant<Opaque>())
      return "<" + opaque->path + ">";
    return "<" + typeName(value) + ">";
  }

  const CustomText &custom;
  std::vector<const void *> open; // the containers around what is being printed
};

// What an exception says: its first argument, which may itself be an exception.
std::string textOfArgument(const Value &argument) {
  return argument.object<Instance>() ? repr(argument) : toString(argument);
}

std::string typeNameOfObject(const Value &value) {
  if (auto *tuple = value.asTuple())
    return tuple->cls ? tuple->cls->name : "tuple";
  if (value.object<ListObject>())
    return "list";
  if (value.object<DictObject>())
    return "dict";
  if (auto *set = value.object<SetObject>())
    return set->isFrozen ? "frozenset" : "set";
  if (value.constant<SliceObject>())
    return "slice";
  if (value.constant<RangeObject>())
    return "range";
  if (value.constant<BoundMethod>())
    return "method";
  if (value.constant<BlockPointer>())
    return "block pointer";
  if (value.constant<Descriptor>())
    return "tensor descriptor";
  if (auto *opaque = value.constant<Opaque>())
    return "unknown value `" + opaque->path + "`";
  if (value.is<const Builtin *>() || value.is<const LibraryFunction *>() || value.object<Function>())
    return "function";
  if (value.object<Class>())
    return "type";
  if (auto *instance = value.object<Instance>())
    return instance->cls->name;
  if (value.object<Module>())
    return "module";
  return "no value";
}

} // namespace

std::string integerText(Integer value) {
  // Through unsigned, so that the least value is safe to negate.
  unsigned __int128 rest = value < 0 ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string digits;
  do
    digits += char('0' + int(rest % 10));
  while (rest /= 10);
  if (value < 0)
    digits += '-';
  std::ranges::reverse(digits);
  return digits;
}

std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  char buffer[64];
  // Shortest digits that read back to the same value; Python changes to an exponent outside 1e-4 … 1e16.
  double magnitude = std::abs(value);
  bool plain = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                           plain ? std::chars_format::fixed : std::chars_format::scientific)
                 .ptr;
  std::string text(buffer, end);
  if (plain && text.find('.') == std::string::npos)
    text += ".0";
  return text;
}

std::string quoted(const std::string &text) {
  Session::charge(text.size() / 16);
  bool doubleQuotes = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  char quote = doubleQuotes ? '"' : '\'';
  std::string result(1, quote);
  auto escaped = [](char letter, int digits, uint32_t code) {
    char buffer[16];
    snprintf(buffer, sizeof buffer, "\\%c%0*x", letter, digits, code);
    return std::string(buffer);
  };
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    end = begin + 1;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80)
      ++end;
    std::string_view character = std::string_view(text).substr(begin, end - begin);
    uint32_t code = codePointOf(character);
    if (code == '\\' || code == uint32_t(quote))
      result += {'\\', char(code)};
    else if (code == '\n')
      result += "\\n";
    else if (code == '\r')
      result += "\\r";
    else if (code == '\t')
      result += "\\t";
    else if (code < 0x20 || code == 0x7f)
      result += escaped('x', 2, code);
    else if (code < 0x7f || (code != 0xAD && !isSpace(code) && llvm::sys::unicode::isPrintable(int(code))))
      result += character;
    else
      result += code < 0x100 ? escaped('x', 2, code) : code < 0x10000 ? escaped('u', 4, code) : escaped('U', 8, code);
  }
  return result + quote;
}

std::string languageName(const Type &type) {
  static const std::pair<Scalar, const char *> names[] = {
      {Scalar::Void, "void"},          {Scalar::Int1, "int1"},          {Scalar::Int8, "int8"},
      {Scalar::Int16, "int16"},        {Scalar::Int32, "int32"},        {Scalar::Int64, "int64"},
      {Scalar::UInt8, "uint8"},        {Scalar::UInt16, "uint16"},      {Scalar::UInt32, "uint32"},
      {Scalar::UInt64, "uint64"},      {Scalar::Fp8E5, "float8e5"},     {Scalar::Fp8E5B16, "float8e5b16"},
      {Scalar::Fp8E4NV, "float8e4nv"}, {Scalar::Fp8E4B8, "float8e4b8"}, {Scalar::Fp8E4B15, "float8e4b15"},
      {Scalar::Fp16, "float16"},       {Scalar::Bf16, "bfloat16"},      {Scalar::Fp32, "float32"},
      {Scalar::Fp64, "float64"}};
  if (!type.isBlock())
    for (auto [scalar, name] : names)
      if (scalar == type.scalarKind())
        return name;
  return type.name();
}

std::string repr(const Value &value, const CustomText &custom) {
  Printer printer(custom);
  printer.print(value);
  return std::move(printer.text);
}

std::string toString(const Value &value) {
  if (value.str())
    return *value.str();
  if (auto *type = value.get<Type>())
    return type->name();
  if (auto *instance = value.object<Instance>()) {
    if (instance->cls->kind == Class::Kind::Enum)
      if (auto name = instance->fields.find("name"); name != instance->fields.end())
        return instance->cls->name + "." + toString(name->second);
    if (auto arguments = instance->fields.find("args");
        arguments != instance->fields.end() && arguments->second.asTuple())
      return arguments->second.asTuple()->items.empty() ? ""
                                                        : textOfArgument(arguments->second.asTuple()->items.front());
  }
  if (auto *opaque = value.constant<Opaque>())
    return opaque->path;
  return repr(value);
}

std::string typeName(const Value &value) {
  if (value.isNone())
    return "None";
  if (value.is<Ellipsis>())
    return "ellipsis";
  if (value.is<bool>())
    return "bool";
  if (value.is<Integer>())
    return "int";
  if (value.is<double>())
    return "float";
  if (value.str())
    return "str";
  if (value.is<Type>())
    return "dtype";
  if (value.isTensor())
    return value.tensor().type.shortName();
  return typeNameOfObject(value);
}

} // namespace nereid::lang
