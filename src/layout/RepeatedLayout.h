// RepeatedLayout.h: tiles whose sizes are no powers of two, as a box that is one and is repeated along the axes. Every
// repetition adds registers: the accumulator of a wgmma with 176 columns is the box of 16 columns, 11 times.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

struct RepeatedLayout {
  LinearLayout box;
  llvm::SmallVector<int64_t, 4> counts; // per axis, of any size; the last axis runs fastest through the registers

  RepeatedLayout(LinearLayout box, llvm::ArrayRef<int64_t> counts);

  llvm::SmallVector<int64_t, 4> shape() const;
  int64_t repetitions() const;
  int64_t registers() const { return box.registers() * repetitions(); }
  // The coordinates of the element in a register: box.registers() registers of one repetition after the other.
  llvm::SmallVector<int64_t, 4> element(unsigned reg, unsigned lane = 0, unsigned warp = 0, unsigned block = 0) const;

  bool operator==(const RepeatedLayout &) const = default;
  std::string toString() const; // `64x16: … times 1x11`
};

// The largest powers of two that divide the sizes of a shape, and how often each fits: what a box may be, at most.
std::pair<llvm::SmallVector<int64_t, 4>, llvm::SmallVector<int64_t, 4>> cutIntoBoxes(llvm::ArrayRef<int64_t> shape);

} // namespace nereid::layout
