// nf4.hpp: quantize4Bit and dequantize4Bit: weights of four bits with a table of values, as bitsandbytes stores NF4 and FP4.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <array>
#include <limits>
#include <map>

namespace nereid::kernels {

// NF4 of QLoRA: equal shares of a normal distribution have equally many values.
inline constexpr std::array<float, 16> kNf4Values = {-1.0F,
                                                     -0.6961928009986877F,
                                                     -0.5250730514526367F,
                                                     -0.39491748809814453F,
                                                     -0.28444138169288635F,
                                                     -0.18477343022823334F,
                                                     -0.09105003625154495F,
                                                     0.0F,
                                                     0.07958029955625534F,
                                                     0.16093020141124725F,
                                                     0.24611230194568634F,
                                                     0.33791524171829224F,
                                                     0.44070982933044434F,
                                                     0.5626170039176941F,
                                                     0.7229568362236023F,
                                                     1.0F};
// FP4: sign, two bits of exponent, one of mantissa, in bitsandbytes' order of codes.
inline constexpr std::array<float, 16> kFp4Values = {
    0.0F,  0.0625F / 12,  8.0F / 12,  1.0F,  4.0F / 12,  6.0F / 12,  2.0F / 12,  3.0F / 12,
    -0.0F, -0.0625F / 12, -8.0F / 12, -1.0F, -4.0F / 12, -6.0F / 12, -2.0F / 12, -3.0F / 12};

namespace detail {
inline Checks fourBitChecks(const char *function, Named wide, const Tensor &q, const Tensor &scale, int64_t blocksize) {
  Checks checks(function);
  checks.floats({wide}).contiguous({wide, {"q", q}, {"scale", scale}}).dtype({"q", q}, DType::UInt8);
  checks.that(blocksize >= 32 && blocksize <= 4096 && powerOfTwo(blocksize) == blocksize,
              "a block has " + std::to_string(blocksize) + " elements, but a power of two from 32 to 4096 is expected");
  if (checks.failed())
    return checks;
  int64_t count = wide.tensor.count();
  checks.shape({"q", q}, {cdiv(count, 2)}).shape({"scale", scale}, {cdiv(count, blocksize)});
  return checks.dtype({"scale", scale}, DType::Fp32);
}

// What finds the nearest of sixteen values: their codes in the order of values, one of equal ones, and the middle between
// each and the one before.
inline std::array<float, 32> levelsOf(const std::array<float, 16> &values) {
  std::map<float, int> codes; // the first code of a value
  for (int code = 0; code < 16; ++code)
    codes.emplace(values[code], code);
  std::array<float, 32> levels{};
  std::fill(levels.begin() + 16, levels.end(), std::numeric_limits<float>::infinity());
  int i = 0;
  float before = 0;
  for (auto [value, code] : codes) {
    levels[i] = static_cast<float>(code);
    levels[16 + i++] = static_cast<float>((static_cast<double>(before) + value) / 2);
    before = value;
  }
  return levels;
}

} // namespace detail

// x, contiguous, is about table[code] * scale[i / blocksize]; q: uint8 [(elements + 1) / 2], two codes a byte, the first in
// the high bits; scale: fp32 [blocks], the largest magnitudes.
inline Result<void> quantize4Bit(const Tensor &q, const Tensor &scale, const Tensor &x, int64_t blocksize = 64,
                                 const std::array<float, 16> &values = kNf4Values, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::fourBitChecks("quantize4Bit", {"x", x}, q, scale, blocksize);
  if (checks.failed())
    return checks.error();
  Result<Tensor> levels = detail::constants(q, detail::levelsOf(values), options);
  if (!levels)
    return levels.error();
  int64_t rows = std::max<int64_t>(1, 2048 / blocksize);
  return detail::launch(detail::find("nf4", "quantize_4bit"), {detail::cdiv(scale.count(), rows)}, options,
                        {x, *levels, q, scale, x.count(), blocksize, rows});
}

inline Result<void> dequantize4Bit(const Tensor &out, const Tensor &q, const Tensor &scale, int64_t blocksize = 64,
                                   const std::array<float, 16> &values = kNf4Values,
                                   const LaunchOptions &options = {}) {
  detail::Checks checks = detail::fourBitChecks("dequantize4Bit", {"out", out}, q, scale, blocksize);
  if (checks.failed())
    return checks.error();
  Result<Tensor> table = detail::constants(q, values, options);
  if (!table)
    return table.error();
  return detail::launch(detail::find("nf4", "dequantize_4bit"), {detail::cdiv(q.count(), 1024)}, options,
                        {q, *table, scale, out, out.count(), blocksize, 1024, detail::cacheModifier(out)});
}

// out[i] = table[q[i]] * scale[i / blocksize] + offset: the scales of quantize4Bit where these are quantized too. table:
// fp32 [256].
inline Result<void> dequantize8Bit(const Tensor &out, const Tensor &q, const Tensor &table, const Tensor &scale,
                                   double offset, int64_t blocksize = 256, const LaunchOptions &options = {}) {
  detail::Checks checks("dequantize8Bit");
  checks.sameShape({"out", out}, {"q", q}).dtype({"q", q}, DType::UInt8).floats({{"out", out}});
  checks.shape({"table", table}, {256}).dtype({"table", table}, DType::Fp32).dtype({"scale", scale}, DType::Fp32);
  checks.that(blocksize > 0, "a block has no elements");
  if (checks.failed())
    return checks.error();
  checks.shape({"scale", scale}, {detail::cdiv(q.count(), blocksize)});
  checks.contiguous({{"out", out}, {"q", q}, {"table", table}, {"scale", scale}});
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("nf4", "dequantize_8bit"), {detail::cdiv(q.count(), 1024)}, options,
                        {q, table, scale, offset, out, q.count(), blocksize, 1024});
}

} // namespace nereid::kernels
