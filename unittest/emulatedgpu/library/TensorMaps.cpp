#include "TensorMaps.h"

#include <algorithm>
#include <cstring>

namespace nereid::emulated {

uint64_t Box::bytes() const {
  uint64_t count = map.elementBytes;
  for (uint32_t extent : map.box)
    count *= extent;
  return count;
}

// element(address in shared memory, place in global memory; null: outside of the tensor)
template <class F> void Box::visit(F element) const {
  uint64_t count = bytes() / map.elementBytes;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t rest = i, at = map.base;
    bool isInside = true;
    for (size_t axis = 0; axis < map.box.size(); ++axis) {
      int64_t index = place[axis] + int64_t(rest % map.box[axis]);
      rest /= map.box[axis];
      isInside &= index >= 0 && uint64_t(index) < map.extents[axis];
      at += uint64_t(index) * (axis ? map.strideBytes[axis - 1] : map.elementBytes);
    }
    uint64_t offset = shared + i * map.elementBytes;
    if (map.swizzle)
      offset ^= offset >> 3 & (map.swizzle - 16) & 0x70;
    if (isInside) {
      auto [begin, end] = memoryAround(at);
      if (at + map.elementBytes > end)
        throw Fault(Fault::Kind::IllegalAddress, "TMA: beyond what was allocated");
    }
    element(block.shared.data() + (offset - kShared), isInside ? reinterpret_cast<uint8_t *>(at) : nullptr);
  }
}

void Box::load() const {
  uint64_t nan = map.type.kind == ptx::Kind::BFloat ? 0x7fc0
                 : map.type.bits == 16              ? 0x7e00
                 : map.type.bits == 32              ? 0x7fc00000
                                                    : uint64_t(0x7ff8) << 48;
  visit([&](uint8_t *to, const uint8_t *from) {
    if (from)
      std::memcpy(to, from, map.elementBytes);
    else if (map.fillsNan)
      std::memcpy(to, &nan, map.elementBytes);
    else
      std::memset(to, 0, map.elementBytes);
  });
}

void Box::store(bool adds) const {
  visit([&](const uint8_t *from, uint8_t *to) {
    if (!to)
      return;
    if (!adds) {
      std::memcpy(to, from, map.elementBytes);
      return;
    }
    uint64_t old = 0, by = 0, sum;
    std::memcpy(&old, to, map.elementBytes);
    std::memcpy(&by, from, map.elementBytes);
    if (map.type.kind == ptx::Kind::Float || map.type.kind == ptx::Kind::BFloat)
      sum = ptx::fromDouble(ptx::toDouble(old, map.type) + ptx::toDouble(by, map.type), map.type, {});
    else
      sum = old + by;
    std::memcpy(to, &sum, map.elementBytes);
  });
}

Box boxOf(Warp &warp, const Act &act, uint32_t lane, size_t mapAt, size_t sharedAt) {
  uint64_t address = warp.address(act, lane, mapAt);
  TensorMap map = tensorMapAt(warp.memory(Space::Generic, address, 128, 64, lane));
  const ptx::Operand &operand = act.operation().operands.at(0);
  std::vector<int64_t> place;
  for (uint32_t each : operand.registers)
    place.push_back(int32_t(warp.registers(lane)[each]));
  if (place.size() != map.box.size())
    throw Fault(Fault::Kind::IllegalInstruction, "a copy of a box with another number of axes than its tensor");
  uint64_t shared = warp.address(act, lane, sharedAt);
  Box box(map, std::move(place), shared, warp.block);
  warp.memory(Space::Shared, shared, box.bytes(), 128, lane);
  return box;
}

} // namespace nereid::emulated
