// CInterface.cpp: the functions of nereid.h, over src/jit. Every one catches what may go wrong and leaves a text.
#include "api/DescribeArguments.h"
#include "api/LastError.h"
#include "api/ReadArguments.h"
#include "api/Version.h"
#include "jit/Evaluate.h"
#include "jit/Launch.h"
#include "jit/LaunchError.h"
#include "jit/Report.h"
#include "jit/call/KernelCalls.h"
#include "jit/count/CountJson.h"
#include "runtime/GuardedMemory.h"
#include "runtime/cuda/TensorMaps.h"
#include "syntax/Parser.h"

#include <cstdlib>
#include <cstring>
#include <mutex>

struct nereid_module {
  std::shared_ptr<nereid::jit::KernelModule> module;
  std::vector<std::string> names;
  std::mutex mutex; // one compilation or launch of a module at a time
};

struct nereid_kernel {
  nereid_kernel(nereid_module *module, std::shared_ptr<nereid::lang::Function> function)
      : module(module), function(std::move(function)), calls(*this->function) {}
  nereid_module *module;
  std::shared_ptr<nereid::lang::Function> function;
  nereid::jit::KernelCalls calls;
  // Whether the arguments can be read: a count that cannot be right is not believed.
  bool takes(const nereid_argument *arguments, size_t count) const { return count <= most && (arguments || !count); }

private:
  size_t most = nereid::api::mostArguments(*function);
};

using namespace nereid;
using api::failed;
using api::missing;

static thread_local std::string lastError, lastOutput;
static thread_local bool isOutOfMemory = false; // then there may be no room for a text
// Whether there is any. At a fixed offset (see runtime/cpu/Scratch.cpp): every launch asks.
[[gnu::tls_model("initial-exec")]] static thread_local bool hasOutput = false;

static std::string &output() {
  hasOutput = true;
  return lastOutput;
}

nereid_status api::failed(Error error) {
  lastError = std::move(error.message);
  isOutOfMemory = false;
  return static_cast<nereid_status>(error.status);
}
nereid_status api::failedBy(const std::exception &thrown) noexcept {
  isOutOfMemory = dynamic_cast<const std::bad_alloc *>(&thrown) != nullptr;
  try {
    if (!isOutOfMemory)
      lastError = "error: " + std::string(thrown.what()) + "\n";
  } catch (const std::bad_alloc &) {
    isOutOfMemory = true;
  }
  return NEREID_ENVIRONMENT;
}
Error api::missing(const char *what) { return {Status::BadInput, std::string("error: ") + what + " is null\n"}; }
bool api::isTooLong(size_t length) { return length > syntax::kMaxSourceBytes; }
Error api::tooLong(const char *what, size_t length) {
  return {Status::BadInput, "error: the text has " + std::to_string(length) + " bytes; the limit for " + what + " is " +
                                std::to_string(syntax::kMaxSourceBytes >> 20) + " MiB\n"};
}

namespace {

nereid_status finishLoading(Result<std::shared_ptr<jit::KernelModule>> loaded, nereid_module **module) {
  if (!loaded)
    return failed(loaded.error());
  auto handle = std::make_unique<nereid_module>();
  handle->module = std::move(*loaded);
  for (const auto &entry : handle->module->kernels())
    handle->names.push_back(entry.name);
  *module = handle.release();
  return NEREID_OK;
}

} // namespace

int32_t nereid_abi_version(void) { return NEREID_ABI_VERSION; }
const char *nereid_version(void) { return kVersionText; }
const char *nereid_last_error(void) { return isOutOfMemory ? "error: out of memory\n" : lastError.c_str(); }
const char *nereid_last_output(void) { return lastOutput.c_str(); }

nereid_status nereid_module_load(const char *path, nereid_module **module) {
  if (!path || !module)
    return failed(missing("an argument of nereid_module_load"));
  *module = nullptr;
  return api::guarded([&] { return finishLoading(jit::KernelModule::load(path), module); });
}

