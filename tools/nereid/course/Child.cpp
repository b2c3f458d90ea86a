#include "course/Child.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereid::tool {

static std::vector<std::string> &ownProgram() {
  static std::vector<std::string> words = {"/proc/self/exe"};
  return words;
}

void setOwnProgram(std::vector<std::string> words) {
  if (!words.empty())
    ownProgram() = std::move(words);
}

void gradeOn(const std::optional<std::string> &device, std::vector<std::string> &words, ChildLimits &limits) {
  if (!device)
    return;
  words.insert(words.end(), {"--device", *device});
  limits.countsAddresses = false;
}

static void limit(int what, rlim_t value) {
  rlimit bound{value, value};
  setrlimit(static_cast<__rlimit_resource>(what), &bound);
}

// Between fork and exec, where only system calls are safe.
[[noreturn]] static void become(const std::vector<char *> &words, const ChildLimits &limits, int output, bool joins,
                                pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // a server that is killed leaves nobody behind
  if (getppid() != parent)
    _exit(127);
  int none = open("/dev/null", O_RDWR);
  dup2(none, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(joins ? output : none, STDERR_FILENO);
  limit(limits.countsAddresses ? RLIMIT_AS : RLIMIT_DATA, limits.memory);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, rlim_t(1) << 28);
  std::signal(SIGPIPE, SIG_DFL);
  execv(words[0], words.data());
  _exit(127);
}

// Reads until the child closes its output or the time is over; false: it is.
static bool readAll(int from, const ChildLimits &limits, std::string &output) {
  using Clock = std::chrono::steady_clock;
  auto deadline =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limits.seconds));
  std::array<char, 1 << 16> buffer;
  while (true) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0)
      return false;
    pollfd waiting{from, POLLIN, 0};
    int ready = poll(&waiting, 1, static_cast<int>(std::min<int64_t>(left, 1000)));
    if (ready < 0 && errno != EINTR)
      return true;
    if (ready <= 0)
      continue;
    ssize_t count = read(from, buffer.data(), buffer.size());
    if (count == 0 || (count < 0 && errno != EINTR))
      return true;
    if (count > 0)
      output.append(buffer.data(), std::min<size_t>(static_cast<size_t>(count),
                                                    limits.output - std::min(limits.output, output.size())));
  }
}

ChildResult runChild(const std::vector<std::string> &words, const ChildLimits &limits, bool joinsStreams) {
  ChildResult result;
  std::vector<std::string> all = ownProgram();
  char path[PATH_MAX];
  ssize_t length = readlink(all[0].c_str(), path, sizeof path - 1);
  if (all[0] == "/proc/self/exe" && length > 0)
    all[0] = std::string(path, static_cast<size_t>(length));
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char *> pointers;
  for (std::string &word : all)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return result;
  pid_t parent = getpid(), child = fork();
  if (child == 0)
    become(pointers, limits, ends[1], joinsStreams, parent);
  close(ends[1]);
  if (child > 0) {
    result.timedOut = !readAll(ends[0], limits, result.output);
    if (result.timedOut) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL); // where it has no group of its own yet
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status))
      result.status = WEXITSTATUS(status);
    else if (WIFSIGNALED(status))
      result.signal = WTERMSIG(status);
  }
  close(ends[0]);
  return result;
}

std::string whyEnded(const ChildResult &result, const ChildLimits &limits) {
  if (result.timedOut)
    return "it took longer than " + std::to_string(static_cast<int>(limits.seconds)) +
           " s, and was ended: is there a loop without an end?";
  return (result.signal ? "it was ended by signal " + std::to_string(result.signal)
                        : "it ended with status " + std::to_string(result.status)) +
         ": it may need more than the " + std::to_string(limits.memory >> 30) + " GiB of memory that it has";
}

} // namespace nereid::tool
