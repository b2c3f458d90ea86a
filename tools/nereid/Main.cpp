// Main.cpp: the program `nereid`.
#include "Command.h"

#include <csignal>
#include <iostream>
#include <unistd.h>

int main(int argc, char **argv) {
  // A reader that closes the pipe early (head) ends us quietly, as it ends other tools.
  std::signal(SIGPIPE, SIG_DFL);
  std::ios::sync_with_stdio(false);
  std::vector<std::string> words(argv + (argc > 0), argv + argc);
  nereid::tool::Console console{std::cout, std::cerr, isatty(STDERR_FILENO) != 0};
  int status = nereid::tool::runCommand(words, console);
  std::cout.flush();
  if (!std::cout && status == nereid::tool::kFine) {
    std::cerr << "error: the output could not be written\n";
    return nereid::tool::kEnvironment;
  }
  return status;
}
