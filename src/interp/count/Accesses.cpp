// Accesses.cpp: loads, stores and atomics, in requests of warps.
#include "interp/Atomic.h"
#include "interp/count/Counter.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nereid::interp {

static constexpr uint32_t kWarpLanes = 32;
static constexpr size_t kFewElements = 64; // of a tile by which a program may find its way

void Counter::countLoad(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const LoadPayload &>(*instruction.payload);
  const Fact &fact = machine.factOf(instruction);
  TileAccess access{machine.at<const uint64_t>(instruction.operands[0]),
                    payload.hasMask ? machine.at<const bool>(instruction.operands[1]) : nullptr,
                    machine.countOf(instruction),
                    unsigned(byteSize(fact.results[0].element)),
                    true,
                    false,
                    false};
  if (access.count <= kFewElements)
    noteReads(machine, access);
  countAccess(instruction.fact, access, facts[instruction.fact].plan);
}

// Where a program goes may depend on it, as on a counter under a lock, on what some programs before it have published, or on what an
// atomic gives it.
void Counter::noteReads(const Machine &machine, const TileAccess &access) {
  constexpr size_t kMost = size_t(1) << 20;
  const auto &[x, y, z] = machine.program;
  uint64_t program = x + uint64_t(grid[0]) * (y + uint64_t(grid[1]) * z), value = 0;
  TouchedTensor *tensor = nullptr;
  for (size_t i = 0; i < access.count && access.bytes <= sizeof(value) && reads.size() < kMost; ++i) {
    if (access.mask && !access.mask[i])
      continue;
    uint64_t address = access.addresses[i];
    if (!tensor || address < tensor->begin || address >= tensor->end)
      tensor = memory->find(address);
    if (!tensor || access.bytes > tensor->end - address)
      continue;
    uint64_t offset = address - tensor->begin;
    if (!access.isAtomic && !(tensor->sectors[offset / kSectorBytes].written >> offset % kSectorBytes & 1))
      continue;
    std::memcpy(&value, reinterpret_cast<const void *>(address), access.bytes);
    reads.push_back({program, address, value, access.isAtomic});
  }
}

void Counter::countStore(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const StorePayload &>(*instruction.payload);
  const Fact &fact = machine.factOf(instruction);
  countAccess(instruction.fact,
              {machine.at<const uint64_t>(instruction.operands[0]),
               payload.hasMask ? machine.at<const bool>(instruction.operands[2]) : nullptr,
               machine.countOf(instruction), unsigned(byteSize(fact.operands[1].element)), false, true, false},
              facts[instruction.fact].plan);
}

void Counter::countAtomic(Machine &machine, const Instruction &instruction) {
  const Fact &fact = machine.factOf(instruction);
  const bool *mask = nullptr;
  if (auto *payload = dynamic_cast<const RmwPayload *>(instruction.payload); payload && payload->hasMask)
    mask = machine.at<const bool>(instruction.operands[2]);
  TileAccess access{machine.at<const uint64_t>(instruction.operands[0]),
                    mask,
                    fact.operands[0].count,
                    unsigned(byteSize(fact.operands[1].element)),
                    true,
                    fact.flow != Flow::AtomicPoll,
                    true};
  if (access.count <= kFewElements && access.isWritten)
    noteReads(machine, access);
  countAccess(instruction.fact, access, facts[instruction.fact].plan);
}

void Counter::countBlock(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const BlockPayload &>(*instruction.payload);
  const Fact &fact = machine.factOf(instruction);
  const auto &descriptor = *machine.at<const Descriptor>(instruction.operands[0]);
  addressBuffer.resize(payload.value.count);
  maskBuffer.resize(payload.value.count);
  forEachInBlock(machine, descriptor, payload, [&](size_t i, uint64_t address, bool isInside) {
    addressBuffer[i] = address;
    maskBuffer[i] = isInside;
  });
  bool isReduce = fact.flow == Flow::DescriptorReduce;
  // TMA asks for each sector of one once.
  static const AccessPlan kWhole{.requestElements = UINT32_MAX, .goesAroundFirstCache = true};
  const AccessPlan *plan = facts[instruction.fact].plan;
  countAccess(instruction.fact,
              {addressBuffer.data(), reinterpret_cast<const bool *>(maskBuffer.data()), payload.value.count,
               unsigned(byteSize(payload.value.element)), fact.flow != Flow::DescriptorStore,
               fact.flow != Flow::DescriptorLoad, isReduce},
              plan ? plan : &kWhole);
}

struct Counter::RequestState {
  Counts *counts;
  TouchedByLine *byLine;
  LineAccess::Kind kind;
  uint64_t sectors = 0, lines = 0, useful = 0;
  bool beginsAccess = true;
};

static uint32_t bytesAsBits(uint64_t from, uint64_t to) {
  uint64_t upTo = to == kSectorBytes ? 0xffffffffu : (uint32_t(1) << to) - 1;
  return uint32_t(upTo) & ~((uint32_t(1) << from) - 1);
}

