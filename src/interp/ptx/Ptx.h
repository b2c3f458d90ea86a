// Ptx.h: the part of PTX that inline assembly in kernels uses: arithmetic, bits, conversions and selection on
// registers.
//
// No memory, no branches and no special registers: a kernel with those needs a GPU.
#pragma once

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

struct Operation;
using Execute = void (*)(const Operation &, uint64_t *registers);

struct Operation {
  std::string name;
  std::vector<std::string> modifiers;
  // The type that the name ends in, and for conversions and comparisons of two types the one before it.
  Type type, resultType;
  std::vector<Operand> operands;
  std::optional<uint32_t> guard;
  bool isGuardNegated = false;
  Execute execute = nullptr;

  bool has(std::string_view modifier) const;
  // All modifiers are types or among these words. What is not known is refused, for it says that the result is another one.
  bool hasOnly(std::string_view words) const;
};

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
// `type` and `resultType`, from the modifiers.
void readTypes(Operation &operation);
// 12, -1, 0x1f, 0b11, 1.5, 0f3F800000
uint64_t readNumber(const std::string &text, Type type);

// ---- Values.
inline uint64_t lowBits(uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((uint64_t(1) << bits) - 1);
}
uint64_t read(const Operation &operation, size_t operand, const uint64_t *registers, Type type);
void write(const Operation &operation, uint64_t *registers, uint64_t value, Type type);
double toDouble(uint64_t bits, Type type);
// .ftz: a subnormal f32 is a zero of its sign.
uint64_t flushed(uint64_t bits, Type type, const Operation &operation);
// Rounds to nearest even, or as the modifiers .rz, .rm and .rp say; .satfinite and .sat are obeyed.
uint64_t fromDouble(double value, Type type, const Operation &operation);

} // namespace nereid::interp::ptx
