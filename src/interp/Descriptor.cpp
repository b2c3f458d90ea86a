// Descriptor.cpp: blocks of tensors that a descriptor describes. Reads outside give the padding; writes there are
// dropped.
#include "interp/Memory.h"

#include "interp/NarrowFloat.h"

#include <bit>
#include <cstring>
#include <limits>

namespace nereid::interp {

void runMakeDescriptor(Machine &machine, const Instruction &instruction) {
  const std::vector<Slot> &operands = machine.factOf(instruction).operands;
  size_t rank = (operands.size() - 1) / 2;
  auto &descriptor = *machine.at<Descriptor>(instruction.result);
  descriptor = {*machine.at<uint64_t>(operands[0].offset),
                {},
                {},
                uint8_t(rank),
                static_cast<const MakeDescriptorPayload &>(*instruction.payload).padNaN};
  for (size_t d = 0; d < rank; ++d) {
    descriptor.shape[d] = *machine.at<int32_t>(operands[1 + d].offset);
    descriptor.strides[d] = *machine.at<int64_t>(operands[1 + rank + d].offset);
  }
}

// The bits of NaN, or of zero for integers, which have none.
static uint64_t paddingBits(Element element) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  uint64_t bits = 0;
  if (Pack pack = packOf(element, Narrowing::Arithmetic))
    pack(&bits, &nan, 1);
  else if (element == Element::F32)
    bits = std::bit_cast<uint32_t>(nan);
  else if (element == Element::F64)
    bits = std::bit_cast<uint64_t>(std::numeric_limits<double>::quiet_NaN());
  return bits;
}

void runDescriptorLoad(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
  const auto &descriptor = *machine.at<Descriptor>(instruction.operands[0]);
  size_t bytes = byteSize(payload.value.element);
  uint64_t padding = descriptor.padNaN ? paddingBits(payload.value.element) : 0;
  std::byte *to = machine.frame + payload.value.offset;
  forEachInBlock(machine, descriptor, payload, [&](size_t i, uint64_t address, bool isInside) {
    if (machine.stopped)
      return;
    if (!isInside)
      std::memcpy(to + i * bytes, &padding, bytes);
    else if (mayAccess(machine, instruction, address, bytes, Access::Load))
      std::memcpy(to + i * bytes, reinterpret_cast<const void *>(address), bytes);
    // A truth value in memory is any byte; here it is 0 or 1.
    if (payload.value.element == Element::I1)
      to[i] = std::byte(to[i] != std::byte(0));
  });
}

void runDescriptorStore(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
  const auto &descriptor = *machine.at<Descriptor>(instruction.operands[0]);
  size_t bytes = byteSize(payload.value.element);
  const std::byte *from = machine.frame + payload.value.offset;
  forEachInBlock(machine, descriptor, payload, [&](size_t i, uint64_t address, bool isInside) {
    if (isInside && !machine.stopped && mayAccess(machine, instruction, address, bytes, Access::Store))
      std::memcpy(reinterpret_cast<void *>(address), from + i * bytes, bytes);
  });
}

} // namespace nereid::interp
