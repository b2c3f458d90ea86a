// Relocation.h: writes an address into loaded code the way that the code needs it, for x86-64 and AArch64.
#pragma once

#include "nereid/result.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace nereid::cpu {

// One place that needs an address.
struct Patch {
  std::span<std::byte> place; // from the first byte to patch to the end of its section
  uint64_t placeAddress = 0;  // of that byte, when the code runs
  uint64_t symbol = 0;
  int64_t addend = 0;
  uint64_t tableSlot = 0; // address of a word that holds `symbol`, where the kind uses one
  uint64_t stub = 0;      // address of code that jumps to `symbol` at any distance; 0: there is none
};

// How `applyRelocation` reaches the symbol for a relocation type of the machine.
struct Reach {
  bool usesTable = false; // through a table of addresses (GOT)
  bool isCall = false;    // may go through a stub
};
Reach reachOf(uint16_t machine, uint32_t type);

Result<void> applyRelocation(uint16_t machine, uint32_t type, const Patch &patch);

// Code that jumps to an absolute address.
inline constexpr size_t kStubBytes = 16;
void writeStub(uint16_t machine, std::byte *place, uint64_t address);

} // namespace nereid::cpu
