// outlier_matmul.hpp: outlierMatmul(c, a, w, wScale): a product of int8 in which columns of a that are too large for it are floats, as LLM.int8() has it.
#pragma once

#include "nereid/kernels/compaction.hpp"
#include "nereid/kernels/configuration.hpp"

namespace nereid::kernels {

// c = a @ (w * wScale): a [M, K] and c [M, N] are floats of one type with contiguous rows, w int8 [K, N] of any strides (fastest along K: the transpose of a contiguous [N, K]), wScale fp32 [N]. Columns of a with an element whose magnitude is the threshold or more are multiplied as they
// are, the others as int8 with a scale for each row. A threshold of 0: all as int8.
inline Result<void> outlierMatmul(const Tensor &c, const Tensor &a, const Tensor &w, const Tensor &wScale,
                                  double threshold = 6, const std::string &precision = "ieee",
                                  const LaunchOptions &options = {}) {
  detail::Checks checks("outlierMatmul");
  checks.rank({"a", a}, 2).rank({"w", w}, 2).floats({{"a", a}, {"c", c}}).sameType({"c", c}, {"a", a});
  checks.contiguousRows({{"a", a}, {"c", c}}).dtype({"w", w}, DType::Int8);
  checks.that(threshold >= 0, "the threshold is negative");
  if (checks.failed())
    return checks.error();
  int64_t M = a.shape()[0], K = a.shape()[1], N = w.shape()[1];
  checks.shape({"w", w}, {K, N}).shape({"c", c}, {M, N}).shape({"wScale", wScale}, {N});
  checks.dtype({"wScale", wScale}, DType::Fp32).contiguous({{"wScale", wScale}});
  if (checks.failed())
    return checks.error();
  Result<Tensor> flags = detail::scratch(a, DType::Int8, {K}, options),
                 places = detail::scratch(a, DType::Int32, {K}, options),
                 number = detail::scratch(a, DType::Int32, {1}, options),
                 q = detail::scratch(a, DType::Int8, {M, K}, options),
                 scale = detail::scratch(a, DType::Fp32, {M}, options);
  for (const Result<Tensor> *each : {&flags, &places, &number, &q, &scale})
    if (!*each)
      return each->error();
  int64_t step = a.strides()[0];
  Result<void> done =
      detail::launch(detail::find("outlier_matmul", "outlier_columns"), {detail::cdiv(K, 32)}, options,
                     {a, *flags, M, K, step, threshold, std::min<int64_t>(256, detail::powerOfTwo(M)), 32});
  if (done)
    done = nonzero(*places, *number, *flags, options);
  if (done)
    done = detail::launch(detail::find("outlier_matmul", "quantize_others"), {M}, options,
                          {a, *flags, *q, *scale, K, step, std::min<int64_t>(4096, detail::powerOfTwo(K))});
  if (!done)
    return done;
  int64_t stepK = w.strides()[0], stepN = w.strides()[1];
  bool isWhole = detail::isGpu(options) && stepK == 1 && stepN % 16 == 0 && K % 16 == 0 &&
                 reinterpret_cast<uintptr_t>(w.data()) % 16 == 0;
  int64_t tiles = detail::cdiv(M, 128) * detail::cdiv(N, 256);
  detail::Numbers facts{{"bytes", static_cast<int64_t>(bytesOf(a.dtype()))},
                        {"whole", isWhole},
                        {"large", tiles * 4 >= 3 * detail::multiprocessors(options)}};
  bool isKept = false;
  detail::Configuration plan = detail::configurationFor("outlier_matmul", detail::textOf(facts), options, isKept);
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(M), 16, plan.get("BLOCK_M", 64)),
          blockN = std::clamp<int64_t>(detail::powerOfTwo(N), 16, plan.get("BLOCK_N", 64));
  return detail::launch(detail::find("outlier_matmul", "outlier_matmul"),
                        {detail::cdiv(M, blockM) * detail::cdiv(N, blockN)}, plan.applied(options),
                        {*q,
                         w,
                         *scale,
                         wScale,
                         a,
                         *places,
                         *number,
                         c,
                         M,
                         N,
                         K,
                         step,
                         stepK,
                         stepN,
                         c.strides()[0],
                         blockM,
                         blockN,
                         plan.get("BLOCK_K", 64),
                         plan.get("BLOCK_O", 64),
                         8,
                         precision,
                         isWhole});
}

} // namespace nereid::kernels
