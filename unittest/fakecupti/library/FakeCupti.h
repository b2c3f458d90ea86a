// FakeCupti.h: CUPTI without a GPU, for tests: the functions that Nereid uses, and kernels that a test says have run.
#pragma once

#include <cstdint>
#include <set>
#include <string>

namespace nereid::fake {

struct CuptiControl {
  std::set<uint32_t> enabled;   // kinds of records
  std::set<uint32_t> functions; // whose calls are told
  int refusal = 0;              // what the next cuptiActivityEnable gives

  int rangeRefusal = 0; // what the functions of the range profiler give

  virtual ~CuptiControl() = default;
  // This thread launches a kernel, or a graph of several; without a listener nothing is kept. Virtual: the tests call it without linking
  // the library.
  virtual void ran(const std::string &name, uint64_t begin, uint64_t end, uint32_t device, uint32_t stream,
                   unsigned kernels = 1) = 0;
};

} // namespace nereid::fake

extern "C" nereid::fake::CuptiControl *nereidFakeCupti();
