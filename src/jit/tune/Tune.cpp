#include "jit/tune/Tune.h"

#include "jit/Backend.h"
#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/tune/Candidates.h"
#include "jit/tune/CudaTrials.h"
#include "jit/tune/Prune.h"
#include "jit/tune/Snapshot.h"
#include "jit/tune/TuneStore.h"
#include "runtime/bench/Measure.h"
#include "runtime/profile/Recorder.h"
#include "support/Log.h"

#include <algorithm>
#include <chrono>

namespace nereid::jit {

namespace {

using Clock = std::chrono::steady_clock;
double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The median of a candidate's runs, into its trial.
void timeCandidate(const Candidate &candidate, const Snapshot &snapshot, const Settings &settings, double best,
                   Trial &trial) {
  std::string problem;
  cpu::LaunchOptions options{.threads = settings.threads, .output = [](std::string_view) {}, .limits = settings.limits};
  auto run = [&] {
    Result<cpu::LaunchReport> report = cpu::launch(*candidate.kernel, candidate.words, candidate.grid, options);
    problem = !report ? report.error().message : report->failure ? describeFailure(*report->failure) : "";
    return problem.empty();
  };
  snapshot.reset();
  runtime::Timings timings =
      runtime::measure(run, {.seconds = 0.05, .minRuns = 3, .maxRuns = 200, .giveUpAbove = 3 * best});
  trial.seconds = timings.median;
  trial.problem = problem.substr(0, problem.find('\n'));
}

bool hasSameCode(const Candidate &a, const Candidate &b) {
  if (a.cudaKernel && b.cudaKernel)
    return a.cudaKernel->artifact().ptx == b.cudaKernel->artifact().ptx &&
           a.cudaKernel->artifact().threads == b.cudaKernel->artifact().threads;
  return a.kernel && b.kernel && a.kernel->artifact().object == b.kernel->artifact().object;
}

// Options that mean nothing to the processor (warps, stages) give the same code: it is timed once.
const Candidate *sameAs(const Candidate &candidate, std::span<const Candidate> earlier) {
  for (const Candidate &other : earlier)
    if (other.grid == candidate.grid && other.words == candidate.words && hasSameCode(other, candidate))
      return &other;
  return nullptr;
}

using TimeCandidate = std::function<void(const Candidate &, double best, Trial &)>;

void timeAll(const std::vector<Candidate> &candidates, const TimeCandidate &timeOne, const TuneOptions &options,
             Clock::time_point start, Tuning &tuning) {
  double best = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    Trial &trial = tuning.trials[i];
    if (options.progress)
      options.progress("timing", i, candidates.size());
    trial.problem = candidates[i].problem, trial.isLeftOut = candidates[i].isLeftOut;
    if (!trial.problem.empty())
      continue;
    if (best > 0 && options.seconds > 0 && secondsSince(start) > options.seconds) {
      trial.problem = "there was no time for it", trial.isLeftOut = true;
      continue;
    }
    if (const Candidate *same = sameAs(candidates[i], std::span(candidates).first(i))) {
      const Trial &done = tuning.trials[static_cast<size_t>(same - candidates.data())];
      trial.seconds = done.seconds, trial.problem = done.problem;
    } else {
      timeOne(candidates[i], best, trial);
    }
    if (trial.problem.empty() && (best == 0 || trial.seconds < best)) {
      best = trial.seconds;
      tuning.best = trial.config;
    }
  }
  if (options.progress)
    options.progress("timing", candidates.size(), candidates.size());
}

Error nothingWorks(const lang::Function &kernel, const Tuning &tuning) {
  std::string text = "error: no configuration of `" + kernel.name + "` works\n";
  for (const Trial &trial : tuning.trials)
    text += "note: " + trial.text + ": " + trial.problem + "\n";
  return {Status::BadInput, text};
}

void noteHooks(const lang::Autotune &autotune, Tuning &tuning) {
  if (std::ranges::any_of(autotune.configs,
                          [](const lang::Config &config) { return config.preHook && !config.preHook.isNone(); }))
    tuning.notes.push_back("`pre_hook` is host code and does not run");
}

std::string nameOf(KernelModule &module, const std::shared_ptr<lang::Function> &kernel) {
  for (const lang::Loader::JitEntry &entry : module.kernels())
    if (entry.function == kernel || entry.function->definition == kernel->definition)
      return entry.name;
  return kernel->name;
}

void listTrials(const std::vector<Candidate> &candidates, const lang::Function &kernel, Tuning &tuning) {
  for (const Candidate &candidate : candidates)
    tuning.trials.push_back({.config = candidate.config, .text = textOf(kernel.autotune->configs[candidate.config])});
}

// Compiles and times on the processor, on the caller's own tensors.
void tryOnCpu(KernelModule &module, const Binding &binding, const std::vector<unsigned> &configs,
              const std::vector<Argument> &arguments, const Settings &settings, const TuneOptions &options,
              Tuning &tuning) {
  auto start = Clock::now(), began = start;
  std::vector<Candidate> candidates =
      compileCandidates(module, nameOf(module, binding.kernel), configs, arguments, settings, options);
  tuning.compileSeconds = secondsSince(start);
  listTrials(candidates, *binding.kernel, tuning);
  start = Clock::now();
  Snapshot snapshot(binding, *binding.kernel->autotune);
  auto timeOne = [&](const Candidate &candidate, double best, Trial &trial) {
    timeCandidate(candidate, snapshot, settings, best, trial);
  };
  timeAll(candidates, timeOne, options, began, tuning);
  snapshot.restore();
  snapshot.reset(); // as Triton does before the launch that comes next
  tuning.timingSeconds = secondsSince(start);
  tuning.notes.insert(tuning.notes.end(), snapshot.notes().begin(), snapshot.notes().end());
}

Result<void> tryOnCuda(KernelModule &module, const Binding &binding, const std::vector<unsigned> &configs,
                       const std::vector<Argument> &arguments, const Settings &settings, const TuneOptions &options,
                       cuda::Device &gpu, Tuning &tuning) {
  CudaTrials trials(gpu);
  if (Result<void> ready = trials.prepare(binding, settings); !ready)
    return ready;
  auto start = Clock::now(), began = start;
  std::vector<Candidate> candidates = compileCandidates(module, nameOf(module, binding.kernel), configs, arguments,
                                                        settings, options, {&gpu, &trials.staged()});
  tuning.compileSeconds = secondsSince(start);
  listTrials(candidates, *binding.kernel, tuning);
  start = Clock::now();
  auto timeOne = [&](const Candidate &candidate, double best, Trial &trial) { trials.time(candidate, best, trial); };
  timeAll(candidates, timeOne, options, began, tuning);
  Result<void> restored = trials.restore();
  tuning.timingSeconds = secondsSince(start);
  tuning.notes.insert(tuning.notes.end(), trials.notes().begin(), trials.notes().end());
  return restored;
}

} // namespace

