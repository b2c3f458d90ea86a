// Numbers.cpp: elements of traced values as numbers.
#include "interp/NarrowFloat.h"
#include "interp/trace/Trace.h"

#include <cstring>

namespace nereid::interp {

template <typename T> static double read(const std::byte *at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return double(value);
}

double numberAt(const TracedValue &value, size_t index) {
  const std::byte *at = value.bytes.data() + index * byteSize(value.element);
  if (Unpack unpack = unpackOf(value.element)) {
    float number = 0;
    unpack(&number, at, 1);
    return number;
  }
  switch (value.element) {
  case Element::I1: return read<uint8_t>(at);
  case Element::I8: return value.isSigned ? read<int8_t>(at) : read<uint8_t>(at);
  case Element::I16: return value.isSigned ? read<int16_t>(at) : read<uint16_t>(at);
  case Element::I32: return value.isSigned ? read<int32_t>(at) : read<uint32_t>(at);
  case Element::I64: return value.isSigned ? read<int64_t>(at) : read<uint64_t>(at);
  case Element::F32: return read<float>(at);
  case Element::F64: return read<double>(at);
  default: return read<uint64_t>(at);
  }
}

} // namespace nereid::interp
