// DotMatrix.cpp: operands of test products.
#include "DotMatrix.h"

#include "interp/NarrowFloat.h"

#include <cmath>
#include <cstring>
#include <sys/mman.h>

namespace nereid::cpu::test {

static constexpr size_t kPage = 4096;

GuardedMemory::GuardedMemory(size_t bytes) : bytes(bytes), mapped((bytes + kPage - 1) / kPage * kPage + kPage) {
  void *memory = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  begin = static_cast<std::byte *>(memory);
  end = begin + mapped - kPage;
  mprotect(end, kPage, PROT_NONE);
}
GuardedMemory::~GuardedMemory() { munmap(begin, mapped); }

size_t bytesOf(DotElement element) {
  switch (element) {
  case DotElement::F64: return 8;
  case DotElement::F32:
  case DotElement::I32: return 4;
  case DotElement::F16:
  case DotElement::BF16:
  case DotElement::I16:
  case DotElement::U16: return 2;
  default: return 1;
  }
}

bool isInteger(DotElement element) { return element >= DotElement::I8; }

static interp::Element interpElement(DotElement element) {
  switch (element) {
  case DotElement::F16: return interp::Element::F16;
  case DotElement::BF16: return interp::Element::BF16;
  case DotElement::F8E4M3FN: return interp::Element::F8E4M3FN;
  case DotElement::F8E5M2: return interp::Element::F8E5M2;
  case DotElement::F8E4M3FNUZ: return interp::Element::F8E4M3FNUZ;
  default: return interp::Element::F8E5M2FNUZ;
  }
}

// The interpreter has no such type: four bits of exponent with bias 11; minus zero is its NaN.
static double e4m3b11ToDouble(uint8_t bits) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - 14) : std::ldexp(mantissa, -13);
  return bits == 0x80 ? NAN : bits & 0x80 ? -magnitude : magnitude;
}

static void writeRandom(std::byte *to, DotElement element, std::mt19937 &random) {
  std::normal_distribution<double> normal;
  if (isInteger(element)) {
    uint32_t bits = random(); // all bits: sums wrap
    std::memcpy(to, &bits, bytesOf(element));
  } else if (element == DotElement::F64) {
    double value = normal(random);
    std::memcpy(to, &value, sizeof(value));
  } else if (element == DotElement::F32) {
    float value = normal(random);
    std::memcpy(to, &value, sizeof(value));
  } else if (element == DotElement::F8E4M3B11FNUZ) {
    *to = std::byte(random());
    *to = *to == std::byte(0x80) ? std::byte(0) : *to;
  } else {
    float value = normal(random);
    interp::packOf(interpElement(element), interp::Narrowing::Cast)(to, &value, 1);
  }
}

static int64_t spanOf(int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride) {
  return (rows - 1) * rowStride + (columns - 1) * columnStride + 1;
}

DotMatrix::DotMatrix(DotElement element, int64_t rows, int64_t columns, Strides strides, std::mt19937 &random)
    : element(element), rowStride(strides == Strides::ColumnMajor ? 1
                                  : strides == Strides::RowMajor  ? columns + 3
                                                                  : 2),
      columnStride(strides == Strides::RowMajor ? 1 : 2 * rows + 1), elementBytes(bytesOf(element)),
      memory(spanOf(rows, columns, rowStride, columnStride) * elementBytes) {
  // What lies between the elements must not matter.
  std::memset(memory.data(), 0xff, spanOf(rows, columns, rowStride, columnStride) * elementBytes);
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      writeRandom(place(row, column), element, random);
}

std::byte *DotMatrix::place(int64_t row, int64_t column) const {
  return memory.data() + (row * rowStride + column * columnStride) * elementBytes;
}

template <typename T> static T read(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}

double DotMatrix::at(int64_t row, int64_t column) const {
  const std::byte *from = place(row, column);
  switch (element) {
  case DotElement::F32: return read<float>(from);
  case DotElement::F64: return read<double>(from);
  case DotElement::I8: return read<int8_t>(from);
  case DotElement::U8: return read<uint8_t>(from);
  case DotElement::I16: return read<int16_t>(from);
  case DotElement::U16: return read<uint16_t>(from);
  case DotElement::I32: return read<int32_t>(from);
  case DotElement::F8E4M3B11FNUZ: return e4m3b11ToDouble(read<uint8_t>(from));
  default: break;
  }
  float value;
  interp::unpackOf(interpElement(element))(&value, from, 1);
  return value;
}

} // namespace nereid::cpu::test
