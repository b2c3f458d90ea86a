#include "learn/Grade.h"

#include "jit/Launch.h"
#include "jit/Report.h"
#include "learn/CodeText.h"
#include "learn/LongText.h"
#include "runtime/GuardedMemory.h"
#include "support/ReadFile.h"

#include <algorithm>
#include <charconv>

namespace nereid::learn {

std::string_view nameOf(Stage stage) {
  constexpr std::string_view kNames[] = {"passed", "read",     "kernel", "compile", "check",
                                         "result", "compiled", "goal",   "unit",    "internal"};
  return kNames[static_cast<size_t>(stage)];
}

std::string Report::text() const {
  return (test.empty() ? "" : "in the test `" + test + "`:\n") + message + picture + textOf(accesses);
}

namespace {

// What the reference gives for a test; made when it is first needed.
struct Expected {
  std::shared_ptr<Scene> start; // before anything ran
  std::shared_ptr<Scene> done;  // in float64
};

bool contentsEqual(const Tensor &a, const Tensor &b) { return std::memcmp(a.data(), b.data(), a.spanBytes()) == 0; }

} // namespace

struct Grader::State {
  Unit unit;
  std::string reference;
  GradeOptions options;
  std::shared_ptr<jit::KernelModule> python; // the reference's module, which also evaluates expressions
  std::string problem;                       // with the reference itself
  std::vector<Expected> expected;

  Result<Expected> expect(size_t test) {
    if (expected[test].done)
      return expected[test];
    Result<Scene> start = Scene::make(*python, unit.tests[test]);
    if (!start)
      return start.error();
    Result<Scene> done = start->inDoubles();
    if (!done)
      return done.error();
    for (const Step &step : unit.tests[test].referenceSteps) {
      Result<Scene::Ready> ready = done->prepare(*python, step);
      if (!ready)
        return ready.error();
      ready->settings.device = "cpu";
      ready->settings.threads = options.threads;
      ready->settings.limits.timeout = 60;
      if (Result<jit::Launched> launched = jit::launch(*python, ready->kernel, ready->arguments, ready->settings);
          !launched)
        return launched.error();
    }
    for (const std::string &output : unit.outputs)
      if (!start->find(output))
        return Error{Status::BadInput, "error: `outputs`: the test has no tensor `" + output + "`\n"};
    expected[test] = {std::make_shared<Scene>(*start), std::make_shared<Scene>(*done)};
    return expected[test];
  }
};

// One file on its way through the stages.
class Grader::Work {
public:
  Work(State &state, std::string name, std::string text) : state(state), name(std::move(name)), text(std::move(text)) {
    for (const Test &test : state.unit.tests)
      report.tests.push_back({test.name, test.isHidden});
  }

  Report run() {
    if (!state.problem.empty()) {
      fail(Stage::Unit, state.problem);
    } else if (load() && findKernels() && followsRules()) {
      bool isGood = true;
      for (size_t i = 0; isGood && i < state.unit.tests.size(); ++i) {
        isGood = runTest(i);
        report.tests[i].state = isGood ? TestOutcome::State::Passed : TestOutcome::State::Failed;
      }
      if (isGood)
        measure();
      if (report.isPassed())
        time();
    }
    finish();
    return std::move(report);
  }

private:
  bool fail(Stage stage, std::string message) {
    report.stage = stage;
    report.message = std::move(message);
    if (!report.message.empty() && report.message.back() != '\n')
      report.message += "\n";
    return false;
  }

  // What went wrong in a launch or before it, by its status.
  bool fail(Stage usual, const Error &error) {
    bool isOurs = error.status == Status::Internal || error.status == Status::Environment;
    return fail(isOurs ? Stage::Internal : usual, shortened(error.message));
  }

  bool load() {
    Result<std::shared_ptr<jit::KernelModule>> loaded = jit::KernelModule::parse(name, text);
    if (!loaded)
      return fail(Stage::Read, loaded.error());
    module = *loaded;
    return true;
  }

  bool findKernels() {
    for (const std::string &kernel : state.unit.kernels) {
      Result<std::shared_ptr<lang::Function>> found = module->find(kernel);
      if (!found)
        return fail(Stage::Kernel, found.error());
    }
    return hasParameters();
  }

  // The kernel takes what the tests give it: the reference's parameters say what that is.
  bool hasParameters() {
    Result<std::shared_ptr<lang::Function>> found = module->find(state.unit.kernel);
    Result<std::shared_ptr<lang::Function>> wanted = state.python->find(state.unit.kernel);
    if (!found || !wanted)
      return true; // the reference may have a kernel of another name
    std::vector<std::string> missing;
    std::string signature = state.unit.kernel + "(";
    for (const lang::Parameter &parameter : (*wanted)->parameters) {
      signature +=
          (signature.back() == '(' ? "" : ", ") + parameter.name + (parameter.isConstexpr ? ": tl.constexpr" : "");
      auto same = [&](const lang::Parameter &own) { return own.name == parameter.name; };
      if (std::ranges::none_of((*found)->parameters, same) && !parameter.defaultValue)
        missing.push_back(parameter.name);
    }
    if (missing.empty())
      return true;
    Diagnostic diagnostic{Severity::Error,
                          (*found)->module->source,
                          (*found)->nameRange(),
                          "`" + state.unit.kernel + "` has no parameter `" + missing[0] + "`",
                          {}};
    diagnostic.notes.push_back({Severity::Note, nullptr, {}, "the exercise launches `" + signature + ")`", {}});
    return fail(Stage::Kernel, render(diagnostic));
  }

