// A library that is linked as the portable ones are: one of its frames is left by pthread_exit, as Python ends a thread, and
// another by an exception.
#include <cstdio>
#include <pthread.h>
#include <stdexcept>

namespace {
struct Frame {
  ~Frame() { std::puts("unwound"); }
};
} // namespace

extern "C" __attribute__((visibility("default"))) void endThread() {
  Frame frame;
  std::fflush(stdout);
  pthread_exit(nullptr);
}

extern "C" __attribute__((visibility("default"))) int catchException() {
  try {
    Frame frame;
    throw std::runtime_error("thrown");
  } catch (const std::runtime_error &error) {
    return error.what()[0];
  }
}
