// Interruptible.h: Python while a kernel runs: its other threads go on, and on the main thread signals are heard, so that
// Ctrl-C ends the launch.
#pragma once

#include "Reference.h"

#include "runtime/cpu/Launch.h"

namespace nereid::python {

class Interruptible : public cpu::Host {
public:
  // The limits of a launch that calls begin and end itself.
  cpu::Limits limits(double timeout) { return {timeout, this}; }

  void begin() override { thread = PyEval_SaveThread(); }
  void end() override { PyEval_RestoreThread(thread); }
  // The handlers of Python run, and may raise: the exception is there when the launch has ended.
  bool goesOn() override {
    end();
    bool isQuiet = PyErr_CheckSignals() == 0;
    begin();
    return isQuiet;
  }

private:
  PyThreadState *thread = nullptr;
};

// Runs a compiled kernel on the processor, so.
Result<cpu::LaunchReport> launchInterruptibly(const cpu::LoadedKernel &kernel, std::span<const uint64_t> words,
                                              const std::array<uint32_t, 3> &grid, double timeout);

} // namespace nereid::python