  bool followsRules() {
    std::string code = codeWithoutComments(text);
    for (const TextRule &rule : state.unit.forbidden)
      if (size_t at = findCode(code, rule.text); at != std::string::npos)
        return fail(Stage::Kernel,
                    name + ":" +
                        std::to_string(1 + std::count(code.begin(), code.begin() + static_cast<ptrdiff_t>(at), '\n')) +
                        ":1: error: " +
                        (rule.say.empty() ? "this exercise is to be done without `" + rule.text + "`" : rule.say));
    for (const TextRule &rule : state.unit.required)
      if (countCode(code, rule.text) < rule.times)
        return fail(Stage::Kernel, "error: " + (rule.say.empty() ? "this exercise is about `" + rule.text +
                                                                       "`, which the code does not use"
                                                                 : rule.say));
    return true;
  }

  // Runs the steps of a test on a scene; on the interpreter under the checker.
  bool launchAll(const Test &test, const Scene &scene, bool isChecked) {
    for (const Step &step : test.steps) {
      Result<Scene::Ready> ready = scene.prepare(*module, step);
      if (!ready)
        return fail(Stage::Compile, ready.error());
      jit::Settings &settings = ready->settings;
      settings.device = isChecked ? "interp" : state.options.device;
      settings.check = isChecked;
      // Of several launches one may write what another leaves out; what nobody writes shows in the result.
      settings.checkUnwritten = isChecked && test.steps.size() == 1;
      if (test.steps.size() > 1)
        settings.empty.clear();
      settings.threads = state.options.threads;
      settings.limits.timeout = state.options.seconds;
      Result<jit::Launched> launched = jit::launch(*module, ready->kernel, ready->arguments, settings);
      if (!launched) {
        Error error = launched.error();
        if (error.message.find(cpu::describe(cpu::Cause::TimedOut, state.options.seconds)) != std::string::npos)
          error.message += "note: is there a loop whose condition never changes?\n";
        return fail(error.status == Status::BadInput ? Stage::Compile
                    : isChecked                      ? Stage::Check
                                                     : Stage::Compiled,
                    error);
      }
      if (isChecked) // the compiled code prints the same once more
        report.printed = shortened(report.printed + launched->output);
      if (!keep(*launched))
        return false;
    }
    return true;
  }

  // Findings are errors, but for elements that nobody writes: whether they have to be written the reference says.
  bool keep(const jit::Launched &launched) {
    for (const runtime::CheckReport &finding : launched.reports) {
      if (finding.kind == runtime::CheckKind::Unwritten && finding.isOfLaunch)
        gaps += jit::renderReport(*module, finding);
      else if (!finding.isWarning)
        return fail(Stage::Check, jit::renderReport(*module, finding));
    }
    return true;
  }

  bool compare(const Test &test, const Scene &scene, const Expected &expected, bool isChecked) {
    for (const std::string &output : state.unit.outputs) {
      Comparison comparison = compareOutput(output, scene.find(output)->tensor, expected.done->find(output)->tensor,
                                            test.tolerance.at(output), scene.isEmpty(output));
      if (comparison.isRight())
        continue;
      report.picture = picture(comparison);
      fail(isChecked ? Stage::Result : Stage::Compiled,
           (isChecked ? "" : "compiled for `" + state.options.device + "` it gives another result: ") +
               describe(comparison) + gaps);
      bool isTouched = comparison.unwritten < static_cast<int64_t>(comparison.marks.size());
      report.comparison = std::move(comparison);
      if (std::string meaning = isTouched ? nameMistake(test, scene) : ""; !meaning.empty())
        report.message += "note: a typical mistake gives just this: " + meaning + "\n";
      return false;
    }
    for (const jit::NamedTensor &named : scene.tensors()) {
      const Tensor &before = expected.start->find(named.name)->tensor;
      bool isOutput = std::ranges::find(state.unit.outputs, named.name) != state.unit.outputs.end();
      if (!isOutput && scene.isInput(named.name) && !contentsEqual(named.tensor, before))
        return fail(Stage::Result, "`" + named.name + "` is an input, but the kernel changed it");
    }
    return true;
  }

  std::string nameMistake(const Test &test, const Scene &scene) {
    return recognize(state.options.mistakes, *state.python, state.unit, test, scene);
  }

