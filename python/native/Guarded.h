// Guarded.h: functions that Python calls: what they throw, memory that ended first of all, becomes a Python exception.
#pragma once

#include "Reference.h"

#include <exception>
#include <new>

namespace nereid::python {

template <auto function> struct Guarded;
template <class... Arguments, PyObject *(*function)(Arguments...)> struct Guarded<function> {
  // Not noexcept: an interpreter that ends unwinds the threads that come back to it.
  static PyObject *call(Arguments... arguments) {
    try {
      return function(arguments...);
    } catch (const std::bad_alloc &) {
      return PyErr_NoMemory();
    } catch (const std::exception &thrown) {
      PyErr_SetString(PyExc_RuntimeError, thrown.what());
      return nullptr;
    }
  }
};
template <auto function> inline constexpr auto guarded = &Guarded<function>::call;

} // namespace nereid::python
