// Bench.cpp: `nereid bench`: time kernels and compare them with what the machine can do at most.
#include "BenchRow.h"
#include "Devices.h"
#include "LaunchCost.h"
#include "Plot.h"
#include "Progress.h"
#include "Summary.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "runtime/WriteFile.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cuda/Measure.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace nereid::tool {

namespace {

std::string percent(double share) { return llvm::formatv("{0:f0} %", share * 100).str(); }

std::string timeText(double seconds) {
  return seconds < 1e-3 ? llvm::formatv("{0:f1} us", seconds * 1e6).str()
                        : llvm::formatv("{0:f2} ms", seconds * 1e3).str();
}

class Bench {
public:
  Bench(const Words &words, Console &console) : words(words), console(console) {}

  int run() {
    int status = kFine;
    std::optional<std::vector<BenchCase>> cases = readCases(status);
    if (!cases)
      return status;
    if (int problem = measureLimits())
      return problem;
    Progress progress(console);
    for (size_t i = 0; i < cases->size(); ++i) {
      progress.show("measuring", i, cases->size());
      int problem = measure((*cases)[i], progress);
      status = std::max(status, problem);
    }
    progress.clear();
    if (words.has("--json") && (status == kFine || !rows.empty()))
      printJson();
    if (std::optional<std::string> file = words.value("--plot"); file && !rows.empty())
      status = std::max(status, writePlot(*file));
    return status;
  }

private:
  std::optional<std::vector<BenchCase>> readCases(int &status) {
    status = kBadInput;
    if (words.operands.empty()) {
      fail(console, "nothing to measure is given",
           {"write FILE.py:KERNEL with its arguments, or a folder of library kernels"});
      return std::nullopt;
    }
    auto threadCount = words.integer("--threads", 0, 1, 1024, console);
    std::optional<std::string> named = words.value("--device");
    device = !named && !std::getenv("NEREID_DEVICE") ? "cpu" : readDevice(named, console, status);
    std::optional<Sweep> sweep;
    if (std::optional<std::string> text = words.value("--sweep");
        text && !(sweep = readSweep("--sweep", *text, console)))
      return std::nullopt;
    if (!threadCount || !device || !readSeconds())
      return std::nullopt;
    threads = *threadCount ? static_cast<unsigned>(*threadCount) : cpu::availableCores();
    sweepName = sweep ? sweep->name : "";
    std::vector<BenchCase> cases;
    if (isKernelFile(words.operands[0]))
      cases = casesFromWords(words, sweep);
    else
      for (const std::string &path : words.operands) {
        std::optional<std::vector<BenchCase>> more = casesFromFiles(path, sweep, console);
        if (!more)
          return std::nullopt;
        cases.insert(cases.end(), more->begin(), more->end());
      }
    status = kFine;
    return cases;
  }

