// ValueText.cpp: values as text: Python's repr() and str(), and names of types for messages.
#include "lang/Builtin.h"
#include "lang/Function.h"
#include "lang/HostFunction.h"
#include "lang/Value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace nereid::lang {

namespace {

constexpr int kMaxTextNesting = 50; // a list can contain itself

std::string reprAt(const Value &value, int depth);

std::string joined(const Values &items, int depth) {
  std::string text;
  for (const Value &item : items)
    text += (text.empty() ? "" : ", ") + reprAt(item, depth);
  return text;
}

std::string reprTuple(const Tuple &tuple, int depth) {
  if (!tuple.cls)
    return "(" + joined(tuple.items, depth) + (tuple.items.size() == 1 ? ",)" : ")");
  std::string text;
  for (size_t i = 0; i < tuple.items.size(); ++i)
    text += (i ? ", " : "") + (i < tuple.cls->fields.size() ? tuple.cls->fields[i] + "=" : "") +
            reprAt(tuple.items[i], depth);
  return tuple.cls->name + "(" + text + ")";
}

std::string reprDict(const DictObject &dict, int depth) {
  std::string text;
  for (auto &[key, item] : dict.items)
    text += (text.empty() ? "" : ", ") + reprAt(key, depth) + ": " + reprAt(item, depth);
  return "{" + text + "}";
}

std::string reprInstance(const Instance &instance, int depth) {
  if (instance.cls->kind == Class::Kind::Enum) {
    auto name = instance.fields.find("name"), value = instance.fields.find("value");
    if (name != instance.fields.end() && value != instance.fields.end())
      return "<" + instance.cls->name + "." + toString(name->second) + ": " + reprAt(value->second, depth) + ">";
  }
  if (instance.cls->kind != Class::Kind::Dataclass && instance.cls->kind != Class::Kind::Aggregate)
    return "<" + instance.cls->name + " object>";
  std::string text;
  for (const std::string &field : instance.cls->fields)
    if (auto found = instance.fields.find(field); found != instance.fields.end())
      text += (text.empty() ? "" : ", ") + field + "=" + reprAt(found->second, depth);
  return instance.cls->name + "(" + text + ")";
}

std::string reprRange(const RangeObject &range, int depth) {
  std::string text = reprAt(range.start, depth) + ", " + reprAt(range.stop, depth);
  if (!(range.step.integer() && *range.step.integer() == 1))
    text += ", " + reprAt(range.step, depth);
  return "range(" + text + ")";
}

std::string reprObject(const Value &value, int depth) {
  if (auto *tuple = value.asTuple())
    return reprTuple(*tuple, depth);
  if (auto *list = value.object<ListObject>())
    return "[" + joined(list->items, depth) + "]";
  if (auto *dict = value.object<DictObject>())
    return reprDict(*dict, depth);
  if (auto *set = value.object<SetObject>())
    return set->items.empty() ? "set()" : "{" + joined(set->items, depth) + "}";
  if (auto *range = value.constant<RangeObject>())
    return reprRange(*range, depth);
  if (auto *slice = value.constant<SliceObject>())
    return "slice(" + reprAt(slice->lower, depth) + ", " + reprAt(slice->upper, depth) + ", " +
           reprAt(slice->step, depth) + ")";
  if (auto *instance = value.object<Instance>())
    return reprInstance(*instance, depth);
  if (auto *cls = value.object<Class>())
    return "<class '" + cls->name + "'>";
  if (auto *function = value.object<Function>())
    return "<function " + function->name + ">";
  if (auto *module = value.object<Module>())
    return "<module '" + module->name + "'>";
  if (auto *builtin = value.get<const Builtin *>())
    return "<function " + std::string((*builtin)->name()) + ">";
  if (auto *host = value.get<const HostFunction *>())
    return "<function " + std::string((*host)->name) + ">";
  if (auto *method = value.constant<BoundMethod>())
    return "<bound method " + reprAt(method->function, depth) + ">";
  if (auto *opaque = value.constant<Opaque>())
    return "<" + opaque->path + ">";
  return "<" + typeName(value) + ">";
}

std::string reprAt(const Value &value, int depth) {
  if (depth > kMaxTextNesting)
    return "...";
  if (!value)
    return "<no value>";
  if (value.isNone())
    return "None";
  if (value.is<Ellipsis>())
    return "Ellipsis";
  if (auto *boolean = value.get<bool>())
    return *boolean ? "True" : "False";
  if (auto *whole = value.get<Integer>())
    return integerText(*whole);
  if (auto *real = value.get<double>())
    return floatText(*real);
  if (value.str())
    return quoted(*value.str());
  if (auto *type = value.get<Type>())
    return "triton.language." + languageName(*type);
  return reprObject(value, depth + 1);
}

// What an exception says: its first argument, which may itself be an exception.
std::string textOfArgument(const Value &argument) {
  return argument.object<Instance>() ? reprAt(argument, 0) : toString(argument);
}

std::string typeNameOfObject(const Value &value) {
  if (auto *tuple = value.asTuple())
    return tuple->cls ? tuple->cls->name : "tuple";
  if (value.object<ListObject>())
    return "list";
  if (value.object<DictObject>())
    return "dict";
  if (value.object<SetObject>())
    return "set";
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
  if (value.is<const Builtin *>() || value.is<const HostFunction *>() || value.object<Function>())
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
  bool doubleQuotes = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  char quote = doubleQuotes ? '"' : '\'';
  std::string result(1, quote);
  for (unsigned char c : text) {
    constexpr char digits[] = "0123456789abcdef";
    if (c == '\\' || c == quote)
      result += {'\\', char(c)};
    else if (c == '\n')
      result += "\\n";
    else if (c == '\r')
      result += "\\r";
    else if (c == '\t')
      result += "\\t";
    else if (c < 0x20 || c == 0x7f)
      result += {'\\', 'x', digits[c >> 4], digits[c & 15]};
    else
      result += char(c);
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

std::string repr(const Value &value) { return reprAt(value, 0); }

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
