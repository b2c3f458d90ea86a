// RepeatedLayout.cpp: boxes side by side. A conversion between two layouts with the same repetitions is that of their
// boxes, once for each.
#include "layout/RepeatedLayout.h"

#include <cassert>

namespace nereid::layout {

RepeatedLayout::RepeatedLayout(LinearLayout box, llvm::ArrayRef<int64_t> counts) : box(std::move(box)), counts(counts) {
  assert(this->counts.size() == this->box.rank() && "one count per axis");
}

llvm::SmallVector<int64_t, 4> RepeatedLayout::shape() const {
  llvm::SmallVector<int64_t, 4> shape = box.shape();
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    shape[axis] *= counts[axis];
  return shape;
}

int64_t RepeatedLayout::repetitions() const {
  int64_t product = 1;
  for (int64_t count : counts)
    product *= count;
  return product;
}

llvm::SmallVector<int64_t, 4> RepeatedLayout::element(unsigned reg, unsigned lane, unsigned warp,
                                                      unsigned block) const {
  llvm::SmallVector<int64_t, 4> result = box.element(reg % box.registers(), lane, warp, block), size = box.shape();
  int64_t repetition = reg / box.registers();
  for (unsigned axis = counts.size(); axis-- > 0; repetition /= counts[axis])
    result[axis] += repetition % counts[axis] * size[axis];
  return result;
}

std::string RepeatedLayout::toString() const {
  std::string text = box.toString() + " times ";
  for (unsigned axis = 0; axis < counts.size(); ++axis)
    text += (axis ? "x" : "") + std::to_string(counts[axis]);
  return text;
}

std::pair<llvm::SmallVector<int64_t, 4>, llvm::SmallVector<int64_t, 4>> cutIntoBoxes(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t, 4> box, counts;
  for (int64_t size : shape) {
    box.push_back(size & -size);
    counts.push_back(size / box.back());
  }
  return {box, counts};
}

} // namespace nereid::layout
