// Reduce.cpp: reductions, scans and maps with a region.
#include "interp/Reduce.h"

#include "interp/Observer.h"

#include <cstring>
#include <utility>

namespace nereid::interp {

// Copy `count` elements between slots, with their marks; positions and strides count elements.
struct ElementCopy {
  uint32_t from, to;
  size_t fromBegin, fromStride, toBegin, toStride, count;
};

template <typename T> static void copyElements(T *to, const T *from, const ElementCopy &copy) {
  if (copy.fromStride == 1 && copy.toStride == 1)
    std::memmove(to + copy.toBegin, from + copy.fromBegin, copy.count * sizeof(T));
  else
    for (size_t i = 0; i < copy.count; ++i)
      to[copy.toBegin + i * copy.toStride] = from[copy.fromBegin + i * copy.fromStride];
}

static void copyLanes(Machine &machine, size_t elementBytes, const ElementCopy &copy) {
  switch (elementBytes) {
  case 1: copyElements(machine.at<uint8_t>(copy.to), machine.at<const uint8_t>(copy.from), copy); break;
  case 2: copyElements(machine.at<uint16_t>(copy.to), machine.at<const uint16_t>(copy.from), copy); break;
  case 4: copyElements(machine.at<uint32_t>(copy.to), machine.at<const uint32_t>(copy.from), copy); break;
  default: copyElements(machine.at<uint64_t>(copy.to), machine.at<const uint64_t>(copy.from), copy);
  }
  if (machine.shadow)
    copyElements(machine.shadow + copy.to, machine.shadow + copy.from, copy);
}

static void moveTile(Machine &machine, const MovePayload &move, size_t elementBytes, uint32_t from, uint32_t to) {
  Instruction instruction;
  instruction.payload = &move;
  instruction.operands[0] = from;
  instruction.result = to;
  moveHandler(elementBytes)(machine, instruction);
  if (machine.shadow)
    moveBytes(machine.shadow + to, machine.shadow + from, move);
}

static void layOutSources(Machine &machine, const CombinePayload &payload) {
  for (const CombineSource &source : payload.sources)
    if (source.layOut)
      moveTile(machine, *source.layOut, byteSize(source.laidOut.element), source.source, source.laidOut.offset);
}

// Copy lanes [lane, lane + lanes) of position k of every source to the left or right arguments.
static void loadArguments(Machine &machine, const CombinePayload &payload, uint32_t CombineSource::*argument, size_t k,
                          size_t lane, size_t lanes) {
  for (const CombineSource &source : payload.sources)
    copyLanes(machine, byteSize(source.laidOut.element),
              {source.laidOut.offset, source.*argument, k * payload.lanes + lane, 1, 0, 1, lanes});
}

static void runRegion(Machine &machine, const Block &region, uint32_t lanes) {
  uint32_t outer = std::exchange(machine.lanes, lanes);
  machine.execute(region);
  machine.lanes = outer;
}

// From left to right, on `lanes` lanes beginning with `lane`; calls done(k) after each position.
template <typename Done>
static void combine(Machine &machine, const CombinePayload &payload, size_t lane, uint32_t lanes, Done done) {
  for (size_t i = 0; i < payload.extent && !machine.stopped; ++i) {
    size_t k = payload.isReversed ? payload.extent - 1 - i : i;
    loadArguments(machine, payload, i == 0 ? &CombineSource::left : &CombineSource::right, k, lane, lanes);
    if (i > 0)
      runRegion(machine, *payload.region, lanes);
    done(k);
  }
}

// Many lanes: rows are combined with their neighbours, and the results with theirs.
static void reduceRows(Machine &machine, const CombinePayload &payload) {
  for (size_t count = payload.extent; count > 1 && !machine.stopped; count = count / 2 + count % 2) {
    for (size_t i = 0; i < count / 2; ++i) {
      loadArguments(machine, payload, &CombineSource::left, 2 * i, 0, payload.lanes);
      loadArguments(machine, payload, &CombineSource::right, 2 * i + 1, 0, payload.lanes);
      runRegion(machine, *payload.region, payload.lanes);
      for (const CombineSource &source : payload.sources)
        copyLanes(machine, byteSize(source.laidOut.element),
                  {source.left, source.laidOut.offset, 0, 1, i * payload.lanes, 1, payload.lanes});
    }
    if (count % 2)
      for (const CombineSource &source : payload.sources)
        copyLanes(machine, byteSize(source.laidOut.element),
                  {source.laidOut.offset, source.laidOut.offset, (count - 1) * payload.lanes, 1,
                   count / 2 * payload.lanes, 1, payload.lanes});
  }
}

// One lane, and any bracketing will do: combine neighbours, then neighbours of those.
static void reduceTree(Machine &machine, const CombinePayload &payload) {
  for (size_t count = payload.extent; count > 1 && !machine.stopped;) {
    size_t half = count / 2;
    for (const CombineSource &source : payload.sources) {
      size_t bytes = byteSize(source.laidOut.element);
      copyLanes(machine, bytes, {source.laidOut.offset, source.left, 0, 2, 0, 1, half});
      copyLanes(machine, bytes, {source.laidOut.offset, source.right, 1, 2, 0, 1, half});
    }
    runRegion(machine, *payload.region, uint32_t(half));
    for (const CombineSource &source : payload.sources) {
      size_t bytes = byteSize(source.laidOut.element);
      copyLanes(machine, bytes, {source.laidOut.offset, source.laidOut.offset, count - 1, 1, half, 1, count % 2});
      copyLanes(machine, bytes, {source.left, source.laidOut.offset, 0, 1, 0, 1, half});
    }
    count = half + count % 2;
  }
}

static void reduceSingle(Machine &machine, const CombinePayload &payload) {
  const CombineSource &source = payload.sources.front();
  std::byte *to = machine.frame + source.result, *from = machine.frame + source.laidOut.offset;
  size_t row = payload.lanes * byteSize(source.laidOut.element);
  if (payload.fold && payload.lanes == 1)
    return payload.fold(to, from, payload.extent);
  std::memcpy(to, from, row);
  for (size_t k = 1; k < payload.extent; ++k)
    payload.single(to, to, from + k * row, nullptr, payload.lanes);
}

static bool runsAsOneLoop(const Machine &machine, const CombinePayload &payload) {
  return payload.single && !(machine.observer && machine.observer->entersEveryRegion());
}

void runReduce(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const CombinePayload &>(*instruction.payload);
  layOutSources(machine, payload);
  if (runsAsOneLoop(machine, payload))
    return reduceSingle(machine, payload);
  if (payload.isInPairs || (payload.isLanewise && payload.isExact && payload.lanes == 1)) {
    payload.lanes == 1 ? reduceTree(machine, payload) : reduceRows(machine, payload);
    for (const CombineSource &source : payload.sources)
      copyLanes(machine, byteSize(source.laidOut.element),
                {source.laidOut.offset, source.result, 0, 1, 0, 1, payload.lanes});
    return;
  }
  uint32_t step = payload.isLanewise ? payload.lanes : 1;
  for (size_t lane = 0; lane < payload.lanes; lane += step) {
    combine(machine, payload, lane, step, [](size_t) {});
    for (const CombineSource &source : payload.sources)
      copyLanes(machine, byteSize(source.laidOut.element), {source.left, source.result, 0, 1, lane, 1, step});
  }
}

static void scanSingle(Machine &machine, const CombinePayload &payload) {
  const CombineSource &source = payload.sources.front();
  std::byte *to = machine.frame + source.scanned, *from = machine.frame + source.laidOut.offset;
  auto row = ptrdiff_t(payload.lanes * byteSize(source.laidOut.element));
  ptrdiff_t first = payload.isReversed ? payload.extent - 1 : 0, step = payload.isReversed ? -1 : 1;
  std::memcpy(to + first * row, from + first * row, size_t(row));
  for (ptrdiff_t i = 1; i < ptrdiff_t(payload.extent); ++i) {
    ptrdiff_t k = first + i * step;
    payload.single(to + k * row, to + (k - step) * row, from + k * row, nullptr, payload.lanes);
  }
}

void runScan(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const CombinePayload &>(*instruction.payload);
  layOutSources(machine, payload);
  uint32_t step = payload.isLanewise ? payload.lanes : 1;
  if (runsAsOneLoop(machine, payload))
    scanSingle(machine, payload);
  else
    for (size_t lane = 0; lane < payload.lanes; lane += step)
      combine(machine, payload, lane, step, [&](size_t k) {
        for (const CombineSource &source : payload.sources)
          copyLanes(machine, byteSize(source.laidOut.element),
                    {source.left, source.scanned, 0, 1, k * payload.lanes + lane, 1, step});
      });
  for (const CombineSource &source : payload.sources)
    if (source.bringBack)
      moveTile(machine, *source.bringBack, byteSize(source.laidOut.element), source.scanned, source.result);
}

void runMap(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const MapPayload &>(*instruction.payload);
  uint32_t step = payload.isLanewise ? payload.groups : 1;
  for (size_t group = 0; group < payload.groups && !machine.stopped; group += step) {
    for (const auto &operand : payload.arguments)
      copyLanes(machine, operand.elementBytes,
                {operand.tile, operand.argument, group * payload.pack + operand.position, payload.pack, 0, 1, step});
    runRegion(machine, *payload.region, step);
    for (const auto &operand : payload.yields)
      copyLanes(machine, operand.elementBytes,
                {operand.argument, operand.tile, 0, 1, group * payload.pack + operand.position, payload.pack, step});
  }
}

} // namespace nereid::interp
