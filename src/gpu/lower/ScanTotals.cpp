#include "gpu/lower/ScanTotals.h"

namespace nereid::gpu {

constexpr unsigned kBanks = 128, kWidest = 16; // bytes of all banks, and of one access

// Warps that scan the same rows are a group; others have their own part of the memory.
unsigned ScanTotals::groups() const { return lowering.options.numWarps >> runs.warps; }

uint64_t ScanTotals::groupBytes(size_t countedParts) const {
  uint64_t bytes = 0, rows = rowsOfThread * (32u >> runs.lanes);
  for (llvm::Type *type : llvm::ArrayRef(types).take_front(countedParts)) {
    uint64_t packed = rows * totalsOfRow() * Lowering::bytesOf(type);
    bytes += llvm::alignTo(packed + packed / kBanks * kWidest, kBanks);
  }
  return bytes;
}

void ScanTotals::begin(mlir::Operation *op) {
  uint64_t ofGroup = groupBytes(types.size());
  llvm::Value *start = lowering.beginScratch(op, bytes(), runs.warps ? 0 : ofGroup);
  llvm::Value *number = across(lowering.warpIndex, runs.firstWarp, runs.warps);
  group = builder.CreateInBoundsGEP(builder.getInt8Ty(), start,
                                    builder.CreateMul(number, builder.getInt32(uint32_t(ofGroup))));
  if (!runs.warps)
    meet(); // lanes may still read what the last use left in their warp's part
}

void ScanTotals::meet() {
  if (runs.warps)
    lowering.barrier();
  else
    lowering.instructions.warpBarrier();
}

// The bits of an index that do not lie along the axis, together.
llvm::Value *ScanTotals::across(llvm::Value *index, unsigned first, unsigned bits) {
  llvm::Value *low = builder.CreateAnd(index, builder.getInt32((1u << first) - 1));
  return builder.CreateOr(low, builder.CreateShl(builder.CreateLShr(index, first + bits), first));
}

// Where total `index` of a row is; `row` of those that the thread has.
llvm::Value *ScanTotals::placeOf(unsigned part, unsigned row, llvm::Value *index) {
  llvm::Value *place =
      builder.CreateAdd(across(lowering.lane, runs.firstLane, runs.lanes), builder.getInt32(row * (32u >> runs.lanes)));
  place = builder.CreateAdd(builder.CreateMul(place, builder.getInt32(totalsOfRow())), index);
  place = builder.CreateMul(place, builder.getInt32(Lowering::bytesOf(types[part])));
  // Neighbours of the next threads begin in other banks.
  llvm::Value *lines = builder.CreateUDiv(place, builder.getInt32(kBanks));
  place = builder.CreateAdd(place, builder.CreateMul(lines, builder.getInt32(kWidest)));
  place = builder.CreateAdd(place, builder.getInt32(uint32_t(groupBytes(part))));
  return builder.CreateInBoundsGEP(builder.getInt8Ty(), group, place);
}

unsigned ScanTotals::pieceOf(unsigned part, size_t count) const {
  return unsigned(std::min<size_t>(count, kWidest / Lowering::bytesOf(types[part])));
}

void ScanTotals::store(unsigned part, llvm::Value *first, llvm::ArrayRef<Values> rows) {
  unsigned piece = pieceOf(part, rows.size());
  for (unsigned r = 0; r < rowsOfThread; ++r)
    for (unsigned k = 0; k < rows.size(); k += piece) {
      Values elements;
      for (unsigned i = 0; i < piece; ++i)
        elements.push_back(rows[k + i][r]);
      llvm::Value *place = placeOf(part, r, builder.CreateAdd(first, builder.getInt32(k)));
      lowering.storeShared(place, piece == 1 ? elements.front() : lowering.pack(elements));
    }
}

void ScanTotals::load(unsigned part, llvm::Value *first, unsigned count, llvm::MutableArrayRef<Values> rows) {
  unsigned piece = pieceOf(part, count);
  for (unsigned r = 0; r < rowsOfThread; ++r)
    for (unsigned k = 0; k < count; k += piece) {
      llvm::Value *place = placeOf(part, r, builder.CreateAdd(first, builder.getInt32(k)));
      llvm::Value *loaded = lowering.loadShared(place, llvm::FixedVectorType::get(types[part], piece));
      for (unsigned i = 0; i < piece; ++i)
        rows[k + i].push_back(lowering.extract(loaded, i));
    }
}

} // namespace nereid::gpu
