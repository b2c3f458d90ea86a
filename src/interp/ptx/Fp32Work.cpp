#include "interp/ptx/Fp32Work.h"

#include <algorithm>
#include <map>
#include <unordered_map>

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

// A part of what it expands to stands apart, for numbers that are tiny or huge, and is not executed.
bool hasSlowWay(const Operation &operation) {
  static constexpr std::string_view kNames[] = {"div", "sqrt", "rcp"};
  return operation.has("rn") && std::ranges::find(kNames, operation.name) != std::end(kNames);
}

bool isQuotient(const Operation &operation) { return operation.name == "div" && scalesArguments(operation); }

// A line of PTX in a block, mostly one instruction.
struct Line {
  std::vector<KernelInstruction *> instructions;
  float expected = 0;                  // of fp32, by `countFp32`
  uint32_t assembled = 0, guarded = 0; // of the second those under a condition
};

bool isOneInstruction(const Line &line) {
  static constexpr std::string_view kNames[] = {"add", "sub", "mul", "fma"};
  return line.instructions.size() == 1 && line.expected == 1 &&
         std::ranges::find(kNames, line.instructions[0]->operation.name) != std::end(kNames);
}

// How often the assembler wrote a block: what most of its sums and products say; 0 where it has none.
uint32_t copiesOf(const std::map<uint32_t, Line> &lines) {
  std::map<uint32_t, uint32_t> votes;
  for (const auto &[number, line] : lines)
    if (line.assembled && isOneInstruction(line))
      ++votes[line.assembled];
  auto most = std::ranges::max_element(votes, {}, [](const auto &vote) { return vote.second; });
  return most == votes.end() ? 0 : most->first;
}

// What a run of the line executes: those under a condition as far as the PTX itself asks for them.
float executedOf(const Line &line, uint32_t copies) {
  if (!copies)
    return 0;
  float all = float(line.assembled) / float(copies), always = float(line.assembled - line.guarded) / float(copies);
  return std::max(always, std::min(all, line.expected));
}

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
        instruction.fp32 = float(count);
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

void takeAssembled(Kernel &kernel, std::span<const AssembledLine> assembled) {
  if (assembled.empty())
    return;
  std::unordered_map<uint32_t, AssembledLine> fp32;
  for (const AssembledLine &line : assembled)
    fp32[line.ptxLine] = line;
  for (const KernelBlock &block : kernel.blocks) {
    std::map<uint32_t, Line> lines;
    for (uint32_t i = block.begin; i < block.end; ++i) {
      KernelInstruction &instruction = kernel.instructions[i];
      if (instruction.work != KernelInstruction::Work::None && instruction.work != KernelInstruction::Work::Fp32)
        continue;
      Line &line = lines[instruction.ptxLine];
      line.instructions.push_back(&instruction);
      line.expected += instruction.fp32;
      if (auto found = fp32.find(instruction.ptxLine); found != fp32.end())
        line.assembled = found->second.fp32 + found->second.guarded, line.guarded = found->second.guarded;
    }
    uint32_t copies = copiesOf(lines);
    for (auto &[number, line] : lines)
      for (KernelInstruction *instruction : line.instructions) {
        if (line.assembled && (!copies || hasSlowWay(instruction->operation)))
          continue;
        float each = line.expected ? instruction->fp32 / line.expected : instruction == line.instructions[0];
        instruction->fp32 = each * executedOf(line, copies);
        instruction->work = instruction->fp32 > 0 ? KernelInstruction::Work::Fp32 : KernelInstruction::Work::None;
      }
  }
}

} // namespace nereid::interp::ptx
