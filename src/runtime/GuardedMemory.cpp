#include "runtime/GuardedMemory.h"

#include <sys/mman.h>
#include <unistd.h>

namespace nereid::runtime {

static constexpr size_t kAlignment = 16;

static size_t pageBytes() {
  static const auto bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

static size_t roundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::byte *allocateGuarded(size_t bytes) {
  size_t page = pageBytes();
  if (bytes > SIZE_MAX / 2)
    return nullptr;
  size_t used = roundUp(bytes, page);
  void *all = mmap(nullptr, used + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (all == MAP_FAILED)
    return nullptr;
  auto *begin = static_cast<std::byte *>(all) + page;
  if (used && mprotect(begin, used, PROT_READ | PROT_WRITE) != 0) {
    munmap(all, used + 2 * page);
    return nullptr;
  }
  return begin + used - roundUp(bytes, kAlignment);
}

void freeGuarded(std::byte *memory, size_t bytes) {
  size_t page = pageBytes(), used = roundUp(bytes, page);
  munmap(memory + roundUp(bytes, kAlignment) - used - page, used + 2 * page);
}

GuardedPages pagesOf(std::byte *memory, size_t bytes) {
  std::byte *end = memory + roundUp(bytes, kAlignment);
  return {end - roundUp(bytes, pageBytes()), end};
}

Result<Tensor> guardedTensor(DType dtype, const Shape &shape) {
  Result<int64_t> count = Tensor::countOf(shape);
  if (!count)
    return count.error();
  size_t bytes = static_cast<size_t>(*count) * bytesOf(dtype);
  std::byte *memory = allocateGuarded(bytes);
  if (!memory)
    return Error{Status::Environment, "out of memory: a tensor needs " + std::to_string(bytes) + " bytes"};
  std::memset(memory, 0, bytes); // the system gives pages when they are first written: not in the kernel that is timed
  std::shared_ptr<void> owner(memory, [bytes](std::byte *memory) { freeGuarded(memory, bytes); });
  return Tensor::share(std::move(owner), memory, dtype, shape, Tensor::contiguousStrides(shape));
}

Result<Tensor> guardedCopy(const Tensor &tensor) {
  Result<Tensor> copy = guardedTensor(tensor.dtype(), {tensor.span()});
  if (!copy)
    return copy;
  std::memcpy(copy->data(), tensor.data(), tensor.spanBytes());
  return copy->viewed(tensor.dtype(), tensor.shape(), tensor.strides());
}

} // namespace nereid::runtime
