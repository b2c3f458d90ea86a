// Profile.cpp: `nereid profile`: run a program, and say where the time of its kernels went.
#include "Command.h"
#include "LaunchWords.h"
#include "ProfileCounts.h"

#include "jit/Backend.h"
#include "jit/CudaDevice.h"
#include "runtime/WriteFile.h"
#include "runtime/bench/Limits.h"
#include "runtime/cpu/Cores.h"
#include "runtime/cuda/Measure.h"
#include "runtime/profile/Counters.h"
#include "runtime/profile/Summary.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace nereid::tool {

namespace {

// Where the program's processes leave their journals; gone with this object.
class JournalFolder {
public:
  JournalFolder() {
    std::error_code ignored;
    std::string name = std::filesystem::temp_directory_path(ignored).string() + "/nereid-profile-XXXXXX";
    if (mkdtemp(name.data()))
      folder = name;
  }
  JournalFolder(const JournalFolder &) = delete;
  ~JournalFolder() {
    std::error_code ignored;
    if (!folder.empty())
      std::filesystem::remove_all(folder, ignored);
  }
  const std::string &path() const { return folder; }

private:
  std::string folder;
};

// The keys that end a program are for the program: what it did until then is still told.
class SignalsForChild {
public:
  SignalsForChild() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
  }
  SignalsForChild(const SignalsForChild &) = delete;
  ~SignalsForChild() {
    sigaction(SIGINT, &interrupt, nullptr);
    sigaction(SIGQUIT, &quit, nullptr);
  }

private:
  struct sigaction interrupt{}, quit{};
};

struct Ended {
  int problem = 0; // errno: it could not be started
  int status = 0;  // as waitpid gives it
};

// With `isQuiet`, what the program writes goes to standard error: standard output is for our own answer.
Ended runChild(const std::vector<std::string> &words, const std::string &folder, bool isQuiet) {
  std::string told = "NEREID_PROFILE=" + folder;
  std::vector<char *> environment{told.data()};
  for (char **variable = environ; *variable; ++variable)
    if (std::strncmp(*variable, "NEREID_PROFILE=", 15) != 0)
      environment.push_back(*variable);
  environment.push_back(nullptr);
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (isQuiet)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGINT);
  sigaddset(&usual, SIGQUIT);
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  Ended ended;
  pid_t child = 0;
  ended.problem = posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environment.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  while (!ended.problem && waitpid(child, &ended.status, 0) < 0)
    if (errno != EINTR)
      ended.problem = errno;
  return ended;
}

// Of the devices for which some kernel says what it reads and computes. Measured here, in the same state of the machine.
profile::DeviceLimits limitsFor(const profile::Summary &summary) {
  profile::DeviceLimits limits;
  for (const profile::KernelRow &row : summary.kernels) {
    bool isTold = profile::bytesOf(row.metrics) > 0 || profile::flopsOf(row.metrics) > 0;
    if (!isTold || limits.contains(row.device))
      continue;
    runtime::Limits measured;
    const jit::Backend *backend = jit::findBackend(row.device);
    if (backend == &jit::cpuBackend()) {
      measured = runtime::measureLimits(cpu::availableCores());
    } else if (backend == &jit::cudaBackend()) {
      Result<cuda::Device *> gpu = jit::findCudaDevice(row.device);
      if (Result<runtime::Limits> found = gpu ? cuda::measureLimits(**gpu) : Result<runtime::Limits>(gpu.error()))
        measured = *found;
    }
    limits[row.device] = {measured.copyBytes, measured.fmaFlops};
  }
  return limits;
}

// A wrong name must not cost a run.
bool hasEnding(const Words &words, std::string_view option, std::string_view ending, Console &console) {
  std::optional<std::string> path = words.value(option);
  if (!path || path->ends_with(ending))
    return true;
  fail(console,
       "`" + std::string(option) + "` takes a file `…" + std::string(ending) + "`, not `" + path->substr(0, 200) + "`");
  return false;
}

