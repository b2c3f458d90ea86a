#include "support/Log.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <unistd.h>

namespace nereid {

// A log that cannot be written is no reason to fail.
static void print(const std::string &line) {
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

// A level, and words that others read: `perf` (the run time's map of kernels). With commas between.
static LogLevel readLevel() {
  const char *variable = std::getenv("NEREID_LOG");
  std::string_view text = variable ? variable : "";
  constexpr std::string_view kNames[] = {"off", "warning", "info", "debug"};
  LogLevel level = LogLevel::Warning;
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const auto *name = std::find(std::begin(kNames), std::end(kNames), word);
    if (name != std::end(kNames))
      level = static_cast<LogLevel>(name - std::begin(kNames));
    else if (word != "perf")
      print("nereid: warning: NEREID_LOG is `off`, `warning`, `info`, `debug` or `perf`, not `" +
            std::string(word.substr(0, 80)) + "`\n");
  }
  return level;
}

LogLevel logLevel() {
  static const LogLevel level = readLevel();
  return level;
}

void log(LogLevel level, std::string_view text) {
  if (!isLogged(level))
    return;
  std::string line = level == LogLevel::Warning ? "nereid: warning: " : "nereid: ";
  line += text;
  line += '\n';
  print(line);
}

} // namespace nereid
