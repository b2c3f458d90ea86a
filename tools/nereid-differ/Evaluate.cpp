#include "Evaluate.h"

#include "Compare.h"
#include "TargetLaunch.h"
#include "Watch.h"
#include "jit/Backend.h"
#include "jit/Launch.h"

#include <csignal>
#include <poll.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::differ {

std::string_view nameOf(Verdict::Kind kind) {
  static constexpr std::string_view kNames[] = {"same", "different", "refused", "crashed", "hung", "invalid"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

std::vector<Argument> argumentsOf(const Case &testCase, const Memory &memory) {
  std::vector<Argument> arguments;
  for (const Parameter &p : testCase.parameters)
    switch (p.kind) {
    case Parameter::Kind::Tensor: arguments.emplace_back(p.name, memory.tensor(p.name)); break;
    case Parameter::Kind::Descriptor: arguments.emplace_back(p.name, Descriptor{memory.tensor(p.name), p.block}); break;
    case Parameter::Kind::Float: arguments.emplace_back(p.name, p.number); break;
    case Parameter::Kind::Boolean: arguments.emplace_back(p.name, p.integer != 0); break;
    default: arguments.emplace_back(p.name, p.integer); break;
    }
  return arguments;
}

struct Run {
  Memory memory;
  jit::Launched launched;
};

Result<Run> runOn(jit::KernelModule &module, const Case &testCase, const jit::Settings &settings,
                  bool assembles = false) {
  Result<std::shared_ptr<lang::Function>> kernel = module.find("kernel");
  if (!kernel)
    return kernel.error();
  bool isRun = !isCompiledOnly(settings.device);
  Result<Memory> memory = Memory::make(testCase.parameters, isRun);
  if (!memory)
    return memory.error();
  std::vector<Argument> arguments = argumentsOf(testCase, *memory);
  if (!isRun) {
    Result<void> compiled = compileForGpu(module, *kernel, arguments, settings, assembles);
    return compiled ? Result<Run>(Run{std::move(*memory), {}}) : compiled.error();
  }
  std::string target = targetOf(settings.device);
  Result<jit::Launched> launched = isEmitted(settings.device) ? launchEmitted(module, *kernel, arguments, settings)
                                   : target.empty() ? jit::launch(module, *kernel, arguments, settings)
                                                    : launchForTarget(module, *kernel, arguments, settings, target);
  if (!launched)
    return launched.error();
  return Run{std::move(*memory), std::move(*launched)};
}

jit::Settings settingsFor(const Case &testCase, const std::string &device, const EvaluateOptions &options) {
  jit::Settings settings;
  settings.grid = {testCase.grid.begin(), testCase.grid.end()};
  settings.debug = testCase.isDebug;
  settings.shape.numWarps = testCase.numWarps, settings.shape.numStages = testCase.numStages;
  settings.threads = options.threads;
  settings.device = device;
  settings.dotPrecision = "tf32"; // one rule for all devices
  return settings;
}

// What a test plants: the tested device runs another text.
std::string planted(std::string text, const std::string &change) {
  size_t equals = change.find('=');
  std::string from = change.substr(0, equals), to = change.substr(equals + 1);
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

Verdict checkReference(jit::KernelModule &module, const Case &testCase, jit::Settings settings) {
  settings.check = true;
  Result<Run> checked = runOn(module, testCase, settings);
  if (!checked)
    return {Verdict::Kind::Invalid, checked.error().message};
  if (!checked->launched.reports.empty()) {
    const runtime::CheckReport &report = checked->launched.reports[0];
    return {Verdict::Kind::Invalid,
            "checker: line " + std::to_string(report.place.line) + ": " + report.message + "\n"};
  }
  return {};
}

} // namespace

std::vector<std::string> devicesIn(const std::string &list) {
  std::vector<std::string> names;
  std::istringstream stream(list);
  for (std::string name; std::getline(stream, name, ',');)
    names.push_back(name);
  return names;
}

bool hasDevice(const std::string &name) {
  if (isCompiledOnly(name))
    return true;
  if (isEmitted(name))
    return hasPasses(name);
  std::string target = targetOf(name);
  return target.empty() ? bool(jit::chooseDevice(name)) : hasTarget(target);
}
bool isGpu(const std::string &name) {
  const jit::Backend *backend = jit::findBackend(name);
  return backend && !backend->sharesMemory();
}

bool runsAny(const std::string &list) {
  std::vector<std::string> devices = devicesIn(list);
  return !std::ranges::all_of(devices, isCompiledOnly);
}

// `expected`: null where the device only compiles.
static Verdict test(jit::KernelModule &module, const Case &testCase, const jit::Settings &settings, bool assembles,
                    const Memory *expected) {
  Result<Run> got = runOn(module, testCase, settings, assembles);
  if (!got) {
    bool isGivenUp = isGpu(settings.device) && got.error().status == Status::CheckFailed;
    return {isGivenUp ? Verdict::Kind::Crashed : Verdict::Kind::Refused, got.error().message};
  }
  if (!expected)
    return {};
  std::string differences = compare(testCase.parameters, got->memory, *expected);
  return {differences.empty() ? Verdict::Kind::Same : Verdict::Kind::Different, differences};
}

// What the reference makes of it; nothing where no device runs the program.
static Verdict runReference(jit::KernelModule &module, const Case &testCase, const EvaluateOptions &options,
                            std::optional<Run> &expected) {
  if (!runsAny(options.device))
    return {};
  jit::Settings settings = settingsFor(testCase, options.against, options);
  if (options.check)
    if (Verdict checked = checkReference(module, testCase, settings); checked.kind != Verdict::Kind::Same)
      return checked;
  Result<Run> got = runOn(module, testCase, settings);
  if (!got)
    return {Verdict::Kind::Invalid, got.error().message};
  expected = std::move(*got);
  return {};
}

Verdict evaluate(const Case &testCase, const EvaluateOptions &options, const std::function<void()> &referenceDone) {
  Result<std::shared_ptr<jit::KernelModule>> module =
      jit::KernelModule::parse(options.moduleFile.empty() ? "program.py" : options.moduleFile, testCase.text);
  if (!module)
    return {Verdict::Kind::Invalid, module.error().message};
  std::optional<Run> expected;
  if (Verdict reference = runReference(**module, testCase, options, expected); reference.kind != Verdict::Kind::Same)
    return reference;
  referenceDone();
  if (!options.planted.empty()) {
    module = jit::KernelModule::parse("planted.py", planted(testCase.text, options.planted));
    if (!module)
      return {Verdict::Kind::Refused, module.error().message};
  }
  std::vector<std::string> devices = devicesIn(options.device);
  for (const std::string &device : devices) {
    jit::Settings tested = settingsFor(testCase, device, options);
    if (device == options.against) // what depends on the order of programs shows
      tested.shuffleSeed = 1, tested.threads = 1;
    Verdict verdict =
        test(**module, testCase, tested, options.assembles, isCompiledOnly(device) ? nullptr : &expected->memory);
    if (verdict.kind == Verdict::Kind::Same)
      continue;
    if (devices.size() > 1)
      verdict.detail = device + ": " + verdict.detail;
    return verdict;
  }
  return {};
}

Verdict crashVerdict(bool isReferenceDone, int status) {
  std::string how = WIFSIGNALED(status)
                        ? "signal " + std::to_string(WTERMSIG(status)) + " (" + strsignal(WTERMSIG(status)) + ")\n"
                        : "exit status " + std::to_string(WEXITSTATUS(status)) + "\n";
  if (!isReferenceDone)
    return {Verdict::Kind::Invalid, "the reference: " + how};
  return {Verdict::Kind::Crashed, how};
}

// Reads until the end of the pipe; false when the process takes too long.
static bool readAll(int fd, const Watch &watch, double limit, std::string &text) {
  for (char buffer[4096];;) {
    pollfd wait{fd, POLLIN, 0};
    if (poll(&wait, 1, 500) == 0) {
      if (watch.isOver(limit))
        return false;
      continue;
    }
    ssize_t got = read(fd, buffer, sizeof buffer);
    if (got <= 0)
      return true;
    text.append(buffer, size_t(got));
  }
}

Verdict evaluateApart(const Case &testCase, const EvaluateOptions &options) {
  int ends[2];
  if (pipe(ends))
    return {Verdict::Kind::Invalid, "no pipe: " + std::string(strerror(errno))};
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Verdict verdict = evaluate(testCase, options, [&] {
      if (write(ends[1], "R", 1) != 1)
        _exit(1);
    });
    std::string text = char('0' + int(verdict.kind)) + verdict.detail.substr(0, 60000);
    for (size_t at = 0; at < text.size();) {
      ssize_t wrote = write(ends[1], text.data() + at, text.size() - at);
      if (wrote <= 0)
        break;
      at += size_t(wrote);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  bool isInTime = readAll(ends[0], Watch(child), options.timeout, text);
  close(ends[0]);
  if (!isInTime)
    kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  if (!isInTime)
    return {Verdict::Kind::Hung, "no result after " + std::to_string(int(options.timeout)) + " s\n"};
  bool isReferenceDone = text.starts_with("R");
  text.erase(0, isReferenceDone);
  if (WIFSIGNALED(status) || text.empty())
    return crashVerdict(isReferenceDone, status);
  return {Verdict::Kind(text[0] - '0'), text.substr(1)};
}

} // namespace nereid::differ
