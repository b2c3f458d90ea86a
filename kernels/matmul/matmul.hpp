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

// How a product runs on a GPU whose copy engine moves blocks.
struct BlockProduct {
  std::string order; // of b in memory: "KN" or "NK"; empty where rows are not multiples of 16 bytes
  std::array<int64_t, 3> blocks{128, 256, 64};
  int64_t programs = 1;
  int warps = 8, stages = 3;
};

inline BlockProduct blockProduct(const Tensor &c, const Tensor &a, const Tensor &b, ProductShape shape,
                                 const Device &device) {
  BlockProduct product;
  auto isAligned = [](const Tensor &tensor, int64_t stride) {
    return stride % 16 == 0 && reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0;
  };
  bool fits = device.name.starts_with("cuda") && bytesOf(a.dtype()) == 2 && bytesOf(c.dtype()) == 2 && shape.k > 0 &&
              a.strides()[1] == 1 && c.strides()[1] == 1 && isAligned(a, a.strides()[0]) && isAligned(c, c.strides()[0]);
  if (fits && b.strides()[1] == 1 && isAligned(b, b.strides()[0]))
    product.order = "KN";
  else if (fits && b.strides()[0] == 1 && isAligned(b, b.strides()[1]))
    product.order = "NK";
  // Smaller tiles where large ones would leave multiprocessors without work.
  constexpr int64_t kMultiprocessors = 132;
  auto tiles = [&] { return cdiv(shape.m, product.blocks[0]) * cdiv(shape.n, product.blocks[1]); };
  while (product.blocks[1] > 64 && tiles() < kMultiprocessors)
    product.blocks[1] /= 2;
  product.programs = std::min(tiles(), kMultiprocessors);
  return product;
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
  detail::BlockProduct product = detail::blockProduct(c, a, b, *shape, options.device);
  bool isOfBlocks = !product.order.empty() && !matmul.blocks;
  auto [blockM, blockN, blockK] =
      isOfBlocks ? product.blocks : matmul.blocks.value_or(detail::productBlocks(*shape));
  Argument none = nullptr;
  LaunchOptions launched = options;
  int64_t programs = detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN);
  if (isOfBlocks) {
    programs = product.programs;
    launched.numWarps = options.numWarps ? options.numWarps : product.warps;
    launched.numStages = options.numStages ? options.numStages : product.stages;
  }
  return detail::launch(detail::find("matmul", "matmul"), {programs}, launched,
                        {a, b, matmul.bias ? Argument(*matmul.bias) : none, c, shape->m, shape->n, shape->k,
                         a.strides()[0], a.strides()[1], b.strides()[0], b.strides()[1], c.strides()[0], c.strides()[1],
                         blockM, blockN, blockK, 8,
                         matmul.activation.empty() ? none : Argument(Expression{matmul.activation}), matmul.precision,
                         isOfBlocks ? Argument(product.order) : none});
}

} // namespace nereid::kernels
