// Reference.h: Python objects in C++: an owned reference, and the names that are looked up often.
#pragma once

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000 // one binary for Python 3.10 and later
#include <Python.h>

#include <string>
#include <utility>

namespace nereid::python {

class Reference {
public:
  Reference() = default;
  static Reference take(PyObject *owned) { return Reference(owned); }
  static Reference share(PyObject *borrowed) {
    Py_XINCREF(borrowed);
    return Reference(borrowed);
  }
  Reference(const Reference &other) : object(other.object) { Py_XINCREF(object); }
  Reference(Reference &&other) noexcept : object(std::exchange(other.object, nullptr)) {}
  Reference &operator=(Reference other) noexcept {
    std::swap(object, other.object);
    return *this;
  }
  ~Reference() { Py_XDECREF(object); }

  PyObject *get() const { return object; }
  PyObject *release() { return std::exchange(object, nullptr); }
  explicit operator bool() const { return object != nullptr; }

private:
  explicit Reference(PyObject *owned) : object(owned) {}
  PyObject *object = nullptr;
};

// An interned string that lives as long as the process.
inline PyObject *name(const char *text) { return PyUnicode_InternFromString(text); }

// The attribute, or nothing (and no error) when there is none.
inline Reference attributeOf(PyObject *object, PyObject *attribute) {
  Reference found = Reference::take(PyObject_GetAttr(object, attribute));
  if (!found)
    PyErr_Clear();
  return found;
}
inline Reference attributeOf(PyObject *object, const char *attribute) {
  Reference found = Reference::take(PyObject_GetAttrString(object, attribute));
  if (!found)
    PyErr_Clear();
  return found;
}

// An attribute of a module that somebody has imported; nothing where nobody has.
inline Reference importedAttribute(const char *module, const char *attribute) {
  PyObject *modules = PyImport_GetModuleDict(); // borrowed
  PyObject *found = modules ? PyDict_GetItemString(modules, module) : nullptr;
  return found ? attributeOf(found, attribute) : Reference();
}

// The text of a str; nothing for anything else.
inline std::string textOf(PyObject *object) {
  Py_ssize_t size = 0;
  const char *text = object && PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
  if (!text)
    PyErr_Clear();
  return text ? std::string(text, static_cast<size_t>(size)) : std::string();
}
// str(object), for messages and keys.
inline std::string described(PyObject *object) {
  Reference text = Reference::take(object ? PyObject_Str(object) : nullptr);
  if (!text)
    PyErr_Clear();
  return textOf(text.get());
}

} // namespace nereid::python
