// ConstEvalFormat.cpp: values as text: str(), repr(), and the fields of f-strings, format() and str.format.
#include "lang/Text.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/Format.h"
#include "lang/evaluate/LibraryFunction.h"

#include <cmath>

namespace nereid::lang {

std::string ConstEval::textOf(const Value &value) {
  if (auto *instance = value.object<Instance>())
    if (instance->cls->lookup("__str__"))
      return toString(call(attribute(value, "__str__"), Values{}));
  bool isException = value.object<Instance>() && value.object<Instance>()->fields.contains("args");
  bool isEnum = value.object<Instance>() && value.object<Instance>()->cls->kind == Class::Kind::Enum;
  if (value.str() || value.is<Type>() || value.constant<Opaque>() || isException || isEnum)
    return toString(value);
  return reprOf(value);
}

// Like repr(), but objects inside may define __repr__.
std::string ConstEval::reprOf(const Value &value) {
  std::string text = repr(value, [&](const Value &object) {
    if (!object.object<Instance>()->cls->lookup("__repr__"))
      return std::string();
    return toString(call(attribute(object, "__repr__"), Values{}));
  });
  allocateText(text.size());
  return text;
}

// repr() with all that is not ASCII escaped.
std::string ConstEval::asciiOf(const Value &value) {
  std::string text = reprOf(value), result;
  if (isAscii(text))
    return text;
  for (std::string_view character : charactersOf(text)) {
    uint32_t code = codePointOf(character);
    char buffer[16] = {};
    if (code >= 0x80)
      snprintf(buffer, sizeof buffer, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
    result += code < 0x80 ? character : std::string_view(buffer);
  }
  return result;
}

std::string ConstEval::format(const Value &value, char conversion, const std::string &spec) {
  if (!value.isConstant())
    session.fail("a `" + typeName(value) + "` has no text at compile time", {}, "TypeError");
  if (conversion && conversion != 's' && conversion != 'r' && conversion != 'a')
    session.fail(std::string("unknown conversion `!") + conversion + "`");
  if (conversion) {
    std::string text = conversion == 's' ? textOf(value) : conversion == 'r' ? reprOf(value) : asciiOf(value);
    return spec.empty() ? text : formatText(session, parseFormat(session, spec, false), text);
  }
  if (auto *instance = value.object<Instance>(); instance && instance->cls->lookup("__format__"))
    return toString(call(attribute(value, "__format__"), Values{Value(spec)}));
  if (spec.empty())
    return textOf(value);
  if (auto whole = value.integer())
    return formatInteger(session, parseFormat(session, spec, true), *whole);
  if (auto *real = value.get<double>())
    return formatFloat(session, parseFormat(session, spec, true), *real);
  bool isEnum = value.object<Instance>() && value.object<Instance>()->cls->kind == Class::Kind::Enum;
  if (value.str() || isEnum)
    return formatText(session, parseFormat(session, spec, false), textOf(value));
  session.fail("a `" + typeName(value) + "` takes no format specification", {"write `str(x)` or `!s`"}, "TypeError");
}

} // namespace nereid::lang
