#include "learn/Unit.h"

#include "learn/JsonFields.h"

#include <algorithm>
#include <climits>

namespace nereid::learn {

namespace {

Step readStep(JsonFields &fields) {
  return {.kernel = fields.textOr("kernel", ""),
          .arguments = fields.texts("arguments"),
          .grid = fields.textOr("grid", ""),
          .numWarps = static_cast<int>(fields.count("num_warps", 0, INT_MAX)),
          .numStages = static_cast<int>(fields.count("num_stages", 0, INT_MAX))};
}

// What a unit, or one of its tests, says of the reference. Nothing: its launches are the learner's.
struct ReferenceWords {
  Step single;
  std::vector<Step> steps;
};

std::optional<ReferenceWords> readReference(JsonFields &fields) {
  std::optional<ReferenceWords> words;
  fields.objectAt("reference", [&](JsonFields inner) {
    words.emplace();
    words->single = readStep(inner);
    inner.eachObject("launches", [&](JsonFields step) {
      words->steps.push_back(readStep(step));
      step.finish();
    });
    inner.finish();
  });
  return words;
}

std::vector<Step> referenceSteps(const std::vector<Step> &learners, const ReferenceWords *words) {
  if (!words)
    return learners;
  if (!words->steps.empty())
    return words->steps;
  const Step &single = words->single;
  // One kernel of its own takes the place of all launches; else it has theirs, with another grid or other arguments.
  std::vector<Step> steps = single.kernel.empty() ? learners : std::vector<Step>{{.arguments = learners[0].arguments}};
  for (Step &step : steps) {
    step.kernel = single.kernel.empty() ? step.kernel : single.kernel;
    step.grid = single.grid.empty() ? step.grid : single.grid;
    step.arguments.insert(step.arguments.end(), single.arguments.begin(), single.arguments.end());
  }
  return steps;
}

class UnitReader {
public:
  explicit UnitReader(std::string &problem) : problem(problem) {}

  Unit read(JsonFields fields) {
    unit.title = fields.text("title");
    unit.news = fields.textOr("new", "");
    unit.kernel = fields.text("file_kernel");
    if (unit.kernel.empty())
      fields.refuse("file_kernel", "the name of the learner's kernel is expected");
    unit.kernels = fields.texts("kernels");
    addKernel(unit.kernel);
    unit.outputs = fields.texts("outputs");
    if (unit.outputs.empty())
      fields.refuse("outputs", "the names of the tensors that are compared are expected");
    unit.isExam = fields.flag("exam");
    readTolerance(fields, tolerance, 1e-6);
    reference = readReference(fields);
    cacheBytes = fields.count("cache_bytes", 0);
    residentPrograms = fields.count("resident_programs", 0);
    fields.eachObject("tests", [&](JsonFields test) { readTest(test); });
    if (unit.tests.empty())
      fields.refuse("tests", "at least one test is expected");
    fields.eachObject("goals", [&](JsonFields goal) { readGoal(goal); });
    fields.objectAt("timed", [&](JsonFields timed) { readTimed(timed); });
    readRules(fields, "forbid", unit.forbidden);
    readRules(fields, "require", unit.required);
    fields.finish();
    return std::move(unit);
  }

private:
  void addKernel(const std::string &name) {
    if (!name.empty() && std::ranges::find(unit.kernels, name) == unit.kernels.end())
      unit.kernels.push_back(name);
  }

  void readTolerance(JsonFields &fields, std::map<std::string, double> &into, double usual) {
    const llvm::json::Value *value = fields.value("tolerance");
    if (value && value->getAsObject()) {
      fields.eachNumber("tolerance", [&](const std::string &name, double number) {
        if (std::ranges::find(unit.outputs, name) == unit.outputs.end())
          fields.refuse("tolerance." + name, "it is none of the outputs");
        into[name] = number;
      });
    } else {
      double number = fields.number("tolerance", usual);
      for (const std::string &output : unit.outputs)
        if (value || !into.contains(output))
          into[output] = number;
    }
    for (const auto &[name, number] : into)
      if (!(number >= 0))
        fields.refuse("tolerance", "a number that is not negative is expected");
    for (const std::string &output : unit.outputs)
      into.try_emplace(output, usual);
  }

