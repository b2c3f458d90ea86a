// Run.cpp: `nereid run`: make the arguments, run the kernel, say what it wrote.
#include "Devices.h"
#include "Expect.h"
#include "LaunchWords.h"
#include "Summary.h"

#include "interp/trace/Writes.h"
#include "jit/Backend.h"
#include "jit/Launch.h"
#include "runtime/Convert.h"
#include "runtime/GuardedMemory.h"
#include "runtime/Npy.h"

#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <charconv>

namespace nereid::tool {

namespace {

std::optional<jit::Launched> launchOnce(LaunchWords &launch, Console &console, int &status) {
  Result<jit::Launched> launched = jit::launch(*launch.module, launch.kernel, launch.arguments, launch.settings);
  if (launched)
    return std::move(*launched);
  status = report(console, launched.error());
  return std::nullopt;
}

// in 0.4 ms, tuned in 812 ms, compiled in 12 ms
std::string times(const jit::Launched &launched) {
  std::string text = "in " + shortNumber(launched.runMilliseconds) + " ms";
  if (launched.tuneMilliseconds > 0)
    text += ", tuned in " + shortNumber(launched.tuneMilliseconds) + " ms";
  if (launched.compileMilliseconds > 0)
    text += std::string(launched.isCached ? ", read from the cache in " : ", compiled in ") +
            shortNumber(launched.compileMilliseconds) + " ms";
  return text;
}

// NAME=FILE.npy of --save; checked before the kernel runs.
struct Save {
  std::string name, path;
};
std::optional<std::vector<Save>> readSaves(const Words &words, const LaunchWords &launch, Console &console) {
  std::vector<Save> saves;
  std::vector<std::string> names;
  for (const NamedTensor &tensor : launch.tensors)
    names.push_back(tensor.name);
  for (const std::string &text : words.values("--save")) {
    size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size()) {
      fail(console, "`--save` takes NAME=FILE.npy, not `" + text.substr(0, 80) + "`");
      return std::nullopt;
    }
    Save save{text.substr(0, equals), text.substr(equals + 1)};
    if (std::ranges::find(names, save.name) == names.end()) {
      fail(console, "`--save`: there is no tensor argument `" + save.name.substr(0, 80) + "`",
           suggestion(save.name, names));
      return std::nullopt;
    }
    saves.push_back(std::move(save));
  }
  return saves;
}

int saveTensors(const std::vector<Save> &saves, const LaunchWords &launch, Console &console) {
  for (const Save &save : saves)
    for (const NamedTensor &tensor : launch.tensors)
      if (tensor.name == save.name)
        if (Result<void> written = runtime::writeNpy(save.path, tensor.tensor); !written)
          return report(console, written.error());
  return kFine;
}

// The same launch on copies of the tensors, for --against.
std::optional<LaunchWords> copyOf(const LaunchWords &launch, Console &console) {
  LaunchWords copy = launch;
  for (NamedTensor &named : copy.tensors) {
    Result<Tensor> clone = runtime::guardedCopy(named.tensor);
    if (!clone) {
      report(console, clone.error());
      return std::nullopt;
    }
    named.tensor = *clone;
    for (Argument &argument : copy.arguments)
      if (argument.name == named.name) {
        if (auto *descriptor = std::get_if<Descriptor>(&argument.value))
          descriptor->tensor = *clone;
        else
          argument.value = *clone;
      }
  }
  return copy;
}

std::optional<double> readTolerance(const Words &words, Console &console, bool &isWrong) {
  std::optional<std::string> text = words.value("--tolerance");
  if (!text)
    return std::nullopt;
  double value = 0;
  auto [end, problem] = std::from_chars(text->data(), text->data() + text->size(), value);
  isWrong = problem != std::errc() || end != text->data() + text->size() || !(value >= 0);
  if (isWrong)
    fail(console, "`--tolerance` takes a number that is not negative, not `" + text->substr(0, 80) + "`");
  return value;
}

class Runner {
public:
  Runner(const Words &words, LaunchWords &launch, Console &console) : words(words), launch(launch), console(console) {}

