// Bind.cpp: the arguments of a Python call brought to the parameters of the kernel, and described by a key: two calls
// with the same key run the same code.
#include "Gpu.h"
#include "Launch.h"

#include "support/Diagnostic.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string_view>

namespace nereid::python {

using lang::Parameter;

namespace {

// Options that compilers for other devices take, or that say what is so anyway: here they change nothing.
constexpr std::string_view kIgnoredOptions[] = {"ptx_version",
                                                "backend_name",
                                                "waves_per_eu",
                                                "matrix_instr_nonkdim",
                                                "kpack",
                                                "num_buffers_warp_spec",
                                                "num_consumer_groups",
                                                "reg_dec_producer",
                                                "reg_inc_consumer",
                                                "allow_fp8e4nv",
                                                "schedule_hint",
                                                "min_shared_mem",
                                                "clc",
                                                "cluster_dims",
                                                "max_num_imprecise_acc_default",
                                                "allowed_dot_input_precisions",
                                                "supported_fp8_dtypes",
                                                "deprecated_fp8_dot_operand_dtypes"};

bool intOption(PyObject *value, int &option) {
  Reference number = Reference::take(PyNumber_Index(value));
  if (!number)
    return false;
  int overflow = 0;
  long whole = PyLong_AsLongAndOverflow(number.get(), &overflow);
  option = static_cast<int>(whole);
  if (!overflow && option == whole)
    return true;
  PyErr_Format(PyExc_OverflowError, "%R is too large for an option of a launch", value);
  return false;
}

// False where the value has no truth: an array of several numbers.
bool boolOption(PyObject *value, bool &option) {
  int isTrue = PyObject_IsTrue(value);
  option = isTrue == 1;
  return isTrue >= 0;
}

bool textOption(PyObject *name, PyObject *value, std::string &option) {
  option = textOf(value);
  if (!PyUnicode_Check(value))
    PyErr_Format(PyExc_TypeError, "%U must be a str, got %R", name, value);
  return PyUnicode_Check(value);
}

// extern_libs: names with the files of bitcode behind them.
bool takeLibraries(PyObject *value, std::vector<std::string> &libraries) {
  if (!PyDict_Check(value)) {
    PyErr_SetString(PyExc_TypeError, "extern_libs must be a dictionary of names and paths");
    return false;
  }
  PyObject *key = nullptr, *path = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(value, &position, &key, &path);) {
    Reference text = Reference::take(PyObject_Str(path));
    if (!text)
      return false;
    libraries.push_back(textOf(text.get()));
  }
  return true;
}

bool takeArch(PyObject *value, std::string &target) {
  Reference text = Reference::take(PyObject_Str(value));
  if (!text)
    return false;
  target = gpu::targetNamed(textOf(text.get()));
  if (target.empty())
    PyErr_Format(PyExc_ValueError, "arch must look like `sm90`, got `%U`", text.get());
  return !target.empty();
}

// Options about the code for a GPU. Nothing: it is none of them.
std::optional<bool> takeChoice(PyObject *name, PyObject *value, gpu::CodeChoices &choices) {
  std::string option = textOf(name);
  bool isNone = value == Py_None;
  if (option == "maxnreg")
    return isNone || intOption(value, choices.maxRegisters);
  if (option == "enable_fp_fusion" || option == "enable_reflect_ftz")
    return boolOption(isNone ? Py_True : value,
                      option == "enable_fp_fusion" ? choices.fusesFloats : choices.flushesDenormals);
  if (option == "line_info") // of knobs alone
    return boolOption(isNone ? Py_True : value, choices.hasLines);
  if (option == "arch")
    return isNone || takeArch(value, choices.target);
  if (option == "extern_libs")
    return isNone || takeLibraries(value, choices.libraries);
  if (option == "ptx_options")
    return isNone || textOption(name, value, choices.assemblerOptions);
  return std::nullopt;
}

// Options with values that nereid does not have. Nothing: it is none of them.
std::optional<bool> refuseChoice(const std::string &option, PyObject *value) {
  if (option == "instrumentation_mode") {
    bool isSet = false;
    if (!boolOption(value, isSet))
      return false;
    if (isSet)
      PyErr_SetString(PyExc_NotImplementedError,
                      "`instrumentation_mode`: nereid compiles kernels without Triton's instrumentation");
    return !isSet;
  }
  if (option != "warp_size")
    return std::nullopt;
  int size = 32;
  if (value != Py_None && !intOption(value, size))
    return false;
  if (size != 32)
    PyErr_Format(PyExc_ValueError, "warp_size must be 32, as it is on all NVIDIA GPUs, got %d", size);
  return size == 32;
}

} // namespace

