// Kernels.h: loops over arrays for every elementwise op, found by the op's name and the element type.
#pragma once

#include "interp/Program.h"

#include <initializer_list>
#include <string_view>
#include <type_traits>

namespace nereid::interp {

// One elementwise op: its name ("arith.cmpi.slt": with the predicate) and its loops; null where the type makes no
// sense.
struct KernelRow {
  std::string_view name;
  Kernel i1 = nullptr, i8 = nullptr, i16 = nullptr, i32 = nullptr, i64 = nullptr, f32 = nullptr, f64 = nullptr;
};

// Null where there is none. Narrow floats give the kernel of f32: the caller converts.
Kernel findKernel(std::string_view name, Element element);
// arith's casts; a narrow float stands for f32 on either side. From a wider type to a narrow float, the f32 is rounded
// to odd, so that the caller's rounding is the only one.
Kernel findCast(std::string_view name, Element from, Element to, bool towardZero);

std::initializer_list<KernelRow> integerKernels();
std::initializer_list<KernelRow> floatKernels();
std::initializer_list<KernelRow> mathKernels();
std::initializer_list<KernelRow> compareKernels();

// Loops over arrays of R from arrays of T; lanes are independent, so the result may be one of the operands.
template <typename R, typename T, auto function>
void unary(void *result, const void *a, const void *, const void *, size_t count) {
  auto *to = static_cast<R *>(result);
  auto *x = static_cast<const T *>(a);
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<R>(function(x[i]));
}

template <typename R, typename T, auto function>
void binary(void *result, const void *a, const void *b, const void *, size_t count) {
  auto *to = static_cast<R *>(result);
  auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b);
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<R>(function(x[i], y[i]));
}

template <typename R, typename T, auto function>
void ternary(void *result, const void *a, const void *b, const void *c, size_t count) {
  auto *to = static_cast<R *>(result);
  auto *x = static_cast<const T *>(a), *y = static_cast<const T *>(b), *z = static_cast<const T *>(c);
#pragma clang loop vectorize(assume_safety)
  for (size_t i = 0; i < count; ++i)
    to[i] = static_cast<R>(function(x[i], y[i], z[i]));
}

// Integers are stored unsigned. These give the value an op works on: i1 is 0 or 1 unsigned, 0 or -1 signed.
template <typename T> auto asSigned(T value) {
  if constexpr (std::is_same_v<T, bool>)
    return int8_t(value ? -1 : 0);
  else
    return std::make_signed_t<T>(value);
}
template <typename T> T fromInteger(uint64_t value) {
  if constexpr (std::is_same_v<T, bool>)
    return value & 1;
  else
    return T(value);
}

} // namespace nereid::interp
