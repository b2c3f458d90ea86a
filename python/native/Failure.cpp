#include "Failure.h"

namespace nereid::python {

namespace {

// (source text, line in it, column, message, Python type, notes) of one place. A jit function's text has empty lines
// before it.
Reference frameOf(const Diagnostic &diagnostic) {
  std::string notes;
  for (const Diagnostic &note : diagnostic.notes)
    if (!note.source)
      notes += (notes.empty() ? "" : "\n") + note.message;
  if (!diagnostic.source)
    return Reference::take(
        Py_BuildValue("(siisss)", "", 0, 0, diagnostic.message.c_str(), diagnostic.pythonType.c_str(), notes.c_str()));
  std::string text(diagnostic.source->text());
  size_t skipped = std::min(text.find_first_not_of('\n'), text.size());
  bool isInside = diagnostic.around.begin <= diagnostic.range.begin && diagnostic.range.end <= diagnostic.around.end;
  LineColumn at = diagnostic.source->position((isInside ? diagnostic.around : diagnostic.range).begin);
  return Reference::take(Py_BuildValue("(siisss)", text.c_str() + skipped, static_cast<int>(at.line - skipped),
                                       static_cast<int>(at.column - 1), diagnostic.message.c_str(),
                                       diagnostic.pythonType.c_str(), notes.c_str()));
}

} // namespace

void raiseDiagnostics(const Diagnostics &diagnostics, const Error &error, const Reference &cause, bool isInterpreted) {
  if (PyErr_Occurred())
    return;
  const Diagnostic *first = nullptr;
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (diagnostic.severity == Severity::Error && !first)
      first = &diagnostic;
  Reference frames = Reference::take(PyList_New(0));
  if (first) {
    PyList_Append(frames.get(), frameOf(*first).get());
    for (const Diagnostic &note : first->notes)
      if (note.source && note.message.starts_with("in the call of"))
        PyList_Append(frames.get(), frameOf(note).get());
  }
  Reference exception = Reference::take(
      PyObject_CallMethod(pythonTypes().support, "exception_of", "OisOi", frames.get(), static_cast<int>(error.status),
                          error.message.c_str(), cause ? cause.get() : Py_None, int(isInterpreted)));
  if (exception)
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.get())), exception.get());
}

void raiseError(const Error &error, jit::KernelModule *module, Embedding *embedding, bool isInterpreted) {
  // What the compiler reported belongs to this error when it says the same.
  bool isReported = module && module->lastReported().hasErrors() && module->lastReported().render() == error.message;
  raiseDiagnostics(isReported ? module->lastReported() : Diagnostics(), error,
                   embedding ? embedding->pythonError : Reference(), isInterpreted);
}

} // namespace nereid::python
