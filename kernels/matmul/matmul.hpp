// matmul.hpp: matmul(c, a, b): c = activation(a @ b + bias) for matrices of any strides.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <optional>
#include <tuple>

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

struct ProductPlan {
  int64_t blockM, blockN, blockK;
  LaunchOptions options;
};

inline int64_t productBlock(int64_t extent, int64_t most) { return std::clamp<int64_t>(powerOfTwo(extent), 16, most); }

// On a GPU: tiles that feed its tensor cores from shared memory where there is at least one for each multiprocessor,
// else smaller ones. Exact fp32 products do not run on tensor cores, and want registers.
inline ProductPlan productPlanOnGpu(ProductShape shape, size_t bytes, int64_t processors,
                                    const LaunchOptions &options) {
  bool isLarge = bytes < 4 && cdiv(shape.m, 128) * cdiv(shape.n, 256) >= processors / 2;
  int64_t m = bytes < 4 ? 128 : 64, n = isLarge ? 256 : 64, k = bytes == 1 ? 128 : bytes == 2 ? 64 : 32;
  ProductPlan plan{productBlock(shape.m, m), productBlock(shape.n, n), productBlock(shape.k, k), options};
  if (options.numWarps == 0)
    plan.options.numWarps = isLarge ? 8 : 4;
  if (options.numStages == 0)
    plan.options.numStages = bytes < 4 ? (isLarge ? 3 : 4) : 2;
  return plan;
}

// On a CPU: blocks that fill a core's caches, and no more than the product needs; small products have small ones, so
// that all cores have work.
inline ProductPlan productPlan(ProductShape shape, size_t bytes, const LaunchOptions &options) {
  if (isGpu(options))
    return productPlanOnGpu(shape, bytes, multiprocessors(options), options);
  int64_t most = shape.m >= 1024 && shape.n >= 1024 ? 256 : 128;
  return {productBlock(shape.m, most), productBlock(shape.n, most), productBlock(shape.k, 2 * most), options};
}

// How b lies in memory, where TMA can bring blocks of all three matrices: "KN" or "NK"; else nothing.
inline std::string blockOrder(const Tensor &c, const Tensor &a, const Tensor &b, const LaunchOptions &options) {
  auto isRowMajor = [](const Tensor &tensor, size_t row) {
    return tensor.strides()[1 - row] == 1 && tensor.strides()[row] % 16 == 0 && tensor.strides()[row] > 0 &&
           reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0;
  };
  if (!isGpu(options) || bytesOf(a.dtype()) != 2 || !isRowMajor(a, 0) || !isRowMajor(c, 0))
    return {};
  return isRowMajor(b, 0) ? "KN" : isRowMajor(b, 1) ? "NK" : "";
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
  auto [blockM, blockN, blockK, tuned] = detail::productPlan(*shape, bytesOf(a.dtype()), options);
  if (matmul.blocks) {
    std::tie(blockM, blockN, blockK) = std::tuple_cat(*matmul.blocks);
    tuned = options;
  }
  std::string order = matmul.blocks ? "" : detail::blockOrder(c, a, b, options);
  int64_t tiles = detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN);
  // With blocks, one program for each multiprocessor walks over the tiles.
  int64_t programs = order.empty() ? tiles : std::min(tiles, detail::multiprocessors(options));
  Argument none = nullptr;
  return detail::launch(detail::find("matmul", "matmul"), {programs}, tuned,
                        {a,
                         b,
                         matmul.bias ? Argument(*matmul.bias) : none,
                         c,
                         shape->m,
                         shape->n,
                         shape->k,
                         a.strides()[0],
                         a.strides()[1],
                         b.strides()[0],
                         b.strides()[1],
                         c.strides()[0],
                         c.strides()[1],
                         blockM,
                         blockN,
                         blockK,
                         8,
                         matmul.activation.empty() ? none : Argument(Expression{matmul.activation}),
                         matmul.precision,
                         order.empty() ? none : Argument(order)});
}

} // namespace nereid::kernels
