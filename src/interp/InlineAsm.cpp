// InlineAsm.cpp: moves elements to registers and back.
#include "interp/InlineAsm.h"

#include <algorithm>
#include <cstring>

namespace nereid::interp {

// Calls visit(address of the element, its bytes, its register, its first bit there) for each element of a group.
template <typename Visit>
static void forEachElement(Machine &machine, const InlineAsmPayload::Part &part, uint32_t group, uint32_t pack,
                           Visit visit) {
  size_t bytes = byteSize(part.tile.element);
  auto bits = uint32_t(8 * bytes);
  for (uint32_t j = 0; j < pack; ++j) {
    uint32_t element = part.tile.count == 1 ? 0 : group * pack + j;
    if (element >= part.tile.count)
      continue;
    uint32_t perRegister = std::max(1u, 32 / bits);
    visit(machine.frame + part.tile.offset + element * bytes, bytes, part.firstRegister + j / perRegister,
          bits * (j % perRegister));
  }
}

void runInlineAsm(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const InlineAsmPayload &>(*instruction.payload);
  std::vector<uint64_t> registers(payload.code.registers);
  uint32_t count = payload.results[0].tile.count, groups = (count + payload.pack - 1) / payload.pack;
  for (uint32_t group = 0; group < groups; ++group) {
    std::fill(registers.begin(), registers.end(), 0);
    for (const auto &part : payload.operands)
      forEachElement(machine, part, group, payload.pack,
                     [&](std::byte *at, size_t bytes, uint32_t number, uint32_t bit) {
                       uint64_t value = 0;
                       std::memcpy(&value, at, bytes);
                       registers[number] |= value << bit;
                     });
    for (auto [input, result] : payload.ties)
      registers[result] = registers[input];
    ptx::run(payload.code, registers.data());
    for (const auto &part : payload.results)
      forEachElement(machine, part, group, payload.pack,
                     [&](std::byte *at, size_t bytes, uint32_t number, uint32_t bit) {
                       uint64_t value = registers[number] >> bit;
                       if (part.tile.element == Element::I1)
                         value &= 1;
                       std::memcpy(at, &value, bytes);
                     });
  }
}

} // namespace nereid::interp
