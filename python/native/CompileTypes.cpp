// CompileTypes.cpp: `triton.compile`: code for the types of a signature and for a target, without arguments, without a
// device and, for a GPU, without the driver: processes that only compile may be forked from one that uses it.
#include "Code.h"
#include "Launch.h"
#include "Replace.h"

#include "compiler/TritonWalk.h"
#include "cpu/Target.h"
#include "jit/Signature.h"

namespace nereid::python {

using jit::HostValue;
using lang::Parameter;

namespace {

PyObject *bytesOf(const std::string &text) {
  return PyBytes_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
}

// What host code wants to know of code for a GPU: of the form that any launcher can start.
Reference factsOf(const CodePair &code) {
  const cuda::Artifact &artifact = code.gpuWithoutMaps ? *code.gpuWithoutMaps : *code.gpu;
  auto *image = reinterpret_cast<const char *>(artifact.image.data());
  return Reference::take(Py_BuildValue("{s:s,s:s#,s:y#,s:I,s:I,s:n}", "name", artifact.name.c_str(), "ptx",
                                       artifact.ptx.data(), static_cast<Py_ssize_t>(artifact.ptx.size()), "cubin",
                                       image ? image : "", static_cast<Py_ssize_t>(artifact.image.size()), "threads",
                                       artifact.threads, "shared", artifact.sharedBytes, "tensor_maps",
                                       static_cast<Py_ssize_t>(code.gpu->tensorMaps.size())));
}

} // namespace

std::optional<jit::Binding> KernelState::bindTypes(PyObject *types, const Call &call, bool isForGpu) {
  if (PyList_Size(types) != static_cast<Py_ssize_t>(slots.size())) {
    PyErr_Format(PyExc_TypeError, "%s has %zu parameters, but %zd types are given", kernel->name.c_str(), slots.size(),
                 PyList_Size(types));
    return std::nullopt;
  }
  jit::Binding binding = withOptions(call, isForGpu);
  for (size_t i = 0; i < slots.size(); ++i) {
    PyObject *item = PyList_GetItem(types, static_cast<Py_ssize_t>(i));
    std::optional<HostValue> value =
        typedValue(PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1), *slots[i].parameter);
    if (!value)
      return std::nullopt;
    binding.values.push_back(std::move(*value));
  }
  return binding;
}

// Both variants that launches may need.
Result<CodePair> KernelState::codeFor(const jit::Binding &binding, const jit::Specialization &specialization,
                                      const compiler::Target &target, std::string &warnings) {
  CodePair code;
  auto obtain = [&](auto &artifact, const jit::CodeRequest &request, const auto &compile) -> Result<void> {
    auto found = jit::obtainCode(*module, request, jit::DiskCache::shared(), compile);
    if (!found)
      return found.error();
    artifact = std::move(found->artifact);
    warnings = std::move(found->warnings);
    return {};
  };
  if (target.cpu) {
    for (bool overlap : {false, true})
      if (Result<void> done =
              obtain(overlap ? code.cpuForOverlap : code.cpu, {binding, specialization, target.cpu->key(), overlap},
                     jit::CompileCode(jit::compileForCpu));
          !done)
        return done.error();
    return code;
  }
  jit::CompileCudaCode compile = jit::compileForCuda;
  if (Result<void> done = obtain(code.gpu, {binding, specialization, target.name}, compile); !done)
    return done.error();
  if (!code.gpu->tensorMaps.empty())
    if (Result<void> done =
            obtain(code.gpuWithoutMaps, {binding, withoutTensorMaps(specialization), target.name}, compile);
        !done)
      return done.error();
  return code;
}

// False with an exception.
static bool readTarget(const std::string &name, compiler::Target &target) {
  std::optional<compiler::Target> found = compiler::findTarget(name);
  if (!found || (!found->cpu && !found->gpu))
    return PyErr_Format(PyExc_ValueError, "there is no target `%s` to compile for", name.c_str()), false;
  target = std::move(*found);
  return true;
}

PyObject *KernelState::compileTypes(PyObject *types, PyObject *options, const std::string &name) {
  Busy busy(*this);
  compiler::Target target;
  if (!readTarget(name, target))
    return nullptr;
  std::optional<TypedRequest> request = requestFor(types, options, target.gpu.has_value());
  if (!request)
    return nullptr;
  const CallOptions &chosen = request->call.options;
  if (target.gpu && chosen.shape.numCtas > 1 && !target.gpu->hasClusters) {
    PyErr_SetString(PyExc_ValueError, ("num_ctas > 1 requires NVIDIA SM90+ (Hopper), not " + name).c_str());
    return nullptr;
  }
  std::string warnings;
  std::string replacement;
  if (!chosen.override.empty() && !readReplacement(chosen.override, replacement))
    return nullptr;
  if (!replacement.empty())
    request->specialization = withoutTensorMaps(request->specialization);
  Result<CodePair> code = codeFor(request->binding, request->specialization, target, warnings);
  if (!code)
    return raise(code.error()), nullptr;
  if (!replacement.empty())
    if (Result<void> done = code->gpu ? replaceCode(*code->gpu, replacement) : cannotReplace(); !done)
      return raise(done.error()), nullptr;
  if (!warn(warnings, false))
    return nullptr;
  for (std::optional<cuda::Artifact> *artifact : {&code->gpu, &code->gpuWithoutMaps})
    if (*artifact) {
      (*artifact)->isCooperative |= chosen.gpu.isCooperative;
      (*artifact)->launchesDependents |= chosen.gpu.launchesDependents;
    }
  Reference bytes = Reference::take(bytesOf(encodeCode(*code)));
  Reference facts =
      code->gpu ? factsOf(*code) : Reference::take(Py_BuildValue("{s:s}", "name", code->cpu->name.c_str()));
  return bytes && facts ? PyTuple_Pack(2, bytes.get(), facts.get()) : nullptr;
}

