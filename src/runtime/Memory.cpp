#include "runtime/Memory.h"

#include "runtime/GuardedMemory.h"

#include <unistd.h>

namespace nereid::runtime {

uint64_t memoryLimit() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || size <= 0)
    return uint64_t(1) << 32;
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(size) / 4 * 3;
}

std::string describe(DType dtype, const Shape &shape) {
  std::string text(nameOf(dtype));
  text += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? "," : "") + std::to_string(shape[i]);
  return text + ']';
}

Result<Tensor> allocate(DType dtype, const Shape &shape) {
  Result<int64_t> count = Tensor::countOf(shape);
  if (!count)
    return Error{count.error().status, describe(dtype, shape) + ": " + count.error().message};
  uint64_t bytes = static_cast<uint64_t>(*count) * bytesOf(dtype);
  if (bytes > memoryLimit())
    return Error{Status::BadInput, describe(dtype, shape) + " needs " + std::to_string(bytes) +
                                       " bytes; this machine has room for " + std::to_string(memoryLimit())};
  return guardedTensor(dtype, shape);
}

} // namespace nereid::runtime
