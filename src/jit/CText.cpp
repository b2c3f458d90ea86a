#include "jit/CText.h"

#include <algorithm>
#include <cctype>

namespace nereid::jit {

std::string cString(std::string_view text) {
  std::string result = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    // Octal with three digits cannot swallow what follows; `?` could begin a trigraph.
    if (c < 32 || c >= 127 || c == '?')
      result += {'\\', char('0' + c / 64), char('0' + c / 8 % 8), char('0' + c % 8)};
    else
      result += char(c);
  }
  return result + "\"";
}

std::string safeName(const std::string &name) {
  static constexpr std::string_view kTaken[] = {
      "alignas",  "alignof",  "and",       "asm",      "auto",     "bool",     "break",     "case",      "catch",
      "char",     "class",    "concept",   "const",    "continue", "decltype", "default",   "delete",    "do",
      "double",   "else",     "enum",      "explicit", "export",   "extern",   "false",     "float",     "for",
      "friend",   "goto",     "if",        "inline",   "int",      "long",     "mutable",   "namespace", "new",
      "noexcept", "not",      "nullptr",   "operator", "or",       "private",  "protected", "public",    "register",
      "requires", "restrict", "return",    "short",    "signed",   "sizeof",   "static",    "struct",    "switch",
      "template", "this",     "throw",     "true",     "try",      "typedef",  "typeid",    "typename",  "union",
      "unsigned", "using",    "virtual",   "void",     "volatile", "while",    "xor",       "grid_x",    "grid_y",
      "grid_z",   "kernel",   "arguments", "stream",   "words",    "status",   "grid",      "linux",     "unix",
      "NULL",     "errno",    "stdin",     "stdout"};
  std::string result;
  for (unsigned char c : name)
    result += std::isalnum(c) && c < 128 ? char(c) : '_';
  return std::ranges::find(kTaken, result) != std::end(kTaken) ? result + "_" : result;
}

std::string commented(std::string text) {
  for (size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.replace(at, 2, "* /");
  return text;
}

} // namespace nereid::jit