  int run() {
    int status = kFine;
    std::optional<std::string> asked = words.value("--device");
    if (words.has("--trace-writes")) { // the interpreter sees who writes
      asked = asked.value_or(std::string(jit::interpreterBackend().name()));
      launch.settings.observer = &writes;
    }
    std::optional<std::string> device = readDevice(asked, console, status);
    if (!device)
      return status;
    std::optional<std::string> other;
    if (words.has("--against") && !(other = readDevice(words.value("--against"), console, status)))
      return status;
    bool isWrong = false;
    tolerance = readTolerance(words, console, isWrong);
    std::optional<std::vector<Save>> saves = readSaves(words, launch, console);
    if (isWrong || !saves)
      return kBadInput;
    std::optional<std::vector<Expectation>> expectations = readExpectations(words, launch, console, status);
    if (!expectations)
      return status;
    std::optional<LaunchWords> copy;
    if (other && !(copy = copyOf(launch, console)))
      return kEnvironment;
    for (const NamedTensor &tensor : launch.tensors)
      before.push_back(fingerprint(tensor.tensor));
    launch.settings.device = *device;
    std::optional<jit::Launched> launched = launchOnce(launch, console, status);
    if (!launched)
      return status;
    console.err << launched->warnings;
    describeLaunch(*launched, *device);
    if (launch.settings.observer)
      describeWrites();
    if (int problem = saveTensors(*saves, launch, console))
      return problem;
    if (copy)
      status = compareWith(*copy, *other);
    llvm::json::Array compared;
    status =
        std::max(status, checkExpectations(*expectations, launch, tolerance, console, words.has("--json"), compared));
    if (!compared.empty())
      json["expect"] = std::move(compared);
    if (words.has("--json"))
      console.out << llvm::formatv("{0:2}", llvm::json::Value(std::move(json))).str() << "\n";
    return status;
  }

private:
  void describeLaunch(const jit::Launched &launched, const std::string &device) {
    llvm::json::Array tensors;
    if (!words.has("--json")) {
      console.out << launched.output;
      console.out << console.paint(Tint::Strong, launch.kernel->name) << ": " << launched.programs
                  << (launched.programs == 1 ? " program" : " programs") << " on " << device << " " << times(launched)
                  << "\n";
    }
    for (size_t i = 0; i < launch.tensors.size(); ++i) {
      const NamedTensor &named = launch.tensors[i];
      bool isChanged = fingerprint(named.tensor) != before[i];
      bool isEmpty = std::ranges::find(launch.settings.empty, named.name) != launch.settings.empty.end();
      int64_t undefined = isEmpty ? countUndefined(named.tensor) : 0;
      Summary summary = summarize(named.tensor);
      llvm::json::Object row = toJson(named.tensor, summary);
      row["name"] = named.name;
      row["changed"] = isChanged;
      row["empty"] = undefined;
      tensors.push_back(std::move(row));
      if (isChanged && !words.has("--json"))
        console.out << "  " << console.paint(Tint::Place, named.name) << ": " << describe(named.tensor, summary)
                    << "\n";
      if (undefined && !words.has("--json"))
        console.out << "  " << named.name << ": " << undefined << " of " << named.tensor.count()
                    << " elements still hold what `empty` put there\n";
    }
    json = llvm::json::Object{{"kernel", launch.kernel->name},
                              {"device", device},
                              {"grid", llvm::json::Array{launched.grid[0], launched.grid[1], launched.grid[2]}},
                              {"programs", launched.programs},
                              {"milliseconds", launched.runMilliseconds},
                              {"tune_milliseconds", launched.tuneMilliseconds},
                              {"compile_milliseconds", launched.compileMilliseconds},
                              {"cached", launched.isCached},
                              {"output", jsonText(launched.output)},
                              {"tensors", std::move(tensors)}};
    if (launched.resources)
      json["resources"] = toJson(*launched.resources);
  }

