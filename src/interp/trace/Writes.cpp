#include "interp/trace/Writes.h"

#include "interp/Atomic.h"
#include "interp/Launch.h"
#include "interp/Memory.h"

namespace nereid::interp {

void WriteTracer::begin(const Program &, Launch &launch) {
  grid = launch.launchOptions().grid;
  for (const Allocation &tensor : launch.launchOptions().allocations)
    memories.push_back({tensor, std::vector<Writers>(tensor.bytes / std::max(1u, tensor.elementBytes))});
}

// Tensors may share memory: what is written in one is written in all.
void WriteTracer::write(uint64_t address, uint64_t bytes, uint32_t program, bool isAtomic) {
  for (Memory &memory : memories) {
    uint64_t offset = address - reinterpret_cast<uint64_t>(memory.tensor.data), size = memory.tensor.elementBytes;
    if (offset >= memory.tensor.bytes)
      continue;
    memory.isWritten = true;
    for (uint64_t at = offset / size; at <= (offset + bytes - 1) / size && at < memory.elements.size(); ++at) {
      Writers &element = memory.elements[at];
      element.isChanged |= isAtomic;
      if (!element.first)
        element.first = program + 1;
      else if (!isAtomic && element.first != program + 1)
        element.other = program + 1;
    }
  }
}

void WriteTracer::run(Machine &machine, const Instruction &instruction) {
  const Fact &fact = machine.factOf(instruction);
  uint32_t program = machine.program[0] + grid[0] * (machine.program[1] + grid[1] * machine.program[2]);
  auto tile = [&](const bool *mask, size_t count, Element element, bool isAtomic) {
    const auto *addresses = machine.at<const uint64_t>(instruction.operands[0]);
    for (size_t i = 0; i < count; ++i)
      if (!mask || mask[i])
        write(addresses[i], byteSize(element), program, isAtomic);
  };
  switch (fact.flow) {
  case Flow::Store: {
    bool hasMask = static_cast<const StorePayload &>(*instruction.payload).hasMask;
    tile(hasMask ? machine.at<const bool>(instruction.operands[2]) : nullptr, machine.countOf(instruction),
         fact.operands[1].element, false);
    break;
  }
  case Flow::AtomicRmw:
  case Flow::AtomicCas: {
    auto *payload = dynamic_cast<const RmwPayload *>(instruction.payload);
    tile(payload && payload->hasMask ? machine.at<const bool>(instruction.operands[2]) : nullptr,
         fact.operands[0].count, fact.operands[1].element, true);
    break;
  }
  case Flow::DescriptorStore:
  case Flow::DescriptorReduce: {
    const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
    forEachInBlock(machine, *machine.at<const Descriptor>(instruction.operands[0]), payload,
                   [&](size_t, uint64_t address, bool isInside) {
                     if (isInside)
                       write(address, byteSize(payload.value.element), program, fact.flow == Flow::DescriptorReduce);
                   });
    break;
  }
  default: break;
  }
  instruction.run(machine, instruction);
}

std::vector<TensorWrites> WriteTracer::take() const {
  std::vector<TensorWrites> found;
  for (const Memory &memory : memories) {
    if (!memory.isWritten)
      continue;
    TensorWrites writes{.name = memory.tensor.name, .elements = memory.elements.size()};
    for (uint64_t i = 0; i < memory.elements.size(); ++i) {
      const Writers &element = memory.elements[i];
      if (!element.first && writes.unwritten++ == 0)
        writes.firstUnwritten = i;
      writes.changed += element.isChanged;
      if (element.other && writes.several++ == 0) {
        writes.firstSeveral = i;
        writes.writers = {element.first - 1, element.other - 1};
      }
    }
    auto placeOf = [&](uint64_t element) {
      return runtime::describeElement(memory.tensor, int64_t(element * memory.tensor.elementBytes));
    };
    if (writes.unwritten)
      writes.placeUnwritten = placeOf(writes.firstUnwritten);
    if (writes.several)
      writes.placeSeveral = placeOf(writes.firstSeveral);
    found.push_back(std::move(writes));
  }
  return found;
}

} // namespace nereid::interp
