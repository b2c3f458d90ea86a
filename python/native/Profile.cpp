// Profile.cpp: sessions and scopes of the profiler, and their records as text. nereid.profile and triton.profiler are made of these.
#include "Profile.h"

#include "Failure.h"
#include "Guarded.h"
#include "Memory.h"

#include "runtime/profile/Counters.h"
#include "runtime/profile/Summary.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace nereid::python {

namespace {

PyObject *bytesOf(const std::vector<std::byte> &bytes) {
  return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(bytes.data()), static_cast<Py_ssize_t>(bytes.size()));
}

PyObject *profileBegin(PyObject *, PyObject *) { return PyLong_FromSize_t(profile::begin()); }

// Waiting for a device must not keep Python's other threads waiting.
template <std::vector<std::byte> (*read)(size_t)> PyObject *takeRecords(PyObject *, PyObject *position) {
  size_t from = PyLong_AsSize_t(position);
  if (PyErr_Occurred())
    return nullptr;
  std::vector<std::byte> bytes;
  PyThreadState *thread = PyEval_SaveThread();
  bytes = read(from);
  PyEval_RestoreThread(thread);
  return bytesOf(bytes);
}

// False with an exception where it is no dictionary of numbers.
bool readMetrics(PyObject *dictionary, profile::Metrics &metrics) {
  if (!dictionary || dictionary == Py_None)
    return true;
  if (!PyDict_Check(dictionary)) {
    PyErr_SetString(PyExc_TypeError, "metrics are a dictionary of numbers by their names");
    return false;
  }
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(dictionary, &at, &key, &value);) {
    Reference number = Reference::take(PyNumber_Float(value));
    if (!number)
      return false;
    metrics.emplace_back(textOf(key), PyFloat_AsDouble(number.get()));
  }
  return true;
}

PyObject *profileEnter(PyObject *, PyObject *arguments) {
  const char *name = nullptr;
  PyObject *dictionary = nullptr;
  profile::Metrics metrics;
  if (!PyArg_ParseTuple(arguments, "s|O:profile_enter", &name, &dictionary) || !readMetrics(dictionary, metrics))
    return nullptr;
  return PyLong_FromUnsignedLongLong(profile::isOn() ? profile::enterScope(name, metrics) : 0);
}

PyObject *profileExit(PyObject *, PyObject *arguments) {
  PyObject *dictionary = nullptr;
  profile::Metrics metrics;
  if (!PyArg_ParseTuple(arguments, "|O:profile_exit", &dictionary) || !readMetrics(dictionary, metrics))
    return nullptr;
  return PyBool_FromLong(profile::exitScope(metrics));
}

PyObject *profileAnnounce(PyObject *, PyObject *arguments) {
  const char *name = nullptr;
  PyObject *dictionary = nullptr;
  profile::Metrics metrics;
  if (!PyArg_ParseTuple(arguments, "sO:profile_announce", &name, &dictionary) || !readMetrics(dictionary, metrics))
    return nullptr;
  profile::announceLaunch(name, metrics);
  return Reference::share(Py_None).release();
}

// Whether kernels are asked for their `launch_metadata`.
bool asksMetadata = true;

PyObject *profileSetMetadata(PyObject *, PyObject *flag) {
  asksMetadata = PyObject_IsTrue(flag) == 1;
  return Reference::share(Py_None).release();
}

PyObject *profileCount(PyObject *, PyObject *flag) {
  bool areWanted = PyObject_IsTrue(flag) == 1;
  profile::wantCounters(areWanted);
  std::string why = areWanted ? profile::whyNoCounters() : std::string();
  return PyUnicode_FromStringAndSize(why.data(), static_cast<Py_ssize_t>(why.size()));
}

PyObject *profileIsOn(PyObject *, PyObject *) { return PyBool_FromLong(profile::isOn()); }

PyObject *profileText(PyObject *, PyObject *arguments) {
  const char *bytes = nullptr, *form = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(arguments, "y#s:profile_text", &bytes, &size, &form))
    return nullptr;
  std::vector<profile::Record> records = profile::recordsOf(std::as_bytes(std::span(bytes, static_cast<size_t>(size))));
  std::string_view wanted = form;
  std::string text = wanted == "table"     ? profile::renderTable(profile::summarize(records))
                     : wanted == "json"    ? profile::renderSummary(profile::summarize(records))
                     : wanted == "records" ? profile::renderRecords(records)
                     : wanted == "trace"   ? profile::renderTrace(records)
                     : wanted == "page"    ? profile::renderPage(records, profile::summarize(records))
                                           : "";
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

