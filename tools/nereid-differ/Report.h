// Report.h: findings in words.
#pragma once

#include "Evaluate.h"

namespace nereid::differ {

// "on cpu against interp", "when compiled for sm_90a".
std::string where(const EvaluateOptions &options);
// What a saved program begins with: its seed, the devices and what differs.
std::string title(uint64_t seed, const Verdict &verdict, const EvaluateOptions &options);

// The command line (`nereid run`, where the program is run) that shows the finding of a saved program; its tensors are written beside it. Empty
// where a command line cannot say these arguments.
std::string runCommand(const Case &testCase, const std::string &file, const EvaluateOptions &options);

} // namespace nereid::differ
