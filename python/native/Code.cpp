#include "Code.h"

#include "Arguments.h"
#include "Failure.h"
#include "Gpu.h"
#include "Grid.h"
#include "Interruptible.h"

#include "cpu/ArrayKernels.h"
#include "jit/cache/ArtifactCodec.h"
#include "jit/cache/CudaArtifactCodec.h"
#include "jit/cache/Fields.h"
#include "runtime/cuda/TensorMaps.h"

#include <cstdio>
#include <map>

namespace nereid::python {

using jit::decodeArtifact;
using jit::decodeCudaArtifact;
using jit::encode;

std::string encodeCode(const CodePair &code) {
  jit::FieldWriter writer;
  for (const std::optional<cuda::Artifact> *artifact : {&code.gpu, &code.gpuWithoutMaps})
    writer.text(*artifact ? encode(**artifact) : "");
  for (const std::optional<cpu::Artifact> *artifact : {&code.cpu, &code.cpuForOverlap})
    writer.text(*artifact ? encode(**artifact) : "");
  return std::move(writer.bytes);
}

std::optional<CodePair> decodeCode(std::string_view bytes) {
  jit::FieldReader reader(bytes);
  CodePair code;
  bool isWhole = true;
  for (std::optional<cuda::Artifact> *artifact : {&code.gpu, &code.gpuWithoutMaps})
    if (std::string_view part = reader.text(); !part.empty())
      isWhole &= (*artifact = decodeCudaArtifact(part)).has_value();
  for (std::optional<cpu::Artifact> *artifact : {&code.cpu, &code.cpuForOverlap})
    if (std::string_view part = reader.text(); !part.empty())
      isWhole &= (*artifact = decodeArtifact(part)).has_value();
  isWhole &= !reader.hasFailed() && !reader.left() && (code.gpu || code.cpu);
  return isWhole ? std::optional(std::move(code)) : std::nullopt;
}

namespace {

// A pair of variants as they were loaded.
template <class Kernel> struct Loaded {
  std::shared_ptr<const Kernel> usual, other;
};

struct CodeState {
  CodePair code;
  std::vector<ArgumentForm> forms; // one for each parameter
  std::map<cuda::Device *, Loaded<cuda::LoadedKernel>> onGpus;
  Loaded<cpu::LoadedKernel> onCpu;
};

struct CodeObject {
  PyObject_HEAD CodeState *state;
};

CodeState &stateOf(PyObject *self) { return *reinterpret_cast<CodeObject *>(self)->state; }

void raise(const Error &error) { raiseError(error, nullptr, nullptr, false); }

PyObject *newCode(PyTypeObject *type, PyObject *arguments, PyObject *) {
  const char *bytes = nullptr;
  Py_ssize_t size = 0;
  PyObject *types = nullptr;
  if (!PyArg_ParseTuple(arguments, "y#O!:Code", &bytes, &size, &PyList_Type, &types))
    return nullptr;
  auto state = std::make_unique<CodeState>();
  std::optional<CodePair> code = decodeCode({bytes, static_cast<size_t>(size)});
  if (!code) {
    PyErr_SetString(PyExc_ValueError, "these bytes are no code that nereid wrote: remove the cache and compile again");
    return nullptr;
  }
  state->code = std::move(*code);
  for (Py_ssize_t i = 0; i < PyList_Size(types); ++i) {
    std::optional<ArgumentForm> form = formOf(PyList_GetItem(types, i));
    if (!form)
      return nullptr;
    state->forms.push_back(std::move(*form));
  }
  auto allocate = reinterpret_cast<allocfunc>(PyType_GetSlot(type, Py_tp_alloc));
  PyObject *self = allocate(type, 0);
  if (self)
    reinterpret_cast<CodeObject *>(self)->state = state.release();
  return self;
}

void freeCode(PyObject *self) {
  PyTypeObject *type = Py_TYPE(self);
  delete reinterpret_cast<CodeObject *>(self)->state;
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

// On the device whose context is current. Null, with an exception, where it cannot be loaded.
const cuda::LoadedKernel *gpuKernel(CodeState &state, cuda::Device &device, bool withMaps) {
  Loaded<cuda::LoadedKernel> &loaded = state.onGpus[&device];
  auto &kernel = withMaps ? loaded.usual : loaded.other;
  if (!kernel) {
    Result<jit::CudaKernelRef> found =
        cuda::LoadedKernel::load(device, withMaps ? *state.code.gpu : *state.code.gpuWithoutMaps);
    if (!found)
      return raise(found.error()), nullptr;
    kernel = *found;
  }
  return kernel.get();
}

const cpu::LoadedKernel *cpuKernel(CodeState &state, bool overlap) {
  auto &kernel = overlap ? state.onCpu.other : state.onCpu.usual;
  if (!kernel) {
    Result<jit::LoadedKernelRef> found = cpu::LoadedKernel::load(overlap ? *state.code.cpuForOverlap : *state.code.cpu,
                                                                 {.resolve = cpu::findArrayKernel});
    if (!found)
      return raise(found.error()), nullptr;
    kernel = *found;
  }
  return kernel.get();
}

cuda::Device *currentDevice() {
  Result<cuda::Device *> device = jit::findCudaDevice("cuda");
  if (!device)
    raise(device.error());
  return device ? *device : nullptr;
}

PyObject *load(PyObject *self, PyObject *) {
  CodeState &state = stateOf(self);
  if (state.code.cpu) {
    const cpu::LoadedKernel *kernel = cpuKernel(state, false);
    return kernel ? Py_BuildValue("(KKIII)", reinterpret_cast<uint64_t>(kernel),
                                  reinterpret_cast<uint64_t>(kernel->entry()), 1u, 0u, 1024u)
                  : nullptr;
  }
  cuda::Device *device = currentDevice();
  const cuda::LoadedKernel *kernel = device ? gpuKernel(state, *device, true) : nullptr;
  if (!kernel)
    return nullptr;
  const cuda::Resources &used = kernel->artifact().resources;
  return Py_BuildValue("(KKIII)", reinterpret_cast<uint64_t>(kernel->moduleHandle()),
                       reinterpret_cast<uint64_t>(kernel->function()), used.registers, used.localBytes / 4,
                       used.maxThreads);
}

// A chain of hooks that nobody has filled is not called: most launches have one.
bool isEmptyChain(PyObject *hook) {
  static PyObject *calls = name("calls");
  if (hook == Py_None)
    return true;
  Reference list = attributeOf(hook, calls);
  return list && PyList_Check(list.get()) && PyList_Size(list.get()) == 0;
}

bool callHook(PyObject *hook, PyObject *about) {
  return isEmptyChain(hook) || Reference::take(PyObject_CallFunctionObjArgs(hook, about, nullptr));
}

bool refuseMemory(size_t parameter, const char *reason) {
  PyErr_Format(PyExc_ValueError, "Pointer argument (at %zu) cannot be accessed from Triton (%s)", parameter, reason);
  return false;
}

bool runOnGpu(CodeState &state, const WordList &list, const std::array<uint32_t, 3> &grid, void *stream) {
  cuda::Device *device = currentDevice();
  const cuda::LoadedKernel *kernel = device ? gpuKernel(state, *device, true) : nullptr;
  if (!kernel)
    return false;
  for (size_t i = 0; i < list.tensorCount; ++i) {
    const Memory &memory = list.tensors[i];
    if (memory.isOutOfReach() ||
        (memory.address && !memory.isCuda &&
         cuda::memoryKindOf(*device, reinterpret_cast<const void *>(memory.address)) == cuda::MemoryKind::Host))
      return refuseMemory(list.parameters[i], "cpu tensor?");
  }
  std::span<const uint64_t> words(list.words, list.count);
  if (!cuda::acceptsTensorMaps(*kernel, words) && !(kernel = gpuKernel(state, *device, false)))
    return false;
  // Waiting for room in the stream must not keep other threads of Python from making it.
  PyThreadState *thread = PyEval_SaveThread();
  Result<cuda::LaunchReport> report =
      cuda::launchAndReport(*kernel, words, grid, static_cast<cuda::driver::Stream>(stream));
  PyEval_RestoreThread(thread);
  if (!report)
    return raise(report.error()), false;
  if (!report->output.empty()) {
    std::fwrite(report->output.data(), 1, report->output.size(), stdout);
    std::fflush(stdout);
  }
  return true;
}

bool runOnCpu(CodeState &state, const WordList &list, const std::array<uint32_t, 3> &grid) {
  for (size_t i = 0; i < list.tensorCount; ++i) {
    if (list.tensors[i].isCuda || list.tensors[i].isOutOfReach())
      return refuseMemory(list.parameters[i], "the code is for the CPU, the tensor is elsewhere");
    if (list.tensors[i].isReadOnly)
      return refuseMemory(list.parameters[i], "it is read-only, and the code may write to it: pass a copy");
  }
  const cpu::LoadedKernel *kernel = cpuKernel(state, list.overlaps());
  if (!kernel)
    return false;
  Result<cpu::LaunchReport> report = launchInterruptibly(*kernel, {list.words, list.count}, grid, 0);
  if (!report)
    return raise(report.error()), false;
  if (!report->failure)
    return true;
  if (!PyErr_Occurred()) // of a signal's handler
    raise({report->failure->status(), cpu::renderFailure(*report->failure)});
  return false;
}

// run(grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *arguments)
constexpr Py_ssize_t kFirstArgument = 9;

PyObject *run(PyObject *self, PyObject *const *given, Py_ssize_t count) {
  CodeState &state = stateOf(self);
  if (count != kFirstArgument + static_cast<Py_ssize_t>(state.forms.size())) {
    PyErr_Format(PyExc_TypeError, "the kernel has %zu parameters, but %zd arguments are given", state.forms.size(),
                 std::max<Py_ssize_t>(count - kFirstArgument, 0));
    return nullptr;
  }
  Reference extents = Reference::take(PyTuple_Pack(3, given[0], given[1], given[2]));
  std::optional<std::array<uint32_t, 3>> read =
      extents ? readGrid(extents.get(), state.code.gpu.has_value()) : std::nullopt;
  if (!read)
    return nullptr;
  const std::array<uint32_t, 3> &grid = *read;
  void *stream = given[3] == Py_None ? nullptr : PyLong_AsVoidPtr(given[3]);
  if (PyErr_Occurred() || !callHook(given[7], given[6]))
    return nullptr;
  if (grid[0] && grid[1] && grid[2]) {
    WordList list;
    for (size_t i = 0; i < state.forms.size(); ++i)
      if (state.forms[i].kind != ArgumentForm::Kind::Constant &&
          !list.add(state.forms[i], given[kFirstArgument + static_cast<Py_ssize_t>(i)], i))
        return nullptr;
    if (!(state.code.gpu ? runOnGpu(state, list, grid, stream) : runOnCpu(state, list, grid)))
      return nullptr;
  }
  return callHook(given[8], given[6]) ? Reference::share(Py_None).release() : nullptr;
}

PyMethodDef codeMethods[] = {
    {"load", load, METH_NOARGS, "Loads it on the current device: (module, function, registers, spills, most threads)."},
    {"run", reinterpret_cast<PyCFunction>(reinterpret_cast<void *>(run)), METH_FASTCALL,
     "run(grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *args)"},
    {nullptr, nullptr, 0, nullptr}};

PyType_Slot codeSlots[] = {{Py_tp_new, reinterpret_cast<void *>(newCode)},
                           {Py_tp_dealloc, reinterpret_cast<void *>(freeCode)},
                           {Py_tp_methods, codeMethods},
                           {Py_tp_doc, const_cast<char *>("Machine code of a kernel, ready to be launched.")},
                           {0, nullptr}};
PyType_Spec codeSpec = {"nereid._native.Code", sizeof(CodeObject), 0, Py_TPFLAGS_DEFAULT, codeSlots};

} // namespace

PyObject *makeCodeType() { return PyType_FromSpec(&codeSpec); }

} // namespace nereid::python
