#include "support/Log.h"

#include <cstdlib>
#include <string>
#include <unistd.h>

namespace nereid {

static LogLevel readLevel() {
  const char *variable = std::getenv("NEREID_LOG");
  std::string_view text = variable ? variable : "";
  return text == "off"     ? LogLevel::Off
         : text == "info"  ? LogLevel::Info
         : text == "debug" ? LogLevel::Debug
                           : LogLevel::Warning;
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
  // A log that cannot be written is no reason to fail.
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

} // namespace nereid
