// Program.h: a command line on the standard streams of the process, for the program and for the Python package.
#pragma once

#include <span>
#include <string>

namespace nereid::tool {

// Runs the words behind the program's name; gives the exit status.
int runProgram(std::span<const std::string> words);

} // namespace nereid::tool
