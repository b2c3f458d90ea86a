// Memory.cpp: loads and stores by pointers.
#include "interp/Memory.h"

#include "interp/Launch.h"

#include <cstring>

namespace nereid::interp {

static std::string listOf(const std::vector<int64_t> &numbers) {
  std::string text = "[";
  for (int64_t number : numbers)
    text += (text.size() > 1 ? ", " : "") + std::to_string(number);
  return text + "]";
}

std::string describeBadAccess(const Launch &launch, uint64_t address, size_t bytes, Access access) {
  const char *verb = access == Access::Load    ? "the load reads"
                     : access == Access::Store ? "the store writes"
                                               : "the atomic changes";
  const Allocation *near = launch.nearest(address);
  if (!near || address < 4096)
    return std::string(verb) + (address < 4096 ? " through a null pointer" : " memory outside every tensor");
  auto offset = int64_t(address - reinterpret_cast<uint64_t>(near->data));
  int64_t size = near->elementBytes, element = offset >= 0 ? offset / size : -((-offset + size - 1) / size);
  std::string text = "`" + near->name + "` has " + std::to_string(int64_t(near->bytes) / size) + " elements";
  if (near->shape.size() > 1)
    text += " (shape " + listOf(near->shape) + ")";
  return text + ", and " + verb + " element " + std::to_string(element);
}

bool mayAccess(Machine &machine, const Instruction &instruction, uint64_t address, size_t bytes, Access access) {
  if (isAllowed(machine, address, bytes))
    return true;
  if (!machine.launch.hasAllocations())
    machine.allowed = 4096, machine.allowedBytes = uint64_t(1) << 63;
  else if (const Allocation *allocation = machine.launch.find(address, bytes))
    machine.allowed = reinterpret_cast<uint64_t>(allocation->data), machine.allowedBytes = allocation->bytes;
  if (isAllowed(machine, address, bytes))
    return true;
  machine.fail(Failure::Kind::BadAccess, instruction, describeBadAccess(machine.launch, address, bytes, access));
  return false;
}

// `Stored` is how an element lies in memory and in the frame; isBool makes any non-zero byte true.
template <typename Stored, bool isBool> static void runLoad(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const LoadPayload &>(*instruction.payload);
  auto *to = machine.at<Stored>(instruction.result);
  auto *addresses = machine.at<const uint64_t>(instruction.operands[0]);
  auto *mask = payload.hasMask ? machine.at<const bool>(instruction.operands[1]) : nullptr;
  auto *other = payload.hasOther ? machine.at<const Stored>(instruction.operands[2]) : nullptr;
  size_t count = machine.countOf(instruction);
  for (size_t i = 0; i < count; ++i) {
    if (mask && !mask[i]) {
      to[i] = other ? other[i] : Stored(0);
      continue;
    }
    if (!isAllowed(machine, addresses[i], sizeof(Stored)) &&
        !mayAccess(machine, instruction, addresses[i], sizeof(Stored), Access::Load))
      return;
    std::memcpy(&to[i], reinterpret_cast<const void *>(addresses[i]), sizeof(Stored));
    if constexpr (isBool)
      to[i] = to[i] != 0;
  }
}

Handler loadHandler(Element element) {
  if (element == Element::I1)
    return runLoad<uint8_t, true>;
  switch (byteSize(element)) {
  case 1: return runLoad<uint8_t, false>;
  case 2: return runLoad<uint16_t, false>;
  case 4: return runLoad<uint32_t, false>;
  default: return runLoad<uint64_t, false>;
  }
}

template <typename Stored> static void runStore(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const StorePayload &>(*instruction.payload);
  auto *addresses = machine.at<const uint64_t>(instruction.operands[0]);
  auto *values = machine.at<const Stored>(instruction.operands[1]);
  auto *mask = payload.hasMask ? machine.at<const bool>(instruction.operands[2]) : nullptr;
  size_t count = machine.countOf(instruction);
  for (size_t i = 0; i < count; ++i) {
    if (mask && !mask[i])
      continue;
    if (!isAllowed(machine, addresses[i], sizeof(Stored)) &&
        !mayAccess(machine, instruction, addresses[i], sizeof(Stored), Access::Store))
      return;
    std::memcpy(reinterpret_cast<void *>(addresses[i]), &values[i], sizeof(Stored));
  }
}

Handler storeHandler(Element element) {
  switch (byteSize(element)) {
  case 1: return runStore<uint8_t>;
  case 2: return runStore<uint16_t>;
  case 4: return runStore<uint32_t>;
  default: return runStore<uint64_t>;
  }
}

} // namespace nereid::interp
