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
  // Who launches: a launch of ours, or a scope around those of others.
  struct Origin {
    uint64_t number = 0; // 0: nobody whom we know
    uint32_t thread = 0; // of a launch of ours; 0: a scope
  };
  // A kernel that has ended, in nanoseconds of CUPTI's clock.
  struct Kernel {
    uint64_t begin = 0, end = 0;
    uint32_t device = 0, stream = 0;
    const std::string &name; // as people write it
    Origin origin;
  };
  // Told of each, in a thread of CUPTI's or in that which flushes.
  using Listener = void (*)(const Kernel &kernel);

  // The one of this process; null: there is none, and `why` says it.
  static Cupti *shared(std::string *why = nullptr);
  // From this file, for tests; the next question for the shared one gives it.
  static Result<void> use(const std::string &path);

  // From now on kernels are recorded. CUPTI has one listener in a process: while another profiler has it, this fails.
  Result<void> start(Listener listener);
  // Kernels cost nothing any more, and other profilers can begin.
  void stop();
  // Tells the listener of all that have ended. The caller has waited for the device.
  void flush();
  uint64_t now() const;
  // For what else CUPTI can do.
  void *library() const { return handle; }

  // What this thread launches in the block is this launch of ours.
  class Launching {
  public:
    Launching(uint64_t number, uint32_t thread);
    Launching(const Launching &) = delete;
    ~Launching();
  };

private:
  explicit Cupti(void *library) : handle(library) {}
  Result<void> load();
  void read(uint8_t *buffer, size_t size);
  const std::string &readable(const char *name);
  void noteLaunch(uint32_t correlation, Origin origin, bool isGraph);
  Origin originOf(uint32_t correlation);
  static void giveBuffer(uint8_t **buffer, size_t *size, size_t *records);
  static void takeBuffer(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t used);
  static void onLaunch(void *self, uint32_t domain, uint32_t function, const void *call);

  // CUPTI's functions give 0 where all is well.
  int (*registerCallbacks)(void (*)(uint8_t **, size_t *, size_t *),
                           void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
  int (*enable)(uint32_t kind);
  int (*disable)(uint32_t kind);
  int (*flushAll)(uint32_t flag);
  int (*nextRecord)(uint8_t *buffer, size_t size, void **record);
  int (*subscribe)(void **subscriber, void (*)(void *, uint32_t, uint32_t, const void *), void *self);
  int (*unsubscribe)(void *subscriber);
  int (*enableCallback)(uint32_t isOn, void *subscriber, uint32_t domain, uint32_t function);
  int (*timestamp)(uint64_t *time);

  void *handle, *subscriber = nullptr;
  Listener listener = nullptr;
  std::mutex readLock; // one buffer after the other
  std::unordered_map<std::string, std::string> names;
  std::mutex launchLock; // every launch that has an origin takes it
  struct Launched {
    Origin origin;
    bool isGraph; // several kernels
  };
  std::unordered_map<uint32_t, Launched> launched; // by the correlation of the call, until its kernel has ended
};

} // namespace nereid::cuda
