#include "learn/Goals.h"

#include "jit/Evaluate.h"
#include "jit/count/Count.h"

#include <algorithm>
#include <cmath>

namespace nereid::learn {

// The device that the counters are about: an H200, with a smaller cache where the test asks for one.
static jit::CountRequest requestOf(const Test &test) {
  jit::CountRequest request;
  request.assembling.isWanted = false; // what passes here passes where there is no assembler
  if (!test.cacheBytes && !test.residentPrograms)
    return request;
  jit::DeviceRow device = jit::deviceRows().front();
  device.name = "the test's";
  device.firstCacheBytes = 0; // one cache is what a lesson is about
  device.cacheParts = device.fetchSectors = 1;
  if (test.cacheBytes)
    device.cacheBytes = static_cast<uint64_t>(test.cacheBytes);
  if (test.residentPrograms) {
    device.multiprocessors = static_cast<uint32_t>(test.residentPrograms);
    device.programs = 1;
  }
  request.device = device.name;
  request.devices.push_back(std::move(device));
  return request;
}

// What a thread or a program has is no sum over launches.
static bool isLargest(std::string_view name) {
  return name == "registers" || name == "shared_bytes" || name == "spill_bytes" || name == "code_bytes";
}

Result<Counters> countTest(jit::KernelModule &module, const Scene &scene, const Test &test) {
  Counters counters;
  for (const Step &step : test.steps) {
    Result<Scene::Ready> ready = scene.prepare(module, step);
    if (!ready)
      return ready.error();
    Result<jit::Counted> counted =
        jit::count(module, ready->kernel, ready->arguments, ready->settings, requestOf(test));
    if (!counted)
      return counted.error();
    for (const interp::CounterRow &row : interp::counters()) {
      auto value = static_cast<double>(counted->counts.total.*row.value);
      double &kept = counters[std::string(row.name)];
      kept = isLargest(row.name) ? std::max(kept, value) : kept + value;
    }
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
  auto all = std::make_shared<lang::DictObject>();
  for (const auto &[name, value] : counters)
    all->items.emplace_back(lang::Value(name), asNumber(value));
  lang::Value own = scene.dictionary(); // a scalar of the test hides a counter of its name
  for (const auto &item : own.object<lang::DictObject>()->items)
    all->items.push_back(item);
  lang::Value names(all);
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
