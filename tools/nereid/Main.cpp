// Main.cpp: the program `nereid`.
#include "Command.h"
#include "Program.h"

#include "compiler/OutOfMemory.h"

#include <csignal>
#include <new>
#include <unistd.h>
#include <vector>

// Ends the program where it is: what is half done must not be taken down, and there is no memory to say more.
static void endWithoutMemory() {
  constexpr std::string_view kText = "error: out of memory\n";
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, kText.data(), kText.size());
  _exit(nereid::tool::kEnvironment);
}

int main(int argc, char **argv) {
  std::set_new_handler(endWithoutMemory);
  nereid::compiler::throwWhereMemoryEnds();
  // A reader that closes the pipe early (head) ends us quietly, as it ends other tools.
  std::signal(SIGPIPE, SIG_DFL);
  std::vector<std::string> words(argv + (argc > 0), argv + argc);
  return nereid::tool::runProgram(words);
}