int writeFiles(const Words &words, const std::vector<profile::Record> &records, const profile::Summary &summary,
               const profile::DeviceLimits &limits, Console &console) {
  for (const char *option : {"--output", "--html"})
    if (std::optional<std::string> path = words.value(option))
      if (Result<void> written = profile::writeProfile(*path, records, summary, limits); !written)
        return report(console, written.error());
  return kFine;
}

int statusOf(const Ended &ended, const std::string &program, Console &console) {
  if (WIFEXITED(ended.status))
    return WEXITSTATUS(ended.status);
  int signal = WTERMSIG(ended.status);
  console.err << "note: `" << program << "` was ended by signal " << signal << " (" << strsignal(signal)
              << "); what it did until then is below\n";
  return 128 + signal;
}

int runProfile(const Words &words, Console &console) {
  if (words.operands.empty())
    return fail(console, "`nereid profile` needs a program to run",
                {"for example `nereid profile -- python train.py`; options of the program stand behind `--`"});
  if (!hasEnding(words, "--output", ".json", console) || !hasEnding(words, "--html", ".html", console))
    return kBadInput;
  JournalFolder folder;
  if (folder.path().empty())
    return fail(console, std::string("there is no folder for temporary files: ") + std::strerror(errno), {},
                kEnvironment);
  bool isJson = words.has("--json");
  if (words.has("--counters")) {
    std::string why = profile::whyNoCounters();
    if (!why.empty())
      console.err << "note: hardware counters cannot be read: " << why << "\n";
    else if (int problem = runtime::writeFile(folder.path() + profile::kCountersFile, {""}))
      return fail(console, "`" + folder.path() + "` cannot be written: " + std::strerror(problem), {}, kEnvironment);
  }
  console.out.flush();
  Ended ended;
  {
    SignalsForChild forChild;
    ended = runChild(words.operands, folder.path(), isJson);
  }
  if (ended.problem)
    return fail(console,
                "`" + words.operands[0].substr(0, 200) + "` cannot be started: " + std::strerror(ended.problem), {},
                kEnvironment);
  int status = statusOf(ended, words.operands[0].substr(0, 200), console);
  std::vector<profile::Record> records = profile::readFolder(folder.path());
  if (records.empty())
    console.err << "note: `" << words.operands[0].substr(0, 200)
                << "` has not loaded nereid: no record of it was found\n";
  profile::Summary summary = profile::summarize(records);
  profile::DeviceLimits limits = limitsFor(summary);
  if (words.has("--count"))
    countKernels(summary);
  console.out << (isJson ? profile::renderSummary(summary, limits) + "\n" : profile::renderTable(summary, limits));
  int written = writeFiles(words, records, summary, limits, console);
  return status ? status : written;
}

constexpr Option kProfileOptions[] = {
    {"--output", "FILE.json", "write a trace, which Perfetto (ui.perfetto.dev) and chrome://tracing show", "-o"},
    {"--html", "FILE.html", "write a page with a timeline and the tables, which needs nothing but a browser"},
    {"--count", "", "count the kernels afterwards (`nereid count`), and say how much of the device's limit they reach"},
    {"--counters", "",
     "count by the GPU's hardware, for which each launch runs several times; where that cannot be, say why"},
    kJsonOption,
};

constexpr std::string_view kProfileHelp =
    "Runs a program that uses nereid (a Python script, a C++ program) and says for every kernel how often it ran and "
    "how "
    "long,\n"
    "which part of all the time that is, how long compiling took, and for named scopes what is in them. Times of GPUs "
    "come\n"
    "from CUPTI where it can be loaded, else from events. A kernel that says how many bytes and operations it takes\n"
    "(`launch_metadata`) is compared with what the machine can do.\n\n"
    "The exit status is that of the program; what a program did that was killed is told, too. With `--json` all that "
    "the\n"
    "program prints goes to standard error.\n";

} // namespace

constinit const Verb kProfile{"profile",
                              "say where the time of a program's kernels goes",
                              "profile [-o TRACE.json] [--html PAGE.html] [--json] -- PROGRAM ARGUMENT…",
                              kProfileHelp,
                              kProfileOptions,
                              runProfile};

} // namespace nereid::tool
