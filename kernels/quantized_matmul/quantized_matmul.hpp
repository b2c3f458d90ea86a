// quantized_matmul.hpp: c = a @ w with weights stored as int8 or int4: int8WeightMatmul(c, a, q, scale),
// int4WeightMatmul.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

namespace detail {
// Checks what both forms share; `k` is the number of rows of the weights. Returns the extents and the group size.
struct QuantizedShape {
  ProductShape product;
  int64_t group;
};
inline Result<QuantizedShape> quantizedShape(Checks &checks, const Tensor &c, const Tensor &a, const Tensor &q,
                                             int64_t k, const Tensor &scale) {
  checks.rank({"a", a}, 2).rank({"q", q}, 2).rank({"scale", scale}, 2).floats({{"c", c}, {"a", a}, {"scale", scale}});
  checks.contiguousRows({{"a", a}, {"q", q}, {"c", c}}).contiguous({{"scale", scale}});
  if (checks.failed())
    return checks.error();
  int64_t n = q.shape()[1], groups = scale.shape()[0];
  checks.shape({"a", a}, {a.shape()[0], k}).shape({"c", c}, {a.shape()[0], n}).shape({"scale", scale}, {groups, n});
  checks.that(groups > 0 && k % groups == 0, "`scale` has " + std::to_string(groups) +
                                                 " rows, which do not divide the " + std::to_string(k) +
                                                 " rows of the weights");
  if (checks.failed())
    return checks.error();
  return QuantizedShape{{a.shape()[0], n, k}, k / groups};
}

// One row on a GPU: a kernel without tensor cores, the depth shared out to programs so that all multiprocessors read.
inline Result<void> int4WeightVector(const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &scale,
                                     const Argument &zero, const QuantizedShape &shape, const LaunchOptions &options) {
  constexpr int64_t kBlock = 256, kRows = 8;
  auto [m, n, k] = shape.product;
  int64_t blocks = cdiv(n, kBlock), shares = 1;
  while (blocks * shares * 2 <= 8 * multiprocessors(options) && k / shape.group >= shares * 4)
    shares *= 2;
  Result<Tensor> sums = shares > 1 ? scratch(a, DType::Fp32, {shares, n}, options) : Result<Tensor>(c);
  if (!sums)
    return sums.error();
  Result<void> done = launch(find("quantized_matmul", "int4_weight_vector"), {blocks, shares}, options,
                             {a, q, scale, zero, *sums, n, k, q.strides()[0], shape.group, kRows, kBlock});
  return done && shares > 1 ? launch(find("reduce", "reduce_columns"), {cdiv(n, 256)}, options,
                                     {*sums, c, n, shares, n, "sum", shares, 256})
                            : done;
}
} // namespace detail

// q is int8 [K, N]; scale is [groups, N], where groups divides K.
inline Result<void> int8WeightMatmul(const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &scale,
                                     const std::string &precision = "ieee", const LaunchOptions &options = {}) {
  detail::Checks checks("int8WeightMatmul");
  checks.dtype({"q", q}, DType::Int8).rank({"q", q}, 2);
  if (checks.failed())
    return checks.error();
  Result<detail::QuantizedShape> shape = detail::quantizedShape(checks, c, a, q, q.shape()[0], scale);
  if (!shape)
    return shape.error();
  auto [m, n, k] = shape->product;
  auto [blockM, blockN, blockK, tuned] = detail::productPlan(shape->product, bytesOf(a.dtype()), options);
  while (shape->group % blockK != 0)
    blockK /= 2;
  checks.that(blockK >= 16, "a group has " + std::to_string(shape->group) + " rows, but a multiple of 16 is expected");
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("quantized_matmul", "int8_weight_matmul"),
                        {detail::cdiv(m, blockM) * detail::cdiv(n, blockN)}, tuned,
                        {a, q, scale, c, m, n, k, a.strides()[0], q.strides()[0], c.strides()[0], shape->group, blockM,
                         blockN, blockK, precision});
}

// q is packed uint8 [K / 2, N], scale [groups, N], zero the same as fp32, or nothing for 8.
inline Result<void> int4WeightMatmul(const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &scale,
                                     const std::optional<Tensor> &zero = {}, const std::string &precision = "ieee",
                                     const LaunchOptions &options = {}) {
  detail::Checks checks("int4WeightMatmul");
  checks.dtype({"q", q}, DType::UInt8).rank({"q", q}, 2);
  if (checks.failed())
    return checks.error();
  Result<detail::QuantizedShape> shape = detail::quantizedShape(checks, c, a, q, 2 * q.shape()[0], scale);
  if (!shape)
    return shape.error();
  if (zero)
    checks.sameShape({"zero", *zero}, {"scale", scale})
        .dtype({"zero", *zero}, DType::Fp32)
        .contiguous({{"zero", *zero}});
  checks.that(shape->group >= 32 && detail::powerOfTwo(shape->group) == shape->group,
              "a group has " + std::to_string(shape->group) + " rows, but a power of two from 32 on is expected");
  if (checks.failed())
    return checks.error();
  auto [m, n, k] = shape->product;
  Argument none = nullptr;
  if (m == 1 && detail::isGpu(options))
    return detail::int4WeightVector(c, a, q, scale, zero ? Argument(*zero) : none, *shape, options);
  auto [blockM, blockN, blockK, tuned] = detail::productPlan(shape->product, bytesOf(a.dtype()), options);
  return detail::launch(detail::find("quantized_matmul", "int4_weight_matmul"),
                        {detail::cdiv(m, blockM) * detail::cdiv(n, blockN)}, tuned,
                        {a, q, scale, zero ? Argument(*zero) : none, c, m, n, k, a.strides()[0], q.strides()[0],
                         c.strides()[0], shape->group, blockM, blockN, precision});
}

// Packs contiguous uint8 [K, N] of values from 0 to 15 into the uint8 [K / 2, N] that int4WeightMatmul takes.
inline Result<Tensor> packInt4(const Tensor &q, int64_t group) {
  detail::Checks checks("packInt4");
  checks.dtype({"q", q}, DType::UInt8).rank({"q", q}, 2).contiguous({{"q", q}});
  checks.that(group > 0 && group % 2 == 0,
              "a group has " + std::to_string(group) + " rows, but an even number is expected");
  if (checks.failed())
    return checks.error();
  int64_t k = q.shape()[0], n = q.shape()[1], half = group / 2;
  checks.that(k % group == 0,
              "`q` has " + std::to_string(k) + " rows, but a multiple of " + std::to_string(group) + " is expected");
  if (checks.failed())
    return checks.error();
  Result<Tensor> packed = Tensor::zeros(DType::UInt8, {k / 2, n});
  if (!packed)
    return packed;
  auto in = q.values<uint8_t>(), out = packed->values<uint8_t>();
  for (int64_t row = 0; row < k / 2; ++row) {
    int64_t low = row / half * group + row % half;
    for (int64_t column = 0; column < n; ++column)
      out[row * n + column] = static_cast<uint8_t>((in[low * n + column] & 15) | in[(low + half) * n + column] << 4);
  }
  return packed;
}

} // namespace nereid::kernels
