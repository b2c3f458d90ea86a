// Tune.cpp: `nereid tune`: try a kernel's autotune configurations, say how fast each is, and keep the answer.
#include "BenchCase.h"
#include "Devices.h"
#include "LaunchWords.h"
#include "Progress.h"
#include "Summary.h"

#include "jit/Backend.h"
#include "jit/Evaluate.h"
#include "jit/tune/Tune.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>

namespace nereid::tool {

namespace {

std::vector<jit::Trial> sortedByTime(const jit::Tuning &tuning) {
  std::vector<jit::Trial> trials = tuning.trials;
  std::ranges::stable_sort(trials, {},
                           [](const jit::Trial &trial) { return trial.problem.empty() ? trial.seconds : 1e30; });
  return trials;
}

void printText(const jit::Tuning &tuning, const lang::Function &kernel, Console &console) {
  for (const jit::Trial &trial : sortedByTime(tuning)) {
    std::string time = trial.problem.empty() ? llvm::formatv("{0:f3} ms", trial.seconds * 1e3).str() : "-";
    bool isBest = trial.config == tuning.best;
    std::string line = llvm::formatv("{0,4}  {1,12}  {2}", trial.config, time, trial.text).str() +
                       (trial.problem.empty() ? "" : "  (" + trial.problem + ")") + (isBest ? "  <- best" : "");
    console.out << (isBest                  ? console.paint(Tint::Good, line)
                    : trial.problem.empty() ? line
                                            : console.paint(Tint::Faint, line))
                << "\n";
  }
  for (const std::string &note : tuning.notes)
    console.out << "note: " << note << "\n";
  console.out << kernel.name << ": " << tuning.trials.size()
              << (tuning.trials.size() == 1 ? " configuration" : " configurations");
  if (tuning.isKept)
    console.out << ", known from an earlier run; `--again` tries them again\n";
  else
    console.out << llvm::formatv(" tried: compiled in {0:f2} s, timed in {1:f2} s\n", tuning.compileSeconds,
                                 tuning.timingSeconds)
                       .str();
}

void printJson(const jit::Tuning &tuning, const lang::Function &kernel, Console &console) {
  llvm::json::Array trials, notes;
  for (const jit::Trial &trial : sortedByTime(tuning)) {
    llvm::json::Object row{{"config", trial.config}, {"text", jsonText(trial.text)}};
    if (trial.problem.empty())
      row["milliseconds"] = trial.seconds * 1e3;
    else
      row["problem"] = jsonText(trial.problem);
    trials.push_back(std::move(row));
  }
  for (const std::string &note : tuning.notes)
    notes.push_back(jsonText(note));
  llvm::json::Object object{{"kernel", kernel.name},
                            {"best", tuning.best},
                            {"kept", tuning.isKept},
                            {"compile_seconds", tuning.compileSeconds},
                            {"timing_seconds", tuning.timingSeconds},
                            {"trials", std::move(trials)},
                            {"notes", std::move(notes)}};
  console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
}

// One `--try NAME=V1,V2,…`: the values that one name takes.
struct Attempt {
  std::string name;
  std::vector<lang::Value> values;
};

std::optional<Attempt> readAttempt(const std::string &word, LaunchWords &launch, Console &console) {
  std::optional<Sweep> sweep = readSweep("--try", word, console);
  if (!sweep)
    return std::nullopt;
  Attempt attempt{sweep->name, {}};
  for (const std::string &text : sweep->values) {
    Result<lang::Value> value =
        jit::evaluateExpression(*launch.module, "--try " + sweep->name, text, launch.settings.names);
    if (!value) {
      report(console, value.error());
      return std::nullopt;
    }
    if (!value->integer() && !value->number() && !value->isNone()) {
      fail(console, "`--try`: `" + text.substr(0, 80) + "` is not a number, a bool or None");
      return std::nullopt;
    }
    attempt.values.push_back(*value);
  }
  return attempt;
}

// Whether it is an option of a launch; then the configuration has it.
bool setOption(const std::string &name, const lang::Value &value, lang::Config &config) {
  auto number = static_cast<int>(value.integer().value_or(0));
  if (name == "num_warps")
    config.shape.numWarps = number;
  else if (name == "num_stages")
    config.shape.numStages = number;
  else if (name == "num_ctas")
    config.shape.numCtas = number;
  else if (name == "maxnreg")
    config.maxRegisters = number;
  else
    return false;
  return true;
}

// What the words of `--try` ask for, in all combinations; other values are those of the kernel's first configuration.
std::optional<std::vector<lang::Config>> readAttempts(const Words &words, LaunchWords &launch, Console &console) {
  constexpr size_t kMost = 4096;
  const std::optional<lang::Autotune> &own = launch.kernel->autotune;
  std::vector<lang::Config> configs;
  for (const std::string &word : words.values("--try")) {
    std::optional<Attempt> attempt = readAttempt(word, launch, console);
    if (!attempt)
      return std::nullopt;
    std::vector<std::string> names{"num_warps", "num_stages", "num_ctas", "maxnreg"};
    for (const lang::Parameter &parameter : launch.kernel->parameters)
      names.push_back(parameter.name);
    bool isGiven = std::ranges::find(launch.arguments, attempt->name, &Argument::name) != launch.arguments.end();
    if (isGiven || std::ranges::find(names, attempt->name) == names.end()) {
      fail(console,
           "`--try`: " + (isGiven
                              ? "`" + attempt->name + "` has a value already"
                              : "`" + launch.kernel->name + "` has no parameter `" + attempt->name.substr(0, 80) + "`"),
           isGiven ? std::vector<std::string>{} : suggestion(attempt->name, names));
      return std::nullopt;
    }
    if (configs.empty())
      configs.push_back(own && !own->configs.empty() ? own->configs[0] : lang::Config{});
    std::vector<lang::Config> more;
    for (const lang::Config &config : configs)
      for (const lang::Value &value : attempt->values) {
        lang::Config &added = more.emplace_back(config);
        added.preHook = {};
        if (setOption(attempt->name, value, added))
          continue;
        std::erase_if(added.values, [&](const auto &item) { return item.first == attempt->name; });
        added.values.emplace_back(attempt->name, value);
      }
    configs = std::move(more);
    if (configs.size() > kMost) {
      fail(console, "`--try` gives more than " + std::to_string(kMost) + " configurations");
      return std::nullopt;
    }
  }
  return configs;
}

int runTune(const Words &words, Console &console) {
  int status = kFine;
  std::optional<LaunchWords> launch = readLaunch(words, console, status);
  if (!launch)
    return status;
  std::optional<std::string> device = readDevice(words.value("--device"), console, status);
  if (!device)
    return status;
  // The interpreter has nothing to choose.
  bool isInterpreter = jit::findBackend(*device) == &jit::interpreterBackend();
  launch->settings.device = isInterpreter ? std::string(jit::cpuBackend().name()) : *device;
  std::optional<std::vector<lang::Config>> configs = readAttempts(words, *launch, console);
  if (!configs)
    return kBadInput;
  Progress progress(console);
  jit::TuneOptions options{
      .again = words.has("--again"),
      .configs = std::move(*configs),
      .progress = [&](const std::string &what, size_t done, size_t total) { progress.show(what, done, total); }};
  Result<jit::Tuning> tuning = jit::tune(*launch->module, launch->kernel, launch->arguments, launch->settings, options);
  progress.clear();
  if (!tuning)
    return report(console, tuning.error());
  words.has("--json") ? printJson(*tuning, *launch->kernel, console) : printText(*tuning, *launch->kernel, console);
  return kFine;
}

constexpr Option kTuneOptions[] = {
    kGridOption,
    {"--try", "NAME=V1,V2,…",
     "try these values of a constant, of num_warps or num_stages instead of the kernel's configurations; with several, "
     "all "
     "combinations"},
    {"--again", "", "try them even when the answer is known"},
    {"--device", "NAME", "where to run: cpu (the default) or cuda", {}, deviceChoices},
    {"--threads", "N", "how many threads run the kernel (all cores)"},
    kLetOption,
    kTimeoutOption,
    kSeedOption,
    kTargetOption,
    kImportOption,
    kStrictOption,
    kJsonOption,
};

constexpr std::string_view kTuneHelp = "Compiles all configurations of a kernel's `@triton.autotune` on all cores, "
                                       "times them one by one, prints what was tried\n"
                                       "(and why one failed) and keeps the answer in the cache: `run`, `bench` and "
                                       "programs then use the fastest one, for the\n"
                                       "same key arguments, types, machine and number of threads. What `--try` finds "
                                       "is not kept: write it into the file.\n\n"
                                       "Arguments are those of `nereid run`.\n";

} // namespace

constinit const Verb kTune{"tune",
                           "find a kernel's fastest configuration",
                           "tune FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                           kTuneHelp,
                           kTuneOptions,
                           runTune};

} // namespace nereid::tool
