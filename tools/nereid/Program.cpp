#include "Program.h"

#include "Command.h"

#include "support/Log.h"

#include <cstdlib>
#include <iostream>
#include <unistd.h>

namespace nereid::tool {

int runProgram(std::span<const std::string> words) {
  std::ios::sync_with_stdio(false);
  logLevel(); // a wrong NEREID_LOG is said whatever the command does
  Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  console.in = &std::cin;
  console.readsTerminal = isatty(STDIN_FILENO) != 0;
  console.isOutTerminal = isatty(STDOUT_FILENO) != 0;
  console.allowsColor = allowsColor(std::getenv("NO_COLOR"), std::getenv("TERM"));
  int status = runCommand(words, console);
  std::cout.flush();
  if (!std::cout && status == kFine) {
    std::cerr << "error: the output could not be written\n";
    return kEnvironment;
  }
  return status;
}

} // namespace nereid::tool
