// Atomic.cpp: atomics, with the machine's own, so that programs can run on several threads.
#include "interp/Atomic.h"

#include "interp/Launch.h"
#include "interp/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace nereid::interp {

template <typename T> static T combineBits(Rmw kind, T old, T value) {
  using Signed = std::make_signed_t<T>;
  switch (kind) {
  case Rmw::And: return old & value;
  case Rmw::Or: return old | value;
  case Rmw::Xor: return old ^ value;
  case Rmw::Max: return T(std::max(Signed(old), Signed(value)));
  case Rmw::Min: return T(std::min(Signed(old), Signed(value)));
  case Rmw::UMax: return std::max(old, value);
  case Rmw::UMin: return std::min(old, value);
  case Rmw::Xchg: return value;
  default: return T(old + value);
  }
}

template <typename F> static F combineFloats(Rmw kind, F old, F value) {
  switch (kind) {
  case Rmw::FMax: return std::fmax(old, value);
  case Rmw::FMin: return std::fmin(old, value);
  case Rmw::Xchg: return value;
  default: return old + value;
  }
}

// The new bits of an element, computed in its own type.
static uint64_t combineElement(Rmw kind, Element element, uint64_t old, uint64_t value) {
  bool isFloatKind = kind == Rmw::FAdd || kind == Rmw::FMax || kind == Rmw::FMin;
  if (isFloatKind && isNarrowFloat(element)) {
    float a, b, sum;
    unpackOf(element)(&a, &old, 1);
    unpackOf(element)(&b, &value, 1);
    sum = combineFloats(kind, a, b);
    uint64_t bits = 0;
    packOf(element, Narrowing::Arithmetic)(&bits, &sum, 1);
    return bits;
  }
  if (isFloatKind && element == Element::F32)
    return std::bit_cast<uint32_t>(
        combineFloats(kind, std::bit_cast<float>(uint32_t(old)), std::bit_cast<float>(uint32_t(value))));
  if (isFloatKind && element == Element::F64)
    return std::bit_cast<uint64_t>(combineFloats(kind, std::bit_cast<double>(old), std::bit_cast<double>(value)));
  switch (byteSize(element)) {
  case 1: return combineBits(kind, uint8_t(old), uint8_t(value));
  case 2: return combineBits(kind, uint16_t(old), uint16_t(value));
  case 4: return combineBits(kind, uint32_t(old), uint32_t(value));
  default: return combineBits(kind, old, value);
  }
}

// `next(old)` until no other thread comes between; an address that is not aligned is done without that promise, for the
// machine has no atomic there (the checker reports it).
template <typename T, typename Next> static uint64_t exchange(uint64_t address, Next next) {
  if (address % sizeof(T) != 0) {
    T old;
    std::memcpy(&old, reinterpret_cast<void *>(address), sizeof(T));
    T changed = T(next(old));
    std::memcpy(reinterpret_cast<void *>(address), &changed, sizeof(T));
    return old;
  }
  std::atomic_ref<T> memory(*reinterpret_cast<T *>(address));
  T old = memory.load();
  while (!memory.compare_exchange_weak(old, T(next(old)))) {
  }
  return old;
}

template <typename Next> static uint64_t exchangeElement(Element element, uint64_t address, Next next) {
  switch (byteSize(element)) {
  case 1: return exchange<uint8_t>(address, next);
  case 2: return exchange<uint16_t>(address, next);
  case 4: return exchange<uint32_t>(address, next);
  default: return exchange<uint64_t>(address, next);
  }
}

uint64_t changeAtomically(Rmw kind, Element element, uint64_t address, uint64_t value) {
  return exchangeElement(element, address, [&](uint64_t old) { return combineElement(kind, element, old, value); });
}

static uint64_t readElement(const std::byte *from, size_t i, size_t bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, from + i * bytes, bytes);
  return bits;
}

void runAtomicRmw(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const RmwPayload &>(*instruction.payload);
  size_t bytes = byteSize(payload.element);
  const auto *addresses = machine.at<const uint64_t>(instruction.operands[0]);
  const std::byte *values = machine.frame + instruction.operands[1];
  const bool *mask = payload.hasMask ? machine.at<bool>(instruction.operands[2]) : nullptr;
  bool changed = false;
  for (size_t i = 0; i < instruction.count; ++i) {
    uint64_t old = 0;
    if (!mask || mask[i]) {
      if (!mayAccess(machine, instruction, addresses[i], bytes, Access::Atomic))
        return;
      uint64_t value = readElement(values, i, bytes);
      old = changeAtomically(payload.kind, payload.element, addresses[i], value);
      changed |= combineElement(payload.kind, payload.element, old, value) != old;
    }
    std::memcpy(machine.frame + instruction.result + i * bytes, &old, bytes);
  }
  if (changed)
    machine.launch.noteProgress();
}

void runAtomicCas(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const CasPayload &>(*instruction.payload);
  size_t bytes = byteSize(payload.element);
  const auto *addresses = machine.at<const uint64_t>(instruction.operands[0]);
  bool changed = false;
  for (size_t i = 0; i < instruction.count; ++i) {
    if (!mayAccess(machine, instruction, addresses[i], bytes, Access::Atomic))
      return;
    uint64_t expected = readElement(machine.frame + instruction.operands[1], i, bytes);
    uint64_t value = readElement(machine.frame + instruction.operands[2], i, bytes);
    uint64_t old =
        exchangeElement(payload.element, addresses[i], [&](uint64_t old) { return old == expected ? value : old; });
    changed |= old == expected && value != expected;
    std::memcpy(machine.frame + instruction.result + i * bytes, &old, bytes);
  }
  if (changed)
    machine.launch.noteProgress();
}

void runAtomicPoll(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const PollPayload &>(*instruction.payload);
  size_t bytes = byteSize(payload.element);
  uint64_t address = *machine.at<uint64_t>(instruction.operands[0]);
  uint64_t expected = readElement(machine.frame + instruction.operands[1], 0, bytes);
  if (!mayAccess(machine, instruction, address, bytes, Access::Atomic))
    return;
  auto begin = std::chrono::steady_clock::now();
  auto &result = *machine.at<bool>(instruction.result);
  while (true) {
    uint64_t now = exchangeElement(payload.element, address, [](uint64_t old) { return old; });
    if ((result = now == expected))
      return;
    if (payload.hasTimeout && std::chrono::steady_clock::now() - begin >=
                                  std::chrono::nanoseconds(*machine.at<int64_t>(instruction.operands[2])))
      return;
    if (!machine.step(instruction) || !machine.launch.giveWay(machine, instruction))
      return;
  }
}

void runDescriptorReduce(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const DescriptorReducePayload &>(*instruction.payload);
  const auto &descriptor = *machine.at<Descriptor>(instruction.operands[0]);
  size_t bytes = byteSize(payload.value.element);
  forEachInBlock(machine, descriptor, payload, [&](size_t i, uint64_t address, bool isInside) {
    if (isInside && !machine.stopped && mayAccess(machine, instruction, address, bytes, Access::Atomic))
      changeAtomically(payload.kind, payload.value.element, address,
                       readElement(machine.frame + payload.value.offset, i, bytes));
  });
}

} // namespace nereid::interp
