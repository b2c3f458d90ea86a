// NereidEval.cpp: compile-time Python alone, for its tests: each line of standard input is an expression, and gives a line
//
//   = VALUE             the value with the types of all that is in it; items of sets are sorted
//   ! TYPE: MESSAGE     the error that evaluation ended with
//   ? ORIGIN            a value that is not known at compile time
//
// The modules that expressions use (math, itertools, …) are there without an import.
#include "lang/Loader.h"
#include "lang/evaluate/Evaluate.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>
#include <iostream>

using namespace nereid;
using namespace nereid::lang;

static const char kImports[] = "import math, itertools, functools, operator, copy\n";

static std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

static std::string canonical(const Value &value) {
  auto each = [](const Values &items) {
    std::vector<std::string> parts;
    for (const Value &item : items)
      parts.push_back(canonical(item));
    return parts;
  };
  if (auto *tuple = value.asTuple())
    return "tuple(" + joined(each(tuple->items)) + ")";
  if (auto *list = value.object<ListObject>())
    return "list(" + joined(each(list->items)) + ")";
  if (auto *set = value.object<SetObject>()) {
    std::vector<std::string> parts = each(set->items);
    std::ranges::sort(parts);
    return typeName(value) + "(" + joined(parts) + ")";
  }
  if (auto *dict = value.object<DictObject>()) {
    std::vector<std::string> parts;
    for (auto &[key, item] : dict->items)
      parts.push_back(canonical(key) + ": " + canonical(item));
    return "dict(" + joined(parts) + ")";
  }
  if (value.object<Class>() || value.object<Function>() || value.object<Instance>() || value.constant<BoundMethod>())
    return typeName(value);
  return repr(value);
}

int main() {
  Diagnostics diagnostics;
  Session session(diagnostics);
  Loader loader(session);
  auto module = loader.loadText("imports.py", kImports);
  for (std::string line; std::getline(std::cin, line);) {
    std::vector<std::shared_ptr<syntax::ParsedFile>> trees;
    std::optional<Value> value = evaluateText(session, "expression", line, module->globals, trees);
    if (value && value->constant<Opaque>())
      std::cout << "? " << value->constant<Opaque>()->path << "\n";
    else if (value)
      std::cout << "= " << canonical(*value) << "\n";
    else
      std::cout << "! " << diagnostics.all().back().pythonType << ": " << diagnostics.all().back().message << "\n";
    diagnostics = {};
  }
}
