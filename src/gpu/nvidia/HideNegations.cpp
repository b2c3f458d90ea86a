// HideNegations.cpp: a fault of ptxas 12.9 and 13.0 for sm_90a, found by nereid-differ and seen in machine code. It joins two minima or maxima of
// signed numbers into one instruction of three operands and forgets that the second of them was negated: min(min(a, -b), c) becomes min(a, b, c). And it
// compares the negation of a 16-bit integer as if it were a wider one, but that of -32768 is -32768.
//
//   before  neg.s32 %r3, %r2;
//           max.s32 %r4, %r1, %r3;
//   after   not.b32 %r3, %r2;
//           add.s32 %r3, %r3, 1;
//           max.s32 %r4, %r1, %r3;
//
// A difference or a product becomes a negation where the assembler unrolls a loop that begins with 0 or -1. Those stay what they are, and are compared.
//
//   before  sub.s32 %r3, %r3, %r2;      // in a loop that %r3 is 0 before
//           max.s32 %r4, %r4, %r3;
//   after   sub.s32 %r3, %r3, %r2;
//           { .reg .pred %greater;
//           setp.gt.s32 %greater, %r4, %r3;
//           selp.b32 %r4, %r4, %r3, %greater; }
#include "gpu/nvidia/HideNegations.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace nereid::gpu {

namespace {

enum class Kind { Other, Copy, Negation, Difference, Sum, Product, Extremum, Arithmetic };

// One that stands alone on its line and whose first operand is its result.
struct Instruction {
  Kind kind = Kind::Other;
  StringRef name;
  SmallVector<StringRef, 4> operands;
};

Kind kindOf(StringRef name) {
  return StringSwitch<Kind>(name)
      .Cases({"mov.b32", "mov.u32", "mov.b16", "selp.b32", "selp.b16"}, Kind::Copy)
      .Cases({"neg.s32", "neg.s16"}, Kind::Negation)
      .Case("sub.s32", Kind::Difference)
      .Case("add.s32", Kind::Sum)
      .Cases({"mul.lo.s32", "mad.lo.s32"}, Kind::Product)
      .Cases({"min.s32", "max.s32"}, Kind::Extremum)
      .Cases({"shl.b32", "shr.s32", "shr.u32", "and.b32", "or.b32", "xor.b32", "not.b32", "cvt.u32.u64", "cvt.s32.s16"},
             Kind::Arithmetic)
      .Default(Kind::Other);
}

Instruction read(StringRef line) {
  line = line.trim();
  if (!line.consume_back(";") || line.contains(';'))
    return {};
  auto [name, rest] = line.split(' ');
  Instruction found{kindOf(name.trim()), name.trim(), {}};
  if (found.kind == Kind::Other)
    return {};
  SmallVector<StringRef, 4> operands;
  rest.split(operands, ',');
  for (StringRef operand : operands)
    found.operands.push_back(operand.trim());
  if (found.operands.size() < 2)
    return {};
  return found;
}

// The lines of one function: names of registers are its own.
class Body {
public:
  explicit Body(ArrayRef<StringRef> lines) : lines(lines) {
    for (StringRef line : lines)
      instructions.push_back(read(line));
  }

  void print(std::string &text) {
    findChanging();
    findSuspects();
    findCompared();
    for (auto [line, instruction] : zip(lines, instructions)) {
      bool isNegation =
          negates(instruction) && (instruction.name == "neg.s16" || compared.contains(instruction.operands[0]));
      if (isNegation)
        text += negation(instruction);
      else if (instruction.kind == Kind::Extremum && usesAny(instruction, suspects))
        text += comparison(instruction);
      else
        text += line;
      text += '\n';
    }
  }

private:
  using Registers = StringMap<char>;

  static bool negates(const Instruction &instruction) {
    return instruction.kind == Kind::Negation ||
           (instruction.kind == Kind::Difference && instruction.operands[1] == "0");
  }

