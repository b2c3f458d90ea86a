// ForkGate.h: a process is not forked while a thread of it compiles: the copy would have that thread's locks and not the thread.
#pragma once

#include "Reference.h"

namespace nereid::python {

// Held by a thread that compiles. Threads that want to while another one forks wait, without the interpreter's lock.
class ForkGate {
public:
  ForkGate();
  ~ForkGate();
  ForkGate(const ForkGate &) = delete;
};

// Makes Python's forks wait for the threads that compile; false with an exception set.
bool watchForks();

// How many forks led to this process, Python's and others.
unsigned countForks();

} // namespace nereid::python
