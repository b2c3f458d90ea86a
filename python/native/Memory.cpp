#include "Exchange.h"
#include "Gpu.h"

#include "jit/CudaDevice.h"
#include "runtime/cuda/Memory.h"

#include <bit>
#include <unordered_map>

namespace nereid::python {

namespace {

enum class Holder : uint8_t { None, Torch, Numpy, ArrayStruct, NumpyScalar, Masked, CudaInterface, Pointer };

// How the tensors of a type tell where their data lies.
struct Kind {
  Holder holder = Holder::None;
  const Exchange *exchange = nullptr;
};

// The struct behind `__array_struct__`, as numpy documents it.
struct ArrayStruct {
  int two, dimensions;
  char kind;
  int itemSize, flags;
  Py_ssize_t *shape, *strides;
  void *data;

  static constexpr int kNativeOrder = 0x200, kWriteable = 0x400;
  // Two is what the protocol begins with; numpy has 64 axes at most.
  bool isOne() const { return two == 2 && dimensions >= 0 && dimensions <= 64 && flags & kNativeOrder; }
};

struct Names {
  PyObject *dataPtr = name("data_ptr"), *dtype = name("dtype"), *nbytes = name("nbytes");
  PyObject *isContiguous = name("is_contiguous"), *isCuda = name("is_cuda"), *isCpu = name("is_cpu");
  PyObject *storage = name("untyped_storage");
  PyObject *arrayStruct = name("__array_struct__"), *base = name("base"), *device = name("device");
};
const Names &names() {
  static const Names all;
  return all;
}

bool isDerivedFrom(PyTypeObject *type, const Reference &base) {
  return base && PyType_Check(base.get()) && PyType_IsSubtype(type, reinterpret_cast<PyTypeObject *>(base.get()));
}

Kind kindOfType(PyTypeObject *type) {
  auto *cls = reinterpret_cast<PyObject *>(type);
  bool hasPointer = PyObject_HasAttrString(cls, "data_ptr");
  if (hasPointer && PyObject_HasAttrString(cls, "untyped_storage") && PyObject_HasAttrString(cls, "is_contiguous"))
    return {Holder::Torch, exchangeOf(type)};
  if (hasPointer)
    return {Holder::Pointer};
  if (isDerivedFrom(type, importedAttribute("numpy", "generic")))
    return {Holder::NumpyScalar};
  if (isDerivedFrom(type, importedAttribute("numpy.ma", "MaskedArray")))
    return {Holder::Masked};
  if (PyObject_HasAttrString(cls, "__array_struct__"))
    return {isDerivedFrom(type, importedAttribute("numpy", "ndarray")) ? Holder::Numpy : Holder::ArrayStruct};
  if (PyObject_HasAttrString(cls, "__cuda_array_interface__"))
    return {Holder::CudaInterface};
  return {};
}

Kind kindOf(PyObject *object) {
  static std::unordered_map<PyTypeObject *, Kind> byType; // types live as long as their tensors; the GIL guards it
  static std::pair<PyTypeObject *, Kind> last;            // most arguments are like the one before
  PyTypeObject *type = Py_TYPE(object);
  if (type == last.first)
    return last.second;
  auto [entry, isNew] = byType.try_emplace(type);
  if (isNew) {
    Py_INCREF(reinterpret_cast<PyObject *>(type)); // another type must not get its address
    entry->second = kindOfType(type);
  }
  last = *entry;
  return entry->second;
}

uint64_t numberFrom(PyObject *object, PyObject *method) {
  Reference result = Reference::take(PyObject_CallMethodObjArgs(object, method, nullptr));
  return result ? PyLong_AsUnsignedLongLong(result.get()) : 0;
}

std::optional<DType> dtypeOf(PyObject *dtype) {
  static std::unordered_map<PyObject *, DType> known; // which live for good
  static std::pair<PyObject *, DType> last;           // most arguments are like the one before
  if (dtype == last.first)
    return last.second;
  if (auto found = known.find(dtype); found != known.end())
    return (last = *found).second;
  std::string text = described(dtype);
  std::optional<DType> parsed = dtypeNamed(text.substr(text.rfind('.') + 1));
  if (!parsed) {
    // Triton looks torch's types up in a table.
    PyErr_SetString(
        text.starts_with("torch.") ? PyExc_KeyError : PyExc_TypeError,
        ("a kernel cannot take data of type `" + text + "`: convert it to one of the types of `tl`").c_str());
    return std::nullopt;
  }
  Py_INCREF(dtype);
  known[dtype] = *parsed;
  return parsed;
}

uint64_t endOfStorage(PyObject *storage) {
  return numberFrom(storage, names().dataPtr) + numberFrom(storage, names().nbytes);
}

std::optional<Memory> torchMemory(PyObject *object) {
  const Names &n = names();
  Memory memory{};
  Reference dtype = Reference::take(PyObject_GetAttr(object, n.dtype));
  std::optional<DType> element = dtype ? dtypeOf(dtype.get()) : std::nullopt;
  if (!element)
    return std::nullopt;
  memory.dtype = *element;
  memory.address = numberFrom(object, n.dataPtr);
  if (PyErr_Occurred()) // a sparse one
    return std::nullopt;
  Reference isCuda = attributeOf(object, n.isCuda);
  memory.isCuda = isCuda.get() == Py_True;
  // How long it is matters only where tensors that overlap get code of their own.
  if (memory.isCuda)
    return PyErr_Occurred() ? std::nullopt : std::optional(memory);
  // Meta tensors and those of devices that are not ours have no memory that a kernel could reach.
  if (Reference isCpu = attributeOf(object, n.isCpu); isCpu.get() == Py_False)
    memory.address = 0;
  Reference isContiguous = Reference::take(PyObject_CallMethodObjArgs(object, n.isContiguous, nullptr));
  if (isContiguous.get() == Py_True) {
    Reference bytes = Reference::take(PyObject_GetAttr(object, n.nbytes));
    memory.bytes = bytes ? PyLong_AsUnsignedLongLong(bytes.get()) : 0;
  } else if (isContiguous) {
    Reference storage = Reference::take(PyObject_CallMethodObjArgs(object, n.storage, nullptr));
    if (storage)
      memory.bytes = endOfStorage(storage.get()) - memory.address;
  }
  if (PyErr_Occurred())
    return std::nullopt;
  return memory;
}

// The type of numpy's own integers and floats; nothing for all others, of which the dtype says more.
std::optional<DType> plainType(const ArrayStruct &array) {
  bool isPower = array.itemSize == 1 || array.itemSize == 2 || array.itemSize == 4 || array.itemSize == 8;
  if (!array.isOne() || !isPower)
    return std::nullopt;
  int log = std::countr_zero(static_cast<unsigned>(array.itemSize));
  static constexpr DType kSigned[] = {DType::Int8, DType::Int16, DType::Int32, DType::Int64};
  static constexpr DType kUnsigned[] = {DType::UInt8, DType::UInt16, DType::UInt32, DType::UInt64};
  static constexpr DType kFloats[] = {DType::Fp16, DType::Fp32, DType::Fp64};
  switch (array.kind) {
  case 'i': return kSigned[log];
  case 'u': return kUnsigned[log];
  case 'f': return log ? std::optional(kFloats[log - 1]) : std::nullopt;
  default: return std::nullopt;
  }
}

std::optional<DType> namedType(PyObject *object, const ArrayStruct &array) {
  Reference dtype = Reference::take(PyObject_GetAttr(object, names().dtype));
  std::optional<DType> element = dtype ? dtypeOf(dtype.get()) : std::nullopt;
  if (!element)
    return std::nullopt;
  if (!array.isOne()) {
    PyErr_SetString(PyExc_TypeError, "what its `__array_struct__` gives describes no array of this machine");
    return std::nullopt;
  }
  if (bytesOf(*element) != static_cast<size_t>(array.itemSize)) {
    PyErr_Format(PyExc_TypeError, "its dtype is `%S`, but its elements have %d bytes", dtype.get(), array.itemSize);
    return std::nullopt;
  }
  return element;
}

std::optional<Memory> arrayMemory(PyObject *object, Holder holder) {
  Reference capsule = Reference::take(PyObject_GetAttr(object, names().arrayStruct));
  auto *array = capsule ? static_cast<ArrayStruct *>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
  if (!array)
    return std::nullopt;
  std::optional<DType> element = holder == Holder::Numpy ? plainType(*array) : std::nullopt;
  if (!element && !(element = namedType(object, *array)))
    return std::nullopt;
  uint64_t last = 0;
  bool isEmpty = false, isBackward = false, isUneven = false;
  for (int i = 0; i < array->dimensions; ++i) {
    isEmpty |= array->shape[i] == 0;
    isBackward |= array->strides[i] < 0 && array->shape[i] > 1;
    isUneven |=
        (array->strides[i] & (array->itemSize - 1)) != 0 && array->shape[i] > 1; // a power of two, as the element's is
    if (array->strides[i] > 0)
      last += static_cast<uint64_t>(array->shape[i] - 1) * static_cast<uint64_t>(array->strides[i]);
  }
  if (isBackward && !isEmpty) { // its first element is not its lowest address: a kernel would run out of its memory
    PyErr_SetString(PyExc_ValueError, "the array has a negative stride; pass a copy: `numpy.ascontiguousarray(…)`");
    return std::nullopt;
  }
  if (isUneven && !isEmpty) { // a field of a structure: what lies between its elements is no element
    PyErr_SetString(PyExc_ValueError, "the array has a stride that is no multiple of the size of its elements; pass a "
                                      "copy: `numpy.ascontiguousarray(…)`");
    return std::nullopt;
  }
  return Memory{reinterpret_cast<uint64_t>(array->data), isEmpty ? 0 : last + static_cast<uint64_t>(array->itemSize),
                *element, false, !(array->flags & ArrayStruct::kWriteable)};
}

uint64_t bytesBehind(PyObject *object, uint64_t address) {
  uint64_t end = kEndOfMemory;
  if (Reference method = attributeOf(object, names().storage))
    if (Reference storage = Reference::take(PyObject_CallObject(method.get(), nullptr)))
      end = endOfStorage(storage.get());
  return address && address < end ? end - address : 0;
}

// Where the memory of an object lies that has an address and little else: as it says itself, or as the driver knows.
bool isOnGpu(PyObject *object, uint64_t address) {
  if (Reference isCuda = attributeOf(object, names().isCuda); isCuda && PyBool_Check(isCuda.get()))
    return isCuda.get() == Py_True;
  if (Reference device = attributeOf(object, names().device); device && device.get() != Py_None)
    return described(device.get()).starts_with("cuda");
  if (!address || !isCudaByDefault())
    return false;
  Result<cuda::Device *> device = jit::findCudaDevice("cuda");
  return device && cuda::memoryKindOf(**device, reinterpret_cast<const void *>(address)) != cuda::MemoryKind::Host;
}

std::optional<Memory> memoryAt(PyObject *object, int depth);

// A wrapper around a tensor with another element type (triton.reinterpret), a view of one, or a stand-in for one.
std::optional<Memory> pointerMemory(PyObject *object, int depth) {
  constexpr int kDeepest = 8;
  const Names &n = names();
  Memory memory{};
  if (Reference base = attributeOf(object, n.base); base && depth < kDeepest && isTensor(base.get())) {
    std::optional<Memory> inner = memoryAt(base.get(), depth + 1);
    if (!inner)
      return std::nullopt;
    memory = *inner;
  } else {
    memory.address = numberFrom(object, n.dataPtr);
    if (PyErr_Occurred())
      return std::nullopt;
    memory.isCuda = isOnGpu(object, memory.address);
    if (!memory.isCuda)
      memory.bytes = bytesBehind(object, memory.address);
  }
  Reference dtype = Reference::take(PyObject_GetAttr(object, names().dtype));
  std::optional<DType> element = dtype && !PyErr_Occurred() ? dtypeOf(dtype.get()) : std::nullopt;
  if (!element)
    return std::nullopt;
  memory.dtype = *element;
  return memory;
}

std::optional<Memory> cudaMemory(PyObject *object) {
  Reference interface = Reference::take(PyObject_GetAttrString(object, "__cuda_array_interface__"));
  Reference dtype = Reference::take(PyObject_GetAttr(object, names().dtype));
  std::optional<DType> element = interface && dtype ? dtypeOf(dtype.get()) : std::nullopt;
  if (!element)
    return std::nullopt;
  PyObject *data = PyDict_Check(interface.get()) ? PyDict_GetItemString(interface.get(), "data") : nullptr;
  bool isPair = data && PyTuple_Check(data) && PyTuple_Size(data) == 2 && PyLong_Check(PyTuple_GetItem(data, 0));
  if (!isPair) {
    PyErr_SetString(PyExc_TypeError, "`data` of its `__cuda_array_interface__` is no address and a bool");
    return std::nullopt;
  }
  uint64_t address = PyLong_AsUnsignedLongLong(PyTuple_GetItem(data, 0));
  if (PyErr_Occurred())
    return std::nullopt;
  return Memory{address, 0, *element, true, PyTuple_GetItem(data, 1) == Py_True};
}

std::optional<Memory> memoryAt(PyObject *object, int depth) {
  Kind kind = kindOf(object);
  if (kind.exchange)
    if (std::optional<Memory> memory = exchangedMemory(*kind.exchange, object))
      return memory;
  switch (kind.holder) {
  case Holder::Torch: return torchMemory(object);
  case Holder::Numpy:
  case Holder::ArrayStruct: return arrayMemory(object, kind.holder);
  case Holder::Pointer: return pointerMemory(object, depth);
  case Holder::CudaInterface: return cudaMemory(object);
  case Holder::Masked:
    PyErr_SetString(PyExc_TypeError, "a kernel would not see the mask of the array: pass its `.data`, or `.filled(…)`");
    break;
  case Holder::NumpyScalar:
  case Holder::None: break;
  }
  return std::nullopt;
}

} // namespace

bool isTensor(PyObject *object) {
  Holder holder = kindOf(object).holder;
  return holder != Holder::None && holder != Holder::NumpyScalar;
}

Reference numberOf(PyObject *object) {
  if (kindOf(object).holder != Holder::NumpyScalar)
    return {};
  Reference dtype = Reference::take(PyObject_GetAttr(object, names().dtype));
  std::string kind = dtype ? textOf(attributeOf(dtype.get(), "kind").get()) : "";
  Reference number;
  if (kind == "b")
    number = Reference::take(PyBool_FromLong(PyObject_IsTrue(object)));
  else if (kind == "i" || kind == "u")
    number = Reference::take(PyNumber_Index(object));
  else if (kind == "f" ||
           (kind == "V" &&
            !isDerivedFrom(Py_TYPE(object), importedAttribute("numpy", "void")))) // V: narrow floats of ml_dtypes
    number = Reference::take(PyNumber_Float(object));
  PyErr_Clear();
  return number;
}

Reference plainNumberOf(PyObject *object) {
  if (PyBool_Check(object) || PyLong_CheckExact(object) || PyFloat_CheckExact(object))
    return {};
  if (Reference number = numberOf(object))
    return number;
  return Reference::take(PyLong_Check(object)    ? PyNumber_Index(object)
                         : PyFloat_Check(object) ? PyNumber_Float(object)
                                                 : nullptr);
}

void nameArgument(const std::string &name) {
  PyObject *type = nullptr, *value = nullptr, *traceback = nullptr;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  Reference arguments = value ? attributeOf(value, "args") : Reference();
  bool isOurs = type == PyExc_TypeError || type == PyExc_ValueError || type == PyExc_KeyError;
  bool hasText = isOurs && arguments && PyTuple_Check(arguments.get()) && PyTuple_Size(arguments.get()) == 1;
  if (!hasText)
    return PyErr_Restore(type, value, traceback);
  PyErr_Format(type, "argument `%s`: %S", name.c_str(), PyTuple_GetItem(arguments.get(), 0));
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(traceback);
}

std::optional<Memory> memoryOf(PyObject *object) { return memoryAt(object, 0); }

std::optional<ArrayView> arrayView(PyObject *object) {
  constexpr int kContiguous = 1; // NPY_ARRAY_C_CONTIGUOUS
  Reference capsule = attributeOf(object, names().arrayStruct);
  auto *array = capsule ? static_cast<ArrayStruct *>(PyCapsule_GetPointer(capsule.get(), nullptr)) : nullptr;
  if (!array)
    return PyErr_Clear(), std::nullopt;
  auto bytes = static_cast<size_t>(array->itemSize);
  for (int i = 0; i < array->dimensions; ++i)
    bytes *= static_cast<size_t>(array->shape[i]);
  return ArrayView{array->data, bytes, (array->flags & kContiguous) != 0};
}

std::optional<DType> dtypeNamed(const std::string &name) {
  static const std::unordered_map<std::string, DType> all = {{"bool", DType::Int1},
                                                             {"int1", DType::Int1},
                                                             {"i1", DType::Int1},
                                                             {"int8", DType::Int8},
                                                             {"i8", DType::Int8},
                                                             {"int16", DType::Int16},
                                                             {"i16", DType::Int16},
                                                             {"int32", DType::Int32},
                                                             {"i32", DType::Int32},
                                                             {"int64", DType::Int64},
                                                             {"i64", DType::Int64},
                                                             {"uint8", DType::UInt8},
                                                             {"u8", DType::UInt8},
                                                             {"uint16", DType::UInt16},
                                                             {"u16", DType::UInt16},
                                                             {"uint32", DType::UInt32},
                                                             {"u32", DType::UInt32},
                                                             {"uint64", DType::UInt64},
                                                             {"u64", DType::UInt64},
                                                             {"float16", DType::Fp16},
                                                             {"fp16", DType::Fp16},
                                                             {"bfloat16", DType::Bf16},
                                                             {"bf16", DType::Bf16},
                                                             {"float32", DType::Fp32},
                                                             {"fp32", DType::Fp32},
                                                             {"float64", DType::Fp64},
                                                             {"fp64", DType::Fp64},
                                                             {"float8_e4m3fn", DType::Fp8E4NV},
                                                             {"fp8e4nv", DType::Fp8E4NV},
                                                             {"float8_e5m2", DType::Fp8E5},
                                                             {"fp8e5", DType::Fp8E5},
                                                             {"float8_e4m3fnuz", DType::Fp8E4B8},
                                                             {"fp8e4b8", DType::Fp8E4B8},
                                                             {"float8_e5m2fnuz", DType::Fp8E5B16},
                                                             {"fp8e5b16", DType::Fp8E5B16},
                                                             {"fp8e4b15", DType::Fp8E4B15},
                                                             {"float8_e8m0fnu", DType::UInt8}};
  auto found = all.find(name);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

} // namespace nereid::python
