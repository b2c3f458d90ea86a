// Flow.cpp: how marks pass from operands to results.
//
// Rules are chosen so that a correct kernel has no report: a lane that is masked, selected away or multiplied by zero
// loses its mark. "Wraps" stays only on values that are still a sum or product; what is masked, divided or compared was
// meant.
#include "interp/check/Checker.h"

#include "interp/Dot.h"
#include "interp/Elementwise.h"
#include "interp/InlineAsm.h"
#include "interp/Reduce.h"

namespace nereid::interp {

// Lanes the instruction works on, and the slot of its result as those many elements.
static size_t laneCount(const Machine &machine, const Instruction &instruction) { return machine.countOf(instruction); }

static Mark joinedMark(Machine &machine, const Fact &fact, size_t i) {
  Mark mark = 0;
  for (const Slot &operand : fact.operands)
    mark = join(mark, markOf(machine, operand, i));
  return mark;
}

static uint64_t bitsAt(Machine &machine, const Slot &slot, size_t i) {
  size_t bytes = byteSize(slot.element);
  uint64_t bits = 0;
  std::memcpy(&bits, machine.frame + slot.offset + (slot.count == 1 ? 0 : i) * bytes, bytes);
  return bits;
}

static unsigned widthOf(Element element) { return element == Element::I1 ? 1 : 8 * unsigned(byteSize(element)); }

void Checker::runElementwise(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  size_t count = laneCount(machine, instruction);
  const Slot &result = fact.results[0];
  Mark *marks = marksOf(machine, result.offset);
  bool isSpread = fact.name == "tile.splat" || fact.operands.size() == 1;
  for (size_t i = 0; i < count; ++i) {
    Mark mark = joinedMark(machine, fact, i);
    // A copy of the value (a splat, or a cast to the same) keeps everything; computing on it ends the address
    // arithmetic.
    marks[i] = isSpread && fact.name == "tile.splat" ? mark : keep(mark, kUndefined);
    if (hasTensors(result))
      setTensor(machine, result, i,
                isSpread && hasTensors(fact.operands[0]) ? tensorOf(machine, fact.operands[0], i) : 0);
  }
  if (options.notFinite)
    checkFinite(machine, instruction);
}

// A zero that is certain makes `and` certain, all ones make `or` so.
void Checker::runBitwise(Machine &machine, const Instruction &instruction) {
  const Fact &fact = program.facts[instruction.fact];
  size_t count = laneCount(machine, instruction);
  unsigned width = widthOf(fact.results[0].element);
  uint64_t ones = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
  uint64_t ruling = fact.name == "arith.andi" ? 0 : ones;
  std::vector<Mark> marks(count);
  for (size_t i = 0; i < count; ++i) {
    bool isRuled = false;
    for (const Slot &operand : fact.operands)
      isRuled |= !(markOf(machine, operand, i) & kUndefined) && bitsAt(machine, operand, i) == ruling;
    marks[i] = isRuled ? Mark(0) : keep(joinedMark(machine, fact, i), kUndefined);
  }
  instruction.run(machine, instruction);
  clearMarks(machine, fact.results[0], count);
  std::copy(marks.begin(), marks.end(), marksOf(machine, fact.results[0].offset));
}

// Sums, differences and products: the result is compared with the exact one.
void Checker::runArithmetic(Machine &machine, const Instruction &instruction) {
  const Fact &fact = program.facts[instruction.fact];
  const Slot &a = fact.operands[0], &b = fact.operands[1];
  size_t count = laneCount(machine, instruction);
  unsigned width = widthOf(a.element);
  bool isAdd = fact.name == "arith.addi", isShift = fact.name == "arith.shli",
       isMultiply = fact.name == "arith.muli" || isShift;
  std::vector<Mark> marks(count);
  for (size_t i = 0; i < count; ++i) {
    Mark mark = joinedMark(machine, fact, i);
    uint64_t x = bitsAt(machine, a, i), y = bitsAt(machine, b, i);
    // A shift is a product with a power of two; one by the whole width is a value of its own.
    if (isShift)
      y = y < width - 1 ? uint64_t(1) << y : 0;
    if (isMultiply && !isShift && ((x == 0 && !markOf(machine, a, i)) || (y == 0 && !markOf(machine, b, i))))
      mark = 0;
    if (width > 1 && width < 64 && !(mark & kUndefined)) {
      unsigned unused = 64 - width;
      auto sx = int64_t(x << unused) >> unused, sy = int64_t(y << unused) >> unused;
      int64_t exact = isMultiply ? sx * sy : isAdd ? sx + sy : sx - sy;
      __int128 plain = isMultiply ? __int128(x) * y : isAdd ? __int128(x) + y : __int128(x) - __int128(y);
      Mark wraps = exact != int64_t(uint64_t(exact) << unused) >> unused ? kWrapsSigned : 0;
      if (plain < 0 || plain >> width != 0)
        wraps |= kWrapsUnsigned;
      if (wraps & kWrapsSigned && !(mark & kWrapsSigned)) {
        Mark fresh = newMark(wraps, instruction, "wraps");
        if (const Origin *origin = originOf(fresh); origin && origin->example.empty())
          const_cast<Origin *>(origin)->example = std::to_string(sx) +
                                                  (isMultiply ? " * "
                                                   : isAdd    ? " + "
                                                              : " - ") +
                                                  std::to_string(sy) + " is " + std::to_string(exact) + ", which " +
                                                  std::to_string(width) + " bits cannot hold";
        mark = join(fresh, mark);
      } else if (wraps) {
        mark = join(mark, newMark(wraps, instruction, "wraps"));
      }
    }
    marks[i] = mark;
  }
  instruction.run(machine, instruction);
  clearMarks(machine, fact.results[0], count);
  std::copy(marks.begin(), marks.end(), marksOf(machine, fact.results[0].offset));
}

void Checker::runDivision(Machine &machine, const Instruction &instruction) {
  const Fact &fact = program.facts[instruction.fact];
  size_t count = laneCount(machine, instruction);
  std::vector<Mark> marks(count);
  for (size_t i = 0; i < count; ++i) {
    marks[i] = keep(joinedMark(machine, fact, i), kUndefined);
    if (bitsAt(machine, fact.operands[1], i) == 0)
      marks[i] = join(marks[i], newMark(kUndefined, instruction, "the division by zero"));
  }
  instruction.run(machine, instruction);
  if (machine.stopped)
    return;
  clearMarks(machine, fact.results[0], count);
  std::copy(marks.begin(), marks.end(), marksOf(machine, fact.results[0].offset));
}

// From here on the value is an address part of 64 bits (or a wider sum): it wrapped in the sense in which it is
// extended.
void Checker::runExtension(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  bool isUnsigned = fact.name == "arith.extui";
  size_t count = laneCount(machine, instruction);
  std::vector<Mark> marks(count);
  for (size_t i = 0; i < count; ++i) {
    Mark mark = markOf(machine, fact.operands[0], i);
    bool wraps = mark & (isUnsigned ? kWrapsUnsigned : kWrapsSigned);
    marks[i] = wraps ? Mark(keep(mark, kFlags) | kWrapsSigned | kWrapsUnsigned) : keep(mark, kUndefined);
  }
  clearMarks(machine, fact.results[0], count);
  std::copy(marks.begin(), marks.end(), marksOf(machine, fact.results[0].offset));
}

void Checker::runSelect(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  const Slot &condition = fact.operands[0], &result = fact.results[0];
  size_t count = laneCount(machine, instruction);
  for (size_t i = 0; i < count; ++i) {
    const Slot &chosen = fact.operands[bitsAt(machine, condition, i) ? 1 : 2];
    marksOf(machine, result.offset)[i] = join(markOf(machine, condition, i), markOf(machine, chosen, i));
    if (hasTensors(result))
      setTensor(machine, result, i, tensorOf(machine, chosen, i));
  }
}

void Checker::runAddPtr(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  const Slot &pointer = fact.operands[0], &offset = fact.operands[1], &result = fact.results[0];
  size_t count = laneCount(machine, instruction);
  for (size_t i = 0; i < count; ++i) {
    // addptr extends its offset as signed.
    Mark mark = markOf(machine, offset, i);
    marksOf(machine, result.offset)[i] = join(markOf(machine, pointer, i), keep(mark, kUndefined | kWrapsSigned));
    setTensor(machine, result, i, tensorOf(machine, pointer, i));
  }
}

void Checker::runMix(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  Mark mark = 0;
  for (const Slot &operand : fact.operands)
    for (size_t i = 0; i < operand.count; ++i)
      mark = join(mark, marksOf(machine, operand.offset)[i]);
  mark = takenIn(mark, instruction);
  for (const Slot &result : fact.results) {
    clearMarks(machine, result, result.count);
    std::memset(machine.shadow + result.offset, mark, result.count);
  }
}

void Checker::runFresh(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  for (const Slot &result : program.facts[instruction.fact].results)
    clearMarks(machine, result, result.count);
}

void Checker::runMove(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  const Slot &from = fact.operands[0], &to = fact.results[0];
  const auto &payload = static_cast<const MovePayload &>(*instruction.payload);
  moveBytes(machine.shadow + to.offset, machine.shadow + from.offset, payload);
  if (!hasTensors(to))
    return;
  // The tensors of pointers move in the same way.
  std::vector<uint16_t> source(from.count), target(to.count);
  std::memcpy(source.data(), machine.shadow + from.offset + from.count, 2 * size_t(from.count));
  std::memcpy(target.data(), machine.shadow + to.offset + to.count, 2 * size_t(to.count));
  moveWords(target.data(), source.data(), payload);
  std::memcpy(machine.shadow + to.offset + to.count, target.data(), 2 * size_t(to.count));
}

void Checker::runGather(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  const auto &payload = static_cast<const GatherPayload &>(*instruction.payload);
  const Slot &result = fact.results[0];
  clearMarks(machine, result, result.count);
  for (size_t i = 0; i < result.count; ++i) {
    uint64_t bits = bitsAt(machine, fact.operands[1], i);
    int64_t source = gatherSource(payload, int64_t(i), payload.isWideIndex ? int64_t(bits) : int32_t(bits));
    Mark mark = keep(markOf(machine, fact.operands[1], i), kUndefined);
    if (source < 0)
      mark = join(mark, newMark(kUndefined, instruction, "the gather outside its source"));
    else
      mark = join(mark, marksOf(machine, fact.operands[0].offset)[source]);
    marksOf(machine, result.offset)[i] = mark;
  }
}

// An element of the product depends on a row of the left side and a column of the right one.
void Checker::runDot(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const DotPayload &>(*instruction.payload);
  size_t m = payload.m, n = payload.n, k = payload.k, rows = payload.batch * m, columns = payload.batch * n;
  std::vector<Mark> row(rows), column(columns), result(rows * n);
  const Mark *lhs = marksOf(machine, payload.lhs.offset), *rhs = marksOf(machine, payload.rhs.offset);
  size_t kept = payload.lhs.count / rows; // of a row: k, or half of it
  for (size_t i = 0; i < rows * kept; ++i)
    row[i / kept] = join(row[i / kept], lhs[i]);
  for (size_t i = 0; payload.hasPlaces && i < payload.places.count; ++i)
    row[i * rows / payload.places.count] =
        join(row[i * rows / payload.places.count], marksOf(machine, payload.places.offset)[i]);
  for (size_t i = 0; i < payload.batch * k * n; ++i) {
    size_t at = i / (k * n) * n + i % n;
    column[at] = join(column[at], rhs[i]);
  }
  for (size_t i = 0; i < rows * n; ++i)
    result[i] = join(takenIn(join(row[i / n], column[i / (m * n) * n + i % n]), instruction),
                     keep(marksOf(machine, payload.acc.offset)[i], kUndefined));
  instruction.run(machine, instruction);
  clearMarks(machine, payload.result, payload.result.count);
  std::copy(result.begin(), result.end(), marksOf(machine, payload.result.offset));
  if (options.notFinite)
    checkFinite(machine, instruction);
}

// Reductions and scans pass marks through their regions; what comes out marked was taken in here.
void Checker::runCombine(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  for (const Slot &result : program.facts[instruction.fact].results)
    for (size_t i = 0; i < result.count; ++i) {
      Mark &mark = marksOf(machine, result.offset)[i];
      mark = takenIn(mark, instruction);
    }
}

// Elements of one group share registers, so that they depend on each other.
void Checker::runInlineAsm(Machine &machine, const Instruction &instruction) {
  instruction.run(machine, instruction);
  const Fact &fact = program.facts[instruction.fact];
  uint32_t pack = static_cast<const InlineAsmPayload &>(*instruction.payload).pack, count = fact.results[0].count;
  for (const Slot &result : fact.results)
    clearMarks(machine, result, result.count);
  for (uint32_t begin = 0; begin < count; begin += pack) {
    uint32_t end = std::min(begin + pack, count);
    Mark mark = 0;
    for (uint32_t i = begin; i < end; ++i)
      mark = join(mark, joinedMark(machine, fact, i));
    for (const Slot &result : fact.results)
      std::memset(machine.shadow + result.offset + begin, keep(mark, kUndefined), end - begin);
  }
}

void Checker::runHistogram(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const HistogramPayload &>(*instruction.payload);
  Mark mark = 0;
  for (size_t i = 0; i < payload.source.count; ++i)
    if (!payload.hasMask || machine.at<bool>(instruction.operands[1])[i])
      mark = join(mark, marksOf(machine, payload.source.offset)[i]);
  instruction.run(machine, instruction);
  clearMarks(machine, payload.bins, payload.bins.count);
  std::memset(machine.shadow + payload.bins.offset, takenIn(mark, instruction), payload.bins.count);
}

void Checker::runPoison(Machine &machine, const Instruction &instruction) {
  const Slot &result = program.facts[instruction.fact].results[0];
  clearMarks(machine, result, result.count);
  std::memset(machine.shadow + result.offset, newMark(kUndefined, instruction, "the variable without a value"),
              result.count);
}

} // namespace nereid::interp
