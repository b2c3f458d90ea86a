#include "interp/ptx/Slice.h"

#include <algorithm>

namespace nereid::interp::ptx {

using Role = KernelInstruction::Role;

bool accessesShared(const KernelInstruction &instruction) {
  using Work = KernelInstruction::Work;
  return instruction.work >= Work::SharedRead;
}

static bool readsGlobal(const KernelInstruction &instruction) {
  return instruction.role == Role::GlobalLoad || instruction.role == Role::GlobalAtomic;
}

static bool isVotedOn(const KernelInstruction &instruction) {
  return instruction.role == Role::Reduce || instruction.role == Role::Vote;
}

std::vector<uint32_t> sourcesOf(const KernelInstruction &instruction) {
  std::vector<uint32_t> sources;
  const Operation &operation = instruction.operation;
  bool isStore = instruction.role == Role::SharedStore,
       isOfWarp = instruction.role == Role::Shuffle || isVotedOn(instruction);
  if (instruction.role == Role::Compute || isOfWarp || isStore)
    for (size_t i = isStore ? 0 : 1; i < operation.operands.size(); ++i)
      sources.insert(sources.end(), operation.operands[i].registers.begin(), operation.operands[i].registers.end());
  if (instruction.address() && (readsGlobal(instruction) || accessesShared(instruction)))
    sources.push_back(*instruction.address());
  if (operation.guard)
    sources.push_back(*operation.guard);
  return sources;
}

// From branches and addresses of shared memory backwards, until nothing is added. Whatever is read of shared memory may be
// what any of the stores has written.
static std::vector<bool> findComputed(const Kernel &kernel, bool &readsShared) {
  std::vector<bool> isNeeded(kernel.registers), isComputed(kernel.instructions.size());
  auto need = [&](const std::vector<uint32_t> &registers) {
    for (uint32_t each : registers)
      isNeeded[each] = true;
  };
  for (const KernelInstruction &instruction : kernel.instructions) {
    if (instruction.branchesTo && instruction.operation.guard)
      isNeeded[*instruction.operation.guard] = true;
    if (accessesShared(instruction)) {
      if (instruction.address())
        isNeeded[*instruction.address()] = true;
      if (instruction.operation.guard)
        isNeeded[*instruction.operation.guard] = true;
    }
  }
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (size_t i = kernel.instructions.size(); i-- > 0;) {
      const KernelInstruction &instruction = kernel.instructions[i];
      bool isStored = readsShared && instruction.role == Role::SharedStore;
      if (isComputed[i] ||
          (!isStored && std::ranges::none_of(instruction.targets, [&](uint32_t each) { return isNeeded[each]; })))
        continue;
      isComputed[i] = isNew = true;
      readsShared |= instruction.role == Role::SharedLoad;
      need(sourcesOf(instruction));
    }
  }
  return isComputed;
}

// All lanes, not parts of them, see each other.
static bool isOneSegment(const Operand &within) { return within.isImmediate && !(within.immediate >> 8 & 31); }

static std::vector<bool> findVarying(const Kernel &kernel, const std::vector<bool> &isComputed) {
  std::vector<bool> isVarying(kernel.registers);
  isVarying[kTid] = isVarying[kLane] = true;
  std::vector<uint32_t> definitions(kernel.registers);
  for (size_t i = 0; i < kernel.instructions.size(); ++i)
    if (isComputed[i])
      for (uint32_t target : kernel.instructions[i].targets)
        ++definitions[target];
  auto mark = [&](uint32_t target) { return isVarying[target] ? false : (isVarying[target] = true); };
  for (bool isNew = true; isNew;) {
    isNew = false;
    bool diverges = false;
    for (size_t i = 0; i < kernel.instructions.size(); ++i) {
      const KernelInstruction &instruction = kernel.instructions[i];
      const std::optional<uint32_t> &guard = instruction.operation.guard;
      diverges |= instruction.branchesTo && guard && isVarying[*guard];
      if (!isComputed[i])
        continue;
      bool varies = instruction.role == Role::Elect || instruction.role == Role::SharedLoad || isVotedOn(instruction);
      bool spreads = instruction.role == Role::Shuffle && instruction.operation.has("idx") &&
                     instruction.operation.operands[2].isImmediate && isOneSegment(instruction.operation.operands[3]);
      for (uint32_t source : sourcesOf(instruction))
        varies |= isVarying[source] && (!spreads || source == guard);
      if (varies)
        for (uint32_t target : instruction.targets)
          isNew |= mark(target);
    }
    // Lanes that took different ways have what their way gave them.
    if (diverges)
      for (uint32_t each = 0; each < kernel.registers; ++each)
        if (definitions[each] > 1)
          isNew |= mark(each);
  }
  return isVarying;
}

Slice sliceOf(const Kernel &kernel) {
  Slice slice;
  slice.isComputed = findComputed(kernel, slice.readsShared);
  slice.isVarying = findVarying(kernel, slice.isComputed);
  return slice;
}

} // namespace nereid::interp::ptx
