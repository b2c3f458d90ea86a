// Limits.h: what this machine can do at most, measured: bytes copied and multiply-adds in a second.
#pragma once

namespace nereid::runtime {

struct Limits {
  unsigned threads = 1;
  double copyBytes = 0; // a second, read and written ones together, from memory to memory
  double fmaFlops = 0;  // a second, fp32, two for each multiply-add, in the widest registers
};

// About half a second of work.
Limits measureLimits(unsigned threads);

} // namespace nereid::runtime
