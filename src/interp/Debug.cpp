// Debug.cpp: device_print, device_assert, and clocks.
#include "interp/Debug.h"

#include "runtime/PrintFormat.h"

#include <chrono>

namespace nereid::interp {

static std::optional<DType> printedType(Element element, bool isSigned) {
  switch (element) {
  case Element::I1: return DType::Int1;
  case Element::I8: return isSigned ? DType::Int8 : DType::UInt8;
  case Element::I16: return isSigned ? DType::Int16 : DType::UInt16;
  case Element::I32: return isSigned ? DType::Int32 : DType::UInt32;
  case Element::I64: return isSigned ? DType::Int64 : DType::UInt64;
  case Element::F8E5M2: return DType::Fp8E5;
  case Element::F8E4M3FN: return DType::Fp8E4NV;
  case Element::F8E5M2FNUZ: return DType::Fp8E5B16;
  case Element::F8E4M3FNUZ: return DType::Fp8E4B8;
  case Element::F16: return DType::Fp16;
  case Element::BF16: return DType::Bf16;
  case Element::F32: return DType::Fp32;
  case Element::F64: return DType::Fp64;
  case Element::Pointer:
  case Element::Descriptor: return std::nullopt;
  }
  return std::nullopt;
}

void runPrint(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const PrintPayload &>(*instruction.payload);
  const std::vector<Slot> &operands = machine.factOf(instruction).operands;
  std::vector<runtime::PrintedValue> values;
  for (size_t n = 0; n < operands.size(); ++n)
    values.push_back(
        {machine.frame + operands[n].offset, printedType(operands[n].element, payload.isSigned[n]), payload.shapes[n]});
  machine.output += runtime::formatPrint(machine.program.data(), payload.prefix, payload.isHex, values);
}

std::string describeAssert(const AssertPayload &payload, size_t element) {
  std::string text = "assertion failed" + (payload.message.empty() ? "" : ": " + payload.message);
  return payload.shape.empty() ? text : text + " (element " + runtime::indexText(element, payload.shape) + ")";
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
