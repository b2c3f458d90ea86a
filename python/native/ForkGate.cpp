#include "ForkGate.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <pthread.h>

namespace nereid::python {

namespace {

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  int compiling = 0;    // threads
  bool forking = false; // a thread is about to fork, or has just done so
};

// Never destroyed: threads may compile while the process ends.
Gate &gate() {
  static Gate &instance = *new Gate;
  return instance;
}

thread_local int depth = 0; // gates that this thread holds

// A thread that compiles may wait for what only the forking one can do; then the fork goes on, as it would without a gate.
constexpr std::chrono::seconds kPatience{10};

PyObject *beforeFork(PyObject *, PyObject *) {
  if (depth > 0) // a program forks in the middle of its own compilation
    Py_RETURN_NONE;
  PyThreadState *thread = PyEval_SaveThread();
  {
    std::unique_lock lock(gate().mutex);
    gate().changed.wait(lock, [] { return !gate().forking; });
    gate().forking = true;
    gate().changed.wait_for(lock, kPatience, [] { return gate().compiling == 0; });
  }
  PyEval_RestoreThread(thread);
  Py_RETURN_NONE;
}

PyObject *afterForkInParent(PyObject *, PyObject *) {
  if (depth > 0)
    Py_RETURN_NONE;
  std::lock_guard lock(gate().mutex);
  gate().forking = false;
  gate().changed.notify_all();
  Py_RETURN_NONE;
}

// Other threads may have held the lock of the gate itself.
PyObject *afterForkInChild(PyObject *, PyObject *) {
  new (&gate()) Gate;
  gate().compiling = depth > 0;
  Py_RETURN_NONE;
}

PyMethodDef hooks[] = {{"before", beforeFork, METH_NOARGS, nullptr},
                       {"after_in_parent", afterForkInParent, METH_NOARGS, nullptr},
                       {"after_in_child", afterForkInChild, METH_NOARGS, nullptr}};

} // namespace

ForkGate::ForkGate() {
  if (depth++ > 0)
    return;
  std::unique_lock lock(gate().mutex);
  if (gate().forking) {
    lock.unlock();
    PyThreadState *thread = PyEval_SaveThread();
    lock.lock();
    gate().changed.wait(lock, [] { return !gate().forking; });
    ++gate().compiling;
    lock.unlock();
    PyEval_RestoreThread(thread);
    return;
  }
  ++gate().compiling;
}

ForkGate::~ForkGate() {
  if (--depth > 0)
    return;
  std::lock_guard lock(gate().mutex);
  --gate().compiling;
  gate().changed.notify_all();
}

bool watchForks() {
  Reference os = Reference::take(PyImport_ImportModule("os"));
  Reference watch = os ? Reference::take(PyObject_GetAttrString(os.get(), "register_at_fork")) : Reference();
  Reference none = Reference::take(PyTuple_New(0)), named = Reference::take(PyDict_New());
  if (!watch || !none || !named)
    return false;
  for (PyMethodDef &hook : hooks) {
    Reference function = Reference::take(PyCFunction_New(&hook, nullptr));
    if (!function || PyDict_SetItemString(named.get(), hook.ml_name, function.get()) < 0)
      return false;
  }
  return static_cast<bool>(Reference::take(PyObject_Call(watch.get(), none.get(), named.get())));
}

unsigned countForks() {
  static std::atomic<unsigned> forks{0};
  static const int handler = pthread_atfork(nullptr, nullptr, [] { forks.fetch_add(1); });
  (void)handler;
  return forks.load(std::memory_order_relaxed);
}

} // namespace nereid::python
