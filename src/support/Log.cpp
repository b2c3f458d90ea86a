#include "support/Log.h"

#include <cstdlib>
#include <iterator>
#include <string>
#include <unistd.h>

namespace nereid {

// A log that cannot be written is no reason to fail.
static void print(const std::string &line) {
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

static LogLevel readLevel() {
  const char *variable = std::getenv("NEREID_LOG");
  std::string_view text = variable ? variable : "";
  constexpr std::string_view kNames[] = {"off", "warning", "info", "debug"};
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (text == kNames[i])
      return static_cast<LogLevel>(i);
  if (!text.empty())
    print("nereid: warning: NEREID_LOG is `off`, `warning`, `info` or `debug`, not `" +
          std::string(text.substr(0, 80)) + "`\n");
  return LogLevel::Warning;
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
