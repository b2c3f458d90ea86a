// DotMatrix.h: operands of test products: random elements in any layout, at the end of a page that no access may cross.
#pragma once

#include "DotRunner.h"

#include <cstdint>
#include <random>
#include <vector>

namespace nereid::cpu::test {

// Memory whose last byte is the last one that may be touched.
class GuardedMemory {
public:
  explicit GuardedMemory(size_t bytes);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory &) = delete;
  GuardedMemory &operator=(const GuardedMemory &) = delete;
  std::byte *data() const { return end - bytes; }

private:
  size_t bytes, mapped;
  std::byte *begin = nullptr, *end = nullptr;
};

// rows x columns elements. Strides are tight, or for General both larger than 1.
class DotMatrix {
public:
  DotMatrix(DotElement element, int64_t rows, int64_t columns, Strides strides, std::mt19937 &random);

  RunOperand operand() const { return {memory.data(), rowStride, columnStride}; }
  // The number that an element stands for, exactly.
  double at(int64_t row, int64_t column) const;

private:
  std::byte *place(int64_t row, int64_t column) const;

  DotElement element;
  int64_t rowStride, columnStride;
  size_t elementBytes;
  GuardedMemory memory;
};

size_t bytesOf(DotElement element);
bool isInteger(DotElement element);

} // namespace nereid::cpu::test
