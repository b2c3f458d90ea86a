// Interruptible.h: Python while a kernel runs: its other threads go on, and on the main thread signals are heard, so that
// Ctrl-C ends the launch.
#pragma once

#include "Reference.h"

#include "runtime/cpu/Watch.h"

namespace nereid::python {

class Interruptible : public cpu::Host {
public:
  // The limits of a launch. Only the main thread hears signals.
  cpu::Limits limits(double timeout) { return {timeout, isMainThread() ? this : nullptr}; }
  // Of one that calls begin and end itself.
  cpu::Limits wholeLimits(double timeout) { return {timeout, this}; }

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
  static bool isMainThread();
  PyThreadState *thread = nullptr;
};

} // namespace nereid::python