  void readTest(JsonFields fields) {
    Test test;
    test.name = fields.text("name");
    test.isHidden = fields.flag("hidden") || test.name.starts_with("hidden");
    test.seed = static_cast<uint64_t>(fields.count("seed", 0));
    test.cacheBytes = fields.count("cache_bytes", cacheBytes);
    test.residentPrograms = fields.count("resident_programs", residentPrograms);
    test.tolerance = tolerance;
    readTolerance(fields, test.tolerance, 1e-6);
    fields.eachNumber("scale", [&](const std::string &name, double factor) { test.scale[name] = factor; });
    Step single = readStep(fields);
    test.arguments = std::exchange(single.arguments, {});
    fields.eachObject("launches", [&](JsonFields launch) {
      test.steps.push_back(readStep(launch));
      if (test.steps.back().grid.empty())
        launch.refuse("grid", "it is missing; how many programs run is expected");
      launch.finish();
    });
    if (test.steps.empty() && single.grid.empty())
      fields.refuse("grid", "it is missing; how many programs run is expected");
    if (test.steps.empty())
      test.steps.push_back(single);
    for (Step &step : test.steps) {
      step.kernel = step.kernel.empty() ? unit.kernel : step.kernel;
      addKernel(step.kernel);
    }
    std::optional<ReferenceWords> own = readReference(fields);
    test.referenceSteps = referenceSteps(test.steps, own ? &*own : reference ? &*reference : nullptr);
    for (Step &step : test.referenceSteps)
      step.kernel = step.kernel.empty() ? unit.kernel : step.kernel;
    for (const Test &other : unit.tests)
      if (other.name == test.name)
        fields.refuse("name", "another test is called `" + test.name + "`, too");
    fields.finish();
    unit.tests.push_back(std::move(test));
  }

  // The test that a field names, the first one without it.
  size_t findTest(JsonFields &fields) {
    std::string test = fields.textOr("test", unit.tests.empty() ? "" : unit.tests[0].name);
    auto found = std::ranges::find(unit.tests, test, &Test::name);
    if (found != unit.tests.end())
      return static_cast<size_t>(found - unit.tests.begin());
    fields.refuse("test", "there is no test `" + test + "`");
    return 0;
  }

  void readTimed(JsonFields fields) {
    Timed timed{.test = findTest(fields), .arguments = fields.texts("arguments")};
    timed.bytes = fields.textOr("bytes", "0");
    timed.flops = fields.textOr("flops", "0");
    fields.finish();
    unit.timed = std::move(timed);
  }

  void readGoal(JsonFields fields) {
    Goal goal{.test = findTest(fields)};
    goal.that = fields.text("that");
    goal.say = fields.text("say");
    fields.finish();
    unit.goals.push_back(std::move(goal));
  }

  void readRules(JsonFields &fields, std::string_view key, std::vector<TextRule> &rules) {
    const llvm::json::Value *value = fields.value(key);
    const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
    if (value && !array)
      fields.refuse(key, "a list is expected");
    for (size_t i = 0; array && i < array->size(); ++i) {
      if (auto text = (*array)[i].getAsString()) {
        rules.push_back({text->str(), ""});
      } else if (const llvm::json::Object *object = (*array)[i].getAsObject()) {
        JsonFields rule(*object, std::string(key) + "[" + std::to_string(i) + "]", problem);
        rules.push_back({rule.text("text"), rule.text("say"), rule.count("times", 1)});
        rule.finish();
      } else {
        fields.refuse(key, "a text is expected, or an object with `text` and `say`");
      }
    }
  }

  std::string &problem;
  Unit unit;
  std::map<std::string, double> tolerance;
  std::optional<ReferenceWords> reference;
  int64_t cacheBytes = 0, residentPrograms = 0;
};

} // namespace

Result<Unit> parseUnit(const std::string &name, const std::string &text) {
  Result<llvm::json::Object> object = parseJsonObject(name, text);
  if (!object)
    return object.error();
  std::string problem;
  Unit unit = UnitReader(problem).read(JsonFields(*object, "", problem));
  if (!problem.empty())
    return Error{Status::BadInput, "`" + name + "`: " + problem};
  return unit;
}

} // namespace nereid::learn
