// SharedMemoryMap.cpp: swizzling as linear algebra.
//
// An address has three parts: low bits inside of a piece that is accessed at once, then bits that choose among the rest
// of the 32 banks, then the row of banks. Two lanes of a phase conflict where they differ in the row only, so the
// vectors of the row bits ("segments") must avoid the span of the writer's phase and that of the reader's. Two
// subspaces of equal dimension always have a common complement: pair up what one has beyond the other, and take the
// sums of the pairs.
#include "layout/SharedMemoryMap.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace nereid::layout {

namespace {

constexpr unsigned kBankRowBits = 7; // 32 banks of 4 bytes

void append(F2Vectors &list, llvm::ArrayRef<F2Vector> more) { list.append(more.begin(), more.end()); }

// A linear functional, as the mask of the bits whose parity it takes: 0 on `vanishing` and 1 on `one`.
std::optional<F2Vector> functional(llvm::ArrayRef<F2Vector> vanishing, F2Vector one, unsigned bits) {
  F2Vectors vectors = F2Span(vanishing).basis();
  F2Span span(vectors);
  unsigned place = vectors.size();
  if (!span.insert(one))
    return std::nullopt;
  vectors.push_back(one);
  for (F2Vector unit : complete(vectors, bits))
    span.insert(unit);
  F2Vector mask = 0;
  for (unsigned bit = 0; bit < bits; ++bit)
    mask |= (*span.solve(F2Vector(1) << bit) >> place & 1) << bit;
  return mask;
}

// The vectors on which all functionals are 0.
F2Vectors commonKernel(llvm::ArrayRef<F2Vector> functionals, unsigned bits) {
  F2Vectors columns(bits, 0);
  for (unsigned i = 0; i < functionals.size(); ++i)
    for (unsigned bit = 0; bit < bits; ++bit)
      columns[bit] |= (functionals[i] >> bit & 1) << i;
  return kernelOf(columns);
}

// `wanted` independent vectors: from `first`, then `second`, then `third`.
F2Vectors firstIndependent(unsigned wanted, llvm::ArrayRef<F2Vector> first, llvm::ArrayRef<F2Vector> second,
                           llvm::ArrayRef<F2Vector> third) {
  F2Span span;
  F2Vectors chosen;
  for (llvm::ArrayRef<F2Vector> list : {first, second, third})
    for (F2Vector vector : list)
      if (chosen.size() < wanted && span.insert(vector))
        chosen.push_back(vector);
  return chosen;
}

// What `vectors` add to the span of `base`.
F2Vectors beyond(llvm::ArrayRef<F2Vector> base, llvm::ArrayRef<F2Vector> vectors) {
  F2Span span(base);
  F2Vectors added;
  for (F2Vector vector : vectors)
    if (span.insert(vector))
      added.push_back(vector);
  return added;
}

F2Vectors commonComplement(llvm::ArrayRef<F2Vector> left, llvm::ArrayRef<F2Vector> right,
                           llvm::ArrayRef<F2Vector> whole) {
  F2Vectors both = intersect(left, right), leftOnly = beyond(both, left), rightOnly = beyond(both, right);
  F2Vectors complement, covered(left);
  for (auto [one, other] : llvm::zip(leftOnly, rightOnly))
    complement.push_back(one ^ other);
  append(covered, complement);
  append(complement, beyond(covered, whole));
  return complement;
}

// What must not shift elements inside of a piece: see waysOf and the accesses in SharedPlan.cpp.
F2Vectors vanishingFor(const SharedSide &side, unsigned lowBit, unsigned inWord) {
  F2Vectors vectors;
  switch (side.kind) {
  case SharedAccess::Kind::Vector:
    if (lowBit < side.width) {
      append(vectors, side.lanes);
      append(vectors, side.warps);
    }
    break;
  case SharedAccess::Kind::Matrix:
    append(vectors, llvm::ArrayRef(side.lanes).drop_front(2));
    append(vectors, side.warps);
    if (lowBit >= inWord)
      append(vectors, side.registers);
    break;
  case SharedAccess::Kind::TransposedMatrix:
    append(vectors, llvm::ArrayRef(side.lanes).take_front(2));
    append(vectors, side.warps);
    append(vectors, side.registers);
    break;
  }
  return vectors;
}

// What all rounds have: lanes and warps, and the two rows of a pair in a transposed matrix.
F2Vectors fixedInRound(const SharedSide &side) {
  F2Vectors vectors(side.lanes);
  append(vectors, side.warps);
  if (side.kind == SharedAccess::Kind::TransposedMatrix)
    vectors.push_back(side.registers[0]);
  return vectors;
}

// What does not leave a block, or the region of a warp.
F2Vectors fixedInPart(const SharedSide &side) {
  F2Vectors vectors(side.registers);
  append(vectors, side.lanes);
  return vectors;
}

// The rounds: elements that both sides have in registers, and that no lane or warp of either moves along.
F2Vectors chooseRounds(const SharedSide &writer, const SharedSide &reader, F2Vectors taken, unsigned wanted) {
  append(taken, fixedInRound(writer));
  append(taken, fixedInRound(reader));
  F2Vectors rounds = beyond(F2Span(taken).basis(), intersect(writer.registers, reader.registers));
  rounds.truncate(std::min<size_t>(wanted, rounds.size()));
  return rounds;
}

// All that one phase of an access touches: whole pieces for each of its lanes.
F2Vectors spanOfPhase(const SharedSide &side, llvm::ArrayRef<F2Vector> low, unsigned byteBits) {
  F2Vectors phase = phaseOf(side, byteBits);
  unsigned granule = side.kind == SharedAccess::Kind::Vector ? std::max(side.width, wordBits(byteBits)) : low.size();
  append(phase, low.take_front(std::min<size_t>(granule, low.size())));
  return F2Span(phase).basis();
}

// Finds the functionals that read the low bits of an offset, one after the other.
class LowBits {
public:
  LowBits(llvm::ArrayRef<F2Vector> low, llvm::ArrayRef<F2Vector> outside, SharedSide &writer, SharedSide &reader,
          unsigned elementBits, unsigned byteBits)
      : low(low), outside(outside), writer(writer), reader(reader), elementBits(elementBits), byteBits(byteBits) {}

