// Cupti.h: NVIDIA's own record of when kernels ran, those of other libraries, too. Loaded where it is there; without it, events tell.
#pragma once

#include "nereid/result.hpp"

#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace nereid::cuda {

class Cupti {
public:
  // A kernel that has ended, in nanoseconds of CUPTI's clock.
  struct Kernel {
    uint64_t begin = 0, end = 0;
    uint32_t device = 0, stream = 0;
    std::string name;    // as people write it
    uint64_t number = 0; // that was pushed when it was launched; 0: none
  };

  // The one of this process, which records from now on; null: there is none, and `why` says it. CUPTI has one listener: a profiler that
  // begins later (torch's) takes its place.
  static Cupti *shared(std::string *why = nullptr);
  // From this file, for tests; the next question for the shared one gives it.
  static Result<void> use(const std::string &path);

  // What this thread launches until the next pop has this number.
  void push(uint64_t number);
  void pop();
  uint64_t now() const;
  // Those that have ended since the last time. The caller has waited for the device.
  std::vector<Kernel> take();

private:
  Cupti() = default;
  Result<void> load(void *library);
  void read(uint8_t *buffer, size_t size);
  static void giveBuffer(uint8_t **buffer, size_t *size, size_t *records);
  static void takeBuffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t used);

  // CUPTI's functions give 0 where all is well.
  int (*registerCallbacks)(void (*)(uint8_t **, size_t *, size_t *),
                           void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
  int (*enable)(uint32_t kind);
  int (*flushAll)(uint32_t flag);
  int (*nextRecord)(uint8_t *buffer, size_t size, void **record);
  int (*pushNumber)(uint32_t kind, uint64_t number);
  int (*popNumber)(uint32_t kind, uint64_t *number);
  int (*timestamp)(uint64_t *time);

  std::mutex lock; // of what is below
  struct Ended {
    Kernel kernel;
    uint32_t correlation;
  };
  std::vector<Ended> ended;
  std::unordered_map<uint32_t, uint64_t> numbers; // by the correlation of a call
};

} // namespace nereid::cuda
