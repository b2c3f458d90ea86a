// Dot.cpp: matrix products. Floats accumulate in f32 (f64 for f64), integers in i32 and wrap.
//
// f16, bf16 and fp8 products are exact in f32. f32 inputs follow the precision the kernel asked for: tf32 rounds them
// to 10 bits of mantissa, to nearest with ties away from zero, as `cvt.rna.tf32` does; the split forms (tf32x3, bf16x3,
// bf16x6) are f32: a GPU comes close to it with several products of narrower numbers.
#include "interp/Dot.h"

#include "interp/NarrowFloat.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nereid::interp {

void readAsF32(const Machine &machine, const Slot &slot, std::vector<float> &values) {
  const std::byte *from = machine.frame + slot.offset;
  values.resize(slot.count);
  if (Unpack unpack = unpackOf(slot.element))
    unpack(values.data(), from, slot.count);
  else if (slot.element == Element::F32)
    std::memcpy(values.data(), from, slot.bytes());
  else
    for (uint32_t i = 0; i < slot.count; ++i)
      values[i] = float(reinterpret_cast<const double *>(from)[i]);
}

void writeFromF32(Machine &machine, const Slot &slot, const std::vector<float> &values) {
  std::byte *to = machine.frame + slot.offset;
  if (Pack pack = packOf(slot.element, Narrowing::Cast))
    pack(to, values.data(), slot.count);
  else if (slot.element == Element::F32)
    std::memcpy(to, values.data(), slot.bytes());
  else
    for (uint32_t i = 0; i < slot.count; ++i)
      reinterpret_cast<double *>(to)[i] = values[i];
}

static float roundToTF32(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7f800000) == 0x7f800000)
    return value;
  return std::bit_cast<float>((bits + 0x1000) & ~uint32_t(0x1fff));
}
// The whole left operand, with zeros, from the two elements of every four that are there.
template <typename T> static void expand(const Machine &machine, const DotPayload &payload, std::vector<T> &values) {
  if (!payload.hasPlaces)
    return;
  const std::byte *places = machine.frame + payload.places.offset;
  std::vector<T> whole(values.size() * 2);
  for (size_t i = 0; i < values.size(); ++i) // a byte has the places of four, the first lowest
    whole[i / 2 * 4 + (size_t(places[i / 4]) >> (i % 4 * 2) & 3)] = values[i];
  values = std::move(whole);
}

static void runSingle(Machine &machine, const DotPayload &payload) {
  thread_local std::vector<float> lhs, rhs, acc;
  readAsF32(machine, payload.lhs, lhs);
  expand(machine, payload, lhs);
  readAsF32(machine, payload.rhs, rhs);
  readAsF32(machine, payload.acc, acc);
  size_t m = payload.m, n = payload.n, k = payload.k;
  bool isF32 = payload.lhs.element == Element::F32 && payload.rhs.element == Element::F32;
  if (isF32 && payload.precision == DotPrecision::TF32)
    for (std::vector<float> *values : {&lhs, &rhs})
      std::ranges::transform(*values, values->begin(), roundToTF32);
  for (size_t i = 0; i < payload.batch; ++i)
    multiply(acc.data() + i * m * n, lhs.data() + i * m * k, rhs.data() + i * k * n, m, n, k);
  writeFromF32(machine, payload.result, acc);
}

template <typename T, typename Read>
static std::vector<T> readAll(const Machine &machine, const Slot &slot, Read read) {
  std::vector<T> values(slot.count);
  for (uint32_t i = 0; i < slot.count; ++i)
    values[i] = read(machine.frame + slot.offset, i);
  return values;
}

template <typename T>
static void accumulate(const DotPayload &payload, const std::vector<T> &a, const std::vector<T> &b, T *c) {
  size_t m = payload.m, n = payload.n, k = payload.k;
  for (size_t batch = 0; batch < payload.batch; ++batch)
    for (size_t i = 0; i < m; ++i)
      for (size_t p = 0; p < k; ++p)
        for (size_t j = 0; j < n; ++j)
          c[(batch * m + i) * n + j] += a[(batch * m + i) * k + p] * b[(batch * k + p) * n + j];
}

// An integer element, extended; sums are of unsigned 32-bit numbers, so that they wrap.
static uint32_t readInteger(const std::byte *from, size_t i, Element element, bool isUnsigned) {
  switch (byteSize(element)) {
  case 1: return isUnsigned ? uint32_t(uint8_t(from[i])) : uint32_t(int32_t(int8_t(from[i])));
  case 2:
    return isUnsigned ? uint32_t(reinterpret_cast<const uint16_t *>(from)[i])
                      : uint32_t(int32_t(reinterpret_cast<const int16_t *>(from)[i]));
  default: return reinterpret_cast<const uint32_t *>(from)[i];
  }
}

void runDot(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const DotPayload &>(*instruction.payload);
  if (payload.acc.element == Element::I32) {
    auto read = [&](const Slot &slot, bool isUnsigned) {
      return readAll<uint32_t>(machine, slot, [&](const std::byte *from, size_t i) {
        return readInteger(from, i, slot.element, isUnsigned);
      });
    };
    std::vector<uint32_t> lhs = read(payload.lhs, payload.lhsUnsigned), rhs = read(payload.rhs, payload.rhsUnsigned);
    expand(machine, payload, lhs);
    std::memmove(machine.frame + payload.result.offset, machine.frame + payload.acc.offset, payload.acc.bytes());
    accumulate(payload, lhs, rhs, machine.at<uint32_t>(payload.result.offset));
  } else if (payload.lhs.element == Element::F64) {
    auto read = [](const std::byte *from, size_t i) { return reinterpret_cast<const double *>(from)[i]; };
    std::vector<double> lhs = readAll<double>(machine, payload.lhs, read),
                        rhs = readAll<double>(machine, payload.rhs, read);
    expand(machine, payload, lhs);
    std::memmove(machine.frame + payload.result.offset, machine.frame + payload.acc.offset, payload.acc.bytes());
    accumulate(payload, lhs, rhs, machine.at<double>(payload.result.offset));
  } else {
    runSingle(machine, payload);
  }
}

} // namespace nereid::interp