nereid_status nereid_module_parse(const char *name, const char *text, size_t length, nereid_module **module) {
  if (!name || (!text && length) || !module)
    return failed(missing("an argument of nereid_module_parse"));
  *module = nullptr;
  if (api::isTooLong(length))
    return failed(api::tooLong("a source file", length));
  return api::guarded([&] { return finishLoading(jit::KernelModule::parse(name, std::string(text, length)), module); });
}

void nereid_module_free(nereid_module *module) { delete module; }
size_t nereid_module_kernel_count(const nereid_module *module) { return module ? module->names.size() : 0; }
const char *nereid_module_kernel_name(const nereid_module *module, size_t index) {
  return module && index < module->names.size() ? module->names[index].c_str() : nullptr;
}

nereid_status nereid_module_kernel(nereid_module *module, const char *name, nereid_kernel **kernel) {
  if (!module || !kernel)
    return failed(missing("an argument of nereid_module_kernel"));
  *kernel = nullptr;
  return api::guarded([&] {
    std::lock_guard lock(module->mutex);
    Result<std::shared_ptr<lang::Function>> found = module->module->find(name ? name : "");
    if (!found)
      return failed(found.error());
    *kernel = new nereid_kernel(module, *found);
    return NEREID_OK;
  });
}

void nereid_kernel_free(nereid_kernel *kernel) { delete kernel; }
const char *nereid_kernel_name(const nereid_kernel *kernel) {
  return kernel ? kernel->function->name.c_str() : nullptr;
}
size_t nereid_kernel_parameter_count(const nereid_kernel *kernel) {
  return kernel ? kernel->function->parameters.size() : 0;
}
const char *nereid_kernel_parameter_name(const nereid_kernel *kernel, size_t index) {
  return kernel && index < kernel->function->parameters.size() ? kernel->function->parameters[index].name.c_str()
                                                               : nullptr;
}

// What a call says, in our types.
struct ReadCall {
  std::vector<Argument> arguments;
  jit::Settings settings;
};
static Result<ReadCall> readCall(const nereid_kernel &kernel, const jit::QuickCall &call) {
  if (!kernel.takes(call.arguments, call.count))
    return api::badCount(*kernel.function, call.arguments, call.count);
  Result<std::vector<Argument>> arguments = api::readArguments(call.arguments, call.count);
  if (!arguments)
    return arguments.error();
  Result<jit::Settings> settings = api::readOptions(call.options);
  if (!settings)
    return settings.error();
  return ReadCall{std::move(*arguments), std::move(*settings)};
}

// Everything is checked here, and said where it is wrong; compiles where needed.
static nereid_status launchTheLongWay(nereid_kernel &kernel, const jit::QuickCall &call) {
  Result<ReadCall> read = readCall(kernel, call);
  if (!read)
    return failed(read.error());
  std::lock_guard lock(kernel.module->mutex);
  jit::KernelModule &module = *kernel.module->module;
  jit::LaunchedCode code;
  Result<jit::Launched> launched = jit::launch(module, kernel.function, read->arguments, read->settings, &code);
  if (!launched)
    return failed(launched.error());
  if (code.kernel || code.cudaKernel)
    kernel.calls.add(call, code, launched->grid);
  output() = std::move(launched->output);
  if (jit::hasErrors(launched->reports))
    return failed({Status::CheckFailed, jit::renderReports(module, launched->reports)});
  return NEREID_OK;
}

