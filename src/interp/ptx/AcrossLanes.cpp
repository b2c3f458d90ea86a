#include "interp/ptx/AcrossLanes.h"

#include <algorithm>
#include <bit>

namespace nereid::interp::ptx {

namespace {

// Lanes to which an operand of an instruction is not known.
Lanes unknownOf(const Warp &warp, const Operation &operation, size_t operand) {
  Lanes lanes = 0;
  for (uint32_t each : operation.operands[operand].registers)
    lanes |= warp.unknown[each];
  return lanes;
}

enum class Direction { Up, Down, Across, ToOne };

Direction directionOf(const Operation &shuffle) {
  return shuffle.has("up")     ? Direction::Up
         : shuffle.has("down") ? Direction::Down
         : shuffle.has("bfly") ? Direction::Across
                               : Direction::ToOne;
}

// The lane that one reads from, and whether there is one (PTX: shfl.sync).
std::pair<uint32_t, bool> sourceLane(Direction direction, uint32_t lane, uint32_t by, uint32_t within) {
  uint32_t segment = within >> 8 & 31, clamp = within & 31;
  uint32_t most = (lane & segment) | (clamp & ~segment);
  int64_t from = 0;
  switch (direction) {
  case Direction::Up: from = int64_t(lane) - by; break;
  case Direction::Down: from = int64_t(lane) + by; break;
  case Direction::Across: from = int64_t(lane ^ by); break;
  case Direction::ToOne: from = int64_t((lane & segment) | (by & ~segment)); break;
  }
  bool isThere = direction == Direction::Up ? from >= int64_t(most) : from <= int64_t(most);
  return {isThere ? uint32_t(from) : lane, isThere};
}

// Two values of redux.sync as one; none: of a kind that is not known.
std::optional<int64_t> reduced(const Operation &operation, int64_t a, int64_t b) {
  if (operation.has("add"))
    return a + b;
  if (operation.has("min"))
    return std::min(a, b);
  if (operation.has("max"))
    return std::max(a, b);
  if (operation.has("and"))
    return a & b;
  if (operation.has("or"))
    return a | b;
  if (operation.has("xor"))
    return a ^ b;
  return std::nullopt;
}

} // namespace

Lanes shuffle(Warp &warp, const KernelInstruction &instruction, const Operation &own, Lanes lanes) {
  const Operation &operation = instruction.operation;
  Lanes unknown = unknownOf(warp, operation, 1);
  Lanes bad = (unknownOf(warp, operation, 2) | unknownOf(warp, operation, 3)) & lanes;
  constexpr Type kWord{Kind::Unsigned, 32};
  const uint64_t *registers = warp.registersOf(0);
  LaneValues values(own, 1, registers, own.type, kWarp32), by(own, 2, registers, kWord, kWarp32),
      within(own, 3, registers, kWord, kWarp32);
  Direction direction = directionOf(operation);
  for (uint32_t lane = 0; lane < kWarp32; ++lane)
    if (lanes >> lane & 1) {
      auto [from, isThere] = sourceLane(direction, lane, uint32_t(by.of[lane]) % kWarp32, uint32_t(within.of[lane]));
      warp.at(instruction.targets[0], lane) = values.of[from];
      bad |= (unknown >> from & 1) << lane;
      if (instruction.targets.size() > 1)
        warp.at(instruction.targets[1], lane) = isThere;
    }
  return bad;
}

Lanes reduce(Warp &warp, const KernelInstruction &instruction, const Operation &own, Lanes lanes) {
  if (unknownOf(warp, instruction.operation, 1) & lanes)
    return lanes;
  bool isSigned = own.type.kind == Kind::Signed;
  std::optional<int64_t> all;
  for (uint32_t lane = 0; lane < kWarp32; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    auto word = uint32_t(read(own, 1, warp.registersOf(lane), own.type));
    int64_t value = isSigned ? int64_t(int32_t(word)) : int64_t(word);
    all = all ? reduced(own, *all, value) : value;
    if (!all)
      return lanes;
  }
  warp.spread(instruction.targets[0], uint32_t(all.value_or(0)), lanes);
  return 0;
}

Lanes vote(Warp &warp, const KernelInstruction &instruction, Lanes lanes) {
  const Operation &operation = instruction.operation;
  if (unknownOf(warp, operation, 1) & lanes)
    return lanes;
  const Operand &asked = operation.operands[1];
  Lanes yes = 0;
  for (uint32_t lane = 0; lane < kWarp32; ++lane)
    if (lanes >> lane & 1) {
      bool isTrue = (asked.isImmediate ? asked.immediate : warp.at(asked.registers[0], lane)) & 1;
      yes |= Lanes(isTrue != asked.isNegated) << lane;
    }
  uint64_t result = operation.has("ballot") ? yes
                    : operation.has("all")  ? yes == lanes
                    : operation.has("any")  ? yes != 0
                                            : yes == lanes || !yes;
  warp.spread(instruction.targets[0], result, lanes);
  return 0;
}

void elect(Warp &warp, const KernelInstruction &instruction, Lanes lanes) {
  auto leader = uint32_t(std::countr_zero(lanes));
  warp.spread(instruction.targets[0], leader, lanes);
  for (size_t i = 1; i < instruction.targets.size(); ++i) {
    warp.spread(instruction.targets[i], 0, lanes);
    warp.at(instruction.targets[i], leader) = 1;
  }
}

} // namespace nereid::interp::ptx
