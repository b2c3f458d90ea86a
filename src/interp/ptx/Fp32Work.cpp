#include "interp/ptx/Fp32Work.h"

#include <algorithm>

namespace nereid::interp::ptx {

namespace {

// A quotient is a reciprocal and a product, and Newton's steps where it is rounded well.
unsigned fp32Work(const Operation &operation) {
  static constexpr std::pair<std::string_view, unsigned> kRounded[] = {{"div", 5}, {"sqrt", 4}, {"rcp", 3}};
  static constexpr std::string_view kSingle[] = {"add", "sub", "mul", "fma", "mad", "div", "sin", "cos"};
  if (operation.has("rn"))
    for (auto [name, count] : kRounded)
      if (operation.name == name)
        return count;
  if (operation.name == "rcp" && !operation.has("ftz"))
    return 2; // of its argument and its result, by a power of two or by one
  return std::ranges::find(kSingle, operation.name) != std::end(kSingle) ? operation.type.lanes : 0;
}

// Whether tiny and huge arguments are brought into reach by products under a condition, which count where they are.
bool scalesArguments(const Operation &operation) {
  static constexpr std::string_view kScaling[] = {"div", "sqrt", "rsqrt", "ex2", "lg2"};
  return !operation.has("rn") && !operation.has("ftz") &&
         std::ranges::find(kScaling, operation.name) != std::end(kScaling);
}

bool isFp32(const Operation &operation) { return operation.type.kind == Kind::Float && operation.type.bits == 32; }

bool isQuotient(const Operation &operation) { return operation.name == "div" && scalesArguments(operation); }

} // namespace

// The products that scale an argument are done in its register, under their condition. Where the argument is needed
// afterwards, the first one has a register of its own: it is always done, and its result selected. A constant is scaled by the
// assembler.
void countFp32(Kernel &kernel) {
  std::vector<bool> isNeeded(kernel.registers), isScaled(kernel.registers);
  for (const KernelInstruction &instruction : kernel.instructions)
    if (const Operation &operation = instruction.operation;
        operation.name == "mov" && operation.operands.size() == 2 && operation.operands[1].isImmediate)
      for (uint32_t target : instruction.targets)
        isScaled[target] = true;
  for (size_t i = kernel.instructions.size(); i-- > 0;) {
    KernelInstruction &instruction = kernel.instructions[i];
    const Operation &operation = instruction.operation;
    if (instruction.work == KernelInstruction::Work::None && isFp32(operation)) {
      unsigned count = fp32Work(operation);
      if (scalesArguments(operation))
        for (size_t operand = 1; operand < operation.operands.size(); ++operand)
          for (uint32_t each : operation.operands[operand].registers)
            count += isNeeded[each] && !isScaled[each];
      if (count) {
        instruction.work = KernelInstruction::Work::Fp32;
        instruction.workCount = uint8_t(count);
      }
    }
    // Quotients by one number share its reciprocal.
    for (size_t operand = 0; operand < operation.operands.size(); ++operand)
      for (uint32_t each : operation.operands[operand].registers)
        if (operand == 2 && isFp32(operation) && isQuotient(operation))
          isScaled[each] = true;
        else if (std::ranges::find(instruction.targets, each) == instruction.targets.end())
          isNeeded[each] = true;
  }
}

} // namespace nereid::interp::ptx
