// LinearLayout.cpp: the algebra of layouts. Everything is a small matrix of machine words.
#include "layout/LinearLayout.h"

#include <cassert>

namespace nereid::layout {

LinearLayout::LinearLayout(Space in, Space out) : inSpace(std::move(in)), outSpace(std::move(out)) {
  bases.resize(inSpace.totalBits(), 0);
}

LinearLayout::LinearLayout(Space in, Space out, llvm::ArrayRef<F2Vector> columns)
    : inSpace(std::move(in)), outSpace(std::move(out)), bases(columns) {
  assert(bases.size() == inSpace.totalBits() && "one basis per input bit");
}

LinearLayout LinearLayout::identity(const Space &space) {
  LinearLayout result(space, space);
  for (unsigned bit = 0; bit < result.bases.size(); ++bit)
    result.bases[bit] = F2Vector(1) << bit;
  return result;
}

LinearLayout LinearLayout::identity(Dim in, Dim out, unsigned bits) {
  LinearLayout result(Space{{in, static_cast<uint8_t>(bits)}}, Space{{out, static_cast<uint8_t>(bits)}});
  for (unsigned bit = 0; bit < bits; ++bit)
    result.bases[bit] = F2Vector(1) << bit;
  return result;
}

LinearLayout LinearLayout::copies(Dim in, unsigned bits) {
  return LinearLayout(Space{{in, static_cast<uint8_t>(bits)}}, Space());
}

llvm::ArrayRef<F2Vector> LinearLayout::columns(Dim in) const {
  return llvm::ArrayRef<F2Vector>(bases).slice(inSpace.shift(in), inSpace.bits(in));
}

void LinearLayout::setColumn(Dim in, unsigned bit, F2Vector vector) {
  assert(bit < inSpace.bits(in) && vector < outSpace.size());
  bases[inSpace.shift(in) + bit] = vector;
}

llvm::SmallVector<int64_t, 4> LinearLayout::element(unsigned reg, unsigned lane, unsigned warp, unsigned block) const {
  uint64_t place = inSpace.point(Dim::Register, reg) | inSpace.point(Dim::Lane, lane) | inSpace.point(Dim::Warp, warp) |
                   inSpace.point(Dim::Block, block);
  return outSpace.coordinates(apply(place));
}

// A point of `from` as a point of `to`: dimensions meet by name.
static uint64_t translate(uint64_t point, const Space &from, const Space &to) {
  uint64_t result = 0;
  for (const Space::Entry &entry : from.entries()) {
    uint64_t index = from.index(point, entry.dim);
    assert(index < (uint64_t(1) << to.bits(entry.dim)) && "the index does not fit into the other space");
    result |= to.point(entry.dim, index);
  }
  return result;
}

LinearLayout LinearLayout::then(const LinearLayout &next) const {
  LinearLayout result(inSpace, next.outSpace);
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    result.bases[bit] = next.apply(translate(bases[bit], outSpace, next.inSpace));
  return result;
}

LinearLayout LinearLayout::inverse() const {
  assert(isInvertible());
  return pseudoInverse();
}

LinearLayout LinearLayout::pseudoInverse() const {
  // With unit vectors beside the image every element is a combination; those vectors stand for no place at all.
  F2Span span(bases);
  for (F2Vector unit : complete(bases, outSpace.totalBits()))
    span.insert(unit);
  LinearLayout result(outSpace, inSpace);
  F2Vector places = inSpace.size() - 1;
  for (unsigned bit = 0; bit < result.bases.size(); ++bit)
    result.bases[bit] = *span.solve(F2Vector(1) << bit) & places;
  return result;
}

// The dimensions of both: those of `low` first, with the bits of both added up. New axes take their place by number,
// the last axis first, as in every tile.
static Space mergeSpaces(const Space &low, const Space &high) {
  llvm::SmallVector<Space::Entry, 8> entries(low.entries());
  for (const Space::Entry &entry : high.entries()) {
    auto same = std::find_if(entries.begin(), entries.end(), [&](const auto &e) { return e.dim == entry.dim; });
    if (same != entries.end()) {
      same->bits += entry.bits;
      continue;
    }
    auto place = entries.end();
    if (isAxis(entry.dim))
      place = std::find_if(entries.begin(), entries.end(), [&](const auto &e) { return e.dim < entry.dim; });
    else
      place = std::find_if(entries.begin(), entries.end(), [&](const auto &e) { return e.dim > entry.dim; });
    entries.insert(place, entry);
  }
  Space result;
  for (const Space::Entry &entry : entries)
    result.append(entry.dim, entry.bits);
  return result;
}

LinearLayout LinearLayout::product(const LinearLayout &high) const {
  LinearLayout result(mergeSpaces(inSpace, high.inSpace), mergeSpaces(outSpace, high.outSpace));
  for (const Space::Entry &entry : inSpace.entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit)
      result.setColumn(entry.dim, bit, translate(column(entry.dim, bit), outSpace, result.outSpace));
  for (const Space::Entry &entry : high.inSpace.entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector image = 0;
      for (const Space::Entry &axis : high.outSpace.entries())
        image |=
            result.outSpace.point(axis.dim, uint64_t(high.basis(entry.dim, bit, axis.dim)) << outSpace.bits(axis.dim));
      result.setColumn(entry.dim, bits(entry.dim) + bit, image);
    }
  return result;
}

std::optional<LinearLayout> LinearLayout::quotient(const LinearLayout &divisor) const {
  Space in, out;
  for (const Space::Entry &entry : divisor.inSpace.entries())
    if (entry.bits > inSpace.bits(entry.dim))
      return std::nullopt;
  for (const Space::Entry &entry : divisor.outSpace.entries())
    if (entry.bits > outSpace.bits(entry.dim))
      return std::nullopt;
  for (const Space::Entry &entry : inSpace.entries())
    in.append(entry.dim, entry.bits - divisor.inSpace.bits(entry.dim));
  for (const Space::Entry &entry : outSpace.entries())
    out.append(entry.dim, entry.bits - divisor.outSpace.bits(entry.dim));
  LinearLayout result(in, out);
  for (const Space::Entry &entry : in.entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector image = 0;
      for (const Space::Entry &axis : out.entries())
        image |= out.point(axis.dim, basis(entry.dim, divisor.bits(entry.dim) + bit, axis.dim) >>
                                         divisor.outSpace.bits(axis.dim));
      result.setColumn(entry.dim, bit, image);
    }
  // Whether nothing was lost in the low bits is exactly whether the product gives this layout back.
  if (divisor.product(result).reorderIn(inSpace).reorderOut(outSpace) != *this)
    return std::nullopt;
  return result;
}

static Space selectDims(const Space &space, llvm::ArrayRef<Dim> dims) {
  Space result;
  for (const Space::Entry &entry : space.entries())
    if (llvm::is_contained(dims, entry.dim))
      result.append(entry.dim, entry.bits);
  return result;
}

LinearLayout LinearLayout::restrictIn(llvm::ArrayRef<Dim> dims) const {
  LinearLayout result(selectDims(inSpace, dims), outSpace);
  for (const Space::Entry &entry : result.inSpace.entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit)
      result.setColumn(entry.dim, bit, column(entry.dim, bit));
  return result;
}

LinearLayout LinearLayout::restrictOut(llvm::ArrayRef<Dim> dims) const {
  LinearLayout result(inSpace, selectDims(outSpace, dims));
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    for (const Space::Entry &entry : result.outSpace.entries())
      result.bases[bit] |= result.outSpace.point(entry.dim, outSpace.index(bases[bit], entry.dim));
  return result;
}

LinearLayout LinearLayout::reorderIn(const Space &space) const {
  LinearLayout result(space, outSpace);
  for (const Space::Entry &entry : space.entries()) {
    assert(entry.bits == bits(entry.dim) && "reordering keeps every size");
    for (unsigned bit = 0; bit < entry.bits; ++bit)
      result.setColumn(entry.dim, bit, column(entry.dim, bit));
  }
  return result;
}

LinearLayout LinearLayout::reorderOut(const Space &space) const {
  LinearLayout result(inSpace, space);
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    result.bases[bit] = translate(bases[bit], outSpace, space);
  return result;
}

LinearLayout LinearLayout::recutIn(Space space) const { return LinearLayout(std::move(space), outSpace, bases); }

LinearLayout LinearLayout::recutOut(Space space) const {
  assert(space.totalBits() == outSpace.totalBits());
  return LinearLayout(inSpace, std::move(space), bases);
}

unsigned LinearLayout::freeBits(Dim in) const {
  F2Span span;
  unsigned free = 0, shift = inSpace.shift(in), count = inSpace.bits(in);
  for (unsigned bit = 0; bit < bases.size(); ++bit)
    if (!span.insert(bases[bit]) && bit >= shift && bit < shift + count)
      free |= 1u << (bit - shift);
  return free;
}

LinearLayout LinearLayout::withoutRegisterCopies() const {
  unsigned free = freeBits(Dim::Register);
  Space in;
  for (const Space::Entry &entry : inSpace.entries())
    in.append(entry.dim, entry.dim == Dim::Register ? entry.bits - llvm::popcount(free) : entry.bits);
  F2Vectors kept;
  for (unsigned bit = 0, first = inSpace.shift(Dim::Register); bit < bases.size(); ++bit)
    if (bit < first || bit >= first + bits(Dim::Register) || !(free >> (bit - first) & 1))
      kept.push_back(bases[bit]);
  return LinearLayout(in, outSpace, kept);
}

unsigned LinearLayout::contiguousRegisters(unsigned axis) const {
  Dim dim = axisDim(axis);
  unsigned bit = 0;
  while (bit < bits(Dim::Register) && bit < outSpace.bits(dim) &&
         column(Dim::Register, bit) == outSpace.point(dim, uint64_t(1) << bit))
    ++bit;
  // What else moves inside of such a run would shift it.
  for (unsigned other = bit; other < bits(Dim::Register); ++other)
    while (basis(Dim::Register, other, dim) & ((1u << bit) - 1))
      --bit;
  for (Dim thread : {Dim::Lane, Dim::Warp, Dim::Block})
    for (unsigned other = 0; other < bits(thread); ++other)
      while (basis(thread, other, dim) & ((1u << bit) - 1))
        --bit;
  return 1u << bit;
}

llvm::hash_code hash_value(const LinearLayout &layout) {
  llvm::hash_code hash = llvm::hash_combine_range(layout.columns().begin(), layout.columns().end());
  for (const Space *space : {&layout.in(), &layout.out()})
    for (const Space::Entry &entry : space->entries())
      hash = llvm::hash_combine(hash, static_cast<uint8_t>(entry.dim), entry.bits);
  return hash;
}

} // namespace nereid::layout
