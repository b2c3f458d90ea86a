// Elementwise.cpp: running kernels on tiles, and the few elementwise ops that are more than a kernel.
#include "interp/Elementwise.h"

#include <algorithm>
#include <cstring>

namespace nereid::interp {

void runKernel(Machine &machine, const Instruction &instruction) {
  std::byte *frame = machine.frame;
  instruction.kernel(frame + instruction.result, frame + instruction.operands[0], frame + instruction.operands[1],
                     frame + instruction.operands[2], machine.countOf(instruction));
}

void runNarrowKernel(Machine &machine, const Instruction &instruction) {
  constexpr size_t kChunk = 256;
  const auto &payload = static_cast<const NarrowPayload &>(*instruction.payload);
  float buffers[4][kChunk];
  size_t count = machine.countOf(instruction);
  for (size_t begin = 0; begin < count; begin += kChunk) {
    size_t length = std::min(kChunk, count - begin);
    const void *sources[3];
    for (int i = 0; i < 3; ++i) {
      sources[i] = machine.frame + instruction.operands[i] + begin * payload.operandBytes[i];
      if (payload.unpack[i]) {
        payload.unpack[i](buffers[i], sources[i], length);
        sources[i] = buffers[i];
      }
    }
    void *result = machine.frame + instruction.result + begin * payload.resultBytes;
    instruction.kernel(payload.pack ? buffers[3] : result, sources[0], sources[1], sources[2], length);
    if (payload.pack)
      payload.pack(result, buffers[3], length);
  }
}

template <typename T> void runDivision(Machine &machine, const Instruction &instruction) {
  if (*machine.at<T>(instruction.operands[1]) == 0)
    return machine.fail(Failure::Kind::Arithmetic, instruction, "integer division by zero");
  runKernel(machine, instruction);
}

Handler divisionHandler(Element element) {
  switch (element) {
  case Element::I1:
  case Element::I8: return runDivision<uint8_t>;
  case Element::I16: return runDivision<uint16_t>;
  case Element::I32: return runDivision<uint32_t>;
  default: return runDivision<uint64_t>;
  }
}

template <typename T> static void runSplat(Machine &machine, const Instruction &instruction) {
  std::fill_n(machine.at<T>(instruction.result), machine.countOf(instruction), *machine.at<T>(instruction.operands[0]));
}

Handler splatHandler(size_t bytes) {
  return bytes == 1   ? runSplat<uint8_t>
         : bytes == 2 ? runSplat<uint16_t>
         : bytes == 4 ? runSplat<uint32_t>
                      : runSplat<uint64_t>;
}

template <size_t bytes> static void runWholeSelect(Machine &machine, const Instruction &instruction) {
  uint32_t source = instruction.operands[*machine.at<bool>(instruction.operands[0]) ? 1 : 2];
  std::memcpy(machine.frame + instruction.result, machine.frame + source, bytes * machine.countOf(instruction));
}

Handler wholeSelectHandler(size_t bytes) {
  return bytes == 1   ? runWholeSelect<1>
         : bytes == 2 ? runWholeSelect<2>
         : bytes == 4 ? runWholeSelect<4>
                      : runWholeSelect<8>;
}

void runProgramId(Machine &machine, const Instruction &instruction) {
  auto axis = static_cast<const NumberPayload &>(*instruction.payload).value;
  std::fill_n(machine.at<uint32_t>(instruction.result), machine.countOf(instruction), machine.program[axis]);
}

template <typename T> static void runAddPtr(Machine &machine, const Instruction &instruction) {
  auto size = uint64_t(static_cast<const NumberPayload &>(*instruction.payload).value);
  auto *to = machine.at<uint64_t>(instruction.result);
  auto *from = machine.at<const uint64_t>(instruction.operands[0]);
  auto *offset = machine.at<const T>(instruction.operands[1]);
  size_t count = machine.countOf(instruction);
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = from[i] + uint64_t(int64_t(offset[i])) * size;
}

Handler addPtrHandler(Element offset) {
  switch (offset) {
  case Element::I1:
  case Element::I8: return runAddPtr<int8_t>;
  case Element::I16: return runAddPtr<int16_t>;
  case Element::I32: return runAddPtr<int32_t>;
  default: return runAddPtr<int64_t>;
  }
}

void runNothing(Machine &, const Instruction &) {}

} // namespace nereid::interp