bool KernelState::takeOption(Call &call, PyObject *name, PyObject *value) {
  std::string option = textOf(name);
  if (option == "num_warps" || option == "num_stages" || option == "num_ctas") {
    int &number = option == "num_warps"    ? call.options.shape.numWarps
                  : option == "num_stages" ? call.options.shape.numStages
                                           : call.options.shape.numCtas;
    if (value != Py_None && !intOption(value, number)) {
      if (PyErr_ExceptionMatches(PyExc_TypeError))
        PyErr_Format(PyExc_TypeError, "%U must be an integer, got %R", name, value);
      return false;
    }
    if (option == "num_warps" && value != Py_None && (number < 1 || (number & (number - 1)))) {
      PyErr_Format(PyExc_AssertionError, "num_warps must be a power of 2, got %d", number);
      return false;
    }
    constexpr int kMost = 1024; // as in C
    if (value != Py_None && (number < 0 || number > kMost)) {
      PyErr_Format(PyExc_ValueError, "%U is %d; it must be from 0 to %d", name, number, kMost);
      return false;
    }
    return true;
  }
  if (option == "launch_cooperative_grid" || option == "launch_pdl")
    return boolOption(value,
                      option == "launch_pdl" ? call.options.gpu.launchesDependents : call.options.gpu.isCooperative);
  if (std::optional<bool> taken = takeChoice(name, value, call.options.choices))
    return *taken;
  if (std::optional<bool> allowed = refuseChoice(option, value))
    return *allowed;
  if (option == "ir_override") {
    Reference path = value == Py_None ? Reference() : Reference::take(PyObject_Str(value));
    call.options.override = path ? textOf(path.get()) : "";
    return value == Py_None || path;
  }
  if (option == "debug" || option == "check")
    return boolOption(value, option == "debug" ? call.options.debug : call.options.check);
  if (option == "any_extent")
    return boolOption(value, call.options.anyExtent);
  if (option == "timeout") {
    call.options.timeout = value == Py_None ? 0 : PyFloat_AsDouble(value);
    if (PyErr_Occurred() || call.options.timeout >= 0)
      return !PyErr_Occurred();
    PyErr_Format(PyExc_ValueError, "timeout must be a number of seconds, not %R", value);
    return false;
  }
  if (option == "sanitize_overflow") {
    call.options.sanitizeOverflow = value == Py_None ? -1 : PyObject_IsTrue(value);
    return !PyErr_Occurred();
  }
  if (option == "default_dot_input_precision") {
    return value == Py_None || textOption(name, value, call.options.dotPrecision);
  }
  if (std::ranges::find(kIgnoredOptions, option) != std::end(kIgnoredOptions))
    return true;
  std::vector<std::string> names = {"num_warps", "num_stages", "num_ctas", "maxnreg", "timeout", "check"};
  for (const Slot &slot : slots)
    names.push_back(slot.parameter->name);
  std::string nearest = nearestName(option, names);
  std::string message =
      "Keyword argument " + option + " was specified but unrecognised: `" + kernel->name +
      "` has no such parameter, and there is no such launch option; " +
      (nearest.empty() ? "its parameters are " + parameterNames() : "did you mean `" + nearest + "`?");
  PyErr_SetString(PyExc_KeyError, message.c_str());
  return false;
}

std::string KernelState::parameterNames() const {
  std::string names;
  for (const Slot &slot : slots)
    names += (names.empty() ? "`" : ", `") + slot.parameter->name + "`";
  return names.empty() ? "none" : names;
}

