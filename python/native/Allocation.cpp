// Allocation.cpp: how far the memory reaches that a tensor is a part of. A kernel may go from a view to what lies around it.
#include "Memory.h"

#include <algorithm>
#include <string>

namespace nereid::python {

static std::optional<uint64_t> numberIn(const Reference &number) {
  uint64_t value = number && PyLong_Check(number.get()) ? PyLong_AsUnsignedLongLong(number.get()) : 0;
  bool isNumber = number && PyLong_Check(number.get()) && !PyErr_Occurred();
  PyErr_Clear();
  return isNumber ? std::optional(value) : std::nullopt;
}

static std::optional<uint64_t> numberFrom(PyObject *object, const char *method) {
  std::optional<uint64_t> number = numberIn(Reference::take(PyObject_CallMethod(object, method, nullptr)));
  PyErr_Clear();
  return number;
}

static std::optional<Extent> storageOf(PyObject *tensor) {
  Reference storage = Reference::take(PyObject_CallMethod(tensor, "untyped_storage", nullptr));
  PyErr_Clear();
  if (!storage)
    return std::nullopt;
  std::optional<uint64_t> address = numberFrom(storage.get(), "data_ptr"), bytes = numberFrom(storage.get(), "nbytes");
  return address && bytes ? std::optional(Extent{*address, *bytes}) : std::nullopt;
}

static std::optional<Extent> extentOf(PyObject *array) {
  std::optional<ArrayView> view = arrayView(array);
  return view ? std::optional(Extent{reinterpret_cast<uint64_t>(view->data), view->bytes}) : std::nullopt;
}

// What lends its memory to arrays of numpy: bytes, a bytearray, a mapped file, an array.array; of a view the object behind it.
static std::optional<Extent> bufferOf(const Reference &lender) {
  static PyObject *object = name("obj");
  Reference behind = attributeOf(lender.get(), object), frombuffer = importedAttribute("numpy", "frombuffer");
  bool isView = behind && behind.get() != Py_None;
  Reference bytes = frombuffer ? Reference::take(PyObject_CallFunction(frombuffer.get(), "Os",
                                                                       isView ? behind.get() : lender.get(), "uint8"))
                               : Reference();
  PyErr_Clear();
  return bytes ? extentOf(bytes.get()) : std::nullopt;
}

std::optional<Extent> allocationOf(PyObject *object) {
  static PyObject *storage = name("untyped_storage"), *base = name("base"), *flags = name("flags"),
                  *ownsData = name("owndata");
  Reference owner = Reference::share(object);
  for (int depth = 0; depth < 8; ++depth) { // views of views lead to their base at once, so that this is plenty
    if (attributeOf(owner.get(), storage))
      return storageOf(owner.get());
    Reference inner = attributeOf(owner.get(), base);
    if (!inner)
      return bufferOf(owner);
    if (inner.get() == Py_None) {
      Reference about = attributeOf(owner.get(), flags),
                owns = about ? attributeOf(about.get(), ownsData) : Reference();
      // Of any type: a view of float32 may be a part of complex numbers, of structures or of bytes.
      return owns.get() == Py_True ? extentOf(owner.get()) : std::nullopt;
    }
    owner = inner; // of numpy.lib.stride_tricks it is an object between the view and its base
  }
  return std::nullopt;
}

bool isInsideOfBase(PyObject *base, const Memory &memory, std::span<const int64_t> shape,
                    std::span<const int64_t> strides) {
  if (memory.isCuda)
    return true;
  using Wide = unsigned __int128;
  Wide elements = 1;
  for (size_t i = 0; i < std::min(shape.size(), strides.size()); ++i) {
    if (shape[i] <= 0)
      return true; // nothing is read
    if (strides[i] > 0)
      elements += Wide(uint64_t(shape[i] - 1)) * uint64_t(strides[i]);
  }
  Wide bytes = elements * bytesOf(memory.dtype), end = bytes + memory.address;
  if (bytes <= memory.bytes)
    return true;
  if (std::optional<Extent> all = allocationOf(base); all && end <= Wide(all->address) + all->bytes)
    return true;
  std::string reach = bytes > UINT64_MAX ? "more than 2**64" : std::to_string(uint64_t(bytes));
  PyErr_SetString(PyExc_ValueError, ("the shape and strides of the descriptor reach over " + reach +
                                     " bytes, but its base has only " + std::to_string(memory.bytes))
                                        .c_str());
  return false;
}

} // namespace nereid::python
