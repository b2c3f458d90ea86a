// Log.h: what the library says on its own account, to stderr: NEREID_LOG is `off`, `warning` (the default), `info` or
// `debug`.
#pragma once

#include <string_view>

namespace nereid {

enum class LogLevel { Off, Warning, Info, Debug };

LogLevel logLevel();
inline bool isLogged(LogLevel level) { return level <= logLevel(); }

// One line, written at once, so that lines of many threads and processes do not mix.
void log(LogLevel level, std::string_view text);

} // namespace nereid
