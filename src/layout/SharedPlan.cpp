// SharedPlan.cpp: conversions through shared memory. Tries the orders of memory that give one side its widest accesses
// (16 bytes of registers, or rows of ldmatrix and stmatrix), counts what each costs on both sides, and takes the
// cheapest.
#include "layout/SharedMemoryMap.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>

namespace nereid::layout {

namespace {

constexpr unsigned kPieceBits = 4; // the widest access: 16 bytes

struct Candidate {
  SharedMemoryMap map;
  SharedSide writer, reader;
  unsigned cost = 0;
};

class Planner {
public:
  Planner(const LinearLayout &source, const LinearLayout &result, const ConversionOptions &options, bool isPrivate)
      : source(source), options(options), byteBits(llvm::Log2_32(options.elementBytes)),
        elementBits(source.out().totalBits()), writer(source), reader(result) {
    unsigned tileBits = elementBits - source.bits(Dim::Block) + byteBits;
    unsigned maxBits = llvm::Log2_32(std::max(options.maxSharedBytes, 128u));
    partition.roundBits = tileBits > maxBits ? tileBits - maxBits : 0;
    partition.blocks.assign(source.columns(Dim::Block).begin(), source.columns(Dim::Block).end());
    if (isPrivate)
      partition.regions = writer.warps;
  }

  SharedPlan plan() {
    // Lanes with copies would write a row of a matrix twice.
    hasStmatrix = options.hasStmatrix && !source.freeBits(Dim::Lane);
    for (const F2Vectors &low : lowChoices())
      for (SharedAccess::Kind write : kindsOf(writer, low, hasStmatrix))
        for (SharedAccess::Kind read : kindsOf(reader, low, options.hasLdmatrix))
          consider(low, write, read);
    return finish();
  }

private:
  using Kind = SharedAccess::Kind;
  unsigned pieceBits() const { return kPieceBits - byteBits; }

  // Up to 16 bytes of registers of `side`: first those that both sides have.
  F2Vectors registersFirst(const SharedSide &side, unsigned bits) const {
    F2Vectors shared = intersect(writer.registers, reader.registers), chosen;
    F2Span both(shared), span;
    auto take = [&](F2Vector vector) {
      if (chosen.size() < bits && span.insert(vector))
        chosen.push_back(vector);
    };
    for (F2Vector vector : side.registers)
      if (both.contains(vector))
        take(vector);
    for (F2Vector vector : shared)
      take(vector);
    for (F2Vector vector : side.registers)
      take(vector);
    return chosen;
  }

  // The piece that the rows of ldmatrix make: the registers of a word, then lanes 0 and 1.
  std::optional<F2Vectors> matrixPiece(const SharedSide &side) const {
    if (options.elementBytes > 4 || side.lanes.size() != 5)
      return std::nullopt;
    F2Vectors piece = registersFirst(side, wordBits(byteBits));
    piece.append({side.lanes[0], side.lanes[1]});
    return isPiece(piece) ? std::optional(piece) : std::nullopt;
  }
  std::optional<F2Vectors> transposedPiece(const SharedSide &side) const {
    if (options.elementBytes != 2 || side.lanes.size() != 5 || side.registers.empty())
      return std::nullopt;
    F2Vectors piece{side.lanes[2], side.lanes[3], side.lanes[4]};
    return isPiece(piece) ? std::optional(piece) : std::nullopt;
  }
  bool isPiece(llvm::ArrayRef<F2Vector> piece) const {
    return piece.size() == pieceBits() && rankOf(piece) == pieceBits();
  }

  llvm::SmallVector<F2Vectors, 6> lowChoices() const {
    llvm::SmallVector<F2Vectors, 6> choices;
    auto add = [&](const std::optional<F2Vectors> &choice) {
      if (choice && !llvm::is_contained(choices, *choice))
        choices.push_back(*choice);
    };
    add(registersFirst(reader, pieceBits()));
    add(registersFirst(writer, pieceBits()));
    if (options.hasLdmatrix) {
      add(matrixPiece(reader));
      add(transposedPiece(reader));
    }
    if (hasStmatrix) {
      add(matrixPiece(writer));
      add(transposedPiece(writer));
    }
    return choices;
  }

