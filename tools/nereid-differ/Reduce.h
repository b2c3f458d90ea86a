// Reduce.h: makes a program with a finding smaller while the finding remains.
#pragma once

#include "Evaluate.h"

#include <functional>

namespace nereid::differ {

struct Reduction {
  Program program;
  Verdict verdict; // of the smaller program
  int candidates = 0;
};

// Every candidate runs in a process of its own and under the checker, so that nothing undefined comes in. `limit` is
// the most candidates to try.
Reduction reduce(const Program &program, const Verdict &verdict, const EvaluateOptions &options, int limit = 1500);

} // namespace nereid::differ