  void describeWrites() {
    llvm::json::Array rows;
    for (const interp::TensorWrites &tensor : writes.take()) {
      rows.push_back(llvm::json::Object{{"name", tensor.name},
                                        {"elements", int64_t(tensor.elements)},
                                        {"unwritten", int64_t(tensor.unwritten)},
                                        {"several", int64_t(tensor.several)},
                                        {"atomics", int64_t(tensor.changed)}});
      if (words.has("--json"))
        continue;
      auto say = [&](const std::string &text) {
        console.out << "  " << console.paint(Tint::Place, tensor.name) << ": " << text << "\n";
      };
      if (tensor.unwritten)
        say("no program wrote " + std::to_string(tensor.unwritten) + " of " + std::to_string(tensor.elements) +
            " elements, the first is " + tensor.placeUnwritten);
      if (tensor.several)
        say("several programs wrote " + std::to_string(tensor.several) + " of " + std::to_string(tensor.elements) +
            " elements: programs " + std::to_string(tensor.writers[0]) + " and " + std::to_string(tensor.writers[1]) +
            " both wrote " + tensor.placeSeveral);
      if (!tensor.unwritten && !tensor.several)
        say(tensor.changed ? "every element was written by one program or changed by atomics"
                           : "every element was written by one program");
    }
    json["writes"] = std::move(rows);
  }

  // A device against itself runs the programs in another order: a result that depends on it shows.
  int compareWith(LaunchWords &copy, const std::string &device) {
    copy.settings.device = device;
    copy.settings.observer = nullptr;
    copy.settings.dotPrecision = jit::usualDotPrecision(launch.settings.device); // both by one rule
    if (device == launch.settings.device)
      copy.settings.shuffleSeed = 1;
    int status = kFine;
    if (!launchOnce(copy, console, status))
      return status;
    double absolute = 0, relative = 0;
    for (size_t i = 0; i < launch.tensors.size(); ++i) {
      const Tensor &first = launch.tensors[i].tensor;
      Difference difference =
          compare(copy.tensors[i].tensor, first, tolerance.value_or(defaultTolerance(first.dtype())));
      absolute = std::max(absolute, difference.absolute);
      relative = std::max(relative, difference.relative);
      if (difference.beyond) {
        status = kCheckFailed;
        console.err << "error: `" << launch.tensors[i].name << "` differs on " << device << ": " << difference.beyond
                    << " of " << first.count() << " elements, by up to " << shortNumber(difference.absolute) << "\n";
      }
    }
    json["against"] = llvm::json::Object{
        {"device", device}, {"absolute", number(absolute)}, {"relative", number(relative)}, {"equal", status == kFine}};
    if (!words.has("--json"))
      console.out << "against " << device << ": largest difference " << shortNumber(absolute) << " absolute, "
                  << shortNumber(relative) << " relative\n";
    return status;
  }

  const Words &words;
  LaunchWords &launch;
  Console &console;
  std::vector<uint64_t> before;
  std::optional<double> tolerance;
  llvm::json::Object json;
  interp::WriteTracer writes;
};

int runRun(const Words &words, Console &console) {
  int status = kFine;
  WarmDevice warm(words);
  std::optional<LaunchWords> launch = readLaunch(words, console, status);
  if (!launch)
    return status;
  launch->settings.debug = words.has("--debug");
  return Runner(words, *launch, console).run();
}

constexpr Option kRunOptions[] = {
    kGridOption,
    {"--device",
     "NAME",
     "where to run: cpu, cuda, cuda:1 … or interp (also the variable NEREID_DEVICE)",
     {},
     deviceChoices},
    {"--against",
     "NAME",
     "run on a second device too, and compare; the interpreter against itself runs the programs in another order",
     {},
     deviceChoices},
    {"--tolerance", "T", "allow |a - b| <= T * max(1, |b|) in comparisons (by element type)"},
    kExpectOption,
    {"--trace-writes", "", "run on the interpreter and say which elements no program wrote, or several"},
    {"--save", "NAME=FILE.npy", "write a tensor to a file after the run; may be given several times"},
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
    {"--threads", "N", "how many threads run the kernel (all cores)"},
    {"--debug", "", "turn device_assert and `assert` on"},
    kJsonOption,
};

} // namespace

constinit const Verb kRun{"run",
                          "run a kernel and say what it wrote",
                          "run FILE.py[:KERNEL] NAME=VALUE… --grid EXPR [options]",
                          kArgumentsHelp,
                          kRunOptions,
                          runRun};

} // namespace nereid::tool
