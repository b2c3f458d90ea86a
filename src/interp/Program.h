// Program.h: what a kernel is translated to: instructions with resolved functions over a flat frame of bytes.
//
// Every value of the kernel has a slot in the frame; a tile is a contiguous array there. A region (a loop body, a
// combine function) is a block of instructions that its owner's payload points to. Nothing here knows of MLIR.
#pragma once

#include "interp/Element.h"
#include "interp/Interp.h"
#include "runtime/LoadedCode.h"

#include <deque>

namespace nereid::interp {

struct Machine;
struct Instruction;

// Runs one instruction of a program.
using Handler = void (*)(Machine &, const Instruction &);
// Computes `count` elements from up to three arrays; the result may be one of them.
using Kernel = void (*)(void *result, const void *a, const void *b, const void *c, size_t count);

// What an instruction needs beyond its slots; each family derives its own.
struct Payload {
  virtual ~Payload() = default;
};

struct Instruction {
  Handler run = nullptr;
  Kernel kernel = nullptr;
  const Payload *payload = nullptr;
  // Elements to compute; 0 inside a combine region that runs on many lanes: as many as Machine::lanes says.
  uint32_t count = 0;
  // Byte offsets in the frame, of the first result and the first operands.
  uint32_t result = 0;
  uint32_t operands[3] = {0, 0, 0};
  // Index into Program::facts.
  uint32_t fact = 0;
};

// A sequence of instructions that runs from beginning to end.
struct Block {
  std::vector<Instruction> instructions;
};

// Where a value lives.
struct Slot {
  uint32_t offset = 0;
  uint32_t count = 1;
  Element element = Element::I32;

  size_t bytes() const { return size_t(count) * byteSize(element); }
};

// How undefined lanes pass through an instruction, and what else the checker looks at: its rule. Each op's is chosen where
// it is translated.
enum class Flow : uint8_t {
  Elementwise, // result lane i depends on operand lanes i (or on a scalar operand)
  Select,      // operand 0 chooses between operands 1 and 2
  Mix,         // every result lane depends on every operand lane
  Fresh,       // results do not depend on operands
  Custom,      // by its payload; or the handler moves shadows itself
  Poison,      // results are undefined
  AddPointer,
  Load,
  Store,
  AtomicRmw,
  AtomicCas,
  AtomicPoll,
  MakeDescriptor,
  DescriptorLoad,
  DescriptorStore,
  DescriptorReduce,
  Gather,
  Dot,
  Histogram,
  Assert
};

// What the checker and error messages need to know about an instruction.
struct Fact {
  uint32_t place = 0;
  Flow flow = Flow::Elementwise;
  // The op's name, for rules of arithmetic and for messages.
  std::string name;
  std::vector<Slot> operands, results;
};

// Bytes that are in the frame before a program starts; `pattern` is repeated.
struct Constant {
  uint32_t offset;
  uint32_t repeat;
  std::vector<std::byte> pattern;
};

struct Parameter {
  Slot slot;
  // Descriptors only: the rank and the size of an element of the tensor.
  unsigned rank = 0, elementBytes = 0;
};

class Program : public runtime::LoadedCode {
public:
  Block body;
  std::vector<Parameter> parameters;
  std::vector<Slot> results; // what an operation gives back; kernels give nothing
  std::vector<Constant> constants;
  std::vector<Fact> facts;
  std::vector<Place> places;
  std::deque<Block> blocks;
  std::vector<std::unique_ptr<Payload>> payloads;
  size_t frameBytes = 0;
  // The order of programs can show: floats are added atomically, values from before an atomic are used, or it prints.
  bool isOrderSensitive = false;

  const Place &placeOf(const Instruction &instruction) const { return places[facts[instruction.fact].place]; }
};

} // namespace nereid::interp
