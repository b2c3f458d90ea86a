#include "runtime/cuda/Memory.h"

#include "runtime/cuda/Failure.h"

#include <iterator>
#include <utility>

namespace nereid::cuda {

namespace {

std::string mebibytes(size_t bytes) {
  return bytes < 1u << 20 ? std::to_string(bytes) + " bytes" : std::to_string(bytes >> 20) + " MiB";
}

Error notEnough(Device &device, size_t bytes) {
  size_t left = 0, total = 0;
  device.call().memoryInfo(&left, &total);
  return {Status::Environment, "error: out of memory on GPU " + std::to_string(device.ordinal()) + ": " +
                                   mebibytes(bytes) + " were asked for, " + mebibytes(left) + " of " +
                                   mebibytes(total) + " are free\n"};
}

// Whether memory is on a device does not change while it is used, so each thread remembers the last answers. Memory of
// a GPU is mapped in pages of 2 MiB that hold nothing else.
struct KnownPages {
  static constexpr size_t kSlots = 64;
  static constexpr unsigned kPageBits = 21;
  uint64_t pages[kSlots] = {};
};

} // namespace

MemoryKind memoryKindOf(const Device &device, const void *address) {
  thread_local KnownPages known;
  uint64_t page = reinterpret_cast<uint64_t>(address) >> KnownPages::kPageBits;
  uint64_t &slot = known.pages[page % KnownPages::kSlots];
  if (page && slot == page)
    return MemoryKind::Device;
  driver::Address start = reinterpret_cast<driver::Address>(address);
  int32_t type = 0, isManaged = 0;
  driver::Address onDevice = 0;
  size_t range = 0;
  driver::PointerAttribute asked[] = {driver::kPointerMemoryType, driver::kPointerDevicePointer,
                                      driver::kPointerIsManaged, driver::kPointerRangeSize};
  void *answers[] = {&type, &onDevice, &isManaged, &range};
  // Ordinary memory of the host has zeros here. The type alone would not do: where the GPU shares the host's page
  // tables, every address has one, but only what the driver knows has a range.
  if (device.call().pointerAttributes(std::size(asked), asked, answers, start) != driver::kSuccess || !onDevice)
    return MemoryKind::Host;
  if (type != driver::kMemoryDevice && !range)
    return MemoryKind::Host;
  if (isManaged)
    return MemoryKind::Shared;
  if (type != driver::kMemoryDevice)
    return type == driver::kMemoryHost ? MemoryKind::Shared : MemoryKind::Host;
  slot = page;
  return MemoryKind::Device;
}

Result<Buffer> Buffer::allocate(Device &device, size_t bytes, driver::Stream stream) {
  CurrentContext scope(device);
  const driver::Functions &call = device.call();
  Buffer buffer;
  buffer.device = &device, buffer.bytes = bytes, buffer.stream = stream;
  size_t size = bytes ? bytes : 1;
  auto ask = [&] {
    return device.memoryPool() ? call.memoryAllocFromPool(&buffer.start, size, device.memoryPool(), stream)
                               : call.memoryAlloc(&buffer.start, size);
  };
  driver::Status status = ask();
  if (status == driver::kOutOfMemory && device.memoryPool()) {
    // What was freed in the order of streams that are not done yet may come back.
    call.streamSynchronize(stream);
    call.poolTrim(device.memoryPool(), 0);
    status = ask();
  }
  if (status == driver::kSuccess)
    return buffer;
  buffer.start = 0;
  return status == driver::kOutOfMemory ? notEnough(device, bytes)
                                        : device.failed(status, "memory of the GPU cannot be had");
}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(start, other.start);
  std::swap(bytes, other.bytes);
  std::swap(stream, other.stream);
  return *this;
}

Result<void> Buffer::free(Device &device, driver::Address address, driver::Stream stream) {
  CurrentContext scope(device);
  driver::Status status =
      device.memoryPool() ? device.call().memoryFreeAsync(address, stream) : device.call().memoryFree(address);
  return status == driver::kSuccess ? Result<void>() : device.failed(status, "memory of the GPU cannot be freed");
}

void Buffer::release() {
  if (!Driver::isForked())
    (void)free(*device, std::exchange(start, 0), stream);
}

Result<HostBuffer> HostBuffer::allocate(Device &device, size_t bytes) {
  CurrentContext scope(device);
  HostBuffer buffer;
  buffer.device = &device;
  void *memory = nullptr;
  driver::Status status = device.call().hostAlloc(&memory, bytes, driver::kHostPortable | driver::kHostMapped);
  if (status != driver::kSuccess)
    return device.failed(status, mebibytes(bytes) + " of pinned memory cannot be had");
  buffer.memory = static_cast<std::byte *>(memory);
  return buffer;
}

HostBuffer &HostBuffer::operator=(HostBuffer &&other) noexcept {
  std::swap(device, other.device);
  std::swap(memory, other.memory);
  return *this;
}

HostBuffer::~HostBuffer() {
  if (!memory || Driver::isForked())
    return;
  CurrentContext scope(*device);
  device->call().hostFree(memory);
}

Result<void> copyToDevice(Device &device, driver::Address to, std::span<const std::byte> from, driver::Stream stream) {
  if (from.empty())
    return {};
  CurrentContext scope(device);
  driver::Status status = device.call().copyToDevice(to, from.data(), from.size(), stream);
  return status == driver::kSuccess ? Result<void>() : device.failed(status, "copying to the GPU");
}

Result<void> copyToHost(Device &device, std::span<std::byte> to, driver::Address from, driver::Stream stream) {
  if (to.empty())
    return {};
  CurrentContext scope(device);
  driver::Status status = device.call().copyToHost(to.data(), from, to.size(), stream);
  return status == driver::kSuccess ? Result<void>() : device.failed(status, "copying from the GPU");
}

Result<void> fill(Device &device, driver::Address to, uint8_t value, size_t bytes, driver::Stream stream) {
  if (!bytes)
    return {};
  CurrentContext scope(device);
  driver::Status status = device.call().fillBytes(to, value, bytes, stream);
  return status == driver::kSuccess ? Result<void>() : device.failed(status, "filling memory of the GPU");
}

} // namespace nereid::cuda
