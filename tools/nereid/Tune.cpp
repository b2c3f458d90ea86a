// Tune.cpp: `nereid tune`: try a kernel's autotune configurations, say how fast each is, and keep the answer.
#include "Devices.h"
#include "LaunchWords.h"
#include "Progress.h"
#include "Summary.h"

#include "jit/Backend.h"
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
    console.out << llvm::formatv("{0,4}  {1,12}  {2}", trial.config, time, trial.text).str();
    console.out << (trial.problem.empty() ? "" : "  (" + trial.problem + ")")
                << (trial.config == tuning.best ? "  <- best" : "") << "\n";
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
  Progress progress(console);
  jit::TuneOptions options{
      .again = words.has("--again"),
      .progress = [&](const std::string &what, size_t done, size_t total) { progress.show(what, done, total); }};
  Result<jit::Tuning> tuning = jit::tune(*launch->module, launch->kernel, launch->arguments, launch->settings, options);
  progress.clear();
  if (!tuning)
    return report(console, tuning.error());
  words.has("--json") ? printJson(*tuning, *launch->kernel, console) : printText(*tuning, *launch->kernel, console);
  return kFine;
}

constexpr Option kOptions[] = {
    kGridOption,
    {"--again", "", "try them even when the answer is known"},
    {"--device", "NAME", "where to run: cpu (the default) or cuda"},
    {"--threads", "N", "how many threads run the kernel (all cores)"},
    kTimeoutOption,
    kSeedOption,
    kTargetOption,
    kImportOption,
    kJsonOption,
};

constexpr std::string_view kHelpText = "Compiles all configurations of a kernel's `@triton.autotune` on all cores, "
                                       "times them one by one, prints what was tried\n"
                                       "(and why one failed) and keeps the answer in the cache: `run`, `bench` and "
                                       "programs then use the fastest one, for the\n"
                                       "same key arguments, types, machine and number of threads.\n\n"
                                       "Arguments are those of `nereid run`.\n";

} // namespace

constinit const Verb kTune{"tune",
                           "find a kernel's fastest configuration",
                           "tune FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                           kHelpText,
                           kOptions,
                           runTune};

} // namespace nereid::tool
