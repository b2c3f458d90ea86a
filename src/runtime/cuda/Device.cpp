#include "runtime/cuda/Device.h"

#include "runtime/cuda/Failure.h"
#include "runtime/cuda/Recent.h"

namespace nereid::cuda {

std::string Properties::target() const {
  // From Hopper on, the `a` form has the tensor-core and copy instructions of exactly this generation.
  return "sm_" + std::to_string(capability) + (capability >= 90 ? "a" : "");
}

double Properties::tensorFlopsPerClock() const {
  if (capability >= 100)
    return 8192;
  if (capability >= 90)
    return 4096;
  return capability == 80 ? 2048 : 1024;
}

Result<std::unique_ptr<Device>> Device::open(const Driver &driver, driver::Context context, int ordinal) {
  std::unique_ptr<Device> device(new Device(driver.call(), context, ordinal));
  if (Result<void> read = device->readProperties(); !read)
    return read.error();
  if (device->facts.hasMemoryPools)
    device->makePool();
  return device;
}

// The process ends soon, or a test does: the driver may be gone already, so nothing is asked of it but this.
Device::~Device() {
  if (pool)
    functions.poolDestroy(pool);
}

Result<void> Device::readProperties() {
  driver::Device device = 0;
  driver::Status status = functions.deviceGet(&device, number);
  auto attribute = [&](driver::DeviceAttribute which) {
    int32_t value = 0;
    driver::Status here = functions.deviceAttribute(&value, which, device);
    if (status == driver::kSuccess)
      status = here;
    return value;
  };
  // Clocks are not told by every driver; without them, a figure is missing and nothing else.
  auto optional = [&](driver::DeviceAttribute which) {
    int32_t value = 0;
    return functions.deviceAttribute(&value, which, device) == driver::kSuccess ? value : 0;
  };
  char name[256] = {};
  if (status == driver::kSuccess)
    status = functions.deviceName(name, sizeof name - 1, device);
  facts.name = name;
  facts.capability = attribute(driver::kCapabilityMajor) * 10 + attribute(driver::kCapabilityMinor);
  facts.multiprocessors = attribute(driver::kMultiprocessorCount);
  facts.warpSize = attribute(driver::kWarpSize);
  facts.maxThreads = attribute(driver::kMaxThreadsPerBlock);
  facts.maxSharedBytes = static_cast<uint64_t>(attribute(driver::kMaxSharedPerBlockOptin));
  facts.l2Bytes = static_cast<uint64_t>(attribute(driver::kL2CacheSize));
  facts.clockGigahertz = optional(driver::kClockRate) / 1e6;
  facts.memoryGigabytes = 2.0 * optional(driver::kMemoryClockRate) * optional(driver::kMemoryBusWidth) / 8 / 1e6;
  facts.hasMemoryPools = optional(driver::kMemoryPoolsSupported) != 0;
  size_t bytes = 0;
  if (status == driver::kSuccess)
    status = functions.deviceTotalMemory(&bytes, device);
  facts.memoryBytes = bytes;
  if (status != driver::kSuccess)
    return failure(functions, status, "GPU " + std::to_string(number) + " does not say what it is");
  return {};
}

// A pool of our own, which keeps what is freed: the default one belongs to the whole process.
void Device::makePool() {
  driver::PoolProperties properties{};
  properties.allocationType = 1;
  properties.locationType = 1;
  properties.locationId = number;
  if (functions.poolCreate(&pool, &properties) != driver::kSuccess) {
    pool = nullptr;
    return;
  }
  uint64_t everything = ~uint64_t(0);
  functions.poolSetAttribute(pool, driver::kPoolReleaseThreshold, &everything);
}

Error Device::failed(driver::Status status, const std::string &what) {
  if (!isSticky(status))
    return failure(functions, status, what);
  std::lock_guard lock(mutex);
  if (!loss.empty())
    return {Status::Environment, "error: " + what + ": GPU " + std::to_string(number) +
                                     " is lost to this process\nnote: the reason came earlier:\n" + loss};
  loss = describeLoss(*this, status);
  return {Status::CheckFailed, loss};
}

Result<void> Device::synchronize() {
  CurrentContext scope(*this);
  driver::Status status = functions.contextSynchronize();
  return status == driver::kSuccess ? Result<void>() : failed(status, "waiting for the GPU");
}

CurrentContext::CurrentContext(const Device &device) : device(device) {
  driver::Context current = nullptr;
  device.call().contextGetCurrent(&current);
  if (current != device.context())
    isPushed = device.call().contextPush(device.context()) == driver::kSuccess;
}

CurrentContext::~CurrentContext() {
  driver::Context popped = nullptr;
  if (isPushed)
    device.call().contextPop(&popped);
}

} // namespace nereid::cuda
