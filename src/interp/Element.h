// Element.h: the element types of values, as the interpreter stores them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nereid::interp {

// i1 takes a byte (0 or 1), pointers are 64-bit addresses, and a scalar is a tile of one element.
enum class Element : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  F8E5M2,
  F8E4M3FN,
  F8E5M2FNUZ,
  F8E4M3FNUZ,
  F16,
  BF16,
  F32,
  F64,
  Pointer,
  Descriptor
};

constexpr unsigned kMaxRank = 5;

// A tensor in memory, as a descriptor value holds it.
struct Descriptor {
  uint64_t base;
  int64_t shape[kMaxRank], strides[kMaxRank];
  uint8_t rank, padNaN;
};

constexpr size_t byteSize(Element element) {
  switch (element) {
  case Element::I1:
  case Element::I8:
  case Element::F8E5M2:
  case Element::F8E4M3FN:
  case Element::F8E5M2FNUZ:
  case Element::F8E4M3FNUZ: return 1;
  case Element::I16:
  case Element::F16:
  case Element::BF16: return 2;
  case Element::I32:
  case Element::F32: return 4;
  case Element::I64:
  case Element::F64:
  case Element::Pointer: return 8;
  case Element::Descriptor: return sizeof(Descriptor);
  }
  return 8;
}

constexpr bool isFloat(Element element) { return element >= Element::F8E5M2 && element <= Element::F64; }
// Computed in f32 and rounded afterwards: the fp8 formats, f16 and bf16.
constexpr bool isNarrowFloat(Element element) { return element >= Element::F8E5M2 && element <= Element::BF16; }

} // namespace nereid::interp
