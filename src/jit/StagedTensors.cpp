#include "jit/StagedTensors.h"

#include <algorithm>

namespace nereid::jit {

using cuda::MemoryKind;

namespace {

constexpr uintptr_t kPage = 4096;
// Memory of the device is aligned so; within it, tensors lie as they do on the host.
constexpr uintptr_t kAlignment = 256;

// Joins what overlaps, or shares a page where `unit` is one.
template <class Range> std::vector<Range> joined(std::vector<Range> ranges, uintptr_t unit) {
  for (Range &range : ranges)
    range.begin = range.begin / unit * unit, range.end = (range.end + unit - 1) / unit * unit;
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<Range> result;
  for (Range &range : ranges)
    if (!result.empty() && range.begin < result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(std::move(range));
  return result;
}

} // namespace

StagedTensors::~StagedTensors() {
  cuda::CurrentContext scope(device);
  for (void *memory : registered)
    device.call().hostUnregister(memory);
}

Result<void> StagedTensors::stage(const Specialization &specialization, const Settings &settings) {
  std::vector<Range> found;
  auto add = [&](const std::string &name, const void *data, size_t bytes) -> Result<void> {
    if (!bytes || memoryKindOf(device, data) != MemoryKind::Host)
      return {};
    if (settings.isAsynchronous)
      return Error{Status::BadInput, "error: argument `" + name +
                                         "` is in the memory of the host, which the GPU cannot read\nnote: move it to "
                                         "the GPU, or launch without a stream: then it is copied there and back\n"};
    auto begin = reinterpret_cast<uintptr_t>(data);
    found.push_back({begin, begin + bytes, {}, 0});
    return {};
  };
  for (const runtime::Allocation &allocation : specialization.allocations)
    if (Result<void> added = add(allocation.name, allocation.data, allocation.bytes); !added)
      return added;
  for (const Tensor &tensor : settings.reachable)
    if (Result<void> added = add("memory reached by address", tensor.data(), tensor.spanBytes()); !added)
      return added;
  return settings.reachable.empty() ? copyRanges(joined(std::move(found), 1))
                                    : registerRanges(joined(std::move(found), kPage));
}

Result<void> StagedTensors::copyRanges(std::vector<Range> found) {
  for (Range &range : found) {
    range.offset = range.begin % kAlignment;
    size_t bytes = range.end - range.begin;
    Result<cuda::Buffer> memory = cuda::Buffer::allocate(device, range.offset + bytes, stream);
    if (!memory)
      return memory.error();
    range.memory = std::move(*memory);
    auto *data = reinterpret_cast<const std::byte *>(range.begin);
    if (Result<void> copied = cuda::copyToDevice(device, range.memory.address() + range.offset, {data, bytes}, stream);
        !copied)
      return copied;
  }
  ranges = std::move(found);
  return {};
}

Result<void> StagedTensors::registerRanges(const std::vector<Range> &found) {
  cuda::CurrentContext scope(device);
  for (const Range &range : found) {
    auto *memory = reinterpret_cast<void *>(range.begin);
    cuda::driver::Status status =
        device.call().hostRegister(memory, range.end - range.begin, cuda::driver::kHostMapped);
    if (status == cuda::driver::kHostMemoryAlreadyRegistered)
      continue;
    if (status != cuda::driver::kSuccess)
      return device.failed(status, "the GPU cannot be given the memory that the kernel reaches by address");
    registered.push_back(memory);
  }
  return {};
}

uint64_t StagedTensors::translated(uint64_t address) const {
  for (const Range &range : ranges)
    if (address >= range.begin && address < range.end)
      return range.memory.address() + range.offset + (address - range.begin);
  return address;
}

std::vector<uint64_t> StagedTensors::words(const Specialization &specialization) const {
  std::vector<uint64_t> words;
  for (size_t i = 0; i < specialization.arguments.size(); ++i) {
    const runtime::Argument &argument = specialization.arguments[i];
    bool isAddress = specialization.sources[i].form == WordSource::Form::Pointer || !argument.shape.empty();
    words.push_back(isAddress ? translated(argument.value) : argument.value);
  }
  return words;
}

Result<void> StagedTensors::copyBack() {
  for (const Range &range : ranges) {
    auto *data = reinterpret_cast<std::byte *>(range.begin);
    if (Result<void> copied =
            cuda::copyToHost(device, {data, range.end - range.begin}, range.memory.address() + range.offset, stream);
        !copied)
      return copied;
  }
  return {};
}

} // namespace nereid::jit
