// matmul.hpp: matmul(c, a, b): c = activation(a @ b + bias) for matrices of any strides.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <optional>

namespace nereid::kernels {

struct MatmulOptions {
  std::optional<Tensor> bias = {};                   // one element for each column of c
  std::string activation = {};                       // a function of matmul.py: relu, leaky_relu, silu, gelu
  std::string precision = "ieee";                    // of fp32 inputs, as tl.dot has it
  std::optional<std::array<int64_t, 3>> blocks = {}; // M, N, K; powers of two from 16 on
};

namespace detail {
// The extents of a product as every kernel of the matmul family needs them.
struct ProductShape {
  int64_t m, n, k;
};

inline Result<ProductShape> productShape(Checks &checks, Named c, Named a, Named b) {
  checks.rank(a, 2).rank(b, 2);
  if (checks.failed())
    return checks.error();
  const Shape &left = a.tensor.shape(), &right = b.tensor.shape();
  checks.that(left[1] == right[0], std::string("`") + a.name + "` has shape " + Checks::text(left) + " and `" + b.name +
                                       "` has " + Checks::text(right) + ": the inner extents differ");
  checks.shape(c, {left[0], right[1]});
  if (checks.failed())
    return checks.error();
  return ProductShape{left[0], right[1], left[1]};
}

// Blocks that fill a core's caches, and no more than the product needs; small products have small ones, so that all
// cores have work.
inline std::array<int64_t, 3> productBlocks(ProductShape shape) {
  auto block = [](int64_t extent, int64_t most) { return std::clamp<int64_t>(powerOfTwo(extent), 16, most); };
  int64_t most = shape.m >= 1024 && shape.n >= 1024 ? 256 : 128;
  return {block(shape.m, most), block(shape.n, most), block(shape.k, 2 * most)};
}
} // namespace detail

inline Result<void> matmul(const Tensor &c, const Tensor &a, const Tensor &b, const MatmulOptions &matmul = {},
                           const LaunchOptions &options = {}) {
  detail::Checks checks("matmul");
  checks.floats({{"c", c}, {"a", a}, {"b", b}}).sameType({"a", a}, {"b", b});
  Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c}, {"a", a}, {"b", b});
  if (!shape)
    return shape.error();
  if (matmul.bias)
    checks.shape({"bias", *matmul.bias}, {shape->n})
        .contiguous({{"bias", *matmul.bias}})
        .floats({{"bias", *matmul.bias}});
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, blockK] = matmul.blocks.value_or(detail::productBlocks(*shape));
  Argument none = nullptr;
  return detail::launch(
      detail::find("matmul", "matmul"), {detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN)}, options,
      {a, b, matmul.bias ? Argument(*matmul.bias) : none, c, shape->m, shape->n, shape->k, a.strides()[0],
       a.strides()[1], b.strides()[0], b.strides()[1], c.strides()[0], c.strides()[1], blockM, blockN, blockK, 8,
       matmul.activation.empty() ? none : Argument(Expression{matmul.activation}), matmul.precision});
}

} // namespace nereid::kernels
