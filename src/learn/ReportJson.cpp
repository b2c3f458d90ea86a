#include "learn/ReportJson.h"

#include <cmath>

namespace nereid::learn {

// JSON is UTF-8, and what a kernel prints may be other bytes.
static std::string cleanText(const std::string &text) {
  return llvm::json::isUTF8(text) ? text : llvm::json::fixUTF8(text);
}

static llvm::json::Value cleanNumber(double value) {
  if (std::isfinite(value))
    return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

static llvm::json::Object toJson(const Comparison &comparison) {
  llvm::json::Array shape;
  for (int64_t extent : comparison.shape)
    shape.push_back(extent);
  constexpr size_t kMost = 1 << 16; // a picture of more elements is no picture
  std::string marks;
  for (size_t i = 0; i < std::min(comparison.marks.size(), kMost); ++i)
    marks += static_cast<char>(comparison.marks[i]);
  return llvm::json::Object{{"tensor", comparison.tensor},
                            {"shape", std::move(shape)},
                            {"marks", marks},
                            {"wrong", comparison.wrong},
                            {"unwritten", comparison.unwritten},
                            {"first", indexText(comparison.shape, comparison.first)},
                            {"expected", cleanNumber(comparison.expected)},
                            {"actual", cleanNumber(comparison.actual)}};
}

llvm::json::Object toJson(const Unit &unit, const Report &report) {
  llvm::json::Array tests, goals;
  for (const TestOutcome &test : report.tests) {
    constexpr const char *kStates[] = {"not run", "passed", "failed"};
    tests.push_back(llvm::json::Object{
        {"name", test.name}, {"hidden", test.isHidden}, {"state", kStates[static_cast<size_t>(test.state)]}});
  }
  for (const GoalOutcome &goal : report.goals)
    goals.push_back(llvm::json::Object{{"that", goal.that}, {"said", cleanText(goal.said)}, {"met", goal.isMet}});
  llvm::json::Object counters;
  for (const auto &[name, value] : report.counters)
    counters[name] = cleanNumber(value);
  llvm::json::Object object{{"unit", unit.id},
                            {"title", unit.title},
                            {"passed", report.isPassed()},
                            {"stage", std::string(nameOf(report.stage))},
                            {"test", report.test},
                            {"message", cleanText(report.message)},
                            {"line", report.line},
                            {"column", report.column},
                            {"picture", report.picture},
                            {"printed", cleanText(report.printed)},
                            {"tests", std::move(tests)},
                            {"goals", std::move(goals)},
                            {"counters", std::move(counters)}};
  llvm::json::Array accesses;
  for (const AccessPicture &picture : report.accesses) {
    llvm::json::Array shape;
    for (int64_t extent : picture.shape)
      shape.push_back(extent);
    accesses.push_back(
        llvm::json::Object{{"tensor", picture.tensor}, {"shape", std::move(shape)}, {"marks", picture.letters}});
  }
  object["accesses"] = std::move(accesses);
  if (report.time)
    object["time"] = llvm::json::Object{{"said", describe(*report.time)},
                                        {"device", report.time->device},
                                        {"microseconds", report.time->seconds * 1e6},
                                        {"share", report.time->share},
                                        {"limit", report.time->isMemory ? "memory" : "tensor cores"},
                                        {"sizes", report.time->sizes}};
  if (report.comparison)
    object["comparison"] = toJson(*report.comparison);
  return object;
}

} // namespace nereid::learn
