// Verdicts.h: what the counters mean, in words: where a kernel loses time, and what to try.
#pragma once

#include "jit/count/Count.h"

namespace nereid::jit {

struct Verdict {
  std::string file;
  unsigned line = 0; // 0: of the launch
  std::string message, advice;
};

// The worst of a line first.
std::vector<Verdict> verdictsOn(const Counted &counted);

} // namespace nereid::jit