  bool readSeconds() {
    std::optional<std::string> text = words.value("--seconds");
    if (!text)
      return true;
    auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), options.seconds);
    if (problem == std::errc() && end == text->data() + text->size() && options.seconds > 0 && options.seconds < 3600)
      return true;
    fail(console, "`--seconds` takes a positive number, not `" + text->substr(0, 80) + "`");
    return false;
  }

  int measureLimits() {
    std::string who = std::to_string(threads) + (threads == 1 ? " thread" : " threads"), what = "fp32 multiply-add";
    if (jit::findBackend(*device) == &jit::cudaBackend()) {
      Result<cuda::Device *> gpu = jit::findCudaDevice(*device);
      Result<runtime::Limits> measured = gpu ? cuda::measureLimits(**gpu) : gpu.error();
      if (!measured)
        return report(console, measured.error());
      limits = *measured, who = (*gpu)->properties().name, what = "fp16 tensor cores (by their clock)";
    } else {
      limits = runtime::measureLimits(threads);
    }
    if (words.has("--json"))
      return kFine;
    console.out << llvm::formatv("limits of {0}: copy {1:f1} GB/s, {2} {3:f1} GFLOP/s\n", who, limits.copyBytes / 1e9,
                                 what, limits.fmaFlops / 1e9)
                       .str();
    std::string heading = llvm::formatv("{0,-44} {1,10} {2,8} {3,8} {4,9} {5,7}", "kernel", "median", "spread", "GB/s",
                                        "GFLOP/s", "limit")
                              .str();
    console.out << console.paint(Tint::Strong, heading) << "\n";
    return kFine;
  }

  int measure(const BenchCase &benchCase, Progress &progress) {
    std::vector<std::string> list = benchCase.operands;
    for (const char *option :
         {"--seed", "--config", "--num-warps", "--num-stages", "--maxnreg", "--timeout", "--target"})
      if (std::optional<std::string> value = words.value(option))
        list.insert(list.end(), {option, *value});
    if (words.has("--no-fp-fusion"))
      list.push_back("--no-fp-fusion");
    for (const std::string &let : words.values("--let"))
      list.insert(list.end(), {"--let", let});
    for (const std::string &path : words.values("--import-path"))
      list.insert(list.end(), {"--import-path", path});
    if (!benchCase.grid.empty())
      list.insert(list.end(), {"--grid", benchCase.grid});
    std::optional<Words> own = readWords(kBench, list, console);
    int status = kBadInput;
    std::optional<LaunchWords> launch = own ? readLaunch(*own, console, status) : std::nullopt;
    if (!launch)
      return status;
    launch->settings.device = *device;
    launch->settings.threads = threads;
    launch->settings.progress = [&](const std::string &what, size_t done, size_t total) {
      progress.show(benchCase.name + ": " + what, done, total);
    };
    options.flush = words.has("--flush");
    std::optional<BenchRow> row = measureCase(benchCase, *launch, options, console, status);
    if (!row)
      return status;
    progress.clear();
    if (words.has("--launch-cost")) {
      Result<LaunchCost> cost = measureLaunchCost(*launch);
      if (!cost)
        return report(console, cost.error());
      row->launchCost = *cost;
    }
    if (!words.has("--json"))
      printRow(*row);
    rows.push_back(std::move(*row));
    return kFine;
  }

  void printRow(const BenchRow &row) {
    double spread = (row.timings.high - row.timings.low) / 2 / row.timings.median;
    std::string flops = row.flops > 0 ? llvm::formatv("{0:f1}", row.gigaflops()).str() : "-";
    std::string share = llvm::formatv("{0,7}", percent(row.share(limits))).str();
    constexpr double kNear = 0.8; // of the limit
    console.out << llvm::formatv("{0,-44} {1,10} {2,8} {3,8:f1} {4,9} ", row.name, timeText(row.timings.median),
                                 "+-" + percent(spread), row.gigabytes(), flops)
                       .str()
                << (row.share(limits) >= kNear ? console.paint(Tint::Good, share) : share) << "\n";
    if (row.resources)
      console.out << "    " << describe(*row.resources) << "\n";
    if (row.resident)
      console.out << llvm::formatv("    its {0} stay in the L{1} cache ({2}): the rate is the cache's; `--flush` "
                                   "measures the memory's\n",
                                   sizeText(row.resident->tensorBytes), row.resident->level,
                                   sizeText(row.resident->bytes))
                         .str();
    if (row.launchCost)
      console.out << llvm::formatv("    a launch costs the host {0:f2} us: the driver {1:f2}, from words {2:f2}\n",
                                   row.launchCost->arguments * 1e6, row.launchCost->driver * 1e6,
                                   row.launchCost->words * 1e6)
                         .str();
    console.out.flush();
  }

  void printJson() {
    llvm::json::Array list;
    for (const BenchRow &row : rows) {
      llvm::json::Object entry{{"name", jsonText(row.name)},
                               {"device", row.device},
                               {"runs", static_cast<int64_t>(row.timings.runs)},
                               {"median_seconds", row.timings.median},
                               {"best_seconds", row.timings.best},
                               {"low_quartile_seconds", row.timings.low},
                               {"high_quartile_seconds", row.timings.high},
                               {"bytes", row.bytes},
                               {"flops", row.flops},
                               {"gigabytes_per_second", row.gigabytes()},
                               {"gigaflops", row.gigaflops()},
                               {"limit", row.isBoundByMemory(limits) ? "copy" : "fma"},
                               {"share", row.share(limits)}};
      if (row.resources)
        entry["resources"] = toJson(*row.resources);
      entry["cache"] = row.resident ? llvm::json::Value("L" + std::to_string(row.resident->level)) : nullptr;
      if (row.launchCost)
        entry["launch_microseconds"] = llvm::json::Object{{"driver", row.launchCost->driver * 1e6},
                                                          {"from_words", row.launchCost->words * 1e6},
                                                          {"from_arguments", row.launchCost->arguments * 1e6}};
      list.push_back(std::move(entry));
    }
    llvm::json::Object object{{"threads", threads},
                              {"limits", llvm::json::Object{{"copy_gigabytes_per_second", limits.copyBytes / 1e9},
                                                            {"fma_gigaflops", limits.fmaFlops / 1e9}}},
                              {"rows", std::move(list)}};
    console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(object))).str() << "\n";
  }

  int writePlot(const std::string &path) {
    bool isMemory = rows[0].isBoundByMemory(limits);
    Plot plot{.title = rows[0].series + " on " + rows[0].device + ", threads: " + std::to_string(threads),
              .xLabel = sweepName.empty() ? "case" : sweepName,
              .yLabel = isMemory ? "GB/s" : "GFLOP/s"};
    double lowest = 0, highest = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      double x = rows[i].size > 0 ? rows[i].size : static_cast<double>(i + 1);
      lowest = i == 0 ? x : std::min(lowest, x), highest = std::max(highest, x);
      if (plot.lines.empty() || plot.lines.back().name != rows[i].series)
        plot.lines.push_back({.name = rows[i].series, .points = {}});
      plot.lines.back().points.emplace_back(x, isMemory ? rows[i].gigabytes() : rows[i].gigaflops());
    }
    double limit = isMemory ? limits.copyBytes / 1e9 : limits.fmaFlops / 1e9;
    plot.lines.push_back({.name = "limit", .points = {{lowest, limit}, {highest, limit}}, .isLimit = true});
    int problem = runtime::writeFile(path, {svgOf(plot)});
    return problem ? fail(console, "`" + path.substr(0, 200) + "` cannot be written: " + std::strerror(problem), {},
                          kEnvironment)
                   : kFine;
  }

  const Words &words;
  Console &console;
  std::optional<std::string> device;
  std::string sweepName;
  unsigned threads = 1;
  runtime::MeasureOptions options{.seconds = 0.5};
  runtime::Limits limits;
  std::vector<BenchRow> rows;
};

