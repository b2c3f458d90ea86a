// Access.cpp: loads, stores and atomics under the checker, element by element.
#include "interp/check/Checker.h"

#include "interp/Atomic.h"
#include "interp/Launch.h"

#include <unordered_map>

namespace nereid::interp {

uint16_t Checker::findTensor(uint64_t address) const {
  for (size_t i = 0; i < tensors.size(); ++i) {
    uint64_t offset = address - reinterpret_cast<uint64_t>(tensors[i].data);
    // The base of an empty tensor is its own.
    if (offset < tensors[i].bytes || (offset == 0 && tensors[i].bytes == 0))
      return uint16_t(i + 1);
  }
  return 0;
}

void Checker::checkUse(Machine &machine, const Instruction &instruction, Mark mark, const char *what) {
  if (!(mark & kUndefined) || !options.undefinedLanes)
    return;
  const Origin *origin = originOf(mark);
  if (origin && origin->takesLanesTogether) {
    const Origin *cause = originOf(Mark(origin->cause << kOriginShift));
    return report(CheckKind::UndefinedLane, machine, origin->place,
                  "the result takes in a lane that " + (cause ? cause->what : "an earlier instruction") +
                      " left undefined",
                  {}, cause ? std::optional(cause->place) : std::nullopt);
  }
  std::string cause = origin ? origin->what : "an earlier instruction";
  report(CheckKind::UndefinedLane, machine, placeOf(instruction),
         std::string(what) + " depends on a lane that " + cause + " left undefined", {},
         origin ? std::optional(origin->place) : std::nullopt);
}

static const char *verbOf(Access access) {
  return access == Access::Load    ? "the load reads "
         : access == Access::Store ? "the store writes "
                                   : "the atomic changes ";
}

bool Checker::checkAccess(Machine &machine, const Instruction &instruction, uint64_t address, uint16_t tensor,
                          size_t bytes, Access access) {
  if (!tensor)
    tensor = findTensor(address);
  const Allocation *allocation = tensor ? &tensors[tensor - 1] : nullptr;
  uint64_t offset = allocation ? address - reinterpret_cast<uint64_t>(allocation->data) : 0;
  bool isInside = allocation && offset < allocation->bytes && bytes <= allocation->bytes - offset;
  if (!isInside) {
    if (isWanted(CheckKind::OutOfBounds))
      report(CheckKind::OutOfBounds, machine, placeOf(instruction),
             verbOf(access) + (allocation ? describeElement(*allocation, int64_t(offset))
                                          : std::string("memory that belongs to no tensor")));
    return false;
  }
  if (address % bytes != 0 && isWanted(CheckKind::Misaligned))
    report(CheckKind::Misaligned, machine, placeOf(instruction),
           verbOf(access) + std::to_string(bytes) + " bytes at byte " + std::to_string(offset) + " of `" +
               allocation->name + "`, which is not a multiple of " + std::to_string(bytes));
  if (coverage && access != Access::Store && coverage->isUnset(address, bytes))
    report(CheckKind::Unwritten, machine, placeOf(instruction),
           verbOf(access) + describeElement(*allocation, int64_t(offset)) + " and is `empty`: nobody has written it");
  if (coverage && access != Access::Load)
    coverage->write(tensor - 1u, address, bytes, instruction.fact, access == Access::Atomic);
  if (!races)
    return true;
  uint32_t number = numberOf(machine);
  auto conflict = access == Access::Atomic ? races->touchAtomically(number, address, bytes)
                  : access == Access::Load ? races->read(number, instruction.fact, address, bytes)
                                           : races->write(number, instruction.fact, address, bytes);
  // A write after another program's read may be the mistake, or the read may: both lines get a report.
  if (conflict && access == Access::Store && !conflict->isWrite)
    report(CheckKind::Race, machine, program.facts[conflict->fact].place,
           "the load reads " + describeElement(*allocation, int64_t(offset)) + ", and program " + programText(number) +
               " writes it too, without an order between them",
           {}, placeOf(instruction));
  if (conflict)
    report(CheckKind::Race, machine, placeOf(instruction),
           verbOf(access) + describeElement(*allocation, int64_t(offset)) + ", and program " +
               programText(conflict->program) + (conflict->isWrite ? " writes" : " reads") +
               " it too, without an order between them",
           {}, program.facts[conflict->fact].place);
  return true;
}

bool Checker::checkPointer(Machine &machine, const Instruction &instruction, const Slot &pointers, size_t i,
                           size_t bytes, Access access) {
  Mark mark = markOf(machine, pointers, i);
  checkUse(machine, instruction, mark, "the address");
  if (mark & kUndefined)
    return false;
  if (mark & kWrapsSigned && isWanted(CheckKind::AddressOverflow)) {
    const Origin *origin = originOf(mark);
    report(CheckKind::AddressOverflow, machine, origin ? origin->place : placeOf(instruction),
           "the offset of an address overflows",
           origin && !origin->example.empty() ? std::vector<std::string>{origin->example} : std::vector<std::string>{},
           placeOf(instruction));
  }
  return checkAccess(machine, instruction, machine.at<uint64_t>(pointers.offset)[i], tensorOf(machine, pointers, i),
                     bytes, access);
}

// Whether lane i takes part, with a report when the mask itself is undefined.
static bool isOn(Machine &machine, const Slot *mask, size_t i) {
  return !mask || machine.at<bool>(mask->offset)[mask->count == 1 ? 0 : i];
}

void Checker::runLoad(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const LoadPayload &>(*instruction.payload);
  const Fact &fact = program.facts[instruction.fact];
  const Slot &result = fact.results[0];
  const Slot *mask = payload.hasMask ? &fact.operands[1] : nullptr,
             *other = payload.hasOther ? &fact.operands[2] : nullptr;
  size_t bytes = byteSize(result.element), count = machine.countOf(instruction);
  std::vector<std::byte> values(count * bytes);
  std::vector<Mark> marks(count);
  std::vector<uint16_t> pointsInto(count);
  for (size_t i = 0; i < count; ++i) {
    if (mask)
      checkUse(machine, instruction, markOf(machine, *mask, i), "the mask");
    if (isOn(machine, mask, i)) {
      uint64_t address = machine.at<uint64_t>(fact.operands[0].offset)[i];
      if (checkPointer(machine, instruction, fact.operands[0], i, bytes, Access::Load))
        std::memcpy(&values[i * bytes], reinterpret_cast<const void *>(address), bytes);
      if (result.element == Element::I1)
        values[i] = std::byte(values[i] != std::byte(0));
    } else if (other) {
      std::memcpy(&values[i * bytes], machine.frame + other->offset + i * bytes, bytes);
      marks[i] = markOf(machine, *other, i);
      if (hasTensors(result))
        pointsInto[i] = tensorOf(machine, *other, i);
    } else {
      marks[i] = newMark(kUndefined, instruction, "the masked load");
    }
  }
  std::memcpy(machine.frame + result.offset, values.data(), values.size());
  clearMarks(machine, result, count);
  std::copy(marks.begin(), marks.end(), marksOf(machine, result.offset));
  for (size_t i = 0; i < count && hasTensors(result); ++i)
    setTensor(machine, result, i, pointsInto[i]);
}

void Checker::reportTwice(Machine &machine, const Instruction &instruction, uint64_t address) {
  uint16_t tensor = findTensor(address);
  if (!tensor || !isWanted(CheckKind::Race))
    return;
  const Allocation &allocation = tensors[tensor - 1];
  report(CheckKind::Race, machine, placeOf(instruction),
         "the store writes " +
             describeElement(allocation, int64_t(address - reinterpret_cast<uint64_t>(allocation.data))) +
             ", more than once with different values: which of them stays is not defined");
}

void Checker::runStore(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const StorePayload &>(*instruction.payload);
  const Fact &fact = program.facts[instruction.fact];
  const Slot &value = fact.operands[1];
  const Slot *mask = payload.hasMask ? &fact.operands[2] : nullptr;
  size_t bytes = byteSize(value.element), count = machine.countOf(instruction);
  std::unordered_map<uint64_t, size_t> lanes; // the first that writes an address
  for (size_t i = 0; i < count; ++i) {
    if (mask)
      checkUse(machine, instruction, markOf(machine, *mask, i), "the mask");
    if (!isOn(machine, mask, i))
      continue;
    checkUse(machine, instruction, markOf(machine, value, i), "the stored value");
    if (!checkPointer(machine, instruction, fact.operands[0], i, bytes, Access::Store))
      continue;
    uint64_t address = machine.at<uint64_t>(fact.operands[0].offset)[i];
    const std::byte *values = machine.frame + value.offset;
    auto [first, isFirst] = lanes.try_emplace(address, i);
    if (!isFirst && std::memcmp(values + first->second * bytes, values + i * bytes, bytes) != 0)
      reportTwice(machine, instruction, address);
    std::memcpy(reinterpret_cast<void *>(address), values + i * bytes, bytes);
  }
}

void Checker::runRmw(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const RmwPayload &>(*instruction.payload);
  const Fact &fact = program.facts[instruction.fact];
  const Slot &value = fact.operands[1], &result = fact.results[0];
  const Slot *mask = payload.hasMask ? &fact.operands[2] : nullptr;
  size_t bytes = byteSize(payload.element), count = machine.countOf(instruction);
  std::vector<uint64_t> before(count);
  std::vector<Mark> marks(count);
  bool changed = false;
  for (size_t i = 0; i < count; ++i) {
    if (mask)
      checkUse(machine, instruction, markOf(machine, *mask, i), "the mask");
    if (!isOn(machine, mask, i)) {
      marks[i] = newMark(kUndefined, instruction, "the masked atomic");
      continue;
    }
    checkUse(machine, instruction, markOf(machine, value, i), "the stored value");
    if (!checkPointer(machine, instruction, fact.operands[0], i, bytes, Access::Atomic))
      continue;
    uint64_t bits = 0, address = machine.at<uint64_t>(fact.operands[0].offset)[i];
    std::memcpy(&bits, machine.frame + value.offset + i * bytes, bytes);
    if (races && payload.acquires)
      races->acquire(numberOf(machine), address);
    if (races && payload.releases)
      races->release(numberOf(machine), address);
    before[i] = changeAtomically(payload.kind, payload.element, address, bits);
    uint64_t after = 0;
    std::memcpy(&after, reinterpret_cast<const void *>(address), bytes);
    changed |= after != before[i];
  }
  for (size_t i = 0; i < count; ++i)
    std::memcpy(machine.frame + result.offset + i * bytes, &before[i], bytes);
  clearMarks(machine, result, count);
  std::copy(marks.begin(), marks.end(), marksOf(machine, result.offset));
  if (changed)
    launch.noteProgress();
}

void Checker::runCas(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const CasPayload &>(*instruction.payload);
  const Fact &fact = program.facts[instruction.fact];
  size_t bytes = byteSize(payload.element);
  bool isGood = true;
  for (size_t i = 0; i < machine.countOf(instruction); ++i) {
    checkUse(machine, instruction, join(markOf(machine, fact.operands[1], i), markOf(machine, fact.operands[2], i)),
             "the stored value");
    isGood &= checkPointer(machine, instruction, fact.operands[0], i, bytes, Access::Atomic);
    uint64_t address = machine.at<uint64_t>(fact.operands[0].offset)[i];
    if (races && payload.acquires)
      races->acquire(numberOf(machine), address);
    if (races && payload.releases)
      races->release(numberOf(machine), address);
  }
  if (isGood)
    return runFresh(machine, instruction);
  // Without memory the swap succeeds, so that a loop that waits for it ends.
  machine.copy(instruction.operands[1], instruction.result, fact.results[0].bytes());
  clearMarks(machine, fact.results[0], fact.results[0].count);
}

void Checker::runPoll(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const PollPayload &>(*instruction.payload);
  const Fact &fact = program.facts[instruction.fact];
  checkUse(machine, instruction, markOf(machine, fact.operands[1], 0), "the expected value");
  if (!checkPointer(machine, instruction, fact.operands[0], 0, byteSize(payload.element), Access::Atomic))
    *machine.at<bool>(instruction.result) = true;
  else
    instruction.run(machine, instruction);
  clearMarks(machine, fact.results[0], 1);
  // The order holds from when the wait has ended.
  if (races && payload.acquires)
    races->acquire(numberOf(machine), *machine.at<uint64_t>(instruction.operands[0]));
}

// ---- Descriptors.

void Checker::runMakeDescriptor(Machine &machine, const Instruction &instruction) {
  const Fact &fact = program.facts[instruction.fact];
  runMix(machine, instruction);
  setTensor(machine, fact.results[0], 0, tensorOf(machine, fact.operands[0], 0));
}

// A block's place: the descriptor and the offsets, which all lanes depend on.
void Checker::checkIndices(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
  for (const Slot &operand : program.facts[instruction.fact].operands)
    for (size_t i = 0; i < operand.count && operand.offset != payload.value.offset; ++i)
      checkUse(machine, instruction, marksOf(machine, operand.offset)[i], "the place of the block");
}

void Checker::runDescriptorLoad(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
  const Slot &source = program.facts[instruction.fact].operands[0];
  checkIndices(machine, instruction);
  const auto descriptor = *machine.at<Descriptor>(instruction.operands[0]);
  uint16_t tensor = tensorOf(machine, source, 0);
  size_t bytes = byteSize(payload.value.element);
  bool isGood = true;
  forEachInBlock(machine, descriptor, payload, [&](size_t, uint64_t address, bool isInside) {
    isGood &= !isInside || checkAccess(machine, instruction, address, tensor, bytes, Access::Load);
  });
  if (isGood)
    instruction.run(machine, instruction);
  clearMarks(machine, payload.value, payload.value.count);
}

void Checker::writeBlock(Machine &machine, const Instruction &instruction, Access access) {
  const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
  const Slot &source = program.facts[instruction.fact].operands[0];
  checkIndices(machine, instruction);
  uint16_t tensor = tensorOf(machine, source, 0);
  size_t bytes = byteSize(payload.value.element);
  bool isGood = true;
  forEachInBlock(machine, *machine.at<Descriptor>(instruction.operands[0]), payload,
                 [&](size_t i, uint64_t address, bool isInside) {
                   if (!isInside)
                     return;
                   checkUse(machine, instruction, marksOf(machine, payload.value.offset)[i], "the stored value");
                   isGood &= checkAccess(machine, instruction, address, tensor, bytes, access);
                 });
  if (isGood)
    instruction.run(machine, instruction);
}

} // namespace nereid::interp
