#include "Launch.h"

#include "Arguments.h"
#include "Failure.h"
#include "Gpu.h"
#include "Grid.h"
#include "Interruptible.h"
#include "Profile.h"

#include "cpu/Target.h"
#include "jit/LaunchError.h"
#include "jit/Report.h"
#include "runtime/cuda/TensorMaps.h"

#include <algorithm>
#include <cstdio>

namespace nereid::python {

using jit::HostValue;

void KernelState::raise(const Error &error) { raiseError(error, module.get(), embedding.get(), isInterpreted); }

// A thread that was at work when the process was forked is not here to finish it: all is made anew, and what it left
// stays as it is.
void KernelState::abandon() {
  struct Left {
    std::unique_ptr<Embedding> embedding;
    std::shared_ptr<jit::KernelModule> module;
    std::shared_ptr<lang::Function> kernel;
    std::vector<Slot> slots;
    std::vector<std::unique_ptr<Compiled>> all;
    std::map<std::string, Compiled *> bySpecialization;
    std::unique_ptr<jit::CallTable<const Compiled *>> table;
    std::vector<Reference> results;
  };
  firstNumber += all.size();
  new Left{std::move(embedding), std::move(module),           std::move(kernel), std::move(slots),
           std::move(all),       std::move(bySpecialization), std::move(table),  std::move(results)};
  drop();
  new (&mutex) std::recursive_mutex;
}

void KernelState::forget() {
  isForgotten = true;
  if (calls == 0)
    drop();
}

void KernelState::drop() {
  isReady = isForgotten = false;
  table.reset();
  bySpecialization.clear();
  firstNumber += all.size();
  all.clear();
  results.clear();
  reads.clear();
  slots.clear();
  kernel.reset();
  module.reset();
  embedding.reset();
}

// Embeds the function in a compiler of its own, once.
bool KernelState::prepare() {
  if (unsigned now = countForks(); now != forksSeen) {
    forksSeen = now;
    calls = 1; // those of other threads do not end here
    if (mutex.try_lock())
      mutex.unlock();
    else
      abandon();
  }
  if (isForgotten) [[unlikely]] {
    if (calls == 1) {
      drop();
    } else {
      PyErr_SetString(PyExc_RuntimeError,
                      "the kernel was changed while a launch of it is at work: launch it again when that has ended");
      return false;
    }
  }
  if (isReady.load(std::memory_order_acquire))
    return true;
  Busy busy(*this);
  if (isReady)
    return true;
  isInterpreted = attributeOf(function, "_interpret").get() == Py_True;
  Diagnostics reported;
  Result<std::shared_ptr<jit::KernelModule>> made = jit::KernelModule::embed([&](compiler::Compiler &compiler) {
    embedding = std::make_unique<Embedding>(compiler);
    std::shared_ptr<lang::Module> defined = embedding->defineKernel(function);
    if (!defined)
      reported = compiler.diagnostics();
    return defined;
  });
  if (!made) {
    raiseDiagnostics(reported, made.error(), embedding->pythonError, isInterpreted);
    embedding.reset();
    return false;
  }
  module = *made;
  kernel = embedding->kernel();
  table = std::make_unique<jit::CallTable<const Compiled *>>();
  defaults = Reference::take(PyObject_CallMethod(function, "_defaults", nullptr));
  if (!defaults)
    return false;
  variadic = -1;
  for (const lang::Parameter &parameter : kernel->parameters) {
    if (parameter.kind == lang::Parameter::Kind::VarArgs)
      variadic = static_cast<int>(slots.size());
    PyObject *defaultValue = PyDict_GetItemString(defaults.get(), parameter.name.c_str());
    slots.push_back({name(parameter.name.c_str()), defaultValue, &parameter});
  }
  if (slots.size() > Call::kMaxParameters) {
    PyErr_Format(PyExc_ValueError, "%s has %zu parameters; at most %zu can be passed", kernel->name.c_str(),
                 slots.size(), Call::kMaxParameters);
    return false;
  }
  reads = std::exchange(embedding->reads, {});
  isReady.store(true, std::memory_order_release);
  return true;
}

PyObject *KernelState::fingerprint() {
  return prepare() ? PyUnicode_FromString(kernel->module->fingerprint.c_str()) : nullptr;
}

// Code that was made from the values of globals is right as long as they stay.
bool KernelState::globalsUnchanged() {
  for (const Embedding::Watched &watched : embedding->watched) {
    PyObject *now = PyDict_GetItemWithError(watched.globals.get(), watched.name.get());
    Reference inner = watched.inner && now ? attributeOf(now, "value") : Reference(); // of a constexpr
    if (now == watched.value.get() && inner.get() == watched.inner.get() && !watched.copy)
      continue;
    PyObject *value = watched.inner ? inner.get() : now;
    PyObject *expected = watched.copy ? watched.copy.get() : watched.inner ? watched.inner.get() : watched.value.get();
    if (value && PyObject_RichCompareBool(value, expected, Py_EQ) == 1)
      continue;
    PyErr_Clear();
    const char *form = watched.inner && inner
                           ? "Global variable %U has changed since we compiled this kernel, from constexpr[%S] to "
                             "constexpr[%S]: pass it as an argument, or keep it constant"
                           : "Global variable %U has changed since we compiled this kernel, from %S to %S: pass it as "
                             "an argument, or keep it constant";
    PyErr_Format(PyExc_RuntimeError, form, watched.name.get(), expected, inner ? inner.get() : now ? now : Py_None);
    return false;
  }
  return true;
}

bool KernelState::beginAgain() {
  forget();
  return prepare();
}

// What a callable grid gets: the arguments by name, and the options.
Reference KernelState::gridArguments(const Call &call) {
  Reference arguments = call.named ? Reference::take(PyDict_Copy(call.named)) : Reference::take(PyDict_New());
  for (size_t i = 0; i < slots.size(); ++i)
    if (call.bound[i])
      PyDict_SetItem(arguments.get(), slots[i].name, call.bound[i]);
  return arguments;
}

bool KernelState::callGrid(Call &call) {
  if (!PyCallable_Check(call.grid))
    return true;
  Reference arguments = gridArguments(call);
  call.calledGrid = Reference::take(PyObject_CallFunctionObjArgs(call.grid, arguments.get(), nullptr));
  call.grid = call.calledGrid.get();
  if (!call.grid)
    sayWhatGridGets(arguments.get(), parameterNames());
  return call.grid != nullptr;
}

static uint64_t wordOf(const jit::WordSource &source, const Call &call) {
  using Form = jit::WordSource::Form;
  auto parameter = static_cast<size_t>(source.parameter);
  if (source.form == Form::Pointer)
    return call.memories[parameter].address;
  PyObject *object = call.bound[parameter];
  if (source.form == Form::Float)
    return floatWord(object, source.dtype);
  return PyLong_CheckExact(object) ? call.integers[parameter] & source.mask : integerWord(object, source.mask);
}

// For tensors that TMA cannot read.
jit::CudaKernelRef KernelState::mapFreeKernelOf(const Compiled &compiled) {
  Busy busy(*this);
  if (compiled.mapFreeKernel)
    return compiled.mapFreeKernel;
  jit::Binding binding;
  binding.kernel = kernel;
  binding.options = compiled.options;
  jit::Specialization specialization;
  specialization.specs = compiled.specs, specialization.sources = compiled.sources, specialization.key = compiled.key;
  Result<jit::CudaKernel> found = jit::findCudaKernel(*module, binding, withoutTensorMaps(std::move(specialization)),
                                                      compiled.cudaKernel->device());
  if (!found)
    return raise(found.error()), nullptr;
  return compiled.mapFreeKernel = found->kernel;
}

// Goes into the stream that was named, else torch's, and does not wait, unless the kernel prints or asserts.
bool KernelState::runOnGpu(const cuda::LoadedKernel &loaded, std::span<const uint64_t> words,
                           const std::array<uint32_t, 3> &grid, const CallOptions &options) {
  cuda::LaunchFlags flags = options.gpu;
  auto stream = options.stream ? static_cast<cuda::driver::Stream>(*options.stream) : currentStream(loaded.device());
  if (!loaded.report()) {
    Result<void> launched = cuda::launch(loaded, words, grid, stream, flags);
    return launched ? true : (raise(launched.error()), false);
  }
  PyThreadState *thread = PyEval_SaveThread();
  Result<cuda::LaunchReport> report = cuda::launchAndReport(loaded, words, grid, stream, flags);
  PyEval_RestoreThread(thread);
  if (!report)
    return raise(report.error()), false;
  std::fwrite(report->output.data(), 1, report->output.size(), stdout);
  std::fflush(stdout);
  if (report->failure)
    return raise({Status::CheckFailed, jit::renderFailure(*module, *report->failure, report->program)}), false;
  return true;
}

std::vector<runtime::Allocation> KernelState::memoryOfCall(Call &call) {
  Busy busy(*this);
  std::optional<jit::Binding> binding = makeBinding(call);
  PyErr_Clear();
  if (!binding)
    return {};
  Result<jit::Specialization> specialization = jit::specialize(*binding);
  return specialization ? std::move(specialization->allocations) : std::vector<runtime::Allocation>();
}

bool KernelState::runWords(Call &call, const Compiled &compiled, const uint64_t *words,
                           const std::array<uint32_t, 3> &grid) {
  if (compiled.cudaKernel) {
    std::span<const uint64_t> all(words, compiled.sources.size());
    if (cuda::acceptsTensorMaps(*compiled.cudaKernel, all))
      return runOnGpu(*compiled.cudaKernel, all, grid, call.options);
    jit::CudaKernelRef mapFree = mapFreeKernelOf(compiled);
    return mapFree && runOnGpu(*mapFree, all, grid, call.options);
  }
  if (call.options.check || jit::checksEveryLaunch() || jit::guardsEveryLaunch())
    return runBound(call, grid);
  std::span<const uint64_t> all(words, compiled.sources.size());
  if (compiled.guardedBytes.load(std::memory_order_relaxed) > 0) [[unlikely]]
    if (std::optional<bool> done = runGuarded(call, compiled, all, grid))
      return *done;
  Result<cpu::LaunchReport> report = launchInterruptibly(*compiled.kernel, all, grid, call.options.timeout);
  if (!report)
    return raise(report.error()), false;
  if (!report->failure)
    return true;
  if (!PyErr_Occurred()) // of a signal's handler
    raise(jit::launchError(*module, *compiled.kernel, *report->failure, memoryOfCall(call)));
  return false;
}

PyObject *KernelState::run(Call &call, const Compiled &compiled, const std::array<uint32_t, 3> &grid) {
  uint64_t words[kMaxWords];
  for (size_t i = 0; i < compiled.sources.size(); ++i) {
    const jit::WordSource &source = compiled.sources[i];
    bool isFixed = source.parameter < 0 || source.form == jit::WordSource::Form::Fixed;
    words[i] = isFixed ? compiled.words[i] : wordOf(source, call);
  }
  if (!runWords(call, compiled, words, grid))
    return nullptr;
  return Reference::share(compiled.object).release();
}

// What a profile shows of the call, before it runs. False with an exception of the kernel's `launch_metadata`.
bool KernelState::describeForProfile(profile::Launch &launch, const Call &call, const Compiled &compiled,
                                     const std::array<uint32_t, 3> &grid) {
  if (kernel->module && kernel->module->source)
    launch.setSource(kernel->module->source->name(), kernel->name);
  const uint8_t *tensor = call.tensors, *last = tensor + call.tensorCount; // in the order of the parameters
  for (size_t i = 0; i < slots.size(); ++i) {
    bool isTensor = tensor != last && *tensor == i;
    addArgument(launch, *slots[i].parameter, call.bound[i], isTensor ? &call.memories[*tensor++] : nullptr);
  }
  static PyObject *describe = name("launch_metadata");
  Reference function = wantsMetadata() ? attributeOf(this->function, describe) : Reference();
  if (!function || function.get() == Py_None)
    return true;
  Reference arguments = gridArguments(call);
  Reference result = Reference::take(PyObject_CallMethod(this->function, "_metadata_for_profile", "O(III)O",
                                                         compiled.object, grid[0], grid[1], grid[2], arguments.get()));
  return result && describeMetadata(launch, result.get());
}

PyObject *KernelState::launch(Call &call) {
  if (!prepare())
    return nullptr;
  if (!profile::isOn() || call.warmup) [[likely]]
    return launchHere(call, nullptr);
  profile::Launch recorded(kernel->name);
  return launchHere(call, recorded.isOutermost() ? &recorded : nullptr);
}

PyObject *KernelState::launchHere(Call &call, profile::Launch *recorded) {
  if (!globalsUnchanged() || !refresh() || !bind(call) || !(call.warmup || callGrid(call)))
    return nullptr;
  bool isSimple = false;
  if (!describe(call, isSimple))
    return nullptr;
  const Compiled *compiled = nullptr;
  if (isSimple && !isInterpreted)
    if (auto *found = table->find(call.key))
      compiled = *found;
  if (!compiled) {
    Busy busy(*this);
    if (!(compiled = compile(call, isSimple)))
      return nullptr;
  }
  if (!compiled->reads.empty() && !areUnchanged(compiled->reads)) [[unlikely]] { // of an object among the constants
    Call again;
    again.grid = call.grid, again.positional = call.positional, again.named = call.named, again.warmup = call.warmup;
    return beginAgain() ? launchHere(again, recorded) : nullptr;
  }
  if (call.warmup)
    return Reference::share(compiled->object).release();
  std::optional<std::array<uint32_t, 3>> grid = readGrid(call.grid, call.gpu != nullptr);
  if (!grid)
    return nullptr;
  if (uint64_t(grid->at(0)) * grid->at(1) * grid->at(2) == 0)
    return Reference::share(compiled->object).release();
  if (recorded && !describeForProfile(*recorded, call, *compiled, *grid))
    return nullptr;
  if (!compiled->kernel && !compiled->cudaKernel)
    return runBound(call, *grid) ? Reference::share(compiled->object).release() : nullptr;
  if (!call.words.empty())
    return runWords(call, *compiled, call.words.data(), *grid) ? Reference::share(compiled->object).release() : nullptr;
  return run(call, *compiled, *grid);
}

PyObject *KernelState::prepareCall(Call &call) {
  bool isSimple = false;
  if (prepare() && bind(call) && describe(call, isSimple) && call.gpu && !(isSimple && table->find(call.key))) {
    Busy busy(*this);
    if (std::optional<jit::Binding> binding = makeBinding(call))
      if (Result<jit::Specialization> specialization = jit::specialize(*binding))
        jit::prepareCudaKernel(*module, *binding, *specialization, *call.gpu);
    (void)module->compiler.takeDiagnostics();
  }
  PyErr_Clear();
  return Reference::share(Py_None).release();
}

// Programs that keep compiled code give it all arguments, or those of run time alone: then None stands for each constant.
Reference KernelState::withConstants(PyObject *given) const {
  auto isConstant = [](const Slot &slot) { return slot.parameter->isConstexpr; };
  auto constants = static_cast<Py_ssize_t>(std::ranges::count_if(slots, isConstant));
  auto all = static_cast<Py_ssize_t>(slots.size());
  if (!constants || variadic >= 0 || isInterpreted || PyTuple_Size(given) != all - constants)
    return Reference::share(given);
  Reference complete = Reference::take(PyTuple_New(all));
  for (Py_ssize_t i = 0, next = 0; i < all; ++i) {
    PyObject *value = isConstant(slots[static_cast<size_t>(i)]) ? Py_None : PyTuple_GetItem(given, next++);
    PyTuple_SetItem(complete.get(), i, Reference::share(value).release());
  }
  return complete;
}

PyObject *KernelState::launchCompiled(size_t index, Call &call) {
  Compiled *found = compiledBy(index);
  if (!found)
    return nullptr;
  Compiled &compiled = *found;
  Reference complete = withConstants(call.positional);
  call.positional = complete.get();
  bool isSimple = false;
  if (!bind(call) || !callGrid(call) || !describe(call, isSimple))
    return nullptr;
  std::optional<std::array<uint32_t, 3>> grid = readGrid(call.grid, call.gpu != nullptr);
  if (!grid)
    return nullptr;
  ReadOnly readOnly;
  for (size_t i = 0; i < compiled.sources.size(); ++i)
    if (int32_t parameter = compiled.sources[i].parameter;
        parameter >= 0 && compiled.sources[i].form == jit::WordSource::Form::Pointer &&
        isTensor(call.bound[parameter]) && call.memories[parameter].isReadOnly)
      readOnly.emplace_back(i, slots[static_cast<size_t>(parameter)].parameter->name);
  if (!readOnly.empty()) {
    Busy busy(*this);
    if (writesTo(compiled, readOnly))
      return nullptr;
  }
  if (!compiled.kernel && !compiled.cudaKernel)
    return runBound(call, *grid) ? Reference::share(Py_None).release() : nullptr;
  return run(call, compiled, *grid);
}

} // namespace nereid::python