int runBench(const Words &words, Console &console) { return Bench(words, console).run(); }

constexpr Option kBenchOptions[] = {
    kGridOption,
    {"--bytes", "EXPR", "what must be read and written at least: Python over the arguments (every tensor once)"},
    {"--flops", "EXPR", "additions and multiplications (0)"},
    {"--sweep", "NAME=V1,V2,…", "measure once for each value of an argument, or of a size of bench.json"},
    {"--plot", "FILE.svg", "draw the rates over the sizes, with the limit"},
    {"--device", "NAME", "where to run: cpu (the default here), cuda or interp", {}, deviceChoices},
    {"--threads", "N", "how many threads run the kernel, and measure the limits (all cores)"},
    {"--seconds", "S", "how long each kernel is measured (0.5)"},
    {"--launch-cost", "", "on cuda: also what one launch costs the host, and how much of it the driver's own call"},
    {"--flush", "",
     "empty the caches before every run; on cuda also: time each launch with events, not many in a graph"},
    kLetOption,
    kTimeoutOption,
    kSeedOption,
    kConfigOption,
    kWarpsOption,
    kStagesOption,
    kRegistersOption,
    kFusionOption,
    kTargetOption,
    kImportOption,
    kStrictOption,
    kJsonOption,
};

constexpr std::string_view kBenchHelp =
    "Times a kernel and prints the median, the spread (half the distance of the quartiles), the rates, and the share "
    "of the\n"
    "machine's limit: the least time that copying the bytes (measured with memcpy) or doing the multiply-adds "
    "(measured with\n"
    "a loop in the widest registers) takes on as many threads, over the measured time.\n\n"
    "Arguments are those of `nereid run`. With folders instead, every bench.json in them is measured.\n";

} // namespace

constinit const Verb kBench{"bench",
                            "time kernels against the machine's limit",
                            "bench FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]   or   bench FOLDER… [options]",
                            kBenchHelp,
                            kBenchOptions,
                            runBench};

} // namespace nereid::tool