  static ArrayRef<StringRef> sources(const Instruction &instruction) {
    return ArrayRef(instruction.operands).drop_front();
  }
  static bool usesAny(const Instruction &instruction, const Registers &registers) {
    return any_of(sources(instruction), [&](StringRef name) { return registers.contains(name); });
  }

  // Until nothing more is found: a loop's registers are set after they are used.
  template <class Step> void repeat(Step step) {
    for (bool hasChanged = true; hasChanged;) {
      hasChanged = false;
      for (const Instruction &instruction : instructions)
        if (instruction.kind != Kind::Other)
          hasChanged |= step(instruction);
    }
  }

  // What a loop sets anew, and what is computed of it.
  void findChanging() {
    Registers set;
    for (const Instruction &instruction : instructions)
      if (instruction.kind != Kind::Other && instruction.name != "not.b32") // that of a negation, which is set twice
        if (!set.try_emplace(instruction.operands[0]).second)
          changing.try_emplace(instruction.operands[0]);
    repeat([&](const Instruction &instruction) {
      return instruction.kind != Kind::Extremum && usesAny(instruction, changing) &&
             changing.try_emplace(instruction.operands[0]).second;
    });
  }

  // What may become a negation.
  void findSuspects() {
    repeat([&](const Instruction &instruction) {
      bool isSuspect = false, isChanging = usesAny(instruction, changing);
      switch (instruction.kind) {
      case Kind::Difference:
      case Kind::Product: isSuspect = isChanging; break;
      case Kind::Sum: isSuspect = isChanging && usesAny(instruction, suspects); break;
      case Kind::Copy: isSuspect = usesAny(instruction, suspects); break;
      default: break;
      }
      return isSuspect && suspects.try_emplace(instruction.operands[0]).second;
    });
  }

  // What extrema are taken of.
  void findCompared() {
    repeat([&](const Instruction &instruction) {
      bool passesOn =
          instruction.kind == Kind::Copy || (instruction.kind == Kind::Sum && usesAny(instruction, changing));
      if (instruction.kind != Kind::Extremum && !(passesOn && compared.contains(instruction.operands[0])))
        return false;
      bool hasChanged = false;
      for (StringRef source : sources(instruction))
        hasChanged |= compared.try_emplace(source).second;
      return hasChanged;
    });
  }

  static std::string negation(const Instruction &instruction) {
    StringRef bits = instruction.name.take_back(2), result = instruction.operands[0];
    return ("\tnot.b" + bits + " \t" + result + ", " + instruction.operands.back() + ";\n\tadd.s" + bits + " \t" +
            result + ", " + result + ", 1;")
        .str();
  }

  static std::string comparison(const Instruction &instruction) {
    StringRef a = instruction.operands[1], b = instruction.operands[2];
    StringRef how = instruction.name.starts_with("max") ? "gt" : "lt";
    return ("\t{ .reg .pred %first;\n\tsetp." + how + ".s32 \t%first, " + a + ", " + b + ";\n\tselp.b32 \t" +
            instruction.operands[0] + ", " + a + ", " + b + ", %first; }")
        .str();
  }

  ArrayRef<StringRef> lines;
  std::vector<Instruction> instructions;
  Registers changing, suspects, compared;
};

} // namespace

std::string hideNegations(std::string ptx) {
  StringRef text = ptx;
  if (!text.contains("min.s32") && !text.contains("max.s32") && !text.contains("neg.s16"))
    return ptx;
  SmallVector<StringRef, 0> lines;
  text.split(lines, '\n');
  bool endsLine = lines.back().empty();
  if (endsLine)
    lines.pop_back();
  std::string result;
  result.reserve(ptx.size() + ptx.size() / 16);
  for (size_t begin = 0; begin < lines.size();) {
    auto isStart = [](StringRef line) {
      return line.starts_with(".") && (line.contains(".entry ") || line.contains(".func "));
    };
    size_t end = begin + 1;
    while (end < lines.size() && !isStart(lines[end]))
      ++end;
    Body(ArrayRef(lines).slice(begin, end - begin)).print(result);
    begin = end;
  }
  if (!endsLine)
    result.pop_back();
  return result;
}

} // namespace nereid::gpu
