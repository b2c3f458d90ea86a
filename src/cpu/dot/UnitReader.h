// UnitReader.h: reads elements of an operand as vectors of packed units: converts, groups along the depth, fills with
// zeros, and rounds f32 where the product is one of tf32.
#pragma once

#include "cpu/dot/Plan.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace nereid::cpu::dot {

class UnitReader {
public:
  UnitReader(llvm::IRBuilderBase &builder, const Target &target, DotElement element, const DotPlan &plan,
             DotPrecision precision)
      : builder(builder), target(target), element(element), plan(plan), precision(precision) {}

  // Elements as they are in memory, of which the first `valid` exist.
  llvm::Value *loadElements(llvm::Value *from, int64_t valid, unsigned count);
  llvm::Value *zeroElements(unsigned count);
  // Elements that follow each other along the depth as units.
  llvm::Value *unitsOf(llvm::Value *elements);
  // Units of `validLanes` neighbours of a contiguous extent; `validGroup` elements of each exist.
  llvm::Value *readAcross(llvm::Value *from, llvm::Value *depthStride, int64_t validLanes, int64_t validGroup,
                          unsigned lanes);
  // Element g of unit l is at l * laneStride + g * depthStride, where it exists.
  llvm::Value *readStrided(llvm::Value *from, llvm::Value *laneStride, llvm::Value *depthStride, unsigned lanes,
                           llvm::function_ref<bool(int64_t lane, int64_t g)> exists);

  // To the precision of the product.
  llvm::Value *round(llvm::Value *units);

  llvm::Value *elementAt(llvm::Value *from, llvm::Value *index);
  llvm::Value *zeros(unsigned lanes);

private:
  llvm::Type *memoryType();
  llvm::Value *convert(llvm::Value *elements);
  llvm::Value *groupElements(llvm::ArrayRef<llvm::Value *> elements);

  llvm::IRBuilderBase &builder;
  const Target &target;
  DotElement element;
  const DotPlan &plan;
  DotPrecision precision;
};

} // namespace nereid::cpu::dot