void readShape(PyObject *tensor, std::vector<int64_t> &extents) {
  static PyObject *shape = name("shape");
  Reference all = attributeOf(tensor, shape);
  Py_ssize_t count = all ? PySequence_Size(all.get()) : 0;
  for (Py_ssize_t i = 0; i < std::min<Py_ssize_t>(count, 32); ++i) {
    Reference extent = Reference::take(PySequence_GetItem(all.get(), i));
    extents.push_back(extent ? PyLong_AsLongLong(extent.get()) : 0);
  }
  PyErr_Clear();
}

} // namespace

PyMethodDef profileMethods[] = {
    {"profile_begin", guarded<profileBegin>, METH_NOARGS,
     "A session of the profiler begins; gives what profile_end takes."},
    {"profile_end", guarded<takeRecords<profile::end>>, METH_O,
     "profile_end(session): ends it; gives its records as bytes."},
    {"profile_since", guarded<takeRecords<profile::recordsSince>>, METH_O,
     "profile_since(session): its records so far, as bytes."},
    {"profile_enter", guarded<profileEnter>, METH_VARARGS,
     "profile_enter(name, metrics): a scope of this thread begins; gives its number, or 0 where nobody profiles."},
    {"profile_exit", guarded<profileExit>, METH_VARARGS,
     "profile_exit(metrics): the innermost scope of this thread ends; False where there is none."},
    {"profile_announce", guarded<profileAnnounce>, METH_VARARGS,
     "profile_announce(name, metrics): what is known of this thread's next launch."},
    {"profile_set_metadata", profileSetMetadata, METH_O,
     "profile_set_metadata(flag): whether kernels are asked for their `launch_metadata` while they are recorded."},
    {"profile_count", profileCount, METH_O,
     "profile_count(flag): whether launches are counted by the GPU's hardware; gives why they cannot be, or nothing."},
    {"profile_is_on", profileIsOn, METH_NOARGS, "Whether launches are recorded."},
    {"profile_text", guarded<profileText>, METH_VARARGS,
     "profile_text(records, form): records as a table, json, records, a trace or a page."},
    {nullptr, nullptr, 0, nullptr}};

static void addTensor(profile::Launch &launch, const std::string &name, PyObject *object, const Memory &memory) {
  char type[24] = "*";
  std::string_view element = nameOf(memory.dtype);
  element = element.substr(0, sizeof type - 1);
  element.copy(type + 1, element.size());
  readShape(object, launch.addArgument(name, {type, 1 + element.size()}).shape);
}

// Numbers without a text of Python's, which takes as long as a launch.
static bool describeNumber(PyObject *object, std::string &text) {
  char digits[40];
  if (PyBool_Check(object)) {
    text = object == Py_True ? "True" : "False";
  } else if (PyLong_CheckExact(object)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow)
      return false;
    text.assign(digits, std::to_chars(digits, std::end(digits), value).ptr);
  } else if (PyFloat_CheckExact(object)) {
    text.assign(digits, std::to_chars(digits, std::end(digits), PyFloat_AsDouble(object)).ptr);
  } else {
    return false;
  }
  return true;
}

void addArgument(profile::Launch &launch, const lang::Parameter &parameter, PyObject *object, const Memory *memory) {
  if (memory)
    return addTensor(launch, parameter.name, object, *memory);
  const char *type = parameter.isConstexpr          ? "constexpr"
                     : !object || object == Py_None ? "none"
                     : PyBool_Check(object)         ? "bool"
                     : PyLong_Check(object)         ? "int"
                     : PyFloat_Check(object)        ? "float"
                     : PyTuple_Check(object)        ? "tuple"
                                                    : "object";
  std::string &value = launch.addArgument(parameter.name, type).value;
  if (!object || object == Py_None)
    value = "None";
  else if (!describeNumber(object, value))
    value = described(object).substr(0, 80);
}

bool wantsMetadata() { return asksMetadata; }

bool describeMetadata(profile::Launch &launch, PyObject *metadata) {
  if (!metadata || !PyDict_Check(metadata))
    return !PyErr_Occurred();
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(metadata, &at, &key, &value);) {
    std::string what = textOf(key);
    if (what == "name")
      launch.rename(described(value));
    else if (PyLong_Check(value) || PyFloat_Check(value))
      launch.addMetric(what, PyFloat_AsDouble(Reference::take(PyNumber_Float(value)).get()));
  }
  PyErr_Clear();
  return true;
}

} // namespace nereid::python