static nereid_status launchQuicklyOnCuda(nereid_kernel &kernel, const jit::QuickCall &call,
                                         const jit::Callable &callable, const std::array<uint32_t, 3> &grid) {
  uint64_t words[jit::Callable::kMaxWords];
  callable.makeWords(call.arguments, words);
  std::span<const uint64_t> given(words, callable.words.size());
  const cuda::LoadedKernel &loaded = *callable.cudaKernel;
  if (!cuda::acceptsTensorMaps(loaded, given))
    return launchTheLongWay(kernel, call); // with code of its own
  auto stream = static_cast<cuda::driver::Stream>(call.options->stream);
  if (loaded.report()) { // it prints or asserts: what it says is read when it has ended
    Result<cuda::LaunchReport> report = cuda::launchAndReport(loaded, given, grid, stream);
    if (!report)
      return failed(report.error());
    output() = std::move(report->output);
    if (report->failure) {
      std::lock_guard lock(kernel.module->mutex);
      return failed({Status::CheckFailed,
                     lastOutput + jit::renderFailure(*kernel.module->module, *report->failure, report->program)});
    }
  } else if (Result<void> launched = cuda::launch(loaded, given, grid, stream); !launched) {
    return failed(launched.error());
  }
  if (call.options->asynchronous)
    return NEREID_OK;
  cuda::driver::Status status = loaded.device().call().streamSynchronize(stream);
  return status == cuda::driver::kSuccess
             ? NEREID_OK
             : failed(loaded.device().failed(status, "waiting for `" + loaded.artifact().name + "`"));
}

// The memory that a call gave to its kernel, for messages.
static std::vector<runtime::Allocation> memoryOf(nereid_kernel &kernel, const jit::QuickCall &call) {
  jit::KernelModule &module = *kernel.module->module;
  Result<ReadCall> read = readCall(kernel, call);
  if (!read)
    return {};
  Result<std::vector<jit::NamedHostValue>> values = jit::hostValues(module, read->arguments);
  Result<jit::Binding> binding = values ? jit::bind(module, kernel.function, std::move(*values), read->settings)
                                        : Result<jit::Binding>(values.error());
  Result<jit::Specialization> specialization =
      binding ? jit::specialize(*binding) : Result<jit::Specialization>(binding.error());
  return specialization ? std::move(specialization->allocations) : std::vector<runtime::Allocation>();
}

static nereid_status failedOnCpu(nereid_kernel &kernel, const jit::QuickCall &call, const jit::Callable &callable,
                                 const cpu::LaunchFailure &failure) {
  std::lock_guard lock(kernel.module->mutex);
  Error error = jit::launchError(*kernel.module->module, *callable.kernel, failure, memoryOf(kernel, call));
  return failed({error.status, lastOutput + error.message});
}

static nereid_status launchQuickly(nereid_kernel &kernel, const jit::QuickCall &call, const jit::Callable &callable,
                                   const std::array<uint32_t, 3> &grid) {
  if (callable.cudaKernel)
    return launchQuicklyOnCuda(kernel, call, callable, grid);
  uint64_t words[jit::Callable::kMaxWords];
  callable.makeWords(call.arguments, words);
  cpu::LaunchOptions options;
  options.threads = static_cast<unsigned>(call.options->threads);
  options.limits.timeout = call.options->timeout;
  if (callable.kernel->artifact().isOrderSensitive) // others do not print
    options.output = [output = &output()](std::string_view text) { *output += text; };
  Result<cpu::LaunchReport> report = cpu::launch(*callable.kernel, {words, callable.words.size()}, grid, options);
  if (!report)
    return failed(report.error());
  return report->failure ? failedOnCpu(kernel, call, callable, *report->failure) : NEREID_OK;
}

// While somebody profiles: the same launch once more, which is open then.
static nereid_status launchRecorded(nereid_kernel &kernel, const nereid_argument *arguments, size_t count,
                                    const nereid_launch_options *options) {
  profile::Launch launch(kernel.function->name);
  if (launch.isOutermost())
    api::describeArguments(launch, *kernel.function, arguments, count);
  return nereid_launch(&kernel, arguments, count, options);
}

