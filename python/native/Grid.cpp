#include "Grid.h"

#include "jit/Grid.h"

namespace nereid::python {

static bool isText(PyObject *object) {
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyByteArray_Check(object);
}

void sayWhatGridGets(PyObject *arguments, const std::string &parameters) {
  if (!PyErr_ExceptionMatches(PyExc_KeyError))
    return;
  PyObject *type = nullptr, *error = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  Reference words = Reference::take(PyObject_GetAttrString(error, "args"));
  PyObject *name = words && PyTuple_Size(words.get()) == 1 ? PyTuple_GetItem(words.get(), 0) : nullptr;
  if (name && PyUnicode_Check(name) && !PyDict_GetItemWithError(arguments, name)) {
    Reference text = Reference::take(
        PyUnicode_FromFormat("%U, for which the grid asks: the kernel's parameters are %s", name, parameters.c_str()));
    if (Reference said = Reference::take(PyTuple_Pack(1, text.get())))
      PyObject_SetAttrString(error, "args", said.get());
  }
  PyErr_Restore(type, error, trace);
}

// -1 with an exception.
static int64_t readExtent(PyObject *item, Py_ssize_t axis) {
  Reference whole = Reference::take(PyNumber_Index(item));
  if (!whole) {
    PyErr_Format(
        PyExc_TypeError,
        "extent %zd of the grid is %R, which is no integer: write `triton.cdiv(n, BLOCK)`, or divide with `//`", axis,
        item);
    return -1;
  }
  int overflow = 0;
  int64_t extent = PyLong_AsLongLongAndOverflow(whole.get(), &overflow),
          limit = jit::kGridLimits[static_cast<size_t>(axis)];
  if (!overflow && extent >= 0 && extent <= limit)
    return extent;
  PyErr_Format(PyExc_ValueError, "extent %zd of the grid is %S; it must be from 0 to %lld", axis, whole.get(),
               static_cast<long long>(limit));
  return -1;
}

std::optional<std::array<uint32_t, 3>> readGrid(PyObject *grid, bool isForGpu) {
  bool isNumber = PyIndex_Check(grid) && !PySequence_Check(grid);
  if (!isNumber && (!PySequence_Check(grid) || isText(grid))) {
    PyErr_Format(PyExc_TypeError,
                 "a grid is a tuple of one to three integers, or a function that gives one, such as "
                 "`lambda meta: (triton.cdiv(n, meta[\"BLOCK\"]), )`; got %R",
                 grid);
    return std::nullopt;
  }
  Py_ssize_t count = isNumber ? 1 : PySequence_Size(grid);
  if (count < 0)
    return std::nullopt;
  // Programs that fill their grids up with ones have too many of them at times: those say nothing.
  auto isOne = [&](Py_ssize_t i) {
    Reference item = Reference::take(PySequence_GetItem(grid, i)), one = Reference::take(PyLong_FromLong(1));
    return item && one && PyObject_RichCompareBool(item.get(), one.get(), Py_EQ) == 1;
  };
  constexpr Py_ssize_t kMostExtents = 64; // that anybody would fill up
  while (count > 3 && count <= kMostExtents && isOne(count - 1))
    --count;
  if (PyErr_Occurred())
    return std::nullopt;
  if (count < 1 || count > 3) {
    PyErr_Format(PyExc_ValueError, "a grid has one to three extents, not %zd", count);
    return std::nullopt;
  }
  std::array<uint32_t, 3> extents = {1, 1, 1};
  for (Py_ssize_t i = 0; i < count; ++i) {
    Reference item = isNumber ? Reference::share(grid) : Reference::take(PySequence_GetItem(grid, i));
    int64_t extent = item ? readExtent(item.get(), i) : -1;
    if (extent < 0)
      return std::nullopt;
    extents[static_cast<size_t>(i)] = static_cast<uint32_t>(extent);
  }
  if (!isForGpu && uint64_t(extents[0]) * extents[1] * extents[2] > uint64_t(jit::kMaxPrograms)) {
    PyErr_Format(PyExc_ValueError, "the grid has more than %lld programs", static_cast<long long>(jit::kMaxPrograms));
    return std::nullopt;
  }
  return extents;
}

PyObject *gridExtents(PyObject *, PyObject *grid) {
  std::optional<std::array<uint32_t, 3>> extents = readGrid(grid, false);
  return extents ? Py_BuildValue("(III)", (*extents)[0], (*extents)[1], (*extents)[2]) : nullptr;
}

} // namespace nereid::python
