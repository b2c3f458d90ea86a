// Conversion.cpp: which way a conversion takes.
#include "layout/Conversion.h"

#include <cassert>

namespace nereid::layout {

namespace {

F2Vectors concat(std::initializer_list<llvm::ArrayRef<F2Vector>> lists) {
  F2Vectors all;
  for (llvm::ArrayRef<F2Vector> list : lists)
    all.append(list.begin(), list.end());
  return all;
}

bool isIdentityOn(const LinearLayout &map, Dim dim) {
  for (unsigned bit = 0; bit < map.bits(dim); ++bit)
    if (map.column(dim, bit) != map.out().point(dim, uint64_t(1) << bit))
      return false;
  return true;
}

// Whether threads only permute their registers, all in the same way.
bool isRegisterPermutation(const LinearLayout &sourceOf) {
  for (F2Vector column : sourceOf.columns(Dim::Register))
    if (column & ~sourceOf.out().mask(Dim::Register))
      return false;
  return isIdentityOn(sourceOf, Dim::Lane) && isIdentityOn(sourceOf, Dim::Warp);
}

bool staysInWarp(const LinearLayout &sourceOf) {
  for (const Space::Entry &entry : sourceOf.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      unsigned own = entry.dim == Dim::Warp ? 1u << bit : 0;
      if (sourceOf.basis(entry.dim, bit, Dim::Warp) != own)
        return false;
    }
  return true;
}

// In issue slots of a warp: a shuffle takes one of the unit that shared memory uses, a select less than one. Shared memory
// costs a write and a read per word, several words at a time, and waiting: for the other lanes, or for everyone.
bool areShufflesCheaper(const ShufflePlan &plan, unsigned bytesPerThread, bool isForWarp) {
  unsigned waiting = isForWarp ? 12 : 24;
  unsigned selects = (plan.before.size() + plan.after.size()) * plan.words();
  return plan.shuffles() + selects * 3 / 4 <= 2 * ((bytesPerThread + 3) / 4) + waiting;
}

} // namespace

LinearLayout nearestSource(const LinearLayout &source, const LinearLayout &result) {
  assert(source.out() == result.out() && "both are layouts of one tile");
  F2Vectors thread(source.columns(Dim::Register));
  F2Vectors warp = concat({thread, source.columns(Dim::Lane)});
  // Nearer places come first, so that they are used where they can be.
  const F2Span inThread(thread), inWarp(warp), anywhere(source.columns());
  LinearLayout places(result.in(), source.in());
  for (const Space::Entry &entry : result.in().entries())
    for (unsigned bit = 0; bit < entry.bits; ++bit) {
      F2Vector element = result.column(entry.dim, bit);
      // A bit of the lane or the warp had best stay where it is.
      uint64_t own = 0;
      if (entry.dim != Dim::Register && bit < source.bits(entry.dim))
        own = source.in().point(entry.dim, uint64_t(1) << bit);
      F2Vector left = element ^ source.apply(own);
      if (auto registers = inThread.solve(left)) {
        places.setColumn(entry.dim, bit, own ^ *registers);
        continue;
      }
      if (entry.dim == Dim::Lane)
        own = 0;
      left = element ^ source.apply(own);
      if (auto registersAndLanes = inWarp.solve(left)) {
        places.setColumn(entry.dim, bit, own ^ *registersAndLanes);
        continue;
      }
      auto any = anywhere.solve(element);
      assert(any && "the source holds every element");
      places.setColumn(entry.dim, bit, *any);
    }
  return places;
}

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &result,
                              const ConversionOptions &options) {
  assert(!source.freeBits(Dim::Register) && !result.freeBits(Dim::Register) && "no thread holds an element twice");
  ConversionPlan plan;
  LinearLayout sourceOf = nearestSource(source, result);
  if (isRegisterPermutation(sourceOf)) {
    bool isSame = source.registers() == result.registers();
    for (unsigned i = 0; i < result.registers(); ++i) {
      plan.registers.push_back(sourceOf.apply(i));
      isSame &= plan.registers[i] == i;
    }
    plan.kind = isSame ? ConversionPlan::Kind::None : ConversionPlan::Kind::Registers;
    return plan;
  }
  if (options.allowShuffles && staysInWarp(sourceOf))
    if (auto shuffles = planShuffles(sourceOf, options.elementBytes);
        shuffles &&
        areShufflesCheaper(*shuffles, options.elementBytes * result.registers(), !source.freeBits(Dim::Warp))) {
      plan.kind = ConversionPlan::Kind::Shuffles;
      plan.shuffles = std::move(*shuffles);
      return plan;
    }
  plan.kind = ConversionPlan::Kind::Shared;
  // Warps that hold copies take part in one exchange.
  plan.shared = planShared(source, result, options, staysInWarp(sourceOf) && !source.freeBits(Dim::Warp));
  return plan;
}

} // namespace nereid::layout
