#include "runtime/cuda/Driver.h"

#include "runtime/cuda/Device.h"
#include "runtime/cuda/Failure.h"

#include <atomic>
#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace nereid::cuda {

namespace {

// Hopper and cuLaunchKernelEx came with it.
constexpr int kOldestVersion = 11080;

std::string versionText(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

Error environment(std::string message, const std::string &note) {
  return {Status::Environment, "error: " + std::move(message) + "\nnote: " + note + "\n"};
}

Error notLoaded(const std::string &path) {
  const char *why = dlerror();
  return environment(
      "there is no CUDA driver: `" + path + "` cannot be loaded" + (why ? std::string(": ") + why : ""),
      "it comes with NVIDIA's display driver (`nvidia-smi` shows it); NEREID_LIBCUDA names another file; "
      "`--device cpu` needs none");
}

Error tooOld(int version, const std::string &missing) {
  return environment("the CUDA driver is too old: it is of CUDA " + versionText(version) + ", and " +
                         versionText(kOldestVersion) + " or newer is needed" +
                         (missing.empty() ? "" : " (it has no `" + missing + "`)"),
                     "update NVIDIA's display driver to 520 or newer");
}

Error forkedCopy() {
  return environment(
      "this process was forked from one that uses the GPU, and CUDA does not work in such a copy",
      "start it with the method `spawn` or `forkserver` of `multiprocessing`; compiling, and kernels on the "
      "CPU, work in a copy too");
}

// Why cuInit failed.
Error notInitialized(const driver::Functions &call, driver::Status status) {
  if (status == driver::kNotInitialized)
    return forkedCopy();
  if (status != driver::kNoDevice)
    return failure(call, status, "the CUDA driver cannot be initialized");
  const char *visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible)
    return environment("there is no GPU to use: CUDA_VISIBLE_DEVICES is `" + std::string(visible).substr(0, 80) + "`",
                       "unset it to see all GPUs; `nvidia-smi -L` lists them");
  return environment("the CUDA driver finds no GPU in this machine",
                     "`nvidia-smi -L` lists them; `--device cpu` needs none");
}

} // namespace

Driver::~Driver() = default;

Result<std::unique_ptr<Driver>> Driver::load(const std::string &path) {
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (!library)
    return notLoaded(path);
  std::unique_ptr<Driver> self(new Driver);
  self->libraryPath = path;
  driver::Functions &call = self->functions;
  std::string missing = driver::fill(call, library);
  if (call.driverVersion)
    call.driverVersion(&self->driverVersion);
  // An older driver lacks functions because it is older; a newer one must have them all.
  if (self->driverVersion < kOldestVersion && call.driverVersion)
    return tooOld(self->driverVersion, missing);
  if (!missing.empty())
    return environment("`" + path + "` is no CUDA driver that can be used: it has no `" + missing + "`",
                       "NEREID_LIBCUDA names the file to load");
  if (driver::Status status = call.init(0); status != driver::kSuccess)
    return notInitialized(call, status);
  driver::Status status = call.deviceCount(&self->count);
  if (status != driver::kSuccess || self->count == 0)
    return notInitialized(call, status == driver::kSuccess ? driver::kNoDevice : status);
  return self;
}

static std::string libraryToLoad() {
  if (const char *path = std::getenv("NEREID_LIBCUDA"); path && *path)
    return path;
  if (const char *folder = std::getenv("TRITON_LIBCUDA_PATH"); folder && *folder)
    return std::string(folder) + "/libcuda.so.1";
  return "libcuda.so.1";
}

static std::atomic<bool> isCopy{false};

bool Driver::isForked() { return isCopy.load(std::memory_order_relaxed); }

Result<Driver *> Driver::shared() {
  // Lives as long as the process: kernels may still run when static objects are destroyed.
  static auto *loaded = new Result<std::unique_ptr<Driver>>(load(libraryToLoad()));
  static const int handler = pthread_atfork(nullptr, nullptr, [] { isCopy.store(true); });
  (void)handler;
  if (isForked())
    return forkedCopy();
  if (!*loaded)
    return loaded->error();
  return (*loaded)->get();
}

Result<Device *> Driver::deviceOf(driver::Context context, int ordinal) {
  auto found = devices.find(context);
  if (found != devices.end())
    return found->second.get();
  Result<std::unique_ptr<Device>> opened = Device::open(*this, context, ordinal);
  if (!opened)
    return opened.error();
  return (devices[context] = std::move(*opened)).get();
}

Result<Device *> Driver::device(int ordinal) {
  if (ordinal < 0 || ordinal >= count)
    return Error{Status::Environment, "error: there is no GPU " + std::to_string(ordinal) + "; there are " +
                                          std::to_string(count) + ", the first one is `cuda:0`\n"};
  std::lock_guard lock(mutex);
  driver::Context &context = primaries[ordinal];
  if (!context) {
    driver::Device handle = 0;
    driver::Status status = functions.deviceGet(&handle, ordinal);
    if (status == driver::kSuccess)
      status = functions.primaryContextRetain(&context, handle);
    if (status != driver::kSuccess)
      return failure(functions, status, "GPU " + std::to_string(ordinal) + " cannot be used");
  }
  return deviceOf(context, ordinal);
}

Result<Device *> Driver::current() {
  // The context of the last call from this thread: looking it up again would take a lock.
  thread_local Driver *lastDriver = nullptr;
  thread_local driver::Context lastContext = nullptr;
  thread_local Device *lastDevice = nullptr;
  driver::Context context = nullptr;
  if (driver::Status status = functions.contextGetCurrent(&context); status != driver::kSuccess)
    return failure(functions, status, "the current CUDA context cannot be asked for");
  if (context && context == lastContext && lastDriver == this)
    return lastDevice;
  Result<Device *> found = Error{};
  if (!context) {
    found = device(0);
    if (!found)
      return found;
    context = (*found)->context();
    if (driver::Status status = functions.contextSetCurrent(context); status != driver::kSuccess)
      return failure(functions, status, "the context of GPU 0 cannot be made current");
  } else {
    driver::Device handle = 0;
    if (driver::Status status = functions.contextDevice(&handle); status != driver::kSuccess)
      return failure(functions, status, "the device of the current CUDA context cannot be asked for");
    std::lock_guard lock(mutex);
    found = deviceOf(context, handle);
    if (!found)
      return found;
  }
  lastDriver = this, lastContext = context, lastDevice = *found;
  return found;
}

} // namespace nereid::cuda
