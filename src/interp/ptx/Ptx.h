// Ptx.h: the part of PTX that inline assembly in kernels uses: arithmetic, bits, conversions and selection on
// registers.
//
// No memory, no branches and no special registers: a kernel with those needs a GPU.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nereid::interp::ptx {

enum class Kind : uint8_t { Bits, Unsigned, Signed, Float, BFloat, E4M3, E5M2, E2M1, Predicate };

// A type such as .u32, .f16x2 or .e4m3x2: `lanes` values of `bits` bits.
struct Type {
  Kind kind = Kind::Bits;
  uint8_t bits = 32, lanes = 1;

  unsigned width() const { return unsigned(bits) * lanes; }
  bool operator==(const Type &) const = default;
};

struct Operand {
  // A register, an immediate, or a list of registers in braces, lowest first.
  std::vector<uint32_t> registers;
  uint64_t immediate = 0;
  std::string symbol; // an immediate whose value the reader of the text does not know
  bool isImmediate = false, isVector = false, isNegated = false;
};

// Words as numbers (FNV-1a): followed kernels ask for modifiers millions of times, and texts take long to compare.
constexpr uint64_t numberOf(std::string_view word) {
  uint64_t number = 14695981039346656037u;
  for (char letter : word)
    number = (number ^ uint8_t(letter)) * 1099511628211u;
  return number;
}
struct Word {
  uint64_t number;
  consteval Word(const char *text) : number(numberOf(text)) {}
};
struct Modifier {
  std::string text;
  uint64_t number;
  explicit Modifier(std::string word) : text(std::move(word)), number(numberOf(text)) {}
  bool operator==(Word word) const { return number == word.number; }
};

struct Operation;
// For some lanes, whose values of a register lie beside each other: registers are numbers of the first lane's.
using Execute = void (*)(const Operation &, uint64_t *registers, unsigned lanes);
constexpr unsigned kMostLanes = 32;

struct Operation {
  std::string name;
  std::vector<Modifier> modifiers;
  // The type that the name ends in, and for conversions and comparisons of two types the one before it.
  Type type, resultType;
  std::vector<Operand> operands;
  std::optional<uint32_t> guard;
  bool isGuardNegated = false;
  Execute execute = nullptr;

  bool has(Word word) const {
    for (const Modifier &each : modifiers)
      if (each == word)
        return true;
    return false;
  }
  // All modifiers are types or among these words. What is not known is refused, for it says that the result is another one.
  bool hasOnly(std::string_view words) const;
};

// Text may declare as many as it likes; one costs 256 bytes for each warp that is followed.
constexpr uint32_t kMostRegisters = 1 << 17;

struct Code {
  std::vector<Operation> operations;
  uint32_t registers = 0;
};

// Reads assembly in which `$0` … are the first `parameters` registers. Without a result, `error` says what it cannot
// do.
std::optional<Code> parse(std::string_view text, uint32_t parameters, std::string &error);
void run(const Code &code, uint64_t *registers);

// Null for an instruction that is not known, or not in this form.
Execute findOperation(const Operation &operation);
Execute findInteger(const Operation &operation);
Execute findFloat(const Operation &operation);
Execute findConversion(const Operation &operation);

// ---- Text.
std::string trimmed(std::string_view text);
// At `separator` outside of braces.
std::vector<std::string> split(std::string_view text, char separator);
// `name`, modifiers and types, from words with dots between them: add.rn.f32
void readOpcode(Operation &operation, std::string_view opcode);
// 12, -1, 0x1f, 0b11, 1.5, 0f3F800000
uint64_t readNumber(const std::string &text, Type type);

// ---- Values.
inline uint64_t lowBits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
inline int64_t signedOf(uint64_t value, unsigned bits) { return int64_t(value << (64 - bits)) >> (64 - bits); }
inline uint64_t read(const Operation &operation, size_t index, const uint64_t *registers, Type type) {
  const Operand &operand = operation.operands[index];
  uint64_t value = 0;
  if (operand.isImmediate) {
    value = operand.immediate;
  } else if (operand.isVector) {
    unsigned part = type.width() / unsigned(operand.registers.size());
    for (size_t i = 0; i < operand.registers.size(); ++i)
      value |= lowBits(registers[operand.registers[i]], part) << (part * i);
  } else {
    value = registers[operand.registers[0]];
  }
  return lowBits(operand.isNegated ? ~value : value, type.width());
}
inline void write(const Operation &operation, uint64_t *registers, uint64_t value, Type type) {
  const Operand &operand = operation.operands[0];
  if (!operand.isVector) {
    registers[operand.registers.empty() ? 0 : operand.registers[0]] = lowBits(value, type.width());
    return;
  }
  unsigned part = type.width() / unsigned(operand.registers.size());
  for (size_t i = 0; i < operand.registers.size(); ++i)
    registers[operand.registers[i]] = lowBits(value >> (part * i), part);
}
// An operand in each lane.
struct LaneValues {
  std::array<uint64_t, kMostLanes> of;

  LaneValues(const Operation &operation, size_t index, const uint64_t *registers, Type type, unsigned lanes) {
    const Operand &operand = operation.operands[index];
    if (operand.isImmediate) {
      std::fill_n(of.begin(), lanes, read(operation, index, registers, type));
      return;
    }
    if (operand.isVector || operand.isNegated) {
      for (unsigned lane = 0; lane < lanes; ++lane)
        of[lane] = read(operation, index, registers + lane, type);
      return;
    }
    const uint64_t *values = registers + operand.registers[0], mask = lowBits(~uint64_t(0), type.width());
    for (unsigned lane = 0; lane < lanes; ++lane)
      of[lane] = values[lane] & mask;
  }
};
// What is written to the first operand is `function(lane)`.
void writeEach(const Operation &operation, uint64_t *registers, unsigned lanes, Type type, auto function) {
  const Operand &operand = operation.operands[0];
  if (operand.isVector || operand.registers.empty()) {
    for (unsigned lane = 0; lane < lanes; ++lane)
      write(operation, registers + lane, function(lane), type);
    return;
  }
  uint64_t *results = registers + operand.registers[0], mask = lowBits(~uint64_t(0), type.width());
  for (unsigned lane = 0; lane < lanes; ++lane)
    results[lane] = function(lane) & mask;
}
// An operation of one lane.
template <void (*one)(const Operation &, uint64_t *)>
void inEach(const Operation &operation, uint64_t *registers, unsigned lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    one(operation, registers + lane);
}

double toDouble(uint64_t bits, Type type);
// .ftz: a subnormal f32 is a zero of its sign.
uint64_t flushed(uint64_t bits, Type type, const Operation &operation);
// Rounds to nearest even, or as the modifiers .rz, .rm and .rp say; .satfinite and .sat are obeyed.
uint64_t fromDouble(double value, Type type, const Operation &operation);

} // namespace nereid::interp::ptx
