// Relocation.cpp: the relocation types that LLVM emits for position-independent code with the small code model.
#include "runtime/cpu/Relocation.h"

#include "runtime/cpu/ElfFile.h"

#include <cstring>

namespace nereid::cpu {

template <class T> static Result<void> write(const Patch &patch, T value) {
  if (patch.place.size() < sizeof(T))
    return damaged("a relocation reaches over the end of its section");
  std::memcpy(patch.place.data(), &value, sizeof(T));
  return {};
}

static Error outOfRange() { return damaged("a relocation does not reach its symbol"); }

// As unsigned arithmetic, which may wrap: the numbers come from the file.
static uint64_t targetOf(const Patch &patch) { return patch.symbol + uint64_t(patch.addend); }

static bool fitsSigned(int64_t value, unsigned bits) {
  return value >= -(int64_t(1) << (bits - 1)) && value < (int64_t(1) << (bits - 1));
}

static Result<void> writeRelative32(const Patch &patch, uint64_t target) {
  auto distance = int64_t(target - patch.placeAddress);
  return fitsSigned(distance, 32) ? write(patch, int32_t(distance)) : outOfRange();
}

static Result<void> applyX86(uint32_t type, const Patch &patch) {
  uint64_t target = targetOf(patch);
  switch (type) {
  case R_X86_64_NONE: return {};
  case R_X86_64_64: return write(patch, target);
  case R_X86_64_PC64: return write(patch, target - patch.placeAddress);
  case R_X86_64_PC32: return writeRelative32(patch, target);
  case R_X86_64_PLT32:
    if (patch.stub && !fitsSigned(int64_t(target - patch.placeAddress), 32))
      target = patch.stub + uint64_t(patch.addend);
    return writeRelative32(patch, target);
  case R_X86_64_GOTPCREL:
  case R_X86_64_GOTPCRELX:
  case R_X86_64_REX_GOTPCRELX: return writeRelative32(patch, patch.tableSlot + uint64_t(patch.addend));
  case R_X86_64_32: return target <= UINT32_MAX ? write(patch, uint32_t(target)) : outOfRange();
  case R_X86_64_32S: return fitsSigned(int64_t(target), 32) ? write(patch, int32_t(target)) : outOfRange();
  default: return damaged("relocation type " + std::to_string(type) + " is not known");
  }
}

// Replaces the bits of `mask` in the instruction.
static Result<void> writeField(const Patch &patch, uint32_t mask, uint32_t field) {
  if (patch.place.size() < 4)
    return damaged("a relocation reaches over the end of its section");
  uint32_t instruction;
  std::memcpy(&instruction, patch.place.data(), 4);
  return write(patch, (instruction & ~mask) | field);
}

// bl, b: a distance of 26 bits in words.
static Result<void> writeBranch(const Patch &patch) {
  auto distance = int64_t(targetOf(patch) - patch.placeAddress);
  if (patch.stub && !fitsSigned(distance, 28))
    distance = int64_t(patch.stub - patch.placeAddress);
  if (!fitsSigned(distance, 28) || distance % 4)
    return outOfRange();
  return writeField(patch, 0x03ffffff, uint32_t(distance >> 2) & 0x03ffffff);
}

// adrp: a distance of 21 bits in pages of 4096 bytes, its two low bits apart from the others.
static Result<void> writePage(const Patch &patch, uint64_t target) {
  auto pages = int64_t(target >> 12) - int64_t(patch.placeAddress >> 12);
  if (!fitsSigned(pages, 21))
    return outOfRange();
  return writeField(patch, 0x60ffffe0, uint32_t(pages & 3) << 29 | uint32_t((pages >> 2) & 0x7ffff) << 5);
}

// add, ldr, str: the offset in the page, counted in units of the access.
static Result<void> writeOffset(const Patch &patch, uint64_t target, unsigned shift) {
  uint64_t offset = target & 0xfff;
  if (offset & ((1u << shift) - 1))
    return damaged("a relocation refers to a misaligned symbol");
  return writeField(patch, 0x003ffc00, uint32_t(offset >> shift) << 10);
}

static Result<void> applyArm(uint32_t type, const Patch &patch) {
  uint64_t target = targetOf(patch), slot = patch.tableSlot + uint64_t(patch.addend);
  switch (type) {
  case R_AARCH64_NONE: return {};
  case R_AARCH64_ABS64: return write(patch, target);
  case R_AARCH64_PREL64: return write(patch, target - patch.placeAddress);
  case R_AARCH64_PREL32: return writeRelative32(patch, target);
  case R_AARCH64_CALL26:
  case R_AARCH64_JUMP26: return writeBranch(patch);
  case R_AARCH64_ADR_PREL_PG_HI21: return writePage(patch, target);
  case R_AARCH64_ADD_ABS_LO12_NC:
  case R_AARCH64_LDST8_ABS_LO12_NC: return writeOffset(patch, target, 0);
  case R_AARCH64_LDST16_ABS_LO12_NC: return writeOffset(patch, target, 1);
  case R_AARCH64_LDST32_ABS_LO12_NC: return writeOffset(patch, target, 2);
  case R_AARCH64_LDST64_ABS_LO12_NC: return writeOffset(patch, target, 3);
  case R_AARCH64_LDST128_ABS_LO12_NC: return writeOffset(patch, target, 4);
  case R_AARCH64_ADR_GOT_PAGE: return writePage(patch, slot);
  case R_AARCH64_LD64_GOT_LO12_NC: return writeOffset(patch, slot, 3);
  default: return damaged("relocation type " + std::to_string(type) + " is not known");
  }
}

Reach reachOf(uint16_t machine, uint32_t type) {
  if (machine == EM_AARCH64)
    return {.usesTable = type == R_AARCH64_ADR_GOT_PAGE || type == R_AARCH64_LD64_GOT_LO12_NC,
            .isCall = type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26};
  return {.usesTable = type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX,
          .isCall = type == R_X86_64_PLT32};
}

Result<void> applyRelocation(uint16_t machine, uint32_t type, const Patch &patch) {
  return machine == EM_AARCH64 ? applyArm(type, patch) : applyX86(type, patch);
}

void writeStub(uint16_t machine, std::byte *place, uint64_t address) {
  // jmp *2(%rip); a two-byte gap keeps the address aligned.
  static const unsigned char kX86[8] = {0xff, 0x25, 0x02, 0, 0, 0, 0x66, 0x90};
  // ldr x16, .+8; br x16
  static const unsigned char kArm[8] = {0x50, 0x00, 0x00, 0x58, 0x00, 0x02, 0x1f, 0xd6};
  std::memcpy(place, machine == EM_AARCH64 ? kArm : kX86, 8);
  std::memcpy(place + 8, &address, 8);
}

} // namespace nereid::cpu
