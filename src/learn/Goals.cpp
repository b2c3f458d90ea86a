#include "learn/Goals.h"

#include "jit/Evaluate.h"
#include "jit/Launch.h"

#include <cmath>

namespace nereid::learn {

Result<Counters> countTest(jit::KernelModule &module, const Scene &scene, const Test &test) {
  Counters counters;
  for (const Step &step : test.steps) {
    Result<Scene::Ready> ready = scene.prepare(module, step);
    if (!ready)
      return ready.error();
    double programs = 1;
    for (int64_t extent : ready->settings.grid)
      programs *= static_cast<double>(extent);
    counters["programs"] += programs;
    counters["launches"] += 1;
  }
  return counters;
}

// Whole numbers are Python's int, so that they print as such.
static lang::Value asNumber(double value) {
  bool isWhole = std::fabs(value) < 0x1p53 && value == std::floor(value);
  return isWhole ? lang::Value(static_cast<int64_t>(value)) : lang::Value(value);
}

// `{…}` replaced by what Python makes of it; `{{` is a brace.
static Result<std::string> fill(jit::KernelModule &python, const lang::Value &names, const std::string &text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    size_t close = text[i] == '{' ? text.find('}', i) : std::string::npos;
    if (close == std::string::npos || text.compare(i, 2, "{{") == 0) {
      result += text[i];
      i += text.compare(i, 2, "{{") == 0 || text.compare(i, 2, "}}") == 0;
      continue;
    }
    std::string field = text.substr(i, close + 1 - i);
    Result<lang::Value> value = jit::evaluateWithNames(python, names, "`say` of a goal", "f\"\"\"" + field + "\"\"\"");
    if (!value)
      return value.error();
    result += value->str() ? *value->str() : lang::toString(*value);
    i = close;
  }
  return result;
}

Result<GoalResult> evaluateGoal(jit::KernelModule &python, const Scene &scene, const Counters &counters,
                                const Goal &goal) {
  lang::Value names = scene.dictionary();
  for (const auto &[name, value] : counters)
    names.object<lang::DictObject>()->items.emplace_back(lang::Value(name), asNumber(value));
  Result<lang::Value> met = jit::evaluateWithNames(python, names, "goal", goal.that);
  if (!met)
    return met.error();
  const bool *isMet = met->get<bool>();
  if (!isMet)
    return Error{Status::BadInput, "error: the goal `" + goal.that + "` gives " + lang::repr(*met).substr(0, 80) +
                                       "; True or False is expected\n"};
  Result<std::string> said = fill(python, names, goal.say);
  if (!said)
    return said.error();
  return GoalResult{*isMet, *said};
}

} // namespace nereid::learn
