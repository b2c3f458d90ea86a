// Checker.cpp: watches each instruction of a checked launch.
#include "interp/check/Checker.h"

namespace nereid::interp {

std::string_view name(CheckKind kind) {
  switch (kind) {
  case CheckKind::OutOfBounds:
    return "out-of-bounds";
  case CheckKind::Misaligned:
    return "misaligned";
  case CheckKind::UndefinedLane:
    return "undefined-lane";
  case CheckKind::Race:
    return "race";
  case CheckKind::AddressOverflow:
    return "address-overflow";
  case CheckKind::NotFinite:
    return "not-finite";
  case CheckKind::Assert:
    return "assert";
  }
  return "";
}

void Checker::run(Machine &machine, const Instruction &instruction) { instruction.run(machine, instruction); }

void Machine::executeChecked(const Block &block) {
  for (const Instruction &instruction : block.instructions) {
    checker->run(*this, instruction);
    if (stopped)
      return;
  }
}

} // namespace nereid::interp