std::optional<KernelState::TypedRequest> KernelState::requestFor(PyObject *types, PyObject *options, bool isForGpu) {
  if (!prepare())
    return std::nullopt;
  TypedRequest request;
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(options, &position, &key, &value);)
    if (!takeOption(request.call, key, value))
      return std::nullopt;
  std::optional<jit::Binding> binding = bindTypes(types, request.call, isForGpu);
  if (!binding)
    return std::nullopt;
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  if (!specialization)
    return raise(specialization.error()), std::nullopt;
  request.binding = std::move(*binding), request.specialization = std::move(*specialization);
  return request;
}

PyObject *KernelState::typesText(PyObject *types, PyObject *options, const std::string &name,
                                 const std::string &stage) {
  Busy busy(*this);
  compiler::Target target;
  if (!readTarget(name, target))
    return nullptr;
  std::optional<TypedRequest> request = requestFor(types, options, target.gpu.has_value());
  return request ? textOfStage(request->specialization.specs, request->binding.options, request->binding.choices,
                               target, stage, false)
                 : nullptr;
}

static Reference numbers(const std::vector<uint64_t> &list) {
  Reference result = Reference::take(PyTuple_New(static_cast<Py_ssize_t>(list.size())));
  for (size_t i = 0; result && i < list.size(); ++i)
    PyTuple_SetItem(result.get(), static_cast<Py_ssize_t>(i), PyLong_FromUnsignedLongLong(list[i]));
  return result;
}

PyObject *KernelState::typesOps(PyObject *types, PyObject *options) {
  Busy busy(*this);
  std::optional<TypedRequest> request = requestFor(types, options, true);
  if (!request)
    return nullptr;
  compiler::TileModule tile =
      module->compiler.compile(*kernel, request->specialization.specs, request->binding.options);
  if (!tile.module)
    return raise(module->takeError()), nullptr;
  Reference list = Reference::take(PyList_New(0));
  for (const compiler::TritonOp &op : compiler::tritonOps(tile)) {
    Reference item = Reference::take(Py_BuildValue("(sNNNKKNsO)", op.name.c_str(), numbers(op.operands).release(),
                                                   numbers(op.results).release(), numbers(op.regions).release(),
                                                   op.block, op.blockRegion, numbers(op.blockArguments).release(),
                                                   op.symbol.c_str(), op.isPure ? Py_True : Py_False));
    if (!item || PyList_Append(list.get(), item.get()) < 0)
      return nullptr;
  }
  return list.release();
}

// A type as text ("*fp32:16"), or a constant where the text is None.
std::optional<HostValue> KernelState::typedValue(PyObject *type, PyObject *constant, const Parameter &parameter) {
  if (type == Py_None) {
    Parameter asConstant = parameter;
    asConstant.isConstexpr = true;
    std::optional<HostValue> value = hostValue(constant, asConstant);
    if (value)
      return HostValue{.kind = HostValue::Kind::Typed,
                       .typed = {.kind = lang::ArgumentSpec::Kind::Constant, .constant = value->constant}};
    return std::nullopt;
  }
  if (PyTuple_Check(type)) { // of such pairs of a type and a constant
    HostValue value{.kind = HostValue::Kind::Tuple};
    for (Py_ssize_t i = 0; i < PyTuple_Size(type); ++i) {
      PyObject *pair = PyTuple_GetItem(type, i);
      std::optional<HostValue> item = typedValue(PyTuple_GetItem(pair, 0), PyTuple_GetItem(pair, 1), parameter);
      if (!item)
        return std::nullopt;
      value.items.push_back(std::move(*item));
    }
    return value;
  }
  Result<std::vector<jit::NamedHostValue>> parsed = jit::parseSignature(*module, textOf(type));
  if (!parsed || parsed->size() != 1) {
    raise(parsed ? Error{Status::BadInput, "`" + textOf(type) + "` is not a type"} : parsed.error());
    return std::nullopt;
  }
  return std::move(parsed->front().value);
}

} // namespace nereid::python
