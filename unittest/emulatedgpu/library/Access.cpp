// Access.cpp: loads, stores and atomic operations. Memory has an end, and values are aligned to their size.
#include "Block.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace nereid::emulated {

namespace {

using ptx::Kind;
using ptx::Type;

Space spaceOf(const ptx::Operation &operation) {
  for (const ptx::Modifier &word : operation.modifiers) {
    std::string name = word.text.substr(0, word.text.find(':'));
    if (name == "global" || name == "const")
      return Space::Global;
    if (name == "shared")
      return Space::Shared;
    if (name == "local")
      return Space::Local;
    if (name == "param")
      return Space::Parameters;
  }
  return Space::Generic;
}

uint8_t *memoryOf(Warp &warp, const Act &act, uint32_t lane) {
  uint64_t all = uint64_t(act.elements) * act.bytes;
  return warp.memory(act.space, warp.address(act, lane), all, all, lane);
}

// Of a lane, where it lies in shared memory.
void note(Warp &warp, const Act &act, uint32_t lane, Races::How how) {
  if (uint64_t address = warp.address(act, lane); address < kSharedEnd)
    warp.block.races.access(warp.number, lane, how, address, uint64_t(act.elements) * act.bytes, act);
}

void load(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operand &into = act.operation().operands[0];
  eachLane(lanes, [&](uint32_t lane) {
    const uint8_t *from = memoryOf(warp, act, lane);
    note(warp, act, lane, Races::How::Read);
    uint64_t *registers = warp.registers(lane);
    uint64_t values[8];
    for (uint32_t i = 0; i < act.elements; ++i) {
      uint64_t value = 0;
      std::memcpy(&value, from + i * act.bytes, act.bytes);
      if (act.isSigned)
        value = uint64_t(int64_t(value << (64 - act.bytes * 8)) >> (64 - act.bytes * 8));
      values[i] = value;
    }
    for (uint32_t i = 0; i < act.elements; ++i)
      registers[into.registers[i]] = values[i];
  });
}

void store(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operand &from = act.operation().operands[0];
  eachLane(lanes, [&](uint32_t lane) {
    uint8_t *to = memoryOf(warp, act, lane), bytes[64];
    size_t count = size_t(act.elements) * act.bytes;
    for (uint32_t i = 0; i < act.elements; ++i) {
      uint64_t value = from.isImmediate ? from.immediate : warp.registers(lane)[from.registers[i]];
      std::memcpy(bytes + i * act.bytes, &value, act.bytes);
    }
    note(warp, act, lane, std::memcmp(to, bytes, count) == 0 ? Races::How::Rewrite : Races::How::Write);
    std::memcpy(to, bytes, count);
  });
}

// ---- Atomics.

uint64_t combined(const ptx::Operation &operation, Type type, uint64_t old, uint64_t by, uint64_t other) {
  auto is = [&](ptx::Word word) { return operation.has(word); };
  if (is("exch"))
    return by;
  if (is("cas"))
    return old == by ? other : old;
  if (type.kind == Kind::Float || type.kind == Kind::BFloat) {
    double a = ptx::toDouble(old, type), b = ptx::toDouble(by, type);
    if (is("add"))
      return ptx::fromDouble(a + b, type, {});
    bool takesSecond = a != a || (is("min") ? b < a : b > a);
    return b == b && takesSecond ? by : old;
  }
  auto extended = [&](uint64_t value) { return int64_t(value << (64 - type.bits)) >> (64 - type.bits); };
  bool isLess = type.kind == Kind::Signed ? extended(by) < extended(old) : by < old;
  if (is("add"))
    return old + by;
  if (is("and"))
    return old & by;
  if (is("or"))
    return old | by;
  if (is("xor"))
    return old ^ by;
  if (is("min"))
    return isLess ? by : old;
  if (is("max"))
    return isLess || by == old ? old : by;
  if (is("inc"))
    return old >= by ? 0 : old + 1;
  return old == 0 || old > by ? by : old - 1; // dec
}

// atom.global.add.f32 old, [a], value; red.global.add.v4.f32 [a], {…}
void atomic(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  bool returns = operation.name == "atom";
  const ptx::Operand &by = operation.operands[returns ? 1 : 0];
  Type type = operation.type, single{type.kind, type.bits};
  eachLane(lanes, [&](uint32_t lane) {
    uint8_t *at = memoryOf(warp, act, lane);
    note(warp, act, lane, Races::How::Atomic);
    uint64_t *registers = warp.registers(lane), olds[8];
    auto take = [&](const ptx::Operand &operand, uint32_t i) {
      return ptx::lowBits(operand.isImmediate ? operand.immediate : registers[operand.registers[i]], type.width());
    };
    for (uint32_t i = 0; i < act.elements; ++i) {
      uint64_t old = 0, result = 0, value = take(by, i),
               other = operation.has("cas") ? take(operation.operands.back(), i) : 0;
      std::memcpy(&old, at + i * act.bytes, act.bytes);
      for (uint32_t part = 0; part < type.lanes; ++part) {
        auto cut = [&](uint64_t word) { return ptx::lowBits(word >> (part * type.bits), type.bits); };
        result |= ptx::lowBits(combined(operation, single, cut(old), cut(value), cut(other)), type.bits)
                  << (part * type.bits);
      }
      std::memcpy(at + i * act.bytes, &result, act.bytes);
      olds[i] = old;
    }
    if (returns && !operation.operands[0].isImmediate)
      for (uint32_t i = 0; i < act.elements; ++i)
        registers[operation.operands[0].registers[i]] = olds[i];
  });
}

void nothing(Warp &, const Act &, Lanes) {}

} // namespace

bool decodeAccess(Act &act) {
  const ptx::Operation &operation = act.operation();
  static constexpr const char *kNothing[] = {"prefetch", "prefetchu", "discard", "applypriority", "membar"};
  if (std::ranges::find(kNothing, operation.name) != std::end(kNothing))
    return act.perform = nothing, true;
  bool isAtomic = operation.name == "atom" || operation.name == "red";
  if ((operation.name != "ld" && operation.name != "st" && !isAtomic) || act.instruction->addresses.empty() ||
      operation.operands.empty() || operation.has("async"))
    return false;
  act.space = spaceOf(operation);
  act.elements = operation.has("v8") ? 8 : operation.has("v4") ? 4 : operation.has("v2") ? 2 : 1;
  act.bytes = uint8_t(operation.type.width() / 8);
  act.isSigned = operation.type.kind == Kind::Signed;
  act.perform = isAtomic ? atomic : operation.name == "ld" ? load : store;
  const ptx::Operand &data = operation.operands[operation.name == "atom" ? 1 : 0];
  bool isWhole = data.isImmediate ? act.elements == 1 : data.registers.size() == act.elements;
  return isWhole && (operation.name != "ld" || !data.isImmediate) && act.bytes >= 1 && act.bytes <= 8;
}

} // namespace nereid::emulated
