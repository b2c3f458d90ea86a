#include "RunCommand.h"

#include "Program.h"
#include "course/Child.h"

#include <vector>

namespace nereid::python {

// A command that starts itself again (the course, for what learners write) starts this interpreter.
static void nameProgram() {
  PyObject *executable = PySys_GetObject("executable"); // borrowed
  Reference path =
      executable && PyUnicode_Check(executable) ? Reference::take(PyUnicode_EncodeFSDefault(executable)) : Reference();
  if (path)
    tool::setOwnProgram({PyBytes_AsString(path.get()), "-m", "nereid._command"});
  else
    PyErr_Clear();
}

PyObject *runCommandLine(PyObject *, PyObject *words) {
  std::vector<std::string> list;
  Py_ssize_t count = PySequence_Size(words);
  if (count < 0)
    return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    Reference word = Reference::take(PySequence_GetItem(words, i));
    char *text = nullptr;
    Py_ssize_t size = 0;
    if (!word || PyBytes_AsStringAndSize(word.get(), &text, &size) != 0)
      return nullptr;
    list.emplace_back(text, static_cast<size_t>(size));
  }
  nameProgram();
  PyThreadState *thread = PyEval_SaveThread();
  int status = tool::runProgram(list);
  PyEval_RestoreThread(thread);
  return PyLong_FromLong(status);
}

} // namespace nereid::python
