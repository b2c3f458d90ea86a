// Control.cpp: loops and branches.
#include "interp/Control.h"

#include "interp/Launch.h"
#include "interp/Observer.h"

namespace nereid::interp {

void runCopies(Machine &machine, const Instruction &instruction) {
  for (const Copy &copy : static_cast<const CopyPayload &>(*instruction.payload).copies)
    machine.copy(copy.from, copy.to, copy.bytes);
}

template <typename T> static void loop(Machine &machine, const Instruction &instruction, const ForPayload &payload) {
  using Signed = std::make_signed_t<T>;
  // 128 bits: the last step past a bound near the end of the range must not wrap.
  using Wide = __int128;
  auto read = [&](int i) {
    T value = *machine.at<T>(instruction.operands[i]);
    return payload.isUnsigned ? Wide(value) : Wide(Signed(value));
  };
  Wide begin = read(0), end = read(1), step = read(2);
  if (step <= 0)
    return machine.fail(Failure::Kind::Arithmetic, instruction,
                        "the step of the loop must be positive, got " + std::to_string(int64_t(step)));
  for (Wide i = begin; i < end; i += step) {
    if (!machine.step(instruction))
      return;
    *machine.at<T>(payload.induction) = T(i);
    machine.execute(*payload.body);
    if (machine.stopped)
      return;
  }
}

void runFor(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const ForPayload &>(*instruction.payload);
  if (payload.isWide)
    loop<uint64_t>(machine, instruction, payload);
  else
    loop<uint32_t>(machine, instruction, payload);
}

void runIf(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const IfPayload &>(*instruction.payload);
  const Block *taken = *machine.at<bool>(instruction.operands[0]) ? payload.then : payload.otherwise;
  if (taken)
    machine.execute(*taken);
}

void runWhile(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const WhilePayload &>(*instruction.payload);
  // A few trips go by before a loop counts as waiting, so that short searches do not switch programs.
  constexpr uint64_t kPatience = 16;
  for (uint64_t trips = 0;; ++trips) {
    if (!machine.step(instruction))
      return;
    machine.execute(*payload.before);
    if (machine.stopped)
      return;
    if (machine.observer)
      machine.observer->visitCondition(machine, instruction, {payload.condition, 1, Element::I1});
    if (!*machine.at<bool>(payload.condition))
      return;
    machine.execute(*payload.after);
    if (machine.stopped)
      return;
    if (payload.canSpin && trips >= kPatience && !machine.launch.giveWay(machine, instruction))
      return;
  }
}

} // namespace nereid::interp
