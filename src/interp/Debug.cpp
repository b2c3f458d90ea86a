// Debug.cpp: device_print in Triton's format, device_assert, and clocks.
#include "interp/Debug.h"

#include "interp/NarrowFloat.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace nereid::interp {

template <typename... Values> static std::string format(const char *pattern, Values... values) {
  char buffer[400];
  std::snprintf(buffer, sizeof(buffer), pattern, values...);
  return buffer;
}

std::string indexText(size_t i, const std::vector<int64_t> &shape) {
  std::vector<std::string> parts(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    parts[d] = format("%*d", int(std::ceil(std::log10(double(shape[d])))), int(i % size_t(shape[d])));
    i /= size_t(shape[d]);
  }
  std::string text = "(";
  for (size_t d = 0; d < parts.size(); ++d)
    text += (d ? ", " : "") + parts[d];
  return text + ")";
}

static std::string valueText(uint64_t bits, Element element, bool isHex, bool isSigned) {
  size_t width = 8 * byteSize(element);
  if (element == Element::Pointer)
    return format("%p", reinterpret_cast<void *>(bits));
  if (isHex)
    return format("0x%0*llx", int(width / 4), static_cast<unsigned long long>(bits));
  if (Unpack unpack = unpackOf(element)) {
    float value;
    unpack(&value, &bits, 1);
    return format("%f", double(value));
  }
  if (element == Element::F32)
    return format("%f", double(std::bit_cast<float>(uint32_t(bits))));
  if (element == Element::F64)
    return format("%f", std::bit_cast<double>(bits));
  if (!isSigned || element == Element::I1)
    return std::to_string(bits);
  return std::to_string(int64_t(bits << (64 - width)) >> (64 - width));
}

void runPrint(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const PrintPayload &>(*instruction.payload);
  const std::vector<Slot> &operands = machine.factOf(instruction).operands;
  std::string program = format("pid (%u, %u, %u)", machine.program[0], machine.program[1], machine.program[2]);
  if (operands.empty())
    machine.output += program + payload.prefix + "\n";
  for (size_t n = 0; n < operands.size(); ++n) {
    const Slot &slot = operands[n];
    size_t bytes = byteSize(slot.element);
    std::string number = operands.size() > 1 ? "(operand " + std::to_string(n) + ") " : "";
    for (uint32_t i = 0; i < slot.count; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, machine.frame + slot.offset + i * bytes, bytes);
      machine.output += program + " idx " + indexText(i, payload.shapes[n]) + payload.prefix + number +
                        valueText(bits, slot.element, payload.isHex, payload.isSigned[n]) + "\n";
    }
  }
}

std::string describeAssert(const AssertPayload &payload, size_t element) {
  std::string text = "assertion failed" + (payload.message.empty() ? "" : ": " + payload.message);
  return payload.shape.empty() ? text : text + " (element " + indexText(element, payload.shape) + ")";
}

void runAssert(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const AssertPayload &>(*instruction.payload);
  const bool *condition = machine.at<bool>(instruction.operands[0]);
  const bool *mask = payload.hasMask ? machine.at<bool>(instruction.operands[1]) : nullptr;
  for (uint32_t i = 0; i < instruction.count; ++i)
    if (!condition[i] && (!mask || mask[i]))
      return machine.fail(Failure::Kind::Assert, instruction, describeAssert(payload, i));
}

void runClock(Machine &machine, const Instruction &instruction) {
  *machine.at<int64_t>(instruction.result) =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Programs have no processor of their own here; any fixed one is a valid answer.
void runProcessorId(Machine &machine, const Instruction &instruction) { *machine.at<int32_t>(instruction.result) = 0; }

} // namespace nereid::interp
