// SharedTrace.h: for people who look at a kernel: where its buffers were put in shared memory, and when they are in use.
#pragma once

#include <cstdint>
#include <vector>

namespace nereid::gpu {

struct SharedUse {
  uint64_t offset = 0, bytes = 0;
  unsigned begin = 0, end = 0; // its first and its last event, among those of the code in its order
  unsigned line = 0;           // where it begins
};

// While one stands, kernels that are lowered on this thread tell it where their buffers are; the last one counts.
class SharedTrace {
public:
  SharedTrace();
  ~SharedTrace();
  SharedTrace(const SharedTrace &) = delete;
  static SharedTrace *current();

  std::vector<SharedUse> uses;
};

} // namespace nereid::gpu