  llvm::SmallVector<Kind, 3> kindsOf(const SharedSide &side, const F2Vectors &low, bool hasMatrices) const {
    llvm::SmallVector<Kind, 3> kinds{Kind::Vector};
    if (!hasMatrices || options.elementBytes > 4 || side.lanes.size() != 5 || low.size() != pieceBits())
      return kinds;
    unsigned inWord = wordBits(byteBits);
    F2Span registers(side.registers);
    bool hasWords =
        llvm::all_of(llvm::ArrayRef(low).take_front(inWord), [&](F2Vector v) { return registers.contains(v); });
    if (hasWords && low[inWord] == side.lanes[0] && low[inWord + 1] == side.lanes[1])
      kinds.push_back(Kind::Matrix);
    if (transposedPiece(side) == low)
      kinds.push_back(Kind::TransposedMatrix);
    return kinds;
  }

  SharedSide sideFor(SharedSide side, llvm::ArrayRef<F2Vector> low, Kind kind) const {
    side.kind = kind;
    F2Span registers(side.registers);
    while (kind == Kind::Vector && side.width < low.size() && registers.contains(low[side.width]))
      ++side.width;
    return side;
  }

  // Where no side uses all of `low`, a shorter one leaves more freedom; a word of a bank should be filled all the same.
  void fitLow(F2Vectors &low, const SharedSide &write, const SharedSide &read) const {
    unsigned inWord = wordBits(byteBits);
    if (write.kind == Kind::Vector && read.kind == Kind::Vector)
      low.truncate(std::min<size_t>(low.size(), std::max({write.width, read.width, inWord})));
    F2Span span(low);
    for (const SharedSide *side : {&write, &read})
      for (const F2Vectors *list : {&side->lanes, &side->registers, &side->warps})
        for (F2Vector vector : *list)
          if (low.size() < inWord && span.insert(vector))
            low.push_back(vector);
  }

  void consider(F2Vectors low, Kind writeKind, Kind readKind) {
    SharedSide write = sideFor(writer, low, writeKind), read = sideFor(reader, low, readKind);
    fitLow(low, write, read);
    auto map = SharedMemoryMap::make(low, write, read, partition, elementBits, byteBits);
    if (!map)
      return;
    unsigned cost = accessCost(*map, write) + accessCost(*map, read);
    if (!best || cost < best->cost)
      best = Candidate{std::move(*map), std::move(write), std::move(read), cost};
  }

  SharedPlan finish() const {
    assert(best && "plain vectors are always possible");
    SharedPlan plan;
    plan.memory = LinearLayout(Space::offset(best->map.offsetBasis().size()), source.out(), best->map.offsetBasis());
    plan.rounds = best->map.rounds();
    plan.bytes = options.elementBytes << best->map.offsetBasis().size();
    plan.write = accessesOf(best->map, best->writer);
    plan.write.idleThreads = idleThreads(plan.write.kind, source);
    plan.read = accessesOf(best->map, best->reader);
    return plan;
  }

  const LinearLayout &source;
  const ConversionOptions &options;
  unsigned byteBits, elementBits;
  SharedPartition partition;
  SharedSide writer, reader;
  std::optional<Candidate> best;
  bool hasStmatrix = false;
};

} // namespace

SharedPlan planShared(const LinearLayout &source, const LinearLayout &result, const ConversionOptions &options,
                      bool staysInWarp) {
  assert(source.columns(Dim::Block) == result.columns(Dim::Block) && "blocks do not exchange elements");
  SharedPlan plan = Planner(source, result, options, staysInWarp).plan();
  plan.staysInWarp = staysInWarp;
  return plan;
}

} // namespace nereid::layout
