// NotFinite.cpp: the first NaN or infinity: one that comes out of an instruction although none went in.
//
// NaN from infinities counts (inf - inf), infinity from infinities does not.
#include "interp/check/Checker.h"

#include "interp/NarrowFloat.h"

#include <bit>
#include <cmath>

namespace nereid::interp {

static double valueAt(Machine &machine, const Slot &slot, size_t i) {
  const std::byte *from = machine.frame + slot.offset + (slot.count == 1 ? 0 : i) * byteSize(slot.element);
  if (Unpack unpack = unpackOf(slot.element)) {
    float value;
    unpack(&value, from, 1);
    return value;
  }
  if (slot.element == Element::F32)
    return *reinterpret_cast<const float *>(from);
  return *reinterpret_cast<const double *>(from);
}

void Checker::checkFinite(Machine &machine, const Instruction &instruction) {
  const Fact &fact = program.facts[instruction.fact];
  const Slot &result = fact.results[0];
  if (!isFloat(result.element) || fact.name == "tile.splat")
    return;
  bool isProduct = fact.flow == Flow::Dot;
  for (size_t i = 0; i < (isProduct ? result.count : machine.countOf(instruction)); ++i) {
    double value = valueAt(machine, result, i);
    if (std::isfinite(value) || marksOf(machine, result.offset)[i] & kUndefined)
      continue;
    std::string operands;
    bool isNew = true;
    for (const Slot &operand : fact.operands) {
      if (!isFloat(operand.element) || !isNew)
        continue;
      for (size_t j = isProduct ? 0 : i; j < (isProduct ? operand.count : i + 1); ++j) {
        double input = valueAt(machine, operand, j);
        isNew &= std::isnan(value) ? !std::isnan(input) : std::isfinite(input);
        if (!isProduct)
          operands += (operands.empty() ? "" : ", ") + std::to_string(input);
      }
    }
    if (isNew)
      report(CheckKind::NotFinite, machine, placeOf(instruction),
             std::string(std::isnan(value) ? "NaN" : "infinity") + " appears here" +
                 (operands.empty() ? "" : ", computed from " + operands));
  }
}

} // namespace nereid::interp