bool KernelState::bindNamed(Call &call) {
  PyObject *key = nullptr, *value = nullptr;
  for (Py_ssize_t position = 0; PyDict_Next(call.named, &position, &key, &value);) {
    size_t index = 0;
    while (index < slots.size() && slots[index].name != key) // keywords are interned
      ++index;
    if (index == slots.size())
      for (index = 0; index < slots.size() && PyUnicode_Compare(slots[index].name, key) != 0;)
        ++index;
    if (index == slots.size()) {
      if (!takeOption(call, key, value))
        return false;
      continue;
    }
    if (call.bound[index]) {
      PyErr_Format(PyExc_TypeError, "%s() got multiple values for argument '%U'", kernel->name.c_str(), key);
      return false;
    }
    call.bound[index] = value;
  }
  return true;
}

bool KernelState::missing(const Call &call) {
  std::string names;
  int count = 0;
  for (size_t i = 0; i < slots.size(); ++i)
    if (!call.bound[i] && static_cast<int>(i) != variadic) {
      names += (count++ ? ", '" : "'") + slots[i].parameter->name + "'";
    }
  if (!count)
    return false;
  PyErr_Format(PyExc_TypeError, "%s() missing %d required argument%s: %s", kernel->name.c_str(), count,
               count > 1 ? "s" : "", names.c_str());
  return true;
}

bool KernelState::bind(Call &call) {
  std::fill_n(call.bound, slots.size(), nullptr);
  auto given = static_cast<size_t>(PyTuple_Size(call.positional));
  size_t takes = 0;
  for (size_t i = 0; i < slots.size() && takes < given; ++i)
    if (slots[i].parameter->kind == Parameter::Kind::Positional)
      call.bound[i] = PyTuple_GetItem(call.positional, static_cast<Py_ssize_t>(takes++));
  if (takes < given && variadic < 0) {
    PyErr_Format(PyExc_TypeError, "%s() takes %zu positional arguments but %zu were given", kernel->name.c_str(), takes,
                 given);
    return false;
  }
  if (call.named && !bindNamed(call))
    return false;
  bool isComplete = true;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (!call.bound[i])
      call.bound[i] = slots[i].defaultValue;
    isComplete &= call.bound[i] != nullptr;
  }
  return isComplete || !missing(call);
}

// What a constexpr holds; nothing for all else.
static Reference insideOfConstexpr(PyObject *object) {
  static PyObject *value = name("value");
  bool isConstexpr = reinterpret_cast<PyObject *>(Py_TYPE(object)) == pythonTypes().constexprType;
  return isConstexpr ? attributeOf(object, value) : Reference();
}

void KernelState::describeConstant(Call &call, PyObject *object, bool &isSimple, int depth) {
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    call.key.add<uint8_t>(1);
    call.key.add<int64_t>(PyLong_AsLongLongAndOverflow(object, &overflow));
    isSimple &= overflow == 0;
  } else if (PyFloat_CheckExact(object)) {
    call.key.add<uint8_t>(2);
    call.key.add<double>(PyFloat_AsDouble(object));
  } else if (PyTuple_Check(object) && depth < kDeepestConstant) {
    call.key.add<uint8_t>(3);
    call.key.add<PyTypeObject *>(Py_TYPE(object)); // the fields of named tuples are in the order of their class
    call.key.add<uint32_t>(static_cast<uint32_t>(PyTuple_Size(object)));
    for (Py_ssize_t i = 0; i < PyTuple_Size(object) && !call.key.isTooLong(); ++i)
      describeConstant(call, PyTuple_GetItem(object, i), isSimple, depth + 1);
  } else if (PyList_Check(object) || PyDict_Check(object) || PyTuple_Check(object)) {
    isSimple = false; // it may change
  } else if (Reference number = numberOf(object)) {
    call.key.add<uint8_t>(5);
    describeConstant(call, number.get(), isSimple, depth);
  } else if (Reference inside = depth < kDeepestConstant ? insideOfConstexpr(object) : Reference()) {
    call.key.add<uint8_t>(6);
    describeConstant(call, inside.get(), isSimple, depth + 1); // which may be replaced
  } else {                                                     // by identity; the compiled code keeps it alive
    call.key.add<uint8_t>(4);
    call.key.add<PyObject *>(object);
  }
}

