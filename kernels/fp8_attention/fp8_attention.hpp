// fp8_attention.hpp: fp8Attention(out, lse, q, k, v): attention of fp8 queries, keys and values, forward.
#pragma once

#include "nereid/kernels/flash_attention.hpp"
#include "nereid/kernels/fp8_matmul.hpp"

#include <cmath>

namespace nereid::kernels {

struct Fp8AttentionOptions {
  bool causal = false;              // query i sees the keys up to i + length of k - length of q
  std::optional<double> scale = {}; // of the scores, positive; 1 / sqrt(dim) if not given
  std::optional<Tensor> qScale = {}, kScale = {},
                        vScale = {}; // fp32 [batch, heads of k]: what a head is multiplied with
};

// q: [batch, heads, length, dim] and k: [batch, heads of k, length, dim] of fp8e4nv or fp8e5, or uint8 with the bits of fp8e4nv, with contiguous rows; v has the shape of k, and either its dim or its length is contiguous, which a GPU
// likes better. out: fp32, fp16 or bf16, with contiguous rows; lse: fp32 [batch, heads, length of q]. dim is a power of two from 32 to 256.
inline Result<void> fp8Attention(const Tensor &out, const Tensor &lse, const Tensor &q, const Tensor &k,
                                 const Tensor &v, const Fp8AttentionOptions &attention = {},
                                 const LaunchOptions &options = {}) {
  detail::Checks checks("fp8Attention");
  checks.rank({"q", q}, 4).rank({"k", k}, 4).sameShape({"out", out}, {"q", q}).sameShape({"v", v}, {"k", k});
  checks.that(detail::isFp8(q.dtype()),
              "`q` has type " + detail::Checks::name(q.dtype()) + ", but fp8e4nv, fp8e5 or u8 is expected");
  checks.sameType({"k", k}, {"q", q}).sameType({"v", v}, {"q", q}).floats({{"out", out}});
  checks.contiguousRows({{"q", q}, {"k", k}, {"out", out}});
  if (checks.failed())
    return checks.error();
  int64_t width = q.shape()[3];
  checks.that(width >= 32 && width <= 256 && detail::powerOfTwo(width) == width,
              "a head has " + std::to_string(width) + " elements, but a power of two from 32 to 256 is expected");
  Result<detail::AttentionShape> shape = detail::attentionExtents(checks, lse, q, k);
  if (!shape)
    return shape.error();
  auto [batch, heads, headsK, lengthQ, lengthK, dim] = *shape;
  bool isTransposed = v.strides()[3] != 1;
  checks.that(!isTransposed || v.strides()[2] == 1 || lengthK <= 1,
              "`v` has strides " + detail::Checks::text(v.strides()) + ", but one of the last two must be 1");
  checks.that(attention.scale.value_or(1) > 0, "`scale` must be positive");
  std::vector<Argument> scales;
  for (auto [name, scale] :
       {std::pair{"qScale", &attention.qScale}, {"kScale", &attention.kScale}, {"vScale", &attention.vScale}}) {
    scales.push_back(detail::optionalArgument(*scale));
    if (*scale)
      checks.shape({name, **scale}, {batch, headsK}).dtype({name, **scale}, DType::Fp32).contiguous({{name, **scale}});
  }
  if (checks.failed())
    return checks.error();
  bool isOnGpu = detail::isGpu(options), isLong = lengthQ > 64;
  LaunchOptions tuned = detail::withDefaults(options, isLong ? 8 : 4, dim > 128 ? 2 : 3);
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(lengthQ), 16, isLong ? 128 : 64);
  int64_t blockN = std::clamp<int64_t>(detail::powerOfTwo(lengthK), 32, dim > 128 ? 64 : 128);
  int64_t vStride = v.strides()[isTransposed ? 3 : 2];
  auto areRowsWhole = [](const Tensor &tensor, int64_t row) {
    return reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0 && tensor.strides()[0] % 16 == 0 &&
           tensor.strides()[1] % 16 == 0 && row % 16 == 0 && row > 0;
  };
  bool byDescriptor = isOnGpu && areRowsWhole(k, k.strides()[2]) && areRowsWhole(v, vStride);
  auto stride = [](const Tensor &tensor, size_t axis) { return tensor.strides()[axis]; };
  return detail::launch(detail::find("fp8_attention", "fp8_attention"), {detail::cdiv(lengthQ, blockM), batch * heads},
                        tuned,
                        {q,
                         k,
                         v,
                         scales[0],
                         scales[1],
                         scales[2],
                         out,
                         lse,
                         attention.scale.value_or(1 / std::sqrt(static_cast<double>(dim))),
                         stride(q, 0),
                         stride(q, 1),
                         stride(q, 2),
                         stride(k, 0),
                         stride(k, 1),
                         stride(k, 2),
                         stride(v, 0),
                         stride(v, 1),
                         vStride,
                         stride(out, 0),
                         stride(out, 1),
                         stride(out, 2),
                         heads,
                         heads / headsK,
                         lengthQ,
                         lengthK,
                         dim,
                         blockM,
                         blockN,
                         attention.causal,
                         isTransposed ? "DS" : "SD",
                         byDescriptor});
}

} // namespace nereid::kernels
