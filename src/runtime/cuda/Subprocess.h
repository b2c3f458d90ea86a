// Subprocess.h: runs a program without a shell and waits for it.
#pragma once

#include "nereid/result.hpp"

#include <string>
#include <vector>

namespace nereid::cuda {

struct Finished {
  int status = 0;     // its exit status; above 128: the signal that ended it
  std::string output; // of both standard output and standard error
};

// `files` are open in the program too, under the same numbers. Fails when the program cannot be started. Any number of
// threads may run one at once.
Result<Finished> runProgram(const std::string &program, const std::vector<std::string> &arguments,
                            const std::vector<int> &files = {});

} // namespace nereid::cuda