  std::optional<F2Vectors> find() {
    for (unsigned i = 0; i < low.size(); ++i) {
      auto found = findNarrowing(i);
      if (!found)
        return std::nullopt;
      functionals.push_back(*found);
    }
    return functionals;
  }

private:
  // Narrows a side that stands in the way.
  std::optional<F2Vector> findNarrowing(unsigned i) {
    for (SharedSide *narrow : {static_cast<SharedSide *>(nullptr), &writer, &reader}) {
      if (narrow) {
        if (narrow->kind != SharedAccess::Kind::Vector)
          continue;
        narrow->width = std::min(narrow->width, i);
      }
      if (auto found = findOne(i))
        return found;
    }
    return std::nullopt;
  }

  std::optional<F2Vector> findOne(unsigned i) {
    F2Vectors vanishing(outside);
    for (unsigned j = 0; j < low.size(); ++j)
      if (j != i)
        vanishing.push_back(low[j]);
    append(vanishing, vanishingFor(writer, i, wordBits(byteBits)));
    append(vanishing, vanishingFor(reader, i, wordBits(byteBits)));
    auto found = functional(vanishing, low[i], elementBits);
    // A side with narrower accesses needs this bit, too, to spread its lanes over banks: let one of its lanes flip it.
    for (const SharedSide *side : {&writer, &reader}) {
      if (!found)
        return found;
      F2Vectors alike = intersect(commonKernel(functionals, elementBits), spanOfPhase(*side, low, byteBits));
      if (llvm::any_of(alike, [&](F2Vector v) { return llvm::popcount(v & *found) % 2; }))
        continue;
      for (F2Vector lane : alike) {
        F2Vectors more(vanishing);
        more.push_back(lane ^ low[i]);
        if (auto better = functional(more, low[i], elementBits)) {
          found = better;
          vanishing = more;
          break;
        }
      }
    }
    return found;
  }

  llvm::ArrayRef<F2Vector> low, outside;
  SharedSide &writer, &reader;
  unsigned elementBits, byteBits;
  F2Vectors functionals;
};

} // namespace