nereid_status nereid_launch(nereid_kernel *kernel, const nereid_argument *arguments, size_t count,
                            const nereid_launch_options *options) {
  if (hasOutput)
    lastOutput.clear(), hasOutput = false;
  if (!kernel)
    return failed(missing("the kernel"));
  return api::guarded([&] {
    if (!kernel->takes(arguments, count))
      return failed(api::badCount(*kernel->function, arguments, count));
    if (profile::isOn() && !profile::Launch::current()) [[unlikely]]
      return launchRecorded(*kernel, arguments, count, options);
    jit::QuickCall call{.arguments = arguments, .count = count, .options = options};
    if (const jit::Callable *callable = options ? kernel->calls.find(call) : nullptr)
      if (std::optional<std::array<uint32_t, 3>> grid = jit::KernelCalls::gridOf(call, *callable))
        return launchQuickly(*kernel, call, *callable, *grid);
    return launchTheLongWay(*kernel, call);
  });
}

// The text of the kernel's tile IR for these arguments.
static Result<std::string> compileTile(nereid_kernel &kernel, const jit::QuickCall &call) {
  Result<ReadCall> read = readCall(kernel, call);
  if (!read)
    return read.error();
  std::lock_guard lock(kernel.module->mutex);
  jit::KernelModule &module = *kernel.module->module;
  Result<std::vector<jit::NamedHostValue>> values = jit::hostValues(module, read->arguments);
  if (!values)
    return values.error();
  return jit::compileText(module, kernel.function, std::move(*values), read->settings);
}

nereid_status nereid_compile(nereid_kernel *kernel, const nereid_argument *arguments, size_t count,
                             const nereid_launch_options *options, const char *stage, char **text) {
  if (!kernel || !stage || !text)
    return failed(missing("an argument of nereid_compile"));
  *text = nullptr;
  if (std::strcmp(stage, "tile") != 0)
    return failed(
        {Status::BadInput, "error: there is no stage `" + std::string(stage).substr(0, 80) + "`; there is `tile`\n"});
  return api::guarded([&] {
    Result<std::string> compiled = compileTile(*kernel, {.arguments = arguments, .count = count, .options = options});
    return compiled ? api::give(*compiled, text) : failed(compiled.error());
  });
}

size_t nereid_counter_count(void) { return interp::counters().size(); }
const char *nereid_counter_name(size_t index) {
  return index < nereid_counter_count() ? interp::counters()[index].name.data() : nullptr; // names are literals
}

static Result<jit::Counted> countLaunch(nereid_kernel &kernel, const jit::QuickCall &call,
                                        const jit::CountRequest &request) {
  Result<ReadCall> read = readCall(kernel, call);
  if (!read)
    return read.error();
  std::lock_guard lock(kernel.module->mutex);
  return jit::count(*kernel.module->module, kernel.function, read->arguments, std::move(read->settings), request);
}

nereid_status nereid_count(nereid_kernel *kernel, const nereid_argument *arguments, size_t count,
                           const nereid_launch_options *options, const char *target, const char *device_row,
                           uint64_t *totals, char **json) {
  if (json)
    *json = nullptr;
  if (!kernel || (!totals && !json))
    return failed(missing("an argument of nereid_count"));
  return api::guarded([&] {
    jit::CountRequest request{.target = target ? target : "", .device = device_row ? device_row : ""};
    Result<jit::Counted> counted =
        countLaunch(*kernel, {.arguments = arguments, .count = count, .options = options}, request);
    if (!counted)
      return failed(counted.error());
    if (totals)
      for (const interp::CounterRow &row : interp::counters())
        *totals++ = counted->counts.total.*row.value;
    return json ? api::give(jit::toJson(*counted, kernel->function->name), json) : NEREID_OK;
  });
}

void *nereid_guarded_alloc(size_t bytes) { return runtime::allocateGuarded(bytes); }
void nereid_guarded_free(void *memory, size_t bytes) {
  if (memory)
    runtime::freeGuarded(static_cast<std::byte *>(memory), bytes);
}

void nereid_interrupt(void) { cpu::interruptLaunches(); }

void nereid_string_free(char *text) { std::free(text); }
