// Fold.cpp: reductions of a whole array by one op, for the common ones.
//
// Sums and products of floats go strictly from left to right. Where the order cannot show (integers, minimum, maximum),
// sixteen partial results keep the vector units busy.
#include "interp/Reduce.h"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace nereid::interp {

template <typename T, auto function> static void foldInOrder(void *result, const void *values, size_t count) {
  auto *x = static_cast<const T *>(values);
  T total = x[0];
  for (size_t i = 1; i < count; ++i)
    total = function(total, x[i]);
  *static_cast<T *>(result) = total;
}

template <typename T, auto function> static void foldAnyOrder(void *result, const void *values, size_t count) {
  constexpr size_t kWays = 16;
  auto *x = static_cast<const T *>(values);
  if (count < 2 * kWays)
    return foldInOrder<T, function>(result, values, count);
  T partial[kWays];
  std::copy_n(x, kWays, partial);
  size_t i = kWays;
  for (; i + kWays <= count; i += kWays)
    for (size_t j = 0; j < kWays; ++j)
      partial[j] = function(partial[j], x[i + j]);
  for (; i < count; ++i)
    partial[i % kWays] = function(partial[i % kWays], x[i]);
  foldInOrder<T, function>(result, partial, kWays);
}

template <typename T> static Fold findFloatFold(std::string_view name) {
  if (name == "arith.addf")
    return foldInOrder<T, [](T a, T b) { return a + b; }>;
  if (name == "arith.mulf")
    return foldInOrder<T, [](T a, T b) { return a * b; }>;
  // As in FloatKernels.cpp; the sign of a zero result is the only thing that two orders could disagree about, and these
  // do not.
  if (name == "arith.maxnumf")
    return foldAnyOrder<T, [](T a, T b) {
      return b != b ? a : a != a ? b : a == b ? (std::signbit(a) ? b : a) : a > b ? a : b;
    }>;
  if (name == "arith.minnumf")
    return foldAnyOrder<T, [](T a, T b) {
      return b != b ? a : a != a ? b : a == b ? (std::signbit(a) ? a : b) : a < b ? a : b;
    }>;
  return nullptr;
}

template <typename T> static Fold findIntegerFold(std::string_view name) {
  using S = std::make_signed_t<T>;
  if (name == "arith.addi")
    return foldAnyOrder<T, [](T a, T b) { return T(a + b); }>;
  if (name == "arith.muli")
    return foldAnyOrder<T, [](T a, T b) { return T(a * b); }>;
  if (name == "arith.andi")
    return foldAnyOrder<T, [](T a, T b) { return T(a & b); }>;
  if (name == "arith.ori")
    return foldAnyOrder<T, [](T a, T b) { return T(a | b); }>;
  if (name == "arith.xori")
    return foldAnyOrder<T, [](T a, T b) { return T(a ^ b); }>;
  if (name == "arith.maxsi")
    return foldAnyOrder<S, [](S a, S b) { return std::max(a, b); }>;
  if (name == "arith.minsi")
    return foldAnyOrder<S, [](S a, S b) { return std::min(a, b); }>;
  if (name == "arith.maxui")
    return foldAnyOrder<T, [](T a, T b) { return std::max(a, b); }>;
  if (name == "arith.minui")
    return foldAnyOrder<T, [](T a, T b) { return std::min(a, b); }>;
  return nullptr;
}

Fold findFold(std::string_view name, Element element) {
  switch (element) {
  case Element::F32: return findFloatFold<float>(name);
  case Element::F64: return findFloatFold<double>(name);
  case Element::I32: return findIntegerFold<uint32_t>(name);
  case Element::I64: return findIntegerFold<uint64_t>(name);
  default: return nullptr;
  }
}

} // namespace nereid::interp
