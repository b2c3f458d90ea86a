// packed_weights.hpp: dequantizeAwq and dequantizeGptq: weights of few bits from the words of checkpoints.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct GptqOptions {
  int64_t bits = 4;                  // 2, 4 or 8
  bool areZerosOneTooSmall = true;   // as in checkpoints of version 1
  std::optional<Tensor> groups = {}; // int32 [K]: the group of each row, where activations have an order
};

namespace detail {
inline Checks packedChecks(const char *function, const Tensor &out, const Tensor &q, const Tensor &zeros,
                           const Tensor &scale) {
  Checks checks(function);
  checks.rank({"out", out}, 2).rank({"scale", scale}, 2).floats({{"out", out}, {"scale", scale}});
  checks.dtype({"q", q}, DType::Int32).dtype({"zeros", zeros}, DType::Int32);
  return checks.contiguous({{"out", out}, {"q", q}, {"zeros", zeros}, {"scale", scale}});
}

// Rows of a group, from the shapes.
inline int64_t groupSize(Checks &checks, const Tensor &out, const Tensor &scale) {
  int64_t rows = out.shape()[0], groups = scale.shape()[0];
  checks.that(groups > 0 && rows % groups == 0, "`scale` has " + std::to_string(groups) +
                                                    " groups, which does not divide the " + std::to_string(rows) +
                                                    " rows");
  return checks.failed() ? 1 : std::max<int64_t>(1, rows / groups);
}
} // namespace detail

// out: [K, N]; q: int32 [K, N / 8], zeros: int32 [groups, N / 8], eight columns a word in AWQ's order; scale: [groups, N].
inline Result<void> dequantizeAwq(const Tensor &out, const Tensor &q, const Tensor &zeros, const Tensor &scale,
                                  const LaunchOptions &options = {}) {
  detail::Checks checks = detail::packedChecks("dequantizeAwq", out, q, zeros, scale);
  if (checks.failed())
    return checks.error();
  int64_t rows = out.shape()[0], columns = out.shape()[1], groups = scale.shape()[0];
  checks.that(columns % 8 == 0, std::to_string(columns) + " columns are no multiple of 8");
  checks.shape({"q", q}, {rows, columns / 8}).shape({"zeros", zeros}, {groups, columns / 8});
  checks.shape({"scale", scale}, {groups, columns});
  int64_t group = detail::groupSize(checks, out, scale);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("packed_weights", "dequantize_awq"),
                        {detail::cdiv(columns, 128), detail::cdiv(rows, 16)}, options,
                        {q, zeros, scale, out, rows, columns, group, 16, 128, detail::cacheModifier(out)});
}

// out: [K, N]; q: int32 [K * bits / 32, N], zeros: int32 [groups, N * bits / 32]; scale: [groups, N].
inline Result<void> dequantizeGptq(const Tensor &out, const Tensor &q, const Tensor &zeros, const Tensor &scale,
                                   const GptqOptions &gptq = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::packedChecks("dequantizeGptq", out, q, zeros, scale);
  checks.that(gptq.bits == 2 || gptq.bits == 4 || gptq.bits == 8,
              std::to_string(gptq.bits) + " bits are asked for, but 2, 4 or 8 are expected");
  if (checks.failed())
    return checks.error();
  int64_t rows = out.shape()[0], columns = out.shape()[1], groups = scale.shape()[0], perWord = 32 / gptq.bits;
  checks.that(rows % perWord == 0 && columns % perWord == 0,
              "rows and columns must be multiples of " + std::to_string(perWord));
  checks.shape({"q", q}, {rows / perWord, columns}).shape({"zeros", zeros}, {groups, columns / perWord});
  checks.shape({"scale", scale}, {groups, columns});
  if (gptq.groups)
    checks.shape({"groups", *gptq.groups}, {rows})
        .dtype({"groups", *gptq.groups}, DType::Int32)
        .contiguous({{"groups", *gptq.groups}});
  int64_t group = gptq.groups ? 1 : detail::groupSize(checks, out, scale);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("packed_weights", "dequantize_gptq"),
                        {detail::cdiv(columns, 128), detail::cdiv(rows, 16)}, options,
                        {q, zeros, scale, detail::optionalArgument(gptq.groups), out, rows, columns, group, gptq.bits,
                         gptq.areZerosOneTooSmall ? 1 : 0, 16, 128, detail::cacheModifier(out)});
}

} // namespace nereid::kernels
