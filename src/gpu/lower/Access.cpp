// Access.cpp: accesses without a predicate are LLVM's own, which may be moved and merged; the others are the vendor's.
#include "gpu/lower/Access.h"

#include <limits>

namespace nereid::gpu {

static unsigned widthWith(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, const LinearLayout &layout,
                          unsigned bytes, llvm::function_ref<int64_t(unsigned)> runOfMask) {
  const analysis::AxisInfo &info = axes.of(pointers);
  unsigned best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t width = std::min<int64_t>({int64_t(layout.contiguousRegisters(axis)), info.contiguity[axis],
                                       std::max<int64_t>(1, info.divisibility[axis] / bytes), int64_t(16 / bytes)});
    width = std::min(width, runOfMask(axis));
    best = std::max(best, unsigned(std::max<int64_t>(1, width)));
  }
  return best;
}

constexpr int64_t kAnyRun = std::numeric_limits<int64_t>::max();

unsigned accessWidth(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, mlir::Value mask,
                     const LinearLayout &layout, unsigned bytes) {
  return widthWith(axes, pointers, layout, bytes,
                   [&](unsigned axis) { return mask ? axes.of(mask).constancy[axis] : kAnyRun; });
}

unsigned accessWidthToEnd(const analysis::AxisInfoAnalysis &axes, mlir::Value pointers, mlir::Value mask,
                          const LinearLayout &layout, unsigned bytes) {
  return widthWith(axes, pointers, layout, bytes,
                   [&](unsigned axis) { return mask ? axes.of(mask).fallingRun(axis) : kAnyRun; });
}

unsigned equalAccesses(const analysis::AxisInfoAnalysis &axes, mlir::ValueRange operands, const LinearLayout &layout) {
  unsigned best = 1;
  for (unsigned axis = 0; axis < layout.rank(); ++axis) {
    int64_t equal = layout.contiguousRegisters(axis);
    for (mlir::Value operand : operands)
      if (isTile(operand.getType()))
        equal = std::min(equal, axes.of(operand).constancy[axis]);
    best = std::max(best, unsigned(equal));
  }
  return best;
}

Values loadGlobal(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count, llvm::Value *predicate,
                  llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints) {
  if (predicate || !hints.isPlain())
    return lowering.instructions.load(lowering, address, type, count, predicate, other, hints);
  auto *vector = llvm::FixedVectorType::get(type, count);
  return lowering.unpack(
      lowering.builder.CreateAlignedLoad(vector, address, llvm::Align(Lowering::bytesOf(type) * count)));
}

void storeGlobal(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements,
                 llvm::Value *predicate, const AccessHints &hints) {
  if (predicate || !hints.isPlain())
    return lowering.instructions.store(lowering, address, elements, predicate, hints);
  unsigned bytes = Lowering::bytesOf(elements.front()->getType()) * elements.size();
  lowering.builder.CreateAlignedStore(lowering.pack(elements), address, llvm::Align(bytes));
}

} // namespace nereid::gpu
