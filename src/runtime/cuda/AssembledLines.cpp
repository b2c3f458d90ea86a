// AssembledLines.cpp: the section .nv_debug_line_sass is a line program of DWARF 2 from places of the machine code to lines of PTX. An
// instruction of the machine has 16 bytes (Volta and later); the lowest nine bits name it, whatever its operands are; bits 12 to 14 are
// the predicate that it waits for, 7 is none.
#include "runtime/cuda/AssembledLines.h"

#include "runtime/cuda/ElfSections.h"

#include <map>

namespace nereid::cuda {

namespace {

using Bytes = std::span<const std::byte>;

bool isFp32Word(uint64_t word) {
  constexpr uint64_t kName = 0x1ff, kMul = 0x20, kAdd = 0x21, kFma = 0x23;
  uint64_t name = word & kName;
  return name == kMul || name == kAdd || name == kFma;
}

bool isGuarded(uint64_t word) {
  constexpr unsigned kAt = 12, kAlways = 7;
  return (word >> kAt & kAlways) != kAlways;
}

// A line program, for a kernel that begins at 0 in its section.
class LineProgram {
public:
  LineProgram(Bytes bytes, Bytes code) : bytes(bytes), code(code) {}

  std::map<uint32_t, Fp32Line> run() {
    while (!hasFailed && at < bytes.size())
      runUnit();
    return hasFailed ? std::map<uint32_t, Fp32Line>() : std::move(counts);
  }

private:
  template <class T> T take() {
    auto value = readAt<T>(bytes, at);
    at += sizeof(T);
    hasFailed |= !value;
    return value.value_or(T());
  }

  uint64_t takeNumber(bool isSigned = false) {
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte = 0;
    do {
      byte = take<uint8_t>();
      value |= shift < 64 ? uint64_t(byte & 0x7f) << shift : 0;
      shift += 7;
    } while (byte & 0x80 && !hasFailed);
    if (isSigned && byte & 0x40 && shift < 64)
      value |= ~uint64_t(0) << shift;
    return value;
  }

  void runUnit() {
    uint64_t length = take<uint32_t>(), end = at + length;
    take<uint16_t>(); // the version
    uint64_t headerLength = take<uint32_t>(), program = at + headerLength;
    uint8_t least = take<uint8_t>();
    take<uint8_t>();
    auto lineBase = take<int8_t>();
    uint8_t lineRange = take<uint8_t>(), firstSpecial = take<uint8_t>();
    std::vector<uint8_t> operands(firstSpecial ? firstSpecial - 1 : 0);
    for (uint8_t &count : operands)
      count = take<uint8_t>();
    hasFailed |= end > bytes.size() || program > end || !lineRange;
    address = 0, line = 1, marked = 0, rowLine = 0;
    for (at = program; !hasFailed && at < end;) {
      uint8_t code = take<uint8_t>();
      if (code >= firstSpecial) {
        address += uint64_t((code - firstSpecial) / lineRange) * least;
        row(int64_t(lineBase) + (code - firstSpecial) % lineRange);
      } else if (code == 0) {
        runExtended();
      } else {
        runStandard(code, least, uint64_t((255 - firstSpecial) / lineRange), operands);
      }
    }
    at = end;
  }

  void runStandard(uint8_t code, uint8_t least, uint64_t wide, const std::vector<uint8_t> &operands) {
    enum { kCopy = 1, kAdvance, kLine, kFile, kColumn, kStatement, kBlock, kWide, kFixed };
    switch (code) {
    case kCopy: return row(0);
    case kAdvance: address += takeNumber() * least; return;
    case kLine: line += takeNumber(true); return;
    case kWide: address += wide * least; return;
    case kFixed: address += take<uint16_t>(); return;
    default:
      for (uint8_t i = 0; i < operands[code - 1]; ++i)
        takeNumber();
    }
  }

  void runExtended() {
    uint64_t length = takeNumber(), next = at + length;
    uint8_t code = length ? take<uint8_t>() : 0;
    if (code == 1) { // the end
      count(address);
      address = 0, line = 1, marked = 0, rowLine = 0;
    } else if (code == 2) {
      address = marked = take<uint64_t>();
    }
    hasFailed |= next > bytes.size();
    at = next;
  }

  // What stands before belongs to the line so far.
  void row(int64_t lines) {
    count(address);
    line += uint64_t(lines);
    rowLine = uint32_t(line);
  }

  void count(uint64_t end) {
    constexpr uint64_t kInstruction = 16;
    for (; rowLine && marked < end; marked += kInstruction) {
      auto word = readAt<uint64_t>(code, marked);
      if (!word)
        break;
      if (isFp32Word(*word))
        ++(isGuarded(*word) ? counts[rowLine].guarded : counts[rowLine].instructions);
    }
    marked = end;
  }

  Bytes bytes, code;
  uint64_t at = 0, address = 0, line = 1, marked = 0;
  uint32_t rowLine = 0;
  bool hasFailed = false;
  std::map<uint32_t, Fp32Line> counts;
};

} // namespace

std::vector<Fp32Line> fp32LinesOf(Bytes image) {
  Bytes code, program;
  unsigned kernels = 0;
  for (const ElfSection &section : elfSectionsOf(image)) {
    if (section.isCode)
      code = section.bytes, ++kernels;
    if (section.name == ".nv_debug_line_sass")
      program = section.bytes;
  }
  std::vector<Fp32Line> lines;
  if (kernels == 1)
    for (const auto &[line, found] : LineProgram(program, code).run())
      lines.push_back({line, found.instructions, found.guarded});
  return lines;
}

} // namespace nereid::cuda
