// Module.cpp: the extension module nereid._native: `Kernel`, the base class of jit functions, whose calls never leave
// native code when their like was seen before; `kernel[grid]` gives a `Launcher`.
#include "ForkGate.h"
#include "Grid.h"
#include "Guarded.h"
#include "Launch.h"
#include "Operation.h"
#include "Profile.h"
#include "RunCommand.h"

#include "api/Version.h"
#include "cpu/Target.h"
#include "jit/cache/BuildId.h"
#include "jit/cache/Trust.h"
#include "runtime/cuda/Assemble.h"

#include <cstdio>
#include <sys/stat.h>

namespace nereid::python {

namespace {

struct KernelObject {
  PyObject_HEAD KernelState *state;
  bool isPlain; // launches need no Python: no debugging, no hooks of its own
};

struct LauncherObject {
  PyObject_HEAD PyObject *kernel, *grid;
};

PyObject *launcherType = nullptr;

KernelState::InUse stateOf(PyObject *self) {
  return KernelState::InUse(*reinterpret_cast<KernelObject *>(self)->state);
}

PyObject *newKernel(PyTypeObject *type, PyObject *, PyObject *) {
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = allocate(type, 0);
  if (self)
    reinterpret_cast<KernelObject *>(self)->state = new KernelState(self);
  return self;
}

void freeKernel(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  PyObject_GC_UnTrack(self);
  delete reinterpret_cast<KernelObject *>(self)->state;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

PyObject *launcherFor(PyObject *self, PyObject *grid) {
  auto allocate =
      reinterpret_cast<allocfunc>(PyType_GetSlot(reinterpret_cast<PyTypeObject *>(launcherType), Py_tp_alloc));
  auto *launcher = reinterpret_cast<LauncherObject *>(allocate(reinterpret_cast<PyTypeObject *>(launcherType), 0));
  if (!launcher)
    return nullptr;
  Py_INCREF(self);
  Py_INCREF(grid);
  launcher->kernel = self;
  launcher->grid = grid;
  return reinterpret_cast<PyObject *>(launcher);
}

void freeLauncher(PyObject *self) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  PyTypeObject *type = Py_TYPE(self);
  Py_XDECREF(launcher->kernel);
  Py_XDECREF(launcher->grid);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// A launch that has begun on this thread: a grid may launch kernels, but not without end.
class Nested {
public:
  Nested() { ++count; }
  ~Nested() { --count; }
  Nested(const Nested &) = delete;
  static bool isTooDeep() { return count > kMost; }
  static constexpr int kMost = 50; // each takes 20 KiB of the stack

private:
  // At a fixed offset (see runtime/cpu/Scratch.cpp): every launch asks.
  [[gnu::tls_model("initial-exec")]] static thread_local int count;
};
thread_local int Nested::count = 0;

PyObject *launch(PyObject *kernel, PyObject *grid, PyObject *positional, PyObject *named, bool warmup) {
  Nested nested;
  if (Nested::isTooDeep()) [[unlikely]] {
    PyErr_Format(PyExc_RecursionError, "more than %d launches are nested: does a grid launch its own kernel?",
                 Nested::kMost);
    return nullptr;
  }
  Call call;
  call.grid = grid;
  call.positional = positional;
  call.named = named;
  call.warmup = warmup;
  return stateOf(kernel)->launch(call);
}

// Hooks, pre-run hooks and debugging options make a launch the Python class's business.
bool isPlain = true;

PyObject *callLauncher(PyObject *self, PyObject *positional, PyObject *named) {
  auto *launcher = reinterpret_cast<LauncherObject *>(self);
  if (isPlain && reinterpret_cast<KernelObject *>(launcher->kernel)->isPlain)
    return launch(launcher->kernel, launcher->grid, positional, named, false);
  Reference run = Reference::take(PyObject_GetAttrString(launcher->kernel, "run"));
  Reference all = named ? Reference::take(PyDict_Copy(named)) : Reference::take(PyDict_New());
  if (!run || !all || PyDict_SetItemString(all.get(), "grid", launcher->grid) < 0 ||
      PyDict_SetItemString(all.get(), "warmup", Py_False) < 0)
    return nullptr;
  return PyObject_Call(run.get(), positional, all.get());
}

PyObject *kernelLaunch(PyObject *self, PyObject *arguments) {
  PyObject *grid = nullptr, *positional = nullptr, *named = nullptr;
  int warmup = 0;
  if (!PyArg_ParseTuple(arguments, "OO!O!p:_launch", &grid, &PyTuple_Type, &positional, &PyDict_Type, &named, &warmup))
    return nullptr;
  return launch(self, grid, positional, named, warmup != 0);
}

PyObject *kernelCheck(PyObject *self, PyObject *arguments) {
  Call call;
  if (!PyArg_ParseTuple(arguments, "OO!O!:_check", &call.grid, &PyTuple_Type, &call.positional, &PyDict_Type,
                        &call.named))
    return nullptr;
  return stateOf(self)->check(call);
}

// A dictionary of texts.
bool readTexts(PyObject *given, KernelState::NamedTexts &texts) {
  PyObject *name = nullptr, *text = nullptr;
  for (Py_ssize_t at = 0; PyDict_Next(given, &at, &name, &text);) {
    Py_ssize_t nameSize = 0, textSize = 0;
    const char *nameText = PyUnicode_AsUTF8AndSize(name, &nameSize);
    const char *valueText = nameText ? PyUnicode_AsUTF8AndSize(text, &textSize) : nullptr;
    if (!valueText)
      return false;
    texts.emplace_back(std::string(nameText, size_t(nameSize)), std::string(valueText, size_t(textSize)));
  }
  return true;
}

PyObject *kernelView(PyObject *self, PyObject *arguments) {
  Call call;
  const char *target = nullptr;
  PyObject *described = nullptr;
  KernelState::NamedTexts texts;
  if (!PyArg_ParseTuple(arguments, "OO!O!sO!:_view", &call.grid, &PyTuple_Type, &call.positional, &PyDict_Type,
                        &call.named, &target, &PyDict_Type, &described) ||
      !readTexts(described, texts))
    return nullptr;
  return stateOf(self)->view(call, target, texts);
}

PyObject *kernelCount(PyObject *self, PyObject *arguments) {
  Call call;
  const char *target = nullptr, *device = nullptr;
  if (!PyArg_ParseTuple(arguments, "OO!O!ss:_count", &call.grid, &PyTuple_Type, &call.positional, &PyDict_Type,
                        &call.named, &target, &device))
    return nullptr;
  return stateOf(self)->count(call, {.target = target, .device = device});
}

PyObject *kernelPrepare(PyObject *self, PyObject *arguments) {
  Call call;
  if (!PyArg_ParseTuple(arguments, "O!O!:_prepare", &PyTuple_Type, &call.positional, &PyDict_Type, &call.named))
    return nullptr;
  return stateOf(self)->prepareCall(call);
}

PyObject *kernelCompileTypes(PyObject *self, PyObject *arguments) {
  PyObject *types = nullptr, *options = nullptr;
  const char *target = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O!s:_compile_types", &PyList_Type, &types, &PyDict_Type, &options, &target))
    return nullptr;
  return stateOf(self)->compileTypes(types, options, target);
}

PyObject *kernelTypesText(PyObject *self, PyObject *arguments) {
  PyObject *types = nullptr, *options = nullptr;
  const char *target = nullptr, *stage = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O!ss:_types_text", &PyList_Type, &types, &PyDict_Type, &options, &target, &stage))
    return nullptr;
  return stateOf(self)->typesText(types, options, target, stage);
}

PyObject *kernelTypesOps(PyObject *self, PyObject *arguments) {
  PyObject *types = nullptr, *options = nullptr;
  if (!PyArg_ParseTuple(arguments, "O!O!:_types_ops", &PyList_Type, &types, &PyDict_Type, &options))
    return nullptr;
  return stateOf(self)->typesOps(types, options);
}

PyObject *kernelLaunchCompiled(PyObject *self, PyObject *arguments) {
  Call call;
  Py_ssize_t index = 0;
  PyObject *stream = Py_None;
  if (!PyArg_ParseTuple(arguments, "nOO!O:_launch_compiled", &index, &call.grid, &PyTuple_Type, &call.positional,
                        &stream))
    return nullptr;
  if (stream != Py_None) {
    call.options.stream = PyLong_AsVoidPtr(stream);
    if (PyErr_Occurred())
      return nullptr;
  }
  return stateOf(self)->launchCompiled(static_cast<size_t>(index), call);
}

PyObject *kernelStage(PyObject *self, PyObject *arguments) {
  Py_ssize_t index = 0;
  const char *stage = nullptr;
  if (!PyArg_ParseTuple(arguments, "ns:_stage", &index, &stage))
    return nullptr;
  return stateOf(self)->stageText(static_cast<size_t>(index), stage);
}

PyObject *kernelGpuFacts(PyObject *self, PyObject *number) {
  Py_ssize_t index = PyLong_AsSsize_t(number);
  return index < 0 ? nullptr : stateOf(self)->gpuFacts(static_cast<size_t>(index));
}

int visitKernel(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  if (KernelState *state = reinterpret_cast<KernelObject *>(self)->state)
    for (Reference &result : state->results)
      Py_VISIT(result.get());
  return 0;
}

int clearKernel(PyObject *self) {
  if (KernelState *state = reinterpret_cast<KernelObject *>(self)->state)
    state->forget();
  return 0;
}

PyObject *kernelIsPlain(PyObject *self, PyObject *) {
  return PyBool_FromLong(isPlain && reinterpret_cast<KernelObject *>(self)->isPlain);
}

PyObject *kernelSetPlain(PyObject *self, PyObject *flag) {
  reinterpret_cast<KernelObject *>(self)->isPlain = PyObject_IsTrue(flag) == 1;
  Py_RETURN_NONE;
}

PyObject *kernelFingerprint(PyObject *self, PyObject *) { return stateOf(self)->fingerprint(); }

PyObject *kernelForget(PyObject *self, PyObject *) {
  reinterpret_cast<KernelObject *>(self)->state->forget();
  Py_RETURN_NONE;
}

PyMethodDef kernelMethods[] = {
    {"_launch", guarded<kernelLaunch>, METH_VARARGS,
     "_launch(grid, args, kwargs, warmup): runs the kernel, gives the CompiledKernel."},
    {"_check", guarded<kernelCheck>, METH_VARARGS,
     "_check(grid, args, kwargs): runs the kernel under the sanitizer, gives what it finds as text."},
    {"_view", guarded<kernelView>, METH_VARARGS,
     "_view(grid, args, kwargs, target, texts): the page about the call, as text; `texts` has the arguments for "
     "people."},
    {"_count", guarded<kernelCount>, METH_VARARGS,
     "_count(grid, args, kwargs, target, device): runs the kernel on the interpreter, gives what it does as JSON."},
    {"_prepare", guarded<kernelPrepare>, METH_VARARGS,
     "_prepare(args, kwargs): on a GPU, begins to compile for the call on another thread."},
    {"_compile_types", guarded<kernelCompileTypes>, METH_VARARGS,
     "_compile_types(types, options, target): compiles for `cpu` or `sm_90a`; gives the code and facts about it."},
    {"_types_text", guarded<kernelTypesText>, METH_VARARGS,
     "_types_text(types, options, target, stage): the text of ttir, ttgir, llir or, for the processor, asm."},
    {"_types_ops", guarded<kernelTypesOps>, METH_VARARGS,
     "_types_ops(types, options): the ops under Triton's names: (name, operands, results, regions, block, its region, "
     "its arguments, symbol, is pure)."},
    {"_launch_compiled", guarded<kernelLaunchCompiled>, METH_VARARGS,
     "_launch_compiled(number, grid, args, stream): runs code that was compiled before, in torch's stream where that "
     "is None."},
    {"_is_plain", guarded<kernelIsPlain>, METH_NOARGS, "Whether launches need nothing of the Python method `run`."},
    {"_stage", guarded<kernelStage>, METH_VARARGS,
     "_stage(number, stage): the text of ttir, ttgir, llir or asm; on a GPU also ptx and cubin."},
    {"_gpu_facts", guarded<kernelGpuFacts>, METH_O,
     "_gpu_facts(number): (registers, spills, shared bytes, most threads, threads, module, function), or None on the "
     "processor."},
    {"_set_plain", guarded<kernelSetPlain>, METH_O, "False: launches go through the Python method `run`."},
    {"_fingerprint", guarded<kernelFingerprint>, METH_NOARGS,
     "A digest of all that the names of the source stand for."},
    {"_forget", guarded<kernelForget>, METH_NOARGS, "Drops what was compiled: the source or a global has changed."},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot kernelSlots[] = {{Py_tp_new, reinterpret_cast<void *>(newKernel)},
                             {Py_tp_dealloc, reinterpret_cast<void *>(freeKernel)},
                             {Py_tp_traverse, reinterpret_cast<void *>(visitKernel)},
                             {Py_tp_clear, reinterpret_cast<void *>(clearKernel)},
                             {Py_mp_subscript, reinterpret_cast<void *>(launcherFor)},
                             {Py_tp_methods, kernelMethods},
                             {Py_tp_doc, const_cast<char *>("A function that is compiled from its source text.")},
                             {0, nullptr}};
PyType_Spec kernelSpec = {"nereid._native.Kernel", sizeof(KernelObject), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, kernelSlots};

PyType_Slot launcherSlots[] = {
    {Py_tp_dealloc, reinterpret_cast<void *>(freeLauncher)},
    {Py_tp_call, reinterpret_cast<void *>(guarded<callLauncher>)},
    {Py_tp_doc, const_cast<char *>("A kernel with its grid: call it with the kernel's arguments.")},
    {0, nullptr}};
PyType_Spec launcherSpec = {"nereid._native.Launcher", sizeof(LauncherObject), 0, Py_TPFLAGS_DEFAULT, launcherSlots};

PyObject *setTypes(PyObject *, PyObject *arguments) {
  PyObject *constexprType = nullptr, *dtypeType = nullptr, *support = nullptr;
  if (!PyArg_ParseTuple(arguments, "OOO:set_types", &constexprType, &dtypeType, &support))
    return nullptr;
  Py_INCREF(constexprType);
  Py_INCREF(dtypeType);
  Py_INCREF(support);
  pythonTypes().constexprType = constexprType;
  pythonTypes().dtypeType = dtypeType;
  pythonTypes().support = support;
  Py_RETURN_NONE;
}

PyObject *interruptAll(PyObject *, PyObject *) {
  cpu::interruptLaunches();
  return Reference::share(Py_None).release();
}

PyObject *setPlain(PyObject *, PyObject *flag) {
  isPlain = PyObject_IsTrue(flag) == 1;
  Py_RETURN_NONE;
}

PyObject *buildIdText(PyObject *, PyObject *) {
  std::string text;
  for (auto byte : jit::buildId()) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(byte));
    text += digits;
  }
  return PyUnicode_FromString(text.c_str());
}

PyObject *assembler(PyObject *, PyObject *) { return PyUnicode_FromString(cuda::describeAssembler().c_str()); }
PyObject *processor(PyObject *, PyObject *) { return PyUnicode_FromString(cpu::hostTarget().key().c_str()); }

// None where nobody else can have written an open file.
PyObject *distrust(PyObject *, PyObject *descriptor) {
  long number = PyLong_AsLong(descriptor);
  struct stat status{};
  if (PyErr_Occurred())
    return nullptr;
  if (fstat(static_cast<int>(number), &status) != 0)
    return PyErr_SetFromErrno(PyExc_OSError);
  std::string why = jit::distrustOf(static_cast<int>(number), status);
  return why.empty() ? Reference::share(Py_None).release() : PyUnicode_FromString(why.c_str());
}

PyMethodDef moduleMethods[] = {
    {"distrust", distrust, METH_O,
     "distrust(descriptor): why somebody else may have written an open file or folder, or None."},
    {"build_id", buildIdText, METH_NOARGS, "Which compiler this is, down to its last byte."},
    {"assembler", assembler, METH_NOARGS, "What turns PTX into machine code here, with its version."},
    {"processor", processor, METH_NOARGS, "The kind of processor that code for the CPU is compiled for."},
    {"set_types", setTypes, METH_VARARGS,
     "set_types(constexpr, dtype, support): the Python objects that the compiler asks."},
    {"interrupt", interruptAll, METH_NOARGS, "Ends all launches that run on the CPU now, from another thread."},
    {"run_command", guarded<runCommandLine>, METH_O,
     "run_command(words): runs a command line of the program `nereid`, a list of bytes; its exit status."},
    {"grid_extents", gridExtents, METH_O, "grid_extents(grid): the three extents of a grid that a processor can run."},
    {"set_plain", setPlain, METH_O, "False: every launch goes through the Python method `run` (there are hooks)."},
    {nullptr, nullptr, 0, nullptr}};

PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                          "nereid._native",
                          "The native side of nereid.",
                          -1,
                          moduleMethods,
                          nullptr,
                          nullptr,
                          nullptr,
                          nullptr};

} // namespace

} // namespace nereid::python

using namespace nereid::python;

extern "C" __attribute__((visibility("default"))) PyObject *PyInit__native() {
  PyObject *module = PyModule_Create(&definition);
  PyObject *kernel = PyType_FromSpec(&kernelSpec);
  launcherType = PyType_FromSpec(&launcherSpec);
  if (!module || !kernel || !launcherType)
    return nullptr;
  PyObject *code = makeCodeType();
  if (!code || !watchForks())
    return nullptr;
  PyModule_AddObject(module, "Code", code);
  pythonTypes().kernelType = kernel;
  Py_INCREF(kernel);
  PyModule_AddObject(module, "Kernel", kernel);
  PyModule_AddStringConstant(module, "version", nereid::kVersionText);
  return addOperations(module) && PyModule_AddFunctions(module, profileMethods) == 0 ? module : nullptr;
}
