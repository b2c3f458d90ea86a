// quantized_grouped_gemm.hpp: raggedInt4Gemm(c, a, q, scale, ends), raggedMxfp4Gemm(c, a, q, scale, ends): products of runs of rows, one for each expert, with weights of four bits.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

namespace detail {
struct RaggedPlan {
  int64_t blockM, blockN, programs, blockE;
  LaunchOptions options;
};

// Tiles as high as an expert has rows on the average; programs that walk over all tiles.
inline RaggedPlan raggedPlan(int64_t rows, int64_t experts, int64_t n, size_t bytes, const LaunchOptions &options,
                             int64_t widest = 128) {
  int64_t each = experts ? cdiv(rows, experts) : 0;
  RaggedPlan plan{productBlock(each, bytes < 4 ? 128 : 64), productBlock(n, bytes < 4 && each > 64 ? widest : 64), 0,
                  powerOfTwo(experts), options};
  int64_t tiles = (cdiv(rows, plan.blockM) + experts) * cdiv(n, plan.blockN);
  plan.programs = rows && experts ? std::min(tiles, isGpu(options) ? 4 * multiprocessors(options) : 64) : 0;
  plan.options = withDefaults(options, plan.blockM >= 128 ? 8 : 4, 3);
  return plan;
}

// ends: int32 [experts] on the host or a GPU: ascending, the last one is the number of rows.
inline void raggedChecks(Checks &checks, const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &scale,
                         const Tensor &ends) {
  checks.rank({"a", a}, 2).rank({"q", q}, 3).floats({{"c", c}, {"a", a}}).dtype({"q", q}, DType::UInt8);
  checks.dtype({"ends", ends}, DType::Int32);
  checks.contiguous({{"c", c}, {"a", a}, {"q", q}, {"scale", scale}, {"ends", ends}});
  if (!checks.failed())
    checks.shape({"ends", ends}, {q.shape()[0]});
}
} // namespace detail

// Rows ends[g - 1] … ends[g] - 1 of c are those of a times (q[g] - zero[g]) * scale[g]: a [rows, K], q uint8 [experts, K / 2, N] as quantized_matmul has it, scale and zero (fp32, 8 if missing) [experts, K / group, N]; a group has a
// power of two of rows, from 32 to 256. All contiguous.
inline Result<void> raggedInt4Gemm(const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &scale,
                                   const Tensor &ends, const std::optional<Tensor> &zero = {},
                                   const std::string &precision = "ieee", const LaunchOptions &options = {}) {
  detail::Checks checks("raggedInt4Gemm");
  detail::raggedChecks(checks, c, a, q, scale, ends);
  checks.rank({"scale", scale}, 3).floats({{"scale", scale}});
  if (checks.failed())
    return checks.error();
  int64_t rows = a.shape()[0], k = a.shape()[1], experts = q.shape()[0], n = q.shape()[2], groups = scale.shape()[1];
  int64_t group = groups ? k / groups : 0;
  checks.shape({"q", q}, {experts, k / 2, n}).shape({"c", c}, {rows, n}).shape({"scale", scale}, {experts, groups, n});
  checks.that(group >= 32 && group <= 256 && detail::powerOfTwo(group) == group && group * groups == k,
              "a group has " + std::to_string(group) + " rows, but a power of two from 32 to 256 that divides " +
                  std::to_string(k) + " is expected");
  if (zero)
    checks.sameShape({"zero", *zero}, {"scale", scale})
        .dtype({"zero", *zero}, DType::Fp32)
        .contiguous({{"zero", *zero}});
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, programs, blockE, tuned] =
      detail::raggedPlan(rows, experts, n, bytesOf(a.dtype()), options, detail::isGpu(options) ? 256 : 128);
  return detail::launch(
      detail::find("quantized_grouped_gemm", "ragged_int4_gemm"), {programs}, tuned,
      {a, q, scale, detail::optionalArgument(zero), c, ends, experts, n, k, group, blockM, blockN, blockE, precision});
}

// The same with weights in MXFP4: q uint8 [experts, N, K / 2], scale uint8 [experts, N, K / 32], bias [experts, N]. K is a multiple of 32.
inline Result<void> raggedMxfp4Gemm(const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &scale,
                                    const Tensor &ends, const std::optional<Tensor> &bias = {},
                                    const std::string &precision = "ieee", const LaunchOptions &options = {}) {
  detail::Checks checks("raggedMxfp4Gemm");
  detail::raggedChecks(checks, c, a, q, scale, ends);
  checks.dtype({"scale", scale}, DType::UInt8);
  if (checks.failed())
    return checks.error();
  int64_t rows = a.shape()[0], k = a.shape()[1], experts = q.shape()[0], n = q.shape()[1];
  checks.that(k % 32 == 0, "`a` has " + std::to_string(k) + " columns, but a multiple of 32 is expected");
  checks.shape({"q", q}, {experts, n, k / 2}).shape({"scale", scale}, {experts, n, k / 32}).shape({"c", c}, {rows, n});
  if (bias)
    checks.shape({"bias", *bias}, {experts, n}).contiguous({{"bias", *bias}}).floats({{"bias", *bias}});
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, programs, blockE, tuned] = detail::raggedPlan(rows, experts, n, bytesOf(a.dtype()), options);
  int64_t blockK = std::clamp<int64_t>(detail::powerOfTwo(k), 32, bytesOf(a.dtype()) < 4 ? 128 : 64);
  return detail::launch(detail::find("quantized_grouped_gemm", "ragged_mxfp4_gemm"), {programs}, tuned,
                        {a, q, scale, detail::optionalArgument(bias), c, ends, experts, n, k, blockM, blockN, blockK,
                         blockE, k % blockK == 0, precision});
}

} // namespace nereid::kernels
