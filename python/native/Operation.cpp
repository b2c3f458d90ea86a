#include "Operation.h"

#include "Guarded.h"
#include "Memory.h"

namespace nereid::python {

namespace {

struct OperationObject {
  PyObject_HEAD Operation *operation;
};

// The launch that operations are part of: its grid, the program that runs, and the memory that it may touch.
struct Surroundings {
  interp::LaunchOptions options;
  std::array<uint32_t, 3> index{};
  std::string printed;
};
struct SurroundingsObject {
  PyObject_HEAD Surroundings *surroundings;
};

PyObject *operationType = nullptr, *surroundingsType = nullptr;

PyObject *allocate(PyObject *type) {
  auto *cls = reinterpret_cast<PyTypeObject *>(type);
  return reinterpret_cast<allocfunc>(PyType_GetSlot(cls, Py_tp_alloc))(cls, 0);
}

template <class Object, auto Member> void release(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete (reinterpret_cast<Object *>(self)->*Member);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// The arrays of a sequence; false with an exception set where one has not the bytes that are expected.
template <class Pointer>
bool takeArrays(PyObject *arrays, const std::vector<size_t> &bytes, std::vector<Pointer> &out) {
  if (PySequence_Size(arrays) != static_cast<Py_ssize_t>(bytes.size())) {
    PyErr_Format(PyExc_TypeError, "the operation has %zu arrays, got %zd", bytes.size(), PySequence_Size(arrays));
    return false;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    Reference array = Reference::take(PySequence_GetItem(arrays, static_cast<Py_ssize_t>(i)));
    std::optional<ArrayView> view = arrayView(array.get());
    if (!view || !view->isContiguous || view->bytes != bytes[i]) {
      PyErr_Format(PyExc_TypeError, "array %zu of the operation must be contiguous and have %zu bytes", i, bytes[i]);
      return false;
    }
    out.push_back(view->data);
  }
  return true;
}

PyObject *exceptionOf(runtime::Failure::Kind kind) {
  using enum runtime::Failure::Kind;
  switch (kind) {
  case BadAccess: return PyExc_IndexError;
  case Arithmetic: return PyExc_ArithmeticError;
  case Assert: return PyExc_AssertionError;
  case Deadlock: return PyExc_TimeoutError;
  default: return PyExc_RuntimeError;
  }
}

PyObject *runOperation(PyObject *self, PyObject *arguments) {
  PyObject *inputs = nullptr, *outputs = nullptr, *around = nullptr;
  if (!PyArg_ParseTuple(arguments, "OOO!:run", &inputs, &outputs, surroundingsType, &around))
    return nullptr;
  const Operation &operation = *reinterpret_cast<OperationObject *>(self)->operation;
  Surroundings &surroundings = *reinterpret_cast<SurroundingsObject *>(around)->surroundings;
  std::vector<const void *> from;
  std::vector<void *> to;
  if (!takeArrays(inputs, operation.inputBytes, from) || !takeArrays(outputs, operation.outputBytes, to))
    return nullptr;
  runtime::Failure failure = interp::evaluate(*operation.program, from, to, surroundings.index, surroundings.options);
  if (failure) {
    PyErr_SetString(exceptionOf(failure.kind), failure.message.c_str());
    return nullptr;
  }
  std::string printed = std::exchange(surroundings.printed, {});
  if (printed.empty())
    return Reference::share(Py_None).release();
  return PyUnicode_FromStringAndSize(printed.data(), static_cast<Py_ssize_t>(printed.size()));
}

PyObject *operationResult(PyObject *self, void *) {
  return Reference(reinterpret_cast<OperationObject *>(self)->operation->result).release();
}

PyObject *operationSteps(PyObject *self, void *) {
  return Reference(reinterpret_cast<OperationObject *>(self)->operation->steps).release();
}

PyObject *compile(PyObject *, PyObject *arguments) {
  const char *text = nullptr;
  PyObject *specs = nullptr;
  int debug = 0, sanitize = 0, withSteps = 0;
  lang::EmitOptions options;
  if (!PyArg_ParseTuple(arguments, "sOipp|p:operation", &text, &specs, &options.shape.numWarps, &debug, &sanitize,
                        &withSteps))
    return nullptr;
  options.debug = debug != 0;
  options.sanitizeOverflow = sanitize != 0;
  options.allowPlainGlobals = true;
  options.strictExtents = true;
  options.defaultDotPrecision = "ieee"; // as in all of interpreter mode
  std::optional<Operation> operation = compileOperation(text, specs, options, withSteps != 0);
  PyObject *self = operation ? allocate(operationType) : nullptr;
  if (self)
    reinterpret_cast<OperationObject *>(self)->operation = new Operation(std::move(*operation));
  return self;
}

PyObject *memory(PyObject *, PyObject *object) {
  if (!isTensor(object))
    return Reference::share(Py_None).release();
  std::optional<Memory> found = memoryOf(object);
  if (!found)
    return nullptr;
  std::string type = lang::Type::parse(nameOf(found->dtype)).value_or(lang::Type()).name();
  return Py_BuildValue("(KKsIN)", static_cast<unsigned long long>(found->address),
                       static_cast<unsigned long long>(found->bytes), type.c_str(),
                       static_cast<unsigned>(bytesOf(found->dtype)), PyBool_FromLong(found->isReadOnly));
}

bool takeExtents(PyObject *tuple, std::array<uint32_t, 3> &out) {
  return PyArg_ParseTuple(tuple, "III", &out[0], &out[1], &out[2]) != 0;
}

PyObject *newSurroundings(PyTypeObject *type, PyObject *arguments, PyObject *) {
  PyObject *grid = nullptr, *allocations = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O:Surroundings", &PyTuple_Type, &grid, &allocations))
    return nullptr;
  auto made = std::make_unique<Surroundings>();
  if (!takeExtents(grid, made->options.grid))
    return nullptr;
  for (Py_ssize_t i = 0, count = PySequence_Size(allocations); i < count; ++i) {
    Reference item = Reference::take(PySequence_GetItem(allocations, i));
    const char *name = nullptr;
    unsigned long long address = 0, bytes = 0;
    unsigned elementBytes = 1;
    if (!item || !PyArg_ParseTuple(item.get(), "sKKI", &name, &address, &bytes, &elementBytes))
      return nullptr;
    made->options.allocations.push_back({name, reinterpret_cast<void *>(address), bytes, elementBytes, {}, {}});
  }
  made->options.output = [around = made.get()](std::string_view text) { around->printed += text; };
  PyObject *self = allocate(reinterpret_cast<PyObject *>(type));
  if (self)
    reinterpret_cast<SurroundingsObject *>(self)->surroundings = made.release();
  return self;
}

PyObject *moveTo(PyObject *self, PyObject *index) {
  if (!takeExtents(index, reinterpret_cast<SurroundingsObject *>(self)->surroundings->index))
    return nullptr;
  Py_RETURN_NONE;
}

PyObject *trustAddresses(PyObject *self, PyObject *) {
  reinterpret_cast<SurroundingsObject *>(self)->surroundings->options.allocations.clear();
  Py_RETURN_NONE;
}

PyMethodDef operationMethods[] = {
    {"run", guarded<runOperation>, METH_VARARGS,
     "run(inputs, outputs, surroundings): computes the output arrays; gives what the operation printed, or None."},
    {nullptr, nullptr, 0, nullptr}};
PyGetSetDef operationAttributes[] = {{"result", operationResult, nullptr, "What the operation gives.", nullptr},
                                     {"steps", operationSteps, nullptr, "The ops it is made of.", nullptr},
                                     {nullptr, nullptr, nullptr, nullptr, nullptr}};
PyType_Slot operationSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(release<OperationObject, &OperationObject::operation>)},
    {Py_tp_methods, operationMethods},
    {Py_tp_getset, operationAttributes},
    {Py_tp_doc, const_cast<char *>("One operation of the language, compiled for kinds of arguments.")},
    {0, nullptr}};
PyType_Spec operationSpec = {"nereid._native.Operation", sizeof(OperationObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, operationSlots};

PyMethodDef surroundingsMethods[] = {
    {"move_to", moveTo, METH_O, "move_to((x, y, z)): the program of the grid that operations belong to."},
    {"trust_addresses", trustAddresses, METH_NOARGS,
     "From now on no access is held against the memory of the arguments: the kernel makes pointers from numbers."},
    {nullptr, nullptr, 0, nullptr}};
PyType_Slot surroundingsSlots[] = {
    {Py_tp_new, reinterpret_cast<void *>(newSurroundings)},
    {Py_tp_dealloc, reinterpret_cast<void *>(release<SurroundingsObject, &SurroundingsObject::surroundings>)},
    {Py_tp_methods, surroundingsMethods},
    {Py_tp_doc,
     const_cast<char *>("Surroundings(grid, [(name, address, bytes, element bytes)…]): a launch that runs as "
                        "Python. Without memory no access is checked.")},
    {0, nullptr}};
PyType_Spec surroundingsSpec = {"nereid._native.Surroundings", sizeof(SurroundingsObject), 0, Py_TPFLAGS_DEFAULT,
                                surroundingsSlots};

PyMethodDef functions[] = {
    {"operation", guarded<compile>, METH_VARARGS,
     "operation(text, specs, num_warps, debug, sanitize_overflow, with_steps=False): compiles the text of a function "
     "for "
     "arguments."},
    {"memory", memory, METH_O,
     "memory(tensor): (address, bytes, dtype, bytes of an element, is read only); None for what is no tensor."},
    {nullptr, nullptr, 0, nullptr}};

} // namespace

bool addOperations(PyObject *module) {
  operationType = PyType_FromSpec(&operationSpec);
  surroundingsType = PyType_FromSpec(&surroundingsSpec);
  return operationType && surroundingsType && PyModule_AddObjectRef(module, "Operation", operationType) == 0 &&
         PyModule_AddObjectRef(module, "Surroundings", surroundingsType) == 0 &&
         PyModule_AddFunctions(module, functions) == 0;
}

} // namespace nereid::python
