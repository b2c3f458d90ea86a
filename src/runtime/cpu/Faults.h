// Faults.h: compiled code that touches memory it may not ends its launch, not the process.
//
// Compiled code is entered through a frame that knows the way back. A handler for SIGSEGV and SIGBUS takes it when the
// thread is in a kernel; what happens elsewhere is for the handlers that were there before.
#pragma once

#include "runtime/cpu/Enter.h"

namespace nereid::cpu {

// An access that the system refused.
struct Fault {
  bool hasHappened = false;
  uint64_t instruction = 0;
  uint64_t address = 0;
  bool hasAddress = false; // not for addresses that no program can have
  bool isWrite = false;
};

// The way out of the kernel that a thread is in; null: it is in none. At a fixed offset: see Scratch.cpp.
struct KernelFrame {
  void *stack; // as nereid_leave wants it
  std::byte *scratch;
  Fault *fault;
};
[[gnu::tls_model("initial-exec"), gnu::visibility("hidden")]] extern constinit thread_local KernelFrame *currentFrame;

// Calls the entry of a kernel. False: it was left, at `fault` if that has happened, else by a look.
inline bool enterKernel(Entry entry, const uint64_t *arguments, LaunchState *state, uint64_t first, uint64_t last,
                        std::byte *scratch, Fault &fault) {
  KernelFrame frame{nullptr, scratch, &fault}, *outer = currentFrame;
  currentFrame = &frame;
  bool hasReturned = nereid_enter(entry, arguments, state, first, last, scratch, &frame.stack);
  currentFrame = outer;
  return hasReturned;
}

// While this lives, faults on this thread are not the kernel's: in what compiled code calls back.
class OutsideKernel {
public:
  OutsideKernel() : frame(currentFrame) { currentFrame = nullptr; }
  ~OutsideKernel() { currentFrame = frame; }
  OutsideKernel(const OutsideKernel &) = delete;

private:
  KernelFrame *frame;
};

// While one lives, the handlers are in place. The last one gives back what was there before.
class FaultHandlers {
public:
  FaultHandlers();
  ~FaultHandlers();
  FaultHandlers(const FaultHandlers &) = delete;
};

} // namespace nereid::cpu
