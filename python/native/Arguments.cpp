#include "Arguments.h"

#include "runtime/Convert.h"

#include <bit>
#include <charconv>

namespace nereid::python {

namespace {

std::optional<ArgumentForm> unknownType(const std::string &text) {
  PyErr_SetString(PyExc_ValueError, ("`" + text +
                                     "` is not the type of an argument: write `*fp32`, `i32`, `fp32`, "
                                     "`tensordesc<fp16[64,64]>` or `constexpr`")
                                        .c_str());
  return std::nullopt;
}

std::optional<ArgumentForm> formOfText(const std::string &text) {
  using Kind = ArgumentForm::Kind;
  if (text == "constexpr")
    return ArgumentForm{};
  if (text.starts_with("*"))
    return ArgumentForm{.kind = Kind::Pointer};
  if (text.starts_with("tensordesc<"))
    return ArgumentForm{.kind = Kind::Descriptor};
  if (text.starts_with("fp") || text.starts_with("bf") || text == "f32") {
    std::optional<DType> dtype = dtypeNamed(text == "f32" ? "fp32" : text);
    return dtype ? ArgumentForm{.kind = Kind::Float, .dtype = *dtype} : unknownType(text);
  }
  unsigned width = 0;
  if (text.size() < 2 || (text[0] != 'i' && text[0] != 'u') ||
      std::from_chars(text.data() + 1, text.data() + text.size(), width).ptr != text.data() + text.size() ||
      width < 1 || width > 64)
    return unknownType(text);
  return ArgumentForm{.kind = Kind::Integer,
                      .mask = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1,
                      .isUnsigned = text[0] == 'u'};
}

// Whether a number has room in the type of its parameter. Patterns of bits may stand for unsigned ones; of a flag the lowest bit counts.
bool hasRoom(const ArgumentForm &form, PyObject *object) {
  if (!PyLong_CheckExact(object) || form.mask == 1)
    return true;
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow > 0 && form.isUnsigned && form.mask == ~uint64_t(0)) {
    bool isTooLarge = PyLong_AsUnsignedLongLong(object) == ~0ull && PyErr_Occurred();
    return PyErr_Clear(), !isTooLarge;
  }
  auto largest = static_cast<int64_t>(form.mask >> 1); // with a sign
  bool isPattern = form.isUnsigned && value >= 0 && static_cast<uint64_t>(value) <= form.mask;
  return !overflow && (isPattern || (value >= -largest - 1 && value <= largest));
}

} // namespace

std::optional<ArgumentForm> formOf(PyObject *type) {
  if (type == Py_None)
    return ArgumentForm{};
  if (!PyTuple_Check(type))
    return formOfText(textOf(type));
  ArgumentForm form{.kind = ArgumentForm::Kind::Tuple};
  for (Py_ssize_t i = 0; i < PyTuple_Size(type); ++i) {
    std::optional<ArgumentForm> item = formOf(PyTuple_GetItem(type, i));
    if (!item)
      return std::nullopt;
    form.items.push_back(std::move(*item));
  }
  return form;
}

uint64_t integerWord(PyObject *object, uint64_t mask) {
  if (PyBool_Check(object))
    return object == Py_True;
  if (PyLong_Check(object))
    return PyLong_AsUnsignedLongLongMask(object) & mask;
  Reference whole = Reference::take(PyNumber_Index(object)); // numbers of numpy, symbols of torch
  return whole ? PyLong_AsUnsignedLongLongMask(whole.get()) & mask : 0;
}

uint64_t floatWord(PyObject *object, DType dtype) {
  double value = PyFloat_AsDouble(object);
  if (dtype == DType::Fp32)
    return std::bit_cast<uint32_t>(static_cast<float>(value));
  uint64_t bits = 0;
  runtime::writeElement(dtype, reinterpret_cast<std::byte *>(&bits), value);
  return bits;
}

