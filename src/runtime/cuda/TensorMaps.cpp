#include "runtime/cuda/TensorMaps.h"

#include "runtime/cuda/Failure.h"

namespace nereid::cuda {

static Error refused(const std::string &message) {
  return {Status::BadInput, "error: a tensor descriptor cannot be used on the GPU: " + message + "\n"};
}

Result<void> encodeTensorMap(const driver::Functions &call, const TensorMap &map, std::span<const uint64_t> words,
                             driver::TensorMap &out) {
  constexpr uint32_t kMaxRank = 5;
  uint32_t rank = map.rank;
  const uint64_t *given = words.data() + map.word;
  uint64_t base = given[0];
  if (base % 16)
    return refused("its address must be divisible by 16");
  // The driver counts axes from the fastest one, and leaves the stride of that one out.
  uint64_t extents[kMaxRank], strides[kMaxRank];
  uint32_t box[kMaxRank], steps[kMaxRank];
  for (uint32_t i = 0; i < rank; ++i) {
    uint32_t axis = rank - 1 - i;
    extents[i] = given[1 + axis];
    box[i] = map.box[axis];
    steps[i] = 1;
    uint64_t stride = given[1 + rank + axis] * map.elementBytes;
    if (i > 0)
      strides[i - 1] = stride;
    if (i > 0 && stride % 16)
      return refused("the stride of axis " + std::to_string(axis) + " is " + std::to_string(stride) +
                     " bytes; it must be divisible by 16");
  }
  constexpr int32_t kNoInterleave = 0, kPromote128Bytes = 2;
  driver::Status status = call.tensorMapEncode(&out, static_cast<int32_t>(map.element), rank,
                                               reinterpret_cast<void *>(base), extents, strides, box, steps,
                                               kNoInterleave, static_cast<int32_t>(map.swizzle), kPromote128Bytes,
                                               map.fillsNan);
  if (status == driver::kSuccess)
    return {};
  std::string shape;
  for (uint32_t i = 0; i < rank; ++i)
    shape += (i ? " x " : "") + std::to_string(given[1 + i]) + " in boxes of " + std::to_string(map.box[i]);
  return refused(shape + ": " + textOf(call, status));
}

} // namespace nereid::cuda
