// Compile.cpp: a call that no earlier one was like: its arguments as the compiler takes them, and the code for them.
#include "Failure.h"
#include "Launch.h"
#include "Replace.h"

#include "analysis/WrittenArguments.h"
#include "compiler/Compile.h"
#include "compiler/TritonText.h"
#include "cpu/Target.h"
#include "lang/Foreign.h"
#include "lang/evaluate/LibraryFunction.h"

#include <span>

namespace nereid::python {

using jit::HostValue;
using lang::CompileError;
using lang::Parameter;

std::optional<HostValue> KernelState::tupleValue(PyObject *object, const Parameter &parameter) {
  HostValue value{.kind = HostValue::Kind::Tuple};
  for (Py_ssize_t i = 0; i < PyTuple_Size(object); ++i) {
    std::optional<HostValue> item = hostValue(PyTuple_GetItem(object, i), parameter);
    if (!item)
      return std::nullopt;
    value.items.push_back(std::move(*item));
  }
  if (PyObject_HasAttrString(object, "_fields")) {
    lang::Value cls = embedding->toValue(reinterpret_cast<PyObject *>(Py_TYPE(object)));
    if (auto *found = cls.get<std::shared_ptr<lang::Class>>())
      value.cls = *found;
  }
  return value;
}

static void refuseCuda(const Parameter &parameter) {
  PyErr_SetString(PyExc_ValueError,
                  ("argument `" + parameter.name +
                   "` lies in the memory of a CUDA device, and this kernel runs on the CPU: move it with `.cpu()`")
                      .c_str());
}

// A TensorDescriptor of the host: base, shape, strides, block_shape, padding.
std::optional<HostValue> KernelState::descriptorValue(PyObject *object, const Parameter &parameter) {
  Reference base = attributeOf(object, "base"), block = attributeOf(object, "block_shape");
  std::optional<Memory> memory = base ? memoryOf(base.get()) : std::nullopt;
  if (!memory)
    return nameArgument(parameter.name), std::nullopt;
  if (!isWithinReach(*memory, parameter))
    return std::nullopt;
  if (memory->isCuda && !acceptsCuda)
    return refuseCuda(parameter), std::nullopt;
  auto extents = [&](const char *attribute) {
    Shape shape;
    Reference list = attributeOf(object, attribute);
    for (Py_ssize_t i = 0; list && i < PySequence_Size(list.get()); ++i) {
      Reference item = Reference::take(PyNumber_Index(Reference::take(PySequence_GetItem(list.get(), i)).get()));
      shape.push_back(item ? PyLong_AsLongLong(item.get()) : 0);
    }
    return shape;
  };
  HostValue value{.kind = HostValue::Kind::Descriptor, .isReadOnly = memory->isReadOnly};
  Shape shape = extents("shape"), strides = extents("strides");
  if (!PyErr_Occurred() && !isInsideOfBase(base.get(), *memory, shape, strides))
    return nameArgument(parameter.name), std::nullopt;
  value.tensor = Tensor::borrow(reinterpret_cast<void *>(memory->address), memory->dtype, shape, strides);
  value.block = extents("block_shape");
  value.nanPadding = textOf(attributeOf(object, "padding").get()) == "nan";
  if (PyErr_Occurred())
    return std::nullopt;
  return value;
}

static bool isPlainFunction(PyObject *object) {
  static PyObject *type = PyObject_GetAttrString(pythonTypes().support, "FUNCTION_TYPE");
  return reinterpret_cast<PyObject *>(Py_TYPE(object)) == type;
}

// Text, mappings and plain functions or objects are values of compile time: they need a parameter that says so.
static bool mayBeArgument(PyObject *object) {
  return !PyUnicode_Check(object) && !PyBytes_Check(object) && !PyDict_Check(object) && !PyAnySet_Check(object) &&
         !PyCFunction_Check(object) && !isPlainFunction(object);
}
// An object of which the compiler knows nothing but its attributes.
static bool isForeign(const lang::Value &value) {
  auto *opaque = value.constant<lang::Opaque>();
  return opaque && opaque->foreign && !opaque->foreign->isCallable(false);
}

static void refuseArgument(PyObject *object, const Parameter &parameter) {
  Reference type = attributeOf(reinterpret_cast<PyObject *>(Py_TYPE(object)), "__name__");
  PyErr_SetString(PyExc_TypeError,
                  ("failed to specialize argument of type: " + textOf(type.get()) + ": `" + parameter.name +
                   "` takes tensors, numbers, tuples, None, types and jit functions; "
                   "what is known at compile time needs `" +
                   parameter.name + ": tl.constexpr`")
                      .c_str());
}

std::optional<HostValue> KernelState::hostValue(PyObject *object, const Parameter &parameter) {
  try {
    Embedding::Level level(*embedding); // tuples may hold tuples
    if (!parameter.isConstexpr) {
      if (PyObject_HasAttrString(object, "block_shape") && PyObject_HasAttrString(object, "base"))
        return descriptorValue(object, parameter);
      if (isTensor(object)) {
        std::optional<Memory> memory = memoryOf(object);
        if (!memory)
          return nameArgument(parameter.name), std::nullopt;
        if (!isWithinReach(*memory, parameter))
          return std::nullopt;
        if (memory->isCuda && !acceptsCuda)
          return refuseCuda(parameter), std::nullopt;
        auto count = static_cast<int64_t>(memory->bytes / bytesOf(memory->dtype));
        return HostValue{.kind = HostValue::Kind::Tensor,
                         .tensor = Tensor::borrow(reinterpret_cast<void *>(memory->address), memory->dtype, {count}),
                         .isReadOnly = memory->isReadOnly};
      }
      if (PyTuple_Check(object))
        return tupleValue(object, parameter);
      if (Reference number = plainNumberOf(object))
        return HostValue{.constant = embedding->toValue(number.get())};
      if (!mayBeArgument(object))
        return refuseArgument(object, parameter), std::nullopt;
    }
    lang::Value value = embedding->toValue(object);
    if (!parameter.isConstexpr && isForeign(value))
      return refuseArgument(object, parameter), std::nullopt;
    if (auto *list = value.object<lang::ListObject>(); list && !parameter.isConstexpr)
      value = lang::Value::tuple(list->items);
    return HostValue{.constant = std::move(value)};
  } catch (CompileError &error) {
    Diagnostics diagnostics;
    diagnostics.add(std::move(error.diagnostic));
    raiseDiagnostics(diagnostics, {Status::BadInput, diagnostics.render()}, embedding->pythonError, isInterpreted);
    return std::nullopt;
  }
}

jit::Binding KernelState::withOptions(const Call &call, bool isForGpu) const {
  jit::Binding binding{.kernel = kernel};
  const CallOptions &options = call.options;
  binding.options.shape = options.shape.orElse({});
  binding.options.debug = options.debug;
  binding.options.strictExtents = !options.anyExtent;
  binding.options.defaultDotPrecision =
      options.dotPrecision.empty() ? jit::usualDotPrecision(isForGpu ? "cuda" : "cpu") : options.dotPrecision;
  binding.choices = options.choices;
  binding.choices.trapsOnAssert = true; // nobody waits for a launch to hear of it
  binding.options.sanitizeOverflow = options.sanitizeOverflow < 0 ? options.debug : options.sanitizeOverflow != 0;
  return binding;
}

std::optional<jit::Binding> KernelState::makeBinding(Call &call) {
  jit::Binding binding = withOptions(call, call.gpu != nullptr);
  acceptsCuda = call.gpu != nullptr;
  for (size_t i = 0; i < slots.size(); ++i) {
    const Parameter &parameter = *slots[i].parameter;
    std::optional<HostValue> value;
    if (static_cast<int>(i) == variadic) {
      Reference rest = Reference::take(PyTuple_GetSlice(call.positional, variadic, PyTuple_Size(call.positional)));
      value = tupleValue(rest.get(), parameter);
    } else {
      value = hostValue(call.bound[i], parameter);
    }
    if (!value) {
      if (!PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "argument `%s` has a type that no kernel takes: %s", parameter.name.c_str(),
                     described(reinterpret_cast<PyObject *>(Py_TYPE(call.bound[i]))).c_str());
      return std::nullopt;
    }
    binding.values.push_back(std::move(*value));
  }
  return binding;
}

// False where the user has made warnings errors.
bool KernelState::warn(const std::string &warnings, bool isCached) {
  return warnings.empty() ||
         Reference::take(PyObject_CallMethod(pythonTypes().support, "warn", "si", warnings.c_str(), int(isCached)));
}

// Code that the user has put in the place of this kernel's, in TRITON_OVERRIDE_DIR. False with an exception.
bool KernelState::findOverride(const std::string &key, std::string &path) {
  Reference found = Reference::take(PyObject_CallMethod(function, "_override", "s", key.c_str()));
  if (found && found.get() != Py_None)
    path = textOf(found.get());
  return bool(found);
}

// The code for a specialization, compiled at most once, with the Python object that stands for it.
Compiled *KernelState::obtain(const jit::Binding &binding, const jit::Specialization &specialization,
                              PyObject *arguments, cuda::Device *gpu, const std::string &override) {
  bool overlap = !gpu && jit::mayOverlap(specialization);
  std::string key = (gpu ? "cuda:" + std::to_string(gpu->ordinal()) + ":" : overlap ? "o" : "-") + specialization.key;
  if (!override.empty())
    key += "|override " + override;
  if (auto found = bySpecialization.find(key); found != bySpecialization.end())
    return found->second;
  std::string path = override, replacement;
  if (gpu && path.empty() && !findOverride(key, path))
    return nullptr;
  if (!path.empty() && !readReplacement(path, replacement))
    return nullptr;
  auto compiled = std::make_unique<Compiled>();
  compiled->specs = specialization.specs;
  compiled->key = specialization.key;
  compiled->options = binding.options;
  compiled->choices = binding.choices;
  compiled->mayOverlap = overlap;
  compiled->sources = specialization.sources;
  if (!isInterpreted) {
    if (calls == 1) // else this is in the middle of another compilation
      embedding->reads.clear();
    size_t earlier = embedding->reads.size();
    Result<std::string> warnings = findCode(binding, specialization, *compiled, gpu, replacement);
    auto first = embedding->reads.begin() + static_cast<std::ptrdiff_t>(earlier);
    compiled->reads.assign(first, embedding->reads.end());
    embedding->reads.erase(first, embedding->reads.end());
    if (!warnings)
      return raise(warnings.error()), nullptr;
    if (!warn(*warnings, compiled->isCached))
      return nullptr;
  }
  const lang::EmitOptions &options = binding.options;
  auto number = static_cast<Py_ssize_t>(firstNumber + all.size());
  all.push_back(std::move(compiled)); // the Python object asks for it by its number
  PyObject *object =
      PyObject_CallMethod(function, "_compiled", "nOiiisi", number, arguments, options.shape.numWarps,
                          options.shape.numStages, options.shape.numCtas, key.c_str(), int(all.back()->isCached));
  if (!object) {
    all.pop_back();
    return nullptr;
  }
  results.push_back(Reference::take(object));
  all.back()->object = object;
  return bySpecialization[key] = all.back().get();
}

// The code itself, into `compiled`; the compiler's warnings.
Result<std::string> KernelState::findCode(const jit::Binding &binding, const jit::Specialization &specialization,
                                          Compiled &compiled, cuda::Device *gpu, const std::string &replacement) {
  if (!gpu && !replacement.empty())
    return cannotReplace();
  if (gpu) {
    Result<jit::CudaKernel> found = jit::findCudaKernel(
        *module, binding, replacement.empty() ? specialization : jit::withoutTensorMaps(specialization), *gpu);
    if (!found)
      return found.error();
    if (!replacement.empty()) {
      cuda::Artifact artifact = found->kernel->artifact();
      if (Result<void> done = replaceCode(artifact, replacement); !done)
        return done.error();
      Result<jit::CudaKernelRef> loaded = cuda::LoadedKernel::load(*gpu, std::move(artifact));
      if (!loaded)
        return loaded.error();
      found->kernel = *loaded;
    }
    compiled.cudaKernel = found->kernel;
    compiled.isCached = found->isCached;
    return found->warnings;
  }
  Result<jit::CpuKernel> found = jit::findCpuKernel(*module, binding, specialization);
  if (!found)
    return found.error();
  compiled.kernel = found->kernel;
  compiled.isCached = found->isCached;
  return found->warnings;
}

// Triton refuses what NVIDIA's GPUs have no casts for, and programs count on it; we could compile them.
bool KernelState::refusesTypes(const Call &call) {
  for (uint8_t i : std::span<const uint8_t>(call.tensors, call.gpu ? call.tensorCount : 0)) {
    DType dtype = call.memories[i].dtype;
    if (dtype != DType::Fp8E4B8 && dtype != DType::Fp8E5B16)
      continue;
    Diagnostics diagnostics;
    diagnostics.error(module->module().source, slots[i].parameter->range,
                      "type " + std::string(nameOf(dtype)) +
                          " not supported in this architecture. The supported fp8 dtypes are ('fp8e4nv', 'fp8e5', "
                          "'fp8e4b15')");
    raiseDiagnostics(diagnostics, {Status::BadInput, diagnostics.render()}, embedding->pythonError, isInterpreted);
    return true;
  }
  return false;
}

// Whether the code may write to one of them; then an exception is set. Code does not say so by itself: its tile IR is
// made once more, which only calls with such arguments pay for.
bool KernelState::writesTo(Compiled &compiled, const ReadOnly &arguments) {
  if (arguments.empty())
    return false;
  if (!compiled.written) {
    compiler::TileModule tile = module->compiler.compile(*kernel, compiled.specs, compiled.options);
    if (!tile.module)
      return raise(module->takeError()), true;
    (void)module->compiler.takeDiagnostics(); // said when it was compiled
    compiled.written = analysis::writtenArguments(tile.kernel());
  }
  for (const auto &[word, name] : arguments)
    if (compiled.written->at(word)) {
      PyErr_Format(PyExc_ValueError,
                   "argument `%s` is read-only, and the kernel `%s` writes to it: pass an array that may be written, "
                   "such as a copy of it",
                   name.c_str(), kernel->name.c_str());
      return true;
    }
  return false;
}

// What the environment says now, for what the call does not say itself.
bool KernelState::takeKnobs(Call &call) {
  Reference options = Reference::take(PyObject_CallMethod(function, "_knob_options", nullptr));
  PyObject *name = nullptr, *value = nullptr;
  for (Py_ssize_t at = 0; options && PyDict_Next(options.get(), &at, &name, &value);)
    if (!(call.named && PyDict_Contains(call.named, name) == 1) && !takeOption(call, name, value))
      return false;
  return bool(options);
}

const Compiled *KernelState::compile(Call &call, bool isSimple) {
  if (!takeKnobs(call))
    return nullptr;
  std::optional<jit::Binding> binding = makeBinding(call);
  if (!binding || refusesTypes(call))
    return nullptr;
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  if (!specialization)
    return raise(specialization.error()), nullptr;
  Reference named = gridArguments(call);
  auto *compiled = obtain(*binding, *specialization, named.get(), call.gpu, call.options.override);
  if (!compiled || writesTo(*compiled, specialization->readOnly))
    return nullptr;
  for (const runtime::Argument &argument : specialization->arguments)
    call.words.push_back(argument.value);
  if (call.words.size() > kMaxWords) {
    PyErr_Format(PyExc_ValueError, "%s takes %zu words of arguments; at most %zu can be passed", kernel->name.c_str(),
                 call.words.size(), kMaxWords);
    return nullptr;
  }
  if (compiled->words.empty())
    compiled->words = call.words;
  if (isSimple && !isInterpreted) {
    for (size_t i = 0; i < slots.size(); ++i)
      if (call.bound[i] && slots[i].parameter->isConstexpr)
        keepAlive(*compiled, call.bound[i], 0);
    table->add(call.key, compiled);
  }
  return compiled;
}

Compiled *KernelState::compiledBy(size_t number) {
  if (number >= firstNumber && number - firstNumber < all.size())
    return all[number - firstNumber].get();
  PyErr_SetString(PyExc_RuntimeError, "the kernel has changed since this code was compiled");
  return nullptr;
}

// Why loops and products are not faster; nothing for the processor.
static Result<std::string> remarksOn(compiler::TileModule tile, const compiler::Target &target,
                                     compiler::CodeOptions options) {
  if (!target.gpu)
    return std::string();
  options.remarks = true;
  Result<cuda::Artifact> artifact = compiler::compileGpu(std::move(tile), *target.gpu, options);
  return artifact ? Result<std::string>(artifact->remarks) : artifact.error();
}

// The text of a stage, made anew: nobody keeps them.
PyObject *KernelState::textOfStage(const std::vector<lang::ArgumentSpec> &specs, const lang::EmitOptions &options,
                                   const gpu::CodeChoices &choices, const compiler::Target &target,
                                   const std::string &stage, bool mayOverlap) {
  compiler::TileModule tile = module->compiler.compile(*kernel, specs, options);
  if (!tile.module)
    return raise(module->takeError()), nullptr;
  Result<std::string> text = std::string();
  compiler::CodeOptions code{.shape = options.shape, .choices = choices, .mayOverlap = mayOverlap};
  if (stage == "ttir")
    text = compiler::tritonText(tile);
  else if (stage == "remarks")
    text = remarksOn(std::move(tile), target, code);
  else
    text = compiler::stageText(std::move(tile), target, code,
                               stage == "ttgir"  ? compiler::Stage::Triton
                               : stage == "llir" ? compiler::Stage::Llvm
                                                 : compiler::Stage::Assembly);
  if (!text)
    return raise(text.error()), nullptr;
  return PyUnicode_FromStringAndSize(text->data(), static_cast<Py_ssize_t>(text->size()));
}

PyObject *KernelState::stageText(size_t index, const std::string &stage) {
  const Compiled *found = compiledBy(index);
  if (!found)
    return nullptr;
  const Compiled &compiled = *found;
  if (compiled.cudaKernel) {
    const cuda::Artifact &artifact = compiled.cudaKernel->artifact();
    if (stage == "cubin")
      return PyBytes_FromStringAndSize(reinterpret_cast<const char *>(artifact.image.data()),
                                       static_cast<Py_ssize_t>(artifact.image.size()));
    if (stage == "ptx")
      return PyUnicode_FromStringAndSize(artifact.ptx.data(), static_cast<Py_ssize_t>(artifact.ptx.size()));
  }
  return textOfStage(compiled.specs, compiled.options, compiled.choices,
                     *compiler::findTarget(compiled.cudaKernel ? compiled.cudaKernel->artifact().target : "cpu"), stage,
                     compiled.mayOverlap);
}

PyObject *KernelState::gpuFacts(size_t index) {
  const Compiled *found = compiledBy(index);
  if (!found)
    return nullptr;
  if (!found->cudaKernel)
    return Reference::share(Py_None).release();
  const cuda::Artifact &artifact = found->cudaKernel->artifact();
  const cuda::Resources &used = artifact.resources;
  const cuda::LoadedKernel &loaded = *found->cudaKernel;
  return Py_BuildValue("(IIIIIKK)", used.registers, used.localBytes / 4, used.sharedBytes + artifact.sharedBytes,
                       used.maxThreads, artifact.threads, reinterpret_cast<uint64_t>(loaded.moduleHandle()),
                       reinterpret_cast<uint64_t>(loaded.function()));
}

} // namespace nereid::python
