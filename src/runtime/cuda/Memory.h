// Memory.h: memory of a GPU, from the device's pool in the order of a stream, so that it costs no waiting and may be
// asked for while a CUDA graph is recorded; and memory of the host that both sides see.
#pragma once

#include "runtime/cuda/Device.h"

#include <span>
#include <utility>

namespace nereid::cuda {

// Where an address points.
enum class MemoryKind { Host, Device, Shared }; // Shared: managed or pinned, seen by both
MemoryKind memoryKindOf(const Device &device, const void *address);

// Bytes on a device; freed in the order of its stream. Aligned to 256.
class Buffer {
public:
  Buffer() = default;
  static Result<Buffer> allocate(Device &device, size_t bytes, driver::Stream stream = nullptr);
  Buffer(Buffer &&other) noexcept { *this = std::move(other); }
  Buffer &operator=(Buffer &&other) noexcept;
  ~Buffer() {
    if (start)
      release();
  }

  driver::Address address() const { return start; }
  size_t size() const { return bytes; }
  // Gives the memory away: whoever has it frees it.
  driver::Address take() { return std::exchange(start, 0); }
  static Result<void> free(Device &device, driver::Address address, driver::Stream stream);

private:
  void release();
  Device *device = nullptr;
  driver::Address start = 0;
  size_t bytes = 0;
  driver::Stream stream = nullptr;
};

// Pinned memory of the host, at the same address on the device.
class HostBuffer {
public:
  HostBuffer() = default;
  static Result<HostBuffer> allocate(Device &device, size_t bytes);
  HostBuffer(HostBuffer &&other) noexcept { *this = std::move(other); }
  HostBuffer &operator=(HostBuffer &&other) noexcept;
  ~HostBuffer();

  std::byte *data() const { return memory; }

private:
  Device *device = nullptr;
  std::byte *memory = nullptr;
};

// In the order of the stream. The memory of the host must stay until the stream has come there.
Result<void> copyToDevice(Device &device, driver::Address to, std::span<const std::byte> from, driver::Stream stream);
Result<void> copyToHost(Device &device, std::span<std::byte> to, driver::Address from, driver::Stream stream);
Result<void> fill(Device &device, driver::Address to, uint8_t value, size_t bytes, driver::Stream stream);

} // namespace nereid::cuda
