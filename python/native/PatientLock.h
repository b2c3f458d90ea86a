// PatientLock.h: waits for a mutex without keeping other Python threads from going on: who holds it may need them.
#pragma once

#include "ForkGate.h"
#include "Reference.h"

#include <mutex>

namespace nereid::python {

class PatientLock {
public:
  explicit PatientLock(std::recursive_mutex &mutex) : mutex(mutex) {
    if (mutex.try_lock())
      return;
    PyThreadState *thread = PyEval_SaveThread();
    mutex.lock();
    PyEval_RestoreThread(thread);
  }
  ~PatientLock() { mutex.unlock(); }
  PatientLock(const PatientLock &) = delete;

private:
  ForkGate gate; // who holds the mutex compiles
  std::recursive_mutex &mutex;
};

} // namespace nereid::python
