#include "runtime/cuda/TensorMaps.h"

#include "runtime/cuda/Failure.h"
#include "runtime/cuda/LoadedKernel.h"

#include <algorithm>

namespace nereid::cuda {

namespace {

constexpr uint32_t kMaxRank = 5;

// What the driver asks for, in its order: axes from the fastest one, whose stride is left out.
struct Shape {
  uint64_t base = 0;
  uint64_t extents[kMaxRank], strideBytes[kMaxRank];
};

int64_t valueOf(const TensorMap::Number &number, std::span<const uint64_t> words) {
  auto value = static_cast<uint64_t>(number.factor);
  for (uint8_t i = 0; i < number.count; ++i) {
    uint64_t word = words[number.words[i]];
    value *= number.bytes[i] == 4 ? static_cast<uint64_t>(static_cast<int32_t>(word)) : word;
  }
  return number.isNarrow ? static_cast<int32_t>(value) : static_cast<int64_t>(value);
}

Shape shapeOf(const TensorMap &map, std::span<const uint64_t> words) {
  Shape shape;
  shape.base = words[map.word];
  for (uint32_t i = 0; i < map.rank; ++i) {
    uint32_t axis = map.rank - 1u - i;
    shape.extents[i] = static_cast<uint64_t>(valueOf(map.extents[axis], words));
    if (i > 0)
      shape.strideBytes[i - 1] = static_cast<uint64_t>(valueOf(map.strides[axis], words)) * map.elementBytes;
  }
  return shape;
}

// The limits of TMA. A negative number is a large one here.
bool isReadable(const TensorMap &map, const Shape &shape) {
  constexpr uint64_t kAlignment = 16, kMaxExtent = uint64_t(1) << 32, kMaxStride = uint64_t(1) << 40;
  if (shape.base % kAlignment)
    return false;
  for (uint32_t i = 0; i < map.rank; ++i) {
    if (shape.extents[i] < 1 || shape.extents[i] > kMaxExtent)
      return false;
    if (i + 1u == map.rank)
      return true;
    uint64_t stride = shape.strideBytes[i];
    if (stride % kAlignment || stride < 1 || stride >= kMaxStride)
      return false;
  }
  return false; // no axis at all
}

// A fault of drivers up to CUDA 13.3, on Blackwell: a tensor whose last byte is less than 128 KiB behind its first one may be read
// beyond what was allocated for it. CUTLASS and Triton clear this bit of the map.
void avoidFaultOfDriver(const driver::Functions &call, const TensorMap &map, const Shape &shape,
                        driver::TensorMap &out) {
  constexpr int32_t kLastFaulty = 13030;
  constexpr uint64_t kSmall = 128 * 1024, kBit = uint64_t(1) << 21;
  uint64_t last = 0;
  for (uint32_t i = 0; i < map.rank; ++i)
    last += (shape.extents[i] - 1) * (i ? shape.strideBytes[i - 1] : map.elementBytes);
  int32_t version = 0; // asked for where it matters: maps are made at each launch
  if (last + 1 < kSmall && call.driverVersion(&version) == driver::kSuccess && version <= kLastFaulty)
    out.opaque[1] &= ~kBit;
}

Error refused(const TensorMap &map, const Shape &shape, const std::string &why) {
  std::string text;
  for (uint32_t axis = 0; axis < map.rank; ++axis) {
    uint32_t i = map.rank - 1u - axis;
    text += (axis ? " x " : "") + std::to_string(static_cast<int64_t>(shape.extents[i])) + " in boxes of " +
            std::to_string(map.box[axis]);
    if (i > 0)
      text += " (stride " + std::to_string(static_cast<int64_t>(shape.strideBytes[i - 1])) + " bytes)";
  }
  return {Status::BadInput, "error: TMA cannot read a tensor of " + text + ": " + why + "\n"};
}

} // namespace

bool isSound(const TensorMap &map) {
  auto isNumber = [](const TensorMap::Number &number) {
    return number.count <= number.words.size() &&
           std::ranges::all_of(number.bytes.begin(), number.bytes.begin() + number.count,
                               [](uint8_t bytes) { return bytes == 4 || bytes == 8; });
  };
  auto isBox = [](uint32_t extent) { return extent >= 1 && extent <= 256; };
  return map.rank >= 1 && map.rank <= kMaxRank && map.element <= TensorMap::Element::BF16 &&
         map.swizzle <= TensorMap::Swizzle::Bytes128 && map.elementBytes >= 1 && map.elementBytes <= 8 &&
         std::ranges::all_of(map.box.begin(), map.box.begin() + map.rank, isBox) &&
         std::ranges::all_of(map.extents, isNumber) && std::ranges::all_of(map.strides, isNumber);
}

uint32_t wordsReadBy(const TensorMap &map) {
  uint32_t end = map.word + 1;
  for (const auto &numbers : {map.extents, map.strides})
    for (const TensorMap::Number &number : numbers)
      for (uint8_t i = 0; i < number.count; ++i)
        end = std::max<uint32_t>(end, number.words[i] + 1u);
  return end;
}

bool acceptsTensorMaps(const LoadedKernel &kernel, std::span<const uint64_t> words) {
  const std::vector<TensorMap> &maps = kernel.artifact().tensorMaps;
  if (maps.empty())
    return true;
  if (!kernel.device().call().tensorMapEncode || words.size() < kernel.wordCount())
    return false;
  return std::ranges::all_of(maps, [&](const TensorMap &map) { return isReadable(map, shapeOf(map, words)); });
}

Result<void> encodeTensorMap(const driver::Functions &call, const TensorMap &map, std::span<const uint64_t> words,
                             driver::TensorMap &out) {
  constexpr int32_t kNoInterleave = 0, kPromote128Bytes = 2;
  constexpr uint32_t kSteps[kMaxRank] = {1, 1, 1, 1, 1};
  Shape shape = shapeOf(map, words);
  if (!call.tensorMapEncode)
    return refused(map, shape, "the driver is too old");
  if (!isReadable(map, shape))
    return refused(map, shape, "its address and strides must be divisible by 16 bytes, its extents 1 to 2^32");
  uint32_t box[kMaxRank];
  for (uint32_t i = 0; i < map.rank; ++i)
    box[i] = map.box[map.rank - 1u - i];
  driver::Status status = call.tensorMapEncode(
      &out, static_cast<int32_t>(map.element), map.rank, reinterpret_cast<void *>(shape.base), shape.extents,
      shape.strideBytes, box, kSteps, kNoInterleave, static_cast<int32_t>(map.swizzle), kPromote128Bytes, map.fillsNan);
  if (status != driver::kSuccess)
    return refused(map, shape, textOf(call, status));
  avoidFaultOfDriver(call, map, shape, out);
  return {};
}

} // namespace nereid::cuda