std::string textOf(const lang::Config &config) {
  std::string text;
  for (const auto &[name, value] : config.values)
    text += name + "=" + lang::repr(value) + " ";
  return text + "num_warps=" + std::to_string(config.shape.numWarps) +
         " num_stages=" + std::to_string(config.shape.numStages) +
         (config.shape.numCtas > 1 ? " num_ctas=" + std::to_string(config.shape.numCtas) : "");
}

std::shared_ptr<lang::Function> withConfigs(const std::shared_ptr<lang::Function> &kernel, const TuneOptions &options) {
  if (options.configs.empty())
    return kernel;
  auto copy = std::make_shared<lang::Function>(*kernel);
  if (!copy->autotune)
    copy->autotune.emplace();
  copy->autotune->configs = options.configs;
  copy->autotune->pruneConfigsBy = {};
  copy->autotune->problem.clear();
  return copy;
}

Result<Tuning> tune(KernelModule &module, const std::shared_ptr<lang::Function> &given,
                    const std::vector<Argument> &arguments, const Settings &settings, const TuneOptions &options) {
  std::shared_ptr<lang::Function> kernel = withConfigs(given, options);
  if (!kernel->autotune || kernel->autotune->configs.empty())
    return Error{Status::BadInput, "error: `" + kernel->name + "` has no autotune configurations" +
                                       (kernel->autotune ? ": " + kernel->autotune->problem : "") + "\n"};
  Result<std::vector<NamedHostValue>> values = hostValues(module, arguments);
  if (!values)
    return values.error();
  Settings first = settings;
  first.config = 0;
  Result<Binding> binding = jit::bind(module, kernel, std::move(*values), first);
  if (!binding)
    return binding.error();
  Result<std::string> device = chooseDevice(settings.device);
  if (!device)
    return device.error();
  cuda::Device *gpu = nullptr;
  if (findBackend(*device) == &cudaBackend()) {
    Result<cuda::Device *> found = findCudaDevice(*device);
    if (!found)
      return found.error();
    gpu = *found;
  }
  std::optional<Digest> key = tuningKey(module, *binding, settings, gpu);
  if (key && !options.again)
    if (std::optional<Tuning> known = loadTuning(*key, kernel->autotune->configs.size()))
      return std::move(*known);

  profile::Scope scope("tune " + kernel->name);
  Tuning tuning;
  Pruned pruned = pruneConfigs(module, *binding);
  tuning.notes = pruned.notes;
  noteHooks(*kernel->autotune, tuning);
  if (!gpu)
    tryOnCpu(module, *binding, pruned.configs, arguments, settings, options, tuning);
  else if (Result<void> tried = tryOnCuda(module, *binding, pruned.configs, arguments, settings, options, *gpu, tuning);
           !tried)
    return tried.error();
  if (std::ranges::none_of(tuning.trials, [](const Trial &trial) { return trial.problem.empty(); }))
    return nothingWorks(*kernel, tuning);
  auto leftOut = std::ranges::count(tuning.trials, true, &Trial::isLeftOut);
  if (leftOut)
    tuning.notes.push_back("there was no time for " + std::to_string(leftOut) + " of " +
                           std::to_string(tuning.trials.size()) + " configurations");
  if (key && !leftOut)
    storeTuning(*key, tuning);
  return tuning;
}

Result<ChosenConfig> bestConfig(KernelModule &module, const std::shared_ptr<lang::Function> &kernel,
                                const std::vector<Argument> &arguments, const Settings &settings) {
  TuneOptions options;
  options.progress = settings.progress;
  options.seconds = settings.limits.timeout; // of the launch that the configuration is for
  Result<Tuning> tuning = tune(module, kernel, arguments, settings, options);
  if (!tuning)
    return tuning.error();
  if (!tuning->isKept)
    log(LogLevel::Info, "`" + kernel->name + "`: the fastest of " + std::to_string(tuning->trials.size()) +
                            " configurations is " + textOf(kernel->autotune->configs[tuning->best]) +
                            (tuning->notes.empty() ? "" : " (" + tuning->notes.back() + ")"));
  return ChosenConfig{tuning->best, tuning->isKept};
}

} // namespace nereid::jit