bool WordList::push(uint64_t word) {
  if (count == kMax) {
    PyErr_Format(PyExc_ValueError, "a launch takes at most %zu words of arguments", kMax);
    return false;
  }
  words[count++] = word;
  return true;
}

bool WordList::addPointer(PyObject *object, size_t parameter) {
  if (object == Py_None)
    return push(0);
  if (PyLong_Check(object))
    return push(PyLong_AsUnsignedLongLongMask(object)); // an address
  if (!isTensor(object)) {
    PyErr_Format(PyExc_TypeError, "argument %zu is a pointer: give a tensor, an address or None, not `%s`", parameter,
                 described(reinterpret_cast<PyObject *>(Py_TYPE(object))).c_str());
    return false;
  }
  std::optional<Memory> memory = memoryOf(object);
  if (!memory || !push(memory->address))
    return false;
  parameters[tensorCount] = parameter;
  tensors[tensorCount++] = *memory;
  return true;
}

// Base, extents, strides.
bool WordList::addDescriptor(PyObject *object, size_t parameter) {
  Reference base = attributeOf(object, "base");
  if (!base) {
    PyErr_Format(PyExc_TypeError, "argument %zu is a descriptor: give a TensorDescriptor", parameter);
    return false;
  }
  size_t tensorsBefore = tensorCount;
  if (!addPointer(base.get(), parameter))
    return false;
  size_t first = count;
  for (const char *name : {"shape", "strides"}) {
    Reference list = attributeOf(object, name);
    for (Py_ssize_t i = 0, size = list ? PySequence_Size(list.get()) : 0; i < size; ++i)
      if (!push(integerWord(Reference::take(PySequence_GetItem(list.get(), i)).get(), ~uint64_t(0))))
        return false;
  }
  if (PyErr_Occurred() || tensorCount == tensorsBefore)
    return !PyErr_Occurred();
  size_t rank = (count - first) / 2;
  const auto *extents = reinterpret_cast<const int64_t *>(&words[first]);
  return isInsideOfBase(base.get(), tensors[tensorsBefore], {extents, rank}, {extents + rank, rank});
}

bool WordList::add(const ArgumentForm &form, PyObject *object, size_t parameter) {
  using Kind = ArgumentForm::Kind;
  switch (form.kind) {
  case Kind::Constant: return true;
  case Kind::Pointer: return addPointer(object, parameter);
  case Kind::Integer: {
    Reference whole = PyBool_Check(object) ? Reference::share(Py_True) : Reference::take(PyNumber_Index(object));
    if (!whole)
      return false;
    if (!hasRoom(form, whole.get())) {
      PyErr_Format(PyExc_OverflowError, "argument %zu: %R does not fit %s%d", parameter, object,
                   form.isUnsigned ? "u" : "i", std::popcount(form.mask));
      return false;
    }
    uint64_t word = integerWord(object, form.mask);
    return !PyErr_Occurred() && push(word);
  }
  case Kind::Float: {
    uint64_t word = floatWord(object, form.dtype);
    return !PyErr_Occurred() && push(word);
  }
  case Kind::Descriptor: return addDescriptor(object, parameter);
  case Kind::Tuple: break;
  }
  if (PySequence_Size(object) != static_cast<Py_ssize_t>(form.items.size())) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "argument %zu is a tuple of %zu items, not of %zd", parameter, form.items.size(),
                   PySequence_Size(object));
    return false;
  }
  for (size_t i = 0; i < form.items.size(); ++i) {
    Reference item = Reference::take(PySequence_GetItem(object, static_cast<Py_ssize_t>(i)));
    if (!item || !add(form.items[i], item.get(), parameter))
      return false;
  }
  return true;
}

bool WordList::overlaps() const {
  for (size_t i = 1; i < tensorCount; ++i)
    for (size_t j = 0; j < i; ++j)
      if (tensors[i].address < tensors[j].address + tensors[j].bytes &&
          tensors[j].address < tensors[i].address + tensors[i].bytes)
        return true;
  return false;
}

} // namespace nereid::python
