// Main.cpp: the program `nereid`.
#include "Program.h"

#include <csignal>
#include <vector>

int main(int argc, char **argv) {
  // A reader that closes the pipe early (head) ends us quietly, as it ends other tools.
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<std::string> words(argv + (argc > 0), argv + argc);
  return nereid::tool::runProgram(words);
}
