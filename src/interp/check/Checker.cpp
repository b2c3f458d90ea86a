// Checker.cpp: which rule of the checker an instruction follows.
#include "interp/check/Checker.h"

#include "interp/Atomic.h"
#include "interp/Control.h"
#include "interp/Debug.h"
#include "interp/Dot.h"
#include "interp/InlineAsm.h"
#include "interp/Launch.h"
#include "interp/Reduce.h"

#include <string_view>

namespace nereid::interp {

Checker::Checker(const Program &program, Launch &launch, const CheckOptions &options)
    : program(program), launch(launch), options(options), rules(program.facts.size()),
      tensors(launch.launchOptions().allocations) {
  addRules(program.body);
  for (const Block &block : program.blocks)
    addRules(block);
  if (options.unwritten)
    coverage = std::make_unique<Coverage>(tensors);
  if (options.races) {
    races = std::make_unique<Races>(smallestAccess);
    for (const Allocation &tensor : tensors)
      races->addMemory(reinterpret_cast<uint64_t>(tensor.data), tensor.bytes);
  }
}

void Checker::addRules(const Block &block) {
  for (const Instruction &instruction : block.instructions) {
    const Fact &fact = program.facts[instruction.fact];
    rules[instruction.fact] = ruleOf(instruction);
    if (fact.flow == Flow::Load)
      smallestAccess = std::min(smallestAccess, byteSize(fact.results[0].element));
    if (fact.flow == Flow::Store)
      smallestAccess = std::min(smallestAccess, byteSize(fact.operands[1].element));
    if (auto *descriptor = dynamic_cast<const BlockPayload *>(instruction.payload))
      smallestAccess = std::min(smallestAccess, byteSize(descriptor->value.element));
  }
}

// Rules by the kind of payload: what the instruction does, whatever op it came from.
template <typename P> static bool holds(const Instruction &instruction) {
  return dynamic_cast<const P *>(instruction.payload);
}

Checker::Rule Checker::elementwiseRule(std::string_view name) {
  static const std::map<std::string_view, Rule> kRules = {
      {"arith.addi", &Checker::runArithmetic},     {"arith.subi", &Checker::runArithmetic},
      {"arith.muli", &Checker::runArithmetic},     {"arith.shli", &Checker::runArithmetic},
      {"arith.andi", &Checker::runBitwise},        {"arith.ori", &Checker::runBitwise},
      {"arith.divsi", &Checker::runDivision},      {"arith.divui", &Checker::runDivision},
      {"arith.remsi", &Checker::runDivision},      {"arith.remui", &Checker::runDivision},
      {"arith.ceildivsi", &Checker::runDivision},  {"arith.ceildivui", &Checker::runDivision},
      {"arith.floordivsi", &Checker::runDivision}, {"arith.extsi", &Checker::runExtension},
      {"arith.extui", &Checker::runExtension},     {"arith.index_cast", &Checker::runExtension}};
  auto found = kRules.find(name);
  return found == kRules.end() ? &Checker::runElementwise : found->second;
}

Checker::Rule Checker::ruleOf(const Instruction &instruction) const {
  const Fact &fact = program.facts[instruction.fact];
  switch (fact.flow) {
  case Flow::Elementwise: return elementwiseRule(fact.name);
  case Flow::Select: return &Checker::runSelect;
  case Flow::Mix: return &Checker::runMix;
  case Flow::Fresh: return &Checker::runFresh;
  case Flow::Poison: return &Checker::runPoison;
  case Flow::AddPointer: return &Checker::runAddPtr;
  case Flow::Load: return &Checker::runLoad;
  case Flow::Store: return &Checker::runStore;
  case Flow::AtomicRmw: return &Checker::runRmw;
  case Flow::AtomicCas: return &Checker::runCas;
  case Flow::AtomicPoll: return &Checker::runPoll;
  case Flow::MakeDescriptor: return &Checker::runMakeDescriptor;
  case Flow::DescriptorLoad: return &Checker::runDescriptorLoad;
  case Flow::DescriptorStore: return &Checker::runDescriptorStore;
  case Flow::DescriptorReduce: return &Checker::runDescriptorReduce;
  case Flow::Gather: return &Checker::runGather;
  case Flow::Dot: return &Checker::runDot;
  case Flow::Histogram: return &Checker::runHistogram;
  case Flow::Assert: return &Checker::runAssert;
  case Flow::Custom: break;
  }
  if (holds<MovePayload>(instruction))
    return &Checker::runMove;
  if (holds<ForPayload>(instruction))
    return &Checker::runFor;
  if (holds<IfPayload>(instruction))
    return &Checker::runIf;
  if (holds<InlineAsmPayload>(instruction))
    return &Checker::runInlineAsm;
  if (holds<CombinePayload>(instruction))
    return &Checker::runCombine;
  // Copies, loops, maps and prints move marks themselves, or have no result.
  return &Checker::runPlain;
}

void Checker::prepare(Machine &machine) {
  for (const Parameter &parameter : program.parameters)
    if (parameter.slot.element == Element::Pointer || parameter.slot.element == Element::Descriptor)
      setTensor(machine, parameter.slot, 0, findTensor(*machine.at<uint64_t>(parameter.slot.offset)));
}

void Checker::run(Machine &machine, const Instruction &instruction) {
  (this->*rules[instruction.fact])(machine, instruction);
}

void Checker::runPlain(Machine &machine, const Instruction &instruction) { instruction.run(machine, instruction); }

void Checker::checkCondition(Machine &machine, const Instruction &instruction, const Slot &condition,
                             const char *what) {
  checkUse(machine, instruction, markOf(machine, condition, 0), what);
}

void Checker::runFor(Machine &machine, const Instruction &instruction) {
  for (const Slot &bound : program.facts[instruction.fact].operands)
    checkCondition(machine, instruction, bound, "the range of the loop");
  const auto &payload = static_cast<const ForPayload &>(*instruction.payload);
  clearMarks(machine, {payload.induction, 1, payload.isWide ? Element::I64 : Element::I32}, 1);
  instruction.run(machine, instruction);
}

void Checker::runIf(Machine &machine, const Instruction &instruction) {
  checkCondition(machine, instruction, program.facts[instruction.fact].operands[0], "the condition of the branch");
  instruction.run(machine, instruction);
}

void Checker::runAssert(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const AssertPayload &>(*instruction.payload);
  // With debugging on, the front end guards integer arithmetic by assertions. The checker follows overflow itself, and
  // reports it where it matters: in an address.
  if (payload.message.find(" overflow detected for operation ") != std::string::npos)
    return;
  const std::vector<Slot> &operands = program.facts[instruction.fact].operands;
  const bool *condition = machine.at<bool>(instruction.operands[0]);
  for (uint32_t i = 0; i < operands[0].count; ++i) {
    if (payload.hasMask && !machine.at<bool>(operands[1].offset)[operands[1].count == 1 ? 0 : i])
      continue;
    Mark mark = markOf(machine, operands[0], i);
    checkUse(machine, instruction, mark, "the asserted condition");
    if (!condition[i] && !(mark & kUndefined))
      report(CheckKind::Assert, machine, placeOf(instruction), describeAssert(payload, i));
  }
}

} // namespace nereid::interp