// Those that stand in a key by their address: another object must not get it.
void KernelState::keepAlive(Compiled &compiled, PyObject *constant, int depth) {
  compiled.alive.push_back(Reference::share(constant));
  if (depth >= kDeepestConstant)
    return;
  for (Py_ssize_t i = 0; PyTuple_Check(constant) && i < PyTuple_Size(constant); ++i)
    keepAlive(compiled, PyTuple_GetItem(constant, i), depth + 1);
  if (Reference inside = insideOfConstexpr(constant))
    keepAlive(compiled, inside.get(), depth + 1);
}

// Whether an integer has room in the type that its parameter is annotated with; what has none is reported on the long way.
static bool fitsType(int64_t value, const lang::Type &type) {
  unsigned width = type.bitWidth();
  if (width >= 64)
    return value >= 0 || !type.isUnsignedInt();
  int64_t limit = int64_t(1) << (type.isUnsignedInt() ? width : width - 1);
  return value < limit && value >= (type.isUnsignedInt() ? 0 : -limit);
}

// Whether an integer of 2**63 or more has room in 64 bits.
static bool fitsUnsigned(PyObject *object) {
  bool fits = PyLong_AsUnsignedLongLong(object) != ~0ull || !PyErr_Occurred();
  PyErr_Clear();
  return fits;
}

// Triton's rules: 1 is a constant, 16 divides or not, 32 or 64 bits.
void KernelState::describeInteger(Call &call, size_t index, bool &isSimple) {
  const Parameter &parameter = *slots[index].parameter;
  PyObject *object = call.bound[index];
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(object, &overflow);
  if (overflow) [[unlikely]] {
    value = static_cast<int64_t>(PyLong_AsUnsignedLongLongMask(object));
    isSimple = isSimple && overflow > 0 && !parameter.type && fitsUnsigned(object);
  } else if (parameter.type) {
    isSimple = isSimple && parameter.type->isInt() && fitsType(value, *parameter.type);
  }
  call.integers[index] = static_cast<uint64_t>(value);
  bool mayBeOne = !parameter.doNotSpecialize, mayDivide = mayBeOne && !parameter.doNotSpecializeOnAlignment;
  bool isOne = mayBeOne && value == 1 && !overflow, divides = mayDivide && value % 16 == 0;
  bool isWide = value != static_cast<int32_t>(value);
  call.key.add<uint8_t>(static_cast<uint8_t>(0x10 | isOne | divides << 1 | isWide << 2 | (overflow != 0) << 3));
}

bool KernelState::describeArgument(Call &call, size_t index, bool &isSimple) {
  const Slot &slot = slots[index];
  PyObject *object = call.bound[index];
  if (slot.parameter->isConstexpr)
    return describeConstant(call, object, isSimple, 0), true;
  if (PyLong_CheckExact(object))
    return describeInteger(call, index, isSimple), true;
  if (PyFloat_CheckExact(object) || PyBool_Check(object)) {
    isSimple &= !slot.parameter->type.has_value();
    call.key.add<uint8_t>(PyBool_Check(object) ? 0x21 : 0x20);
  } else if (isTensor(object)) {
    std::optional<Memory> memory = memoryOf(object);
    if (!memory)
      return nameArgument(slot.parameter->name), false;
    if (!isWithinReach(*memory, *slot.parameter))
      return false;
    call.memories[index] = *memory;
    call.tensors[call.tensorCount++] = static_cast<uint8_t>(index);
    call.isCuda |= memory->isCuda;
    bool divides =
        !slot.parameter->doNotSpecialize && !slot.parameter->doNotSpecializeOnAlignment && memory->address % 16 == 0;
    call.key.add<uint8_t>(static_cast<uint8_t>(0x40 | divides | memory->isCuda << 1 | memory->isReadOnly << 2));
    call.key.add<uint8_t>(static_cast<uint8_t>(memory->dtype));
  } else if (object == Py_None) {
    call.key.add<uint8_t>(0x30);
  } else if (Reference number = plainNumberOf(object)) { // as if Python's own had been passed
    call.bound[index] = number.get();
    call.numbers.push_back(std::move(number));
    return describeArgument(call, index, isSimple);
  } else {
    isSimple = false;
    HeldMemory held = heldMemory(object);
    call.isCuda |= held.isCuda;
    call.holdsMemory |= held.isAny;
  }
  return true;
}

