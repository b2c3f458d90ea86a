// ScanTotals.h: totals of a scan in shared memory, in the order of the axis, once for each row that threads scan side by
// side. Threads that scan the same rows write them where they know them and read them as they need them.
#pragma once

#include "gpu/layouts/ScanRuns.h"
#include "gpu/lower/Lowering.h"

namespace nereid::gpu {

class ScanTotals {
public:
  // `types` of what is scanned together; each thread has a total of so many rows in each of its chunks.
  ScanTotals(Lowering &lowering, const ScanRuns &runs, llvm::ArrayRef<llvm::Type *> types, unsigned rowsOfThread)
      : lowering(lowering), builder(lowering.builder), runs(runs), types(types), rowsOfThread(rowsOfThread) {}

  uint64_t bytes() const { return groupBytes(types.size()) * groups(); }
  // The memory is this scan's from here on.
  void begin(mlir::Operation *op);
  // What threads of the same rows have written is there for all of them.
  void meet();

  // Neighbours from `first` on, of one part, for all rows of the thread: rows[k] are of the one with number k.
  void store(unsigned part, llvm::Value *first, llvm::ArrayRef<Values> rows);
  void load(unsigned part, llvm::Value *first, unsigned count, llvm::MutableArrayRef<Values> rows);

private:
  unsigned groups() const;
  unsigned totalsOfRow() const { return 1u << (runs.chunks + runs.lanes + runs.warps); }
  uint64_t groupBytes(size_t countedParts) const;
  llvm::Value *across(llvm::Value *index, unsigned first, unsigned bits);
  llvm::Value *placeOf(unsigned part, unsigned row, llvm::Value *index);
  unsigned pieceOf(unsigned part, size_t count) const; // neighbours of one access

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  ScanRuns runs;
  llvm::SmallVector<llvm::Type *> types;
  unsigned rowsOfThread;
  llvm::Value *group = nullptr; // where the memory of this thread's rows begins
};

} // namespace nereid::gpu