void Counter::touch(uint64_t address, uint64_t bytes, const TileAccess &access, RequestState &request) {
  TouchedTensor *tensor = memory->find(address);
  if (!tensor)
    return; // the access itself will fail
  uint64_t begin = address - tensor->begin, end = std::min(begin + bytes, tensor->end - tensor->begin);
  if (begin + bytes > end) // the next tensor begins where this one ends
    touch(tensor->end, begin + bytes - end, access, request);
  size_t index = memory->indexOf(*tensor);
  auto newBits = [&](std::vector<uint32_t> &all, uint64_t sector, uint32_t bits) {
    if (all.empty())
      all.resize(tensor->sectors.size());
    uint32_t fresh = bits & ~all[sector];
    all[sector] |= bits;
    return uint64_t(std::popcount(fresh));
  };
  for (uint64_t sector = begin / kSectorBytes; sector * kSectorBytes < end; ++sector) {
    uint64_t base = sector * kSectorBytes;
    uint32_t bits = bytesAsBits(begin > base ? begin - base : 0, std::min(end - base, kSectorBytes));
    TouchedTensor::Sector &state = tensor->sectors[sector];
    bool isNew = state.request != requestNumber;
    if (isNew) {
      state.request = requestNumber;
      state.requested = 0;
      ++request.sectors;
      if (uint32_t &line = tensor->lines[sector / kLineSectors]; line != requestNumber) {
        line = requestNumber;
        ++request.lines;
      }
    }
    request.useful += uint64_t(std::popcount(bits & ~state.requested));
    state.requested |= bits;
    // A tile asks for what it reads once; each request of a store writes.
    if (waves && (access.isWritten ? isNew : state.access != accessNumber)) {
      uint64_t address = tensor->firstSector + sector;
      auto bit = uint8_t(1 << address % kLineSectors);
      bool wasWritten = !access.isWritten && state.writtenInWave == waves->number();
      if (!request.beginsAccess && !current->empty() && current->back().line == address / kLineSectors &&
          current->back().wasWritten == wasWritten)
        current->back().sectors |= bit;
      else
        current->push_back({address / kLineSectors, bit, request.kind, request.beginsAccess, wasWritten});
      request.beginsAccess = false;
    }
    state.access = accessNumber;
    if (access.isRead) {
      total.uniqueBytesRead += uint64_t(std::popcount(bits & ~state.read));
      state.read |= bits;
      request.counts->uniqueBytesRead += newBits(request.byLine->read[index], sector, bits);
    }
    if (access.isWritten) {
      total.uniqueBytesWritten += uint64_t(std::popcount(bits & ~state.written));
      state.written |= bits;
      state.writtenInWave = waves ? waves->number() : 0;
      request.counts->uniqueBytesWritten += newBits(request.byLine->written[index], sector, bits);
    }
  }
}

// An atomic on an element that another one of the launch has changed already waits for it, or would.
void Counter::countAtomicElements(const TileAccess &access, Counts &counts) {
  for (size_t i = 0; i < access.count; ++i) {
    if (access.mask && !access.mask[i])
      continue;
    ++counts.atomics;
    TouchedTensor *tensor = memory->find(access.addresses[i]);
    if (!tensor)
      continue;
    if (tensor->atomics.empty())
      tensor->atomics.resize(tensor->sectors.size());
    uint64_t offset = access.addresses[i] - tensor->begin;
    uint32_t &begun = tensor->atomics[offset / kSectorBytes], bit = uint32_t(1) << offset % kSectorBytes;
    counts.atomicCollisions += (begun & bit) != 0;
    begun |= bit;
  }
}

void Counter::countAccess(uint32_t fact, const TileAccess &access, const AccessPlan *plan) {
  uint32_t lineIndex = facts[fact].line;
  Counts &counts = lines[lineIndex].counts;
  size_t active = access.count;
  if (access.mask)
    active = size_t(std::count(access.mask, access.mask + access.count, true));
  counts.maskedElements += access.count - active;
  uint64_t bytes = uint64_t(active) * access.bytes;
  counts.bytesRead += access.isRead ? bytes : 0;
  counts.bytesWritten += access.isWritten ? bytes : 0;
  if (access.isAtomic)
    countAtomicElements(access, counts);
  const std::vector<uint32_t> *order = plan && !plan->order.empty() ? &plan->order : nullptr;
  size_t places = order ? order->size() : access.count;
  size_t step = std::min<size_t>(places, plan ? plan->requestElements : kWarpLanes);
  uint32_t repeats = plan ? plan->repeats : 1;
  ++accessNumber;
  using Kind = LineAccess::Kind;
  RequestState state{&counts, &touchedByLine[lineIndex],
                     access.isAtomic                      ? Kind::Atomic
                     : access.isWritten                   ? Kind::Write
                     : plan && plan->goesAroundFirstCache ? Kind::ReadAround
                                                          : Kind::Read};
  for (size_t first = 0; first < places; first += step) {
    ++requestNumber;
    state.sectors = state.lines = state.useful = 0;
    uint64_t begin = 0, end = 0; // of a run of addresses
    for (size_t i = first, last = std::min(places, first + step); i < last; ++i) {
      size_t element = order ? (*order)[i] : i;
      if (access.mask && !access.mask[element])
        continue;
      uint64_t address = access.addresses[element];
      if (address == end) {
        end += access.bytes;
        continue;
      }
      if (end != begin)
        touch(begin, end - begin, access, state);
      begin = address;
      end = address + access.bytes;
    }
    if (end != begin)
      touch(begin, end - begin, access, state);
    if (!state.sectors)
      continue;
    counts.requests += repeats;
    counts.sectors += repeats * state.sectors;
    counts.lines += repeats * state.lines;
    counts.idealSectors += repeats * ((state.useful + kSectorBytes - 1) / kSectorBytes);
    counts.usefulBytesRead += access.isRead ? state.useful * repeats : 0;
    counts.usefulBytesWritten += access.isWritten ? state.useful : 0;
  }
}

} // namespace nereid::interp