static bool refuseOutOfReach(const std::string &parameter) {
  PyErr_SetString(PyExc_ValueError,
                  ("Pointer argument (`" + parameter +
                   "`) cannot be accessed from Triton: the tensor has no memory on the CPU or on a CUDA "
                   "device (a meta tensor?); move it with `.to(…)`")
                      .c_str());
  return false;
}

bool KernelState::isWithinReach(const Memory &memory, const lang::Parameter &parameter) const {
  return isWarmup || !memory.isOutOfReach() || refuseOutOfReach(parameter.name);
}

// A launch goes to where its tensors are. One without any goes to the default device.
bool KernelState::chooseDevice(Call &call) {
  if (isInterpreted)
    return true;
  std::span<const uint8_t> tensors(call.tensors, call.tensorCount);
  bool hasMemory = call.holdsMemory ||
                   std::ranges::any_of(tensors, [&](uint8_t index) { return call.memories[index].address != 0; });
  if (!call.isCuda && (hasMemory ? !isCudaForced() : !isCudaByDefault()))
    return true;
  Result<cuda::Device *> device = jit::findCudaDevice("cuda");
  if (!device)
    return raise(device.error()), false;
  call.gpu = *device;
  const std::string &chosen = call.options.choices.target;
  if (call.options.shape.numCtas > 1 &&
      !gpu::targetOf(chosen.empty() ? (*device)->properties().target() : chosen).hasClusters) {
    PyErr_SetString(PyExc_ValueError, "num_ctas > 1 requires NVIDIA SM90+ (Hopper)");
    return false;
  }
  for (uint8_t i : tensors) {
    const Memory &memory = call.memories[i];
    if (!memory.address || memory.isCuda ||
        cuda::memoryKindOf(**device, reinterpret_cast<const void *>(memory.address)) != cuda::MemoryKind::Host)
      continue;
    PyErr_Format(PyExc_ValueError, "Pointer argument (at %zu) cannot be accessed from Triton (cpu tensor?)", size_t(i));
    return false;
  }
  return true;
}

bool KernelState::describe(Call &call, bool &isSimple) {
  isSimple = variadic < 0;
  isWarmup = call.warmup;
  const CallOptions &options = call.options;
  call.key.add<int32_t>(options.shape.numWarps);
  call.key.add<int32_t>(options.shape.numStages);
  call.key.add<int32_t>(options.shape.numCtas);
  call.key.add<int8_t>(
      static_cast<int8_t>(options.debug | (options.sanitizeOverflow + 1) << 1 | options.anyExtent << 3));
  if (options.choices != gpu::CodeChoices{})
    call.key.text(options.choices.key());
  if (!options.dotPrecision.empty())
    call.key.text(options.dotPrecision);
  if (!options.override.empty())
    call.key.text("override " + options.override);
  for (size_t i = 0; i < slots.size(); ++i)
    if (static_cast<int>(i) != variadic && !describeArgument(call, i, isSimple))
      return false;
  bool overlap = false;
  for (size_t i = 1; i < call.tensorCount; ++i)
    for (size_t j = 0; j < i && !overlap; ++j) {
      const Memory &a = call.memories[call.tensors[i]], &b = call.memories[call.tensors[j]];
      overlap = a.address < b.address + b.bytes && b.address < a.address + a.bytes;
    }
  if (variadic >= 0)
    call.isCuda |= heldMemory(call.positional).isCuda;
  if (!chooseDevice(call))
    return false;
  call.key.add(call.gpu);
  call.key.add<uint8_t>(overlap && !call.gpu);
  isSimple &= !call.key.isTooLong();
  return true;
}

} // namespace nereid::python
