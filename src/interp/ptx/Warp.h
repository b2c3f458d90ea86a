// Warp.h: a warp that is followed through a kernel: what its lanes hold in registers, what is known of that, and which ways its
// lanes have yet to go.
#pragma once

#include "interp/ptx/BankTurns.h"
#include "interp/ptx/Kernel.h"
#include "interp/ptx/Waiting.h"

namespace nereid::interp::ptx {

using Lanes = uint32_t; // a bit for each lane of a warp

// Lanes that part take their ways one after the other, up to the block where they meet.
struct Way {
  uint32_t block;
  Lanes lanes;
  uint32_t meets;
};

struct Warp {
  explicit Warp(const Kernel &kernel) : values(size_t(kWarp32) * kernel.registers), unknown(kernel.registers) {
    for (auto [number, value] : kernel.constants)
      for (uint32_t lane = 0; lane < kWarp32; ++lane)
        at(number, lane) = value;
  }
  Warp(const Warp &) = delete;

  uint64_t &at(uint32_t reg, uint32_t lane) { return values[size_t(reg) * kWarp32 + lane]; }
  uint64_t *registersOf(uint32_t lane) { return &values[lane]; } // of an operation that is spaced

  void spread(uint32_t target, uint64_t value, Lanes lanes) {
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      if (lanes >> lane & 1)
        at(target, lane) = value;
  }

  // Where an instruction accesses memory.
  uint64_t addressOf(const KernelInstruction &instruction, uint32_t lane) {
    return (instruction.address() ? at(*instruction.address(), lane) : 0) + uint64_t(instruction.offset());
  }
  // Lanes that do not know it.
  Lanes unknownAddress(const KernelInstruction &instruction) const {
    return instruction.address() ? unknown[*instruction.address()] : 0;
  }

  std::vector<uint64_t> values; // by register and lane
  std::vector<Lanes> unknown;   // by register
  Waiting waiting{values, unknown};
  std::vector<Way> ways;
  Lanes alive = 0;
  std::optional<Waiting::Circle> circle; // the one to leave
  size_t next = 0;                       // of the steps of its block
  uint64_t taken = 0;                    // steps
};

// Lanes have their values of a register beside each other, which an operation of one lane knows as registers that are a warp
// apart.
inline Operation spaced(Operation operation) {
  for (Operand &operand : operation.operands)
    for (uint32_t &each : operand.registers)
      each *= kWarp32;
  return operation;
}

} // namespace nereid::interp::ptx
