#include "interp/Claims.h"

#include <algorithm>
#include <numeric>

namespace nereid::interp {

namespace {

int64_t numberAt(Machine &machine, const Slot &slot, size_t i) {
  switch (byteSize(slot.element)) {
  case 1:
    return slot.element == Element::I1 ? -*machine.at<int8_t>(slot.offset + i) : machine.at<int8_t>(slot.offset)[i];
  case 2: return machine.at<int16_t>(slot.offset)[i];
  case 4: return machine.at<int32_t>(slot.offset)[i];
  default: return machine.at<int64_t>(slot.offset)[i];
  }
}

class Comparison {
public:
  Comparison(Machine &machine, const Instruction &instruction)
      : machine(machine), instruction(instruction), claims(static_cast<const ClaimsPayload &>(*instruction.payload)),
        slots(machine.factOf(instruction).operands) {
    for (size_t i = 0; i < slots[0].count; ++i)
      numbers.push_back(numberAt(machine, slots[0], i));
  }

  void run() {
    if (divides() && hasZero(slots[2])) {
      machine.promisesHold = false;
      return;
    }
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (claims.isNonNegative && numbers[i] < 0) {
        if (breaksPromise(i))
          machine.promisesHold = false;
        else
          fail("is never below zero", i);
        return;
      }
      if (claims.constant && cut(numbers[i]) != cut(*claims.constant))
        return fail("is always " + std::to_string(*claims.constant), i);
    }
    size_t stride = numbers.size();
    for (size_t axis = 0; axis < std::max<size_t>(1, claims.shape.size()) && !machine.stopped; ++axis) {
      size_t extent = claims.shape.empty() ? 1 : size_t(claims.shape[axis]);
      stride /= extent;
      for (size_t i = 0; i < numbers.size() && saysAnything(axis) && !machine.stopped; ++i)
        compare(axis, i, int64_t(i / stride % extent), stride);
    }
  }

private:
  bool divides() const { return claims.op.starts_with("arith.div") || claims.op.starts_with("arith.rem"); }
  bool hasZero(const Slot &slot) {
    for (size_t i = 0; i < slot.count; ++i)
      if (numberAt(machine, slot, i) == 0)
        return true;
    return false;
  }

  // The bits that the type has.
  uint64_t cut(int64_t number) const { return uint64_t(number) << (64 - claims.bits) >> (64 - claims.bits); }
  static int64_t at(const std::vector<int64_t> &lengths, size_t axis) { return lengths.empty() ? 1 : lengths[axis]; }

  bool saysAnything(size_t axis) const {
    return std::max({at(claims.contiguity, axis), at(claims.divisibility, axis), at(claims.constancy, axis),
                     at(claims.falling, axis)}) > 1;
  }

  // Element i, at a place along an axis, with the one before.
  void compare(size_t axis, size_t i, int64_t place, size_t stride) {
    int64_t run = at(claims.contiguity, axis), divisor = at(claims.divisibility, axis);
    if (place % run == 0 && cut(numbers[i]) & uint64_t(divisor - 1))
      return fail("begins runs of " + std::to_string(run) + " at multiples of " + std::to_string(divisor), i, axis);
    if (place % run && !follows(i, stride, place, std::gcd(run, std::max<int64_t>(1, divisor / claims.stepUnit))))
      return fail("has runs of " + std::to_string(run) + " that follow each other", i, axis, stride);
    if (int64_t length = at(claims.constancy, axis); place % length && numbers[i] != numbers[i - stride])
      return fail("has runs of " + std::to_string(length) + " equal values", i, axis, stride);
    if (int64_t length = at(claims.falling, axis); place % length && numbers[i] && !numbers[i - stride])
      return fail("has runs of " + std::to_string(length) + " that hold for the first ones", i, axis, stride);
  }

  // Runs as long as what divides their beginning are runs in any case; longer ones in 32 bits, which may wrap around.
  bool follows(size_t i, size_t stride, int64_t place, int64_t certain) const {
    uint64_t off = uint64_t(numbers[i]) - uint64_t(numbers[i - stride]) - uint64_t(claims.stepUnit);
    return place % certain ? off == 0 : uint32_t(cut(int64_t(off))) == 0;
  }

  // Whether the number is below zero because the kernel computes with numbers that it promises not to have (AxisInfo.h): a sum or a
  // product that its type does not hold, or a divisor below zero.
  bool breaksPromise(size_t i) const {
    if (slots.size() != 3)
      return false;
    __int128 a = numberAt(machine, slots[1], i), b = numberAt(machine, slots[2], i);
    if (claims.op == "arith.divsi")
      return b < 0;
    __int128 exact = claims.op == "arith.addi"   ? a + b
                     : claims.op == "arith.muli" ? a * b
                     : b >= 0 && b < 64          ? a << int(b)
                                                 : __int128(0);
    return exact > numbers[i];
  }

  void fail(const std::string &what, size_t i, std::optional<size_t> axis = {}, size_t stride = 0) {
    std::string text = "false claim: " + (claims.op.empty() ? "this value" : "`" + claims.op + "`") + " " + what;
    if (axis && claims.shape.size() > 1)
      text += " along axis " + std::to_string(*axis);
    text += ": element " + std::to_string(i) + " is " + std::to_string(numbers[i]);
    if (stride)
      text += ", the one before " + std::to_string(numbers[i - stride]);
    machine.fail(Failure::Kind::Assert, instruction, text);
  }

  Machine &machine;
  const Instruction &instruction;
  const ClaimsPayload &claims;
  const std::vector<Slot> &slots;
  std::vector<int64_t> numbers;
};

} // namespace

void runClaims(Machine &machine, const Instruction &instruction) {
  if (machine.promisesHold)
    Comparison(machine, instruction).run();
}

} // namespace nereid::interp