  // A picture of what was read and written, where the kernel ran and did something else than it should.
  void showAccesses(const Test &test) {
    if (report.stage != Stage::Check && report.stage != Stage::Result)
      return;
    // What an endless kernel touches shows in the first second.
    if (Result<Scene> scene = Scene::make(*state.python, test))
      report.accesses = pictureAccesses(*module, *scene, test, std::min(1.0, state.options.seconds));
  }

  bool runTest(size_t index) {
    const Test &test = state.unit.tests[index];
    report.test = test.name;
    Result<Expected> expected = state.expect(index);
    if (!expected)
      return fail(Stage::Unit, expected.error());
    for (bool isChecked : {true, false}) {
      gaps.clear();
      Result<Scene> scene = Scene::make(*state.python, test); // random tensors are the same each time
      if (!scene)
        return fail(Stage::Unit, scene.error());
      if (launchAll(test, *scene, isChecked) && compare(test, *scene, *expected, isChecked))
        continue;
      showAccesses(test);
      return false;
    }
    report.test.clear();
    return true;
  }

  void measure() {
    std::map<size_t, Counters> counted;
    for (const Goal &goal : state.unit.goals) {
      const Test &test = state.unit.tests[goal.test];
      Result<Scene> scene = Scene::make(*state.python, test);
      if (scene && !counted.contains(goal.test)) {
        Result<Counters> counters = countTest(*module, *scene, test);
        if (!counters) {
          report.test = test.name;
          fail(Stage::Goal, counters.error());
          return;
        }
        counted[goal.test] = *counters;
        if (report.counters.empty())
          report.counters = *counters;
      }
      Result<GoalResult> result = scene ? evaluateGoal(*state.python, *scene, counted[goal.test], goal) : scene.error();
      if (!result) {
        fail(Stage::Unit, result.error());
        return;
      }
      report.goals.push_back({goal.that, result->said, result->isMet});
      if (!result->isMet && report.isPassed()) {
        report.test = test.name;
        fail(Stage::Goal, "the results are right, but a goal is not met: " + result->said);
      }
    }
  }

  // A time is shown, not graded: where there is no GPU, or it has no room, there is none.
  void time() {
    std::optional<Test> test = state.options.timedOn.empty() ? std::nullopt : timedTest(state.unit);
    if (!test)
      return;
    Result<MeasuredTime> measured =
        timeTest(*module, *state.python, state.unit, *test, state.options.timedOn, report.counters);
    if (measured)
      report.time = std::move(*measured);
  }

  // Where the message points to in the learner's file, and the hole that is still there.
  void finish() {
    size_t at = report.message.find(name + ":");
    if (at != std::string::npos) {
      const char *end = report.message.data() + report.message.size();
      auto [after, problem] = std::from_chars(report.message.data() + at + name.size() + 1, end, report.line);
      if (problem == std::errc() && after != end && *after == ':')
        std::from_chars(after + 1, end, report.column);
    }
    if (report.isPassed() || report.stage == Stage::Unit)
      return;
    const std::string &starter = state.options.starter;
    unsigned hole = starter.empty() ? firstHole(text) : firstHoleOf(starter, text);
    if (hole)
      report.message += "note: line " + std::to_string(hole) + " still says `# YOUR CODE`: that is where to write\n";
    else if (report.stage == Stage::Result)
      if (UnusedName unused = findUnusedName(text); !unused.name.empty())
        report.message +=
            "note: line " + std::to_string(unused.line) + " sets `" + unused.name + "`, which nothing uses\n";
  }

  State &state;
  std::string name, text;
  std::shared_ptr<jit::KernelModule> module;
  std::string gaps; // what the checker says of elements that nobody writes
  Report report;
};

Grader::Grader(const Unit &unit, std::string reference, GradeOptions options)
    : state(std::make_unique<State>(State{.unit = unit, .reference = std::move(reference), .options = options})) {
  state->expected.resize(unit.tests.size());
  Result<std::shared_ptr<jit::KernelModule>> loaded =
      jit::KernelModule::parse(unit.folder + "/reference.py", state->reference);
  if (loaded)
    state->python = *loaded;
  else
    state->problem = loaded.error().message;
}

Grader::~Grader() = default;

Report Grader::gradeText(const std::string &name, const std::string &text) { return Work(*state, name, text).run(); }

Report Grader::gradeFile(const std::string &path) {
  constexpr size_t kLargest = 1 << 20;
  std::string problem;
  std::optional<std::string> text = readFile(path, kLargest + 1, problem);
  if (text && text->size() > kLargest)
    problem = "it is larger than 1 MiB";
  if (problem.empty() && text)
    return gradeText(path, *text);
  Report report{.stage = Stage::Read, .message = "error: `" + path.substr(0, 200) + "`: " + problem + "\n"};
  for (const Test &test : state->unit.tests)
    report.tests.push_back({test.name, test.isHidden});
  return report;
}

} // namespace nereid::learn
