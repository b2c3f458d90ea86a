#include "gpu/layouts/ScanRuns.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

namespace nereid::gpu {

using layout::Dim;

namespace {

struct Owner {
  Dim dim = Dim::Block;
  unsigned bit = 0;
};

// Who moves along each bit of the axis; nothing where two do, or somebody moves along another axis too.
std::optional<llvm::SmallVector<Owner>> ownersOf(const layout::LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<Owner> owners(llvm::countr_zero(uint64_t(layout.shape()[axis])));
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit) {
      if (dim == Dim::Register && !layout.column(dim, bit))
        return std::nullopt;
      uint64_t along = layout.basis(dim, bit, layout::axisDim(axis));
      if (!along)
        continue;
      if (!llvm::has_single_bit(along) || llvm::popcount(uint64_t(layout.column(dim, bit))) != 1)
        return std::nullopt;
      Owner &owner = owners[llvm::countr_zero(along)];
      if (owner.dim != Dim::Block)
        return std::nullopt;
      owner = {dim, bit};
    }
  return owners;
}

} // namespace

std::optional<ScanRuns> scanRuns(const layout::LinearLayout &layout, unsigned axis) {
  std::optional<llvm::SmallVector<Owner>> owners = ownersOf(layout, axis);
  if (!owners)
    return std::nullopt;
  ScanRuns runs;
  auto next = owners->begin();
  auto take = [&](Dim dim, unsigned &first) {
    unsigned count = 0;
    for (; next != owners->end() && next->dim == dim; ++next, ++count) {
      if (count == 0)
        first = next->bit;
      if (dim != Dim::Register && next->bit != first + count)
        break;
    }
    return count;
  };
  unsigned anyRegister = 0;
  runs.run = take(Dim::Register, anyRegister);
  runs.lanes = take(Dim::Lane, runs.firstLane);
  runs.warps = take(Dim::Warp, runs.firstWarp);
  runs.chunks = take(Dim::Register, anyRegister);
  return next == owners->end() ? std::optional(runs) : std::nullopt;
}

layout::LinearLayout withLongRuns(const layout::LinearLayout &layout, unsigned axis, bool movesLanes) {
  std::optional<llvm::SmallVector<Owner>> owners = ownersOf(layout, axis);
  bool hasLanes = owners && llvm::any_of(*owners, [](const Owner &owner) { return owner.dim == Dim::Lane; });
  if (!owners || (hasLanes && !movesLanes))
    return layout;
  llvm::SmallVector<layout::F2Vector> places;
  for (const Owner &owner : *owners)
    places.push_back(layout.column(owner.dim, owner.bit));
  // Registers first, then lanes, then warps.
  llvm::stable_sort(*owners, [](const Owner &a, const Owner &b) { return a.dim < b.dim; });
  layout::LinearLayout result = layout;
  for (auto [owner, place] : llvm::zip(*owners, places))
    result.setColumn(owner.dim, owner.bit, place);
  return result;
}

layout::LinearLayout withWarpsAcross(const layout::LinearLayout &layout, unsigned axis) {
  std::optional<ScanRuns> runs = scanRuns(layout, axis);
  // What a thread has side by side in memory stays together.
  bool isAlongMemory = layout.bits(Dim::Register) && layout.basis(Dim::Register, 0, layout::axisDim(axis));
  if (!runs || !runs->lanes || !isAlongMemory)
    return layout;
  layout::LinearLayout result = layout;
  unsigned warp = runs->firstWarp + runs->warps;
  for (unsigned bit = 0; bit < layout.bits(Dim::Register) && warp > runs->firstWarp; ++bit) {
    layout::F2Vector place = layout.column(Dim::Register, bit);
    if (layout.basis(Dim::Register, bit, layout::axisDim(axis)))
      continue;
    // The farthest first: what stays with warps lies between lanes and chunks.
    result.setColumn(Dim::Register, bit, layout.column(Dim::Warp, --warp));
    result.setColumn(Dim::Warp, warp, place);
  }
  return result;
}

} // namespace nereid::gpu
