#include "runtime/cuda/StreamPool.h"

#include "runtime/cuda/Device.h"

#include <algorithm>

namespace nereid::cuda {

Result<driver::Stream> StreamPool::take(Device &device) {
  std::lock_guard lock(mutex);
  driver::CaptureMode mode = driver::kCaptureRelaxed; // else the question would end what other threads record
  device.call().exchangeCaptureMode(&mode);
  auto idle = std::ranges::find_if(entries, [&](const Entry &entry) {
    return entry.isFree && device.call().streamQuery(entry.stream) == driver::kSuccess;
  });
  device.call().exchangeCaptureMode(&mode);
  if (idle != entries.end()) {
    idle->isFree = false, --freeCount;
    return idle->stream;
  }
  driver::Stream made = nullptr;
  driver::Status status = device.call().streamCreate(&made, driver::kStreamNonBlocking);
  if (status != driver::kSuccess)
    return device.failed(status, "a stream cannot be made");
  entries.push_back({made, false});
  return made;
}

Result<void> StreamPool::give(driver::Stream stream) {
  std::lock_guard lock(mutex);
  auto entry = std::ranges::find(entries, stream, &Entry::stream);
  if (entry == entries.end())
    return Error{Status::BadInput, "error: a stream cannot be freed: somebody else made it\n"};
  if (entry->isFree)
    return Error{Status::BadInput, "error: a stream cannot be freed: it was freed before\n"};
  entry->isFree = true, ++freeCount;
  return {};
}

bool StreamPool::findFree(driver::Stream stream) {
  std::lock_guard lock(mutex);
  return std::ranges::any_of(entries, [&](const Entry &entry) { return entry.stream == stream && entry.isFree; });
}

} // namespace nereid::cuda
