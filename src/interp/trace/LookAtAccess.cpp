// LookAtAccess.cpp: which elements of which tensor a load, store or atomic is about to touch.
#include "interp/Atomic.h"
#include "interp/Launch.h"
#include "interp/trace/Tracer.h"

#include <algorithm>
#include <cstring>

namespace nereid::interp {

namespace {

// Runs of an access that are kept; most have one.
constexpr size_t kMostRuns = 2048;

// Sorted elements as runs of neighbours, and those as runs with equal distances.
std::vector<ElementRun> runsOf(std::vector<int64_t> &elements, bool &isCut) {
  std::ranges::sort(elements);
  auto [last, end] = std::ranges::unique(elements);
  elements.erase(last, end);
  std::vector<ElementRun> runs;
  for (size_t i = 0; i < elements.size();) {
    size_t next = i + 1;
    while (next < elements.size() && elements[next] == elements[next - 1] + 1)
      ++next;
    auto length = int64_t(next - i);
    int64_t first = elements[i];
    i = next;
    ElementRun *before = runs.empty() ? nullptr : &runs.back();
    if (before && before->length == length &&
        (before->count == 1 || first == before->first + before->count * before->stride)) {
      if (before->count == 1)
        before->stride = first - before->first;
      ++before->count;
    } else if (runs.size() == kMostRuns) {
      isCut = true;
      break;
    } else {
      runs.push_back({first, length, 1, 0});
    }
  }
  return runs;
}

struct Pointers {
  const uint64_t *addresses = nullptr;
  const bool *mask = nullptr;
  size_t count = 0, elementBytes = 1;
};

// The operands of an access by pointers.
Pointers pointersOf(Machine &machine, const Instruction &instruction, const Fact &fact) {
  Pointers found;
  unsigned mask = 0;
  switch (fact.flow) {
  case Flow::Load:
    mask = static_cast<const LoadPayload &>(*instruction.payload).hasMask ? 1 : 0;
    found.elementBytes = byteSize(fact.results[0].element);
    break;
  case Flow::Store:
    mask = static_cast<const StorePayload &>(*instruction.payload).hasMask ? 2 : 0;
    found.elementBytes = byteSize(fact.operands[1].element);
    break;
  case Flow::AtomicRmw:
    mask = static_cast<const RmwPayload &>(*instruction.payload).hasMask ? 2 : 0;
    found.elementBytes = byteSize(fact.operands[1].element);
    break;
  case Flow::AtomicCas:
  case Flow::AtomicPoll: found.elementBytes = byteSize(fact.operands[1].element); break;
  default: return found;
  }
  found.addresses = machine.at<const uint64_t>(fact.operands[0].offset);
  found.count = fact.operands[0].count;
  if (mask && fact.operands.size() > mask)
    found.mask = machine.at<const bool>(fact.operands[mask].offset);
  return found;
}

TracedAccess::Kind kindOf(Flow flow) {
  switch (flow) {
  case Flow::Load:
  case Flow::DescriptorLoad: return TracedAccess::Kind::Load;
  case Flow::Store:
  case Flow::DescriptorStore: return TracedAccess::Kind::Store;
  default: return TracedAccess::Kind::Atomic;
  }
}

} // namespace

Grid2D gridOf(const runtime::Allocation &tensor) {
  auto elements = int64_t(tensor.bytes / std::max(1u, tensor.elementBytes));
  // Rows are as far apart as they lie in memory, so that a transposed tensor is shown as it is stored.
  int64_t pitch = 0;
  for (size_t i = 0; i < tensor.shape.size() && tensor.shape.size() > 1; ++i)
    if (i < tensor.strides.size() && tensor.strides[i] > 1 && tensor.shape[i] > 1)
      pitch = pitch ? std::min(pitch, tensor.strides[i]) : tensor.strides[i];
  int64_t columns = std::max<int64_t>(1, pitch ? pitch : elements);
  return {std::max<int64_t>(1, (elements + columns - 1) / columns), columns};
}

int32_t Tracer::tensorAt(uint64_t address) const {
  for (size_t i = 0; i < trace.tensors.size(); ++i)
    if (address - reinterpret_cast<uint64_t>(trace.tensors[i].data) < trace.tensors[i].bytes)
      return int32_t(i);
  return -1;
}

TracedAccess Tracer::look(Machine &machine, const Instruction &instruction) const {
  const Fact &fact = machine.factOf(instruction);
  TracedAccess seen{.kind = kindOf(fact.flow)};
  std::vector<int64_t> touched, masked;
  const runtime::Allocation *tensor = nullptr;
  // The tensor of the first element that is touched is the one that is shown.
  auto visit = [&](uint64_t address, bool isTouched) {
    ++seen.count;
    seen.maskedCount += !isTouched;
    if (!tensor || address - reinterpret_cast<uint64_t>(tensor->data) >= tensor->bytes) {
      int32_t found = tensorAt(address);
      if (found < 0 || (tensor && !isTouched)) {
        seen.masksOutside += !isTouched;
        return;
      }
      if (!tensor) {
        seen.tensor = found;
        tensor = &trace.tensors[size_t(found)];
      }
    }
    auto element = int64_t(address - reinterpret_cast<uint64_t>(tensor->data)) / int64_t(tensor->elementBytes);
    (isTouched ? touched : masked).push_back(element);
  };
  if (Pointers pointers = pointersOf(machine, instruction, fact); pointers.addresses) {
    for (bool isTouched : {true, false}) // what is touched decides which tensor it is
      for (size_t i = 0; i < pointers.count; ++i)
        if (bool(!pointers.mask || pointers.mask[i]) == isTouched)
          visit(pointers.addresses[i], isTouched);
  } else if (fact.flow == Flow::DescriptorLoad || fact.flow == Flow::DescriptorStore ||
             fact.flow == Flow::DescriptorReduce) {
    const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
    forEachInBlock(machine, *machine.at<Descriptor>(instruction.operands[0]), payload,
                   [&](size_t, uint64_t address, bool isInside) { visit(address, isInside); });
  }
  if (!seen.count)
    return seen;
  seen.touched = runsOf(touched, seen.isCut);
  seen.masked = runsOf(masked, seen.isCut);
  return seen;
}

} // namespace nereid::interp
