// matmul.hpp: matmul(c, a, b): c = activation(a @ b + bias) for matrices of any strides.
#pragma once

#include "nereid/kernels/configuration.hpp"

#include <bit>
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

struct ProductPlan {
  int64_t blockM, blockN, blockK;
  LaunchOptions options;
};

inline int64_t productBlock(int64_t extent, int64_t most) { return std::clamp<int64_t>(powerOfTwo(extent), 16, most); }

// What the choice depends on; `processors` that share the tiles.
inline Numbers productFacts(ProductShape shape, size_t bytes, int64_t processors) {
  auto m = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(std::max<int64_t>(shape.m, 0))));
  return {{"bytes", static_cast<int64_t>(bytes)},
          {"large", cdiv(shape.m, 128) * cdiv(shape.n, 128) >= processors},
          {"m", m},
          {"n", shape.n},
          {"k", shape.k}};
}

// Blocks of a configuration, and no more than the product needs.
inline ProductPlan productPlanOf(ProductShape shape, const Configuration &configuration, const LaunchOptions &options) {
  return {productBlock(shape.m, configuration.get("BLOCK_M", 64)),
          productBlock(shape.n, configuration.get("BLOCK_N", 64)),
          productBlock(shape.k, configuration.get("BLOCK_K", 32)), configuration.applied(options)};
}

inline int64_t processorsOf(const LaunchOptions &options) { return isGpu(options) ? multiprocessors(options) : 1; }

inline ProductPlan productPlan(ProductShape shape, size_t bytes, const LaunchOptions &options) {
  bool isKept = false;
  std::string facts = textOf(productFacts(shape, bytes, processorsOf(options)));
  return productPlanOf(shape, configurationFor("matmul", facts, options, isKept), options);
}

// Where programs share the depth of tiles: tiles are as large as they can be, however few there are.
inline ProductPlan sharedProductPlan(ProductShape shape, size_t bytes, const LaunchOptions &options) {
  bool isOnGpu = isGpu(options), isWide = isOnGpu && bytes < 4 && shape.n > 128;
  int64_t narrow = isOnGpu && bytes == 4 ? 64 : 128;
  return {productBlock(shape.m, narrow), productBlock(shape.n, isWide ? 256 : narrow),
          productBlock(shape.k, !isOnGpu    ? 128
                                : bytes < 4 ? 64
                                            : 32),
          withDefaults(options, isWide ? 8 : 4,
                       bytes == 4 ? 2
                       : isWide   ? 3
                                  : 4)};
}

// What tuning tries besides the table.
inline std::vector<std::string> productCandidates(const LaunchOptions &options) {
  if (!isGpu(options))
    return {"BLOCK_M=64 BLOCK_N=128 BLOCK_K=256", "BLOCK_M=128 BLOCK_N=128 BLOCK_K=256",
            "BLOCK_M=256 BLOCK_N=256 BLOCK_K=512"};
  std::vector<std::string> candidates;
  for (const char *blocks : {"BLOCK_M=64 BLOCK_N=64", "BLOCK_M=64 BLOCK_N=128", "BLOCK_M=128 BLOCK_N=64",
                             "BLOCK_M=128 BLOCK_N=128", "BLOCK_M=128 BLOCK_N=256", "BLOCK_M=256 BLOCK_N=128"})
    for (const char *rest : {"BLOCK_K=32 num_warps=4 num_stages=3", "BLOCK_K=32 num_warps=4 num_stages=5",
                             "BLOCK_K=64 num_warps=4 num_stages=4", "BLOCK_K=64 num_warps=8 num_stages=3",
                             "BLOCK_K=128 num_warps=8 num_stages=3"})
      candidates.push_back(std::string(blocks) + " " + rest);
  return candidates;
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
  std::string order = matmul.blocks ? "" : detail::blockOrder(c, a, b, options);
  auto run = [&](const detail::ProductPlan &plan) {
    int64_t tiles = detail::cdiv(shape->m, plan.blockM) * detail::cdiv(shape->n, plan.blockN);
    // With blocks, one program for each multiprocessor walks over the tiles.
    int64_t programs = order.empty() ? tiles : std::min(tiles, detail::multiprocessors(options));
    Argument none = nullptr;
    return detail::launch(detail::find("matmul", "matmul"), {programs}, plan.options,
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
                           plan.blockM,
                           plan.blockN,
                           plan.blockK,
                           8,
                           matmul.activation.empty() ? none : Argument(Expression{matmul.activation}),
                           matmul.precision,
                           order.empty() ? none : Argument(order)});
  };
  if (matmul.blocks)
    return run({(*matmul.blocks)[0], (*matmul.blocks)[1], (*matmul.blocks)[2], options});
  detail::Numbers facts = detail::productFacts(*shape, bytesOf(a.dtype()), detail::processorsOf(options));
  return detail::runConfigured("matmul", facts, detail::productCandidates(options), options,
                               [&](const detail::Configuration &configuration) {
                                 return run(detail::productPlanOf(*shape, configuration, options));
                               });
}

} // namespace nereid::kernels