SharedSide::SharedSide(const LinearLayout &layout)
    : registers(layout.columns(Dim::Register)), lanes(layout.columns(Dim::Lane)), warps(layout.columns(Dim::Warp)) {}

unsigned wordBits(unsigned byteBits) { return byteBits < 2 ? 2 - byteBits : 0; }

F2Vectors phaseOf(const SharedSide &side, unsigned byteBits) {
  switch (side.kind) {
  case SharedAccess::Kind::Vector:
    return F2Vectors(llvm::ArrayRef(side.lanes).take_front(std::min(5u, kBankRowBits - side.width - byteBits)));
  case SharedAccess::Kind::Matrix: return F2Vectors(llvm::ArrayRef(side.lanes).drop_front(2));
  case SharedAccess::Kind::TransposedMatrix: return F2Vectors{side.registers[0], side.lanes[0], side.lanes[1]};
  }
  return {};
}

std::optional<SharedMemoryMap> SharedMemoryMap::make(llvm::ArrayRef<F2Vector> low, SharedSide &writer,
                                                     SharedSide &reader, const SharedPartition &partition,
                                                     unsigned elementBits, unsigned byteBits) {
  F2Vectors taken(low), parts(partition.regions);
  append(parts, partition.blocks);
  append(taken, parts);
  F2Vectors rounds = chooseRounds(writer, reader, taken, partition.roundBits);

  // Functionals that read the low bits, the regions, the blocks and the rounds; all other vectors lie where they are 0.
  F2Vectors outside(parts);
  append(outside, rounds);
  std::optional<F2Vectors> functionals = LowBits(low, outside, writer, reader, elementBits, byteBits).find();
  if (!functionals)
    return std::nullopt;
  for (unsigned i = 0; i < outside.size(); ++i) {
    F2Vectors vanishing(low);
    for (unsigned j = 0; j < outside.size(); ++j)
      if (j != i)
        vanishing.push_back(outside[j]);
    append(vanishing, i < parts.size() ? fixedInPart(writer) : fixedInRound(writer));
    append(vanishing, i < parts.size() ? fixedInPart(reader) : fixedInRound(reader));
    auto reads = functional(vanishing, outside[i], elementBits);
    if (!reads)
      return std::nullopt;
    functionals->push_back(*reads);
  }
  F2Vectors rest = commonKernel(*functionals, elementBits);

  // Of each side's phase, what is left there; both brought to as many dimensions as there are bits for banks.
  unsigned bankBits = std::min<unsigned>(rest.size(), kBankRowBits - byteBits - low.size());
  F2Vectors writes = intersect(rest, spanOfPhase(writer, low, byteBits));
  F2Vectors reads = intersect(rest, spanOfPhase(reader, low, byteBits));
  F2Vectors left = firstIndependent(bankBits, writes, reads, rest);
  F2Vectors right = firstIndependent(bankBits, reads, left, rest);

  SharedMemoryMap map;
  map.lowCount = low.size();
  map.byteBits = byteBits;
  map.basis.assign(low.begin(), low.end());
  append(map.basis, left);
  append(map.basis, commonComplement(left, right, rest));
  append(map.basis, partition.regions);
  map.offsetBits = map.basis.size();
  map.roundBits = rounds.size();
  append(map.basis, rounds);
  append(map.basis, partition.blocks);
  map.span = F2Span(map.basis);
  return map;
}

SharedMemoryMap::SharedMemoryMap(const LinearLayout &memory, unsigned byteBits)
    : basis(memory.columns()), span(memory.columns()), lowCount(std::min<unsigned>(4 - byteBits, basis.size())),
      offsetBits(basis.size()), byteBits(byteBits) {}

unsigned SharedMemoryMap::waysOf(const SharedSide &side) const {
  unsigned granule = side.kind == SharedAccess::Kind::Vector ? std::max(side.width, wordBits(byteBits)) : lowCount;
  F2Vectors pieces, banks;
  for (F2Vector element : phaseOf(side, byteBits)) {
    F2Vector piece = offsetOf(element) >> granule;
    pieces.push_back(piece);
    banks.push_back(piece & ((F2Vector(1) << (kBankRowBits - byteBits - granule)) - 1));
  }
  return 1u << (rankOf(pieces) - rankOf(banks));
}

} // namespace nereid::layout
