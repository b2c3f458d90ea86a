// skinny_matmul.hpp: skinnyMatmul(c, a, b): c = activation(a @ b + bias) where a has few rows, as in decoding.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

struct SkinnyMatmulOptions {
  std::optional<Tensor> bias = {}; // one element for each column of c
  std::string activation = {};     // a function of skinny_matmul.py: relu, silu, gelu
  std::string precision = "ieee";  // of fp32 inputs, as tl.dot has it
  int64_t splits = 0;              // of the depth; 0 chooses a number
  std::optional<Tensor> counter =
      {}; // int32 zeros, one for each tile of c (columns / 16 is enough), that one launch at a time uses and leaves as zeros: saves clearing some
};

namespace detail {
struct SkinnyPlan {
  int64_t blockM, blockN = 64, blockK, splits = 1;
  LaunchOptions options;
};

// As many splits as give every multiprocessor two programs, each with a few steps of depth; a power of two, so that few kernels are compiled.
inline SkinnyPlan skinnyPlan(ProductShape shape, size_t bytes, int64_t splits, const LaunchOptions &options) {
  SkinnyPlan plan{productBlock(shape.m, 64), productBlock(shape.n, 64), productBlock(shape.k, bytes < 4 ? 128 : 64), 1,
                  withDefaults(options, 4, bytes < 4 ? 4 : 3)};
  int64_t tiles = std::max<int64_t>(cdiv(shape.m, plan.blockM) * cdiv(shape.n, plan.blockN), 1);
  int64_t wanted = isGpu(options) ? 2 * multiprocessors(options) / tiles : 8 / tiles;
  int64_t most = std::clamp<int64_t>(std::min(wanted, shape.k / (4 * plan.blockK)), 1, 32);
  while (2 * plan.splits <= most)
    plan.splits *= 2;
  if (splits)
    plan.splits = splits;
  return plan;
}
} // namespace detail

// a: [M, K], b: [K, N] of any strides; c: [M, N] with contiguous rows. Any M does, but all of b is read for each 64 rows. The same result on every run.
inline Result<void> skinnyMatmul(const Tensor &c, const Tensor &a, const Tensor &b,
                                 const SkinnyMatmulOptions &product = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("skinnyMatmul");
  checks.floats({{"c", c}, {"a", a}, {"b", b}}).sameType({"a", a}, {"b", b});
  checks.that(product.splits >= 0 && product.splits <= 1024,
              "there are " + std::to_string(product.splits) + " splits, but 0 to 1024 are expected");
  Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c}, {"a", a}, {"b", b});
  if (!shape)
    return shape.error();
  checks.contiguousRows({{"c", c}});
  if (product.bias)
    checks.shape({"bias", *product.bias}, {shape->n})
        .contiguous({{"bias", *product.bias}})
        .floats({{"bias", *product.bias}});
  auto [blockM, blockN, blockK, splits, tuned] =
      detail::skinnyPlan(*shape, bytesOf(a.dtype()), product.splits, options);
  int64_t tilesM = detail::cdiv(shape->m, blockM), tilesN = detail::cdiv(shape->n, blockN);
  if (product.counter)
    checks.dtype({"counter", *product.counter}, DType::Int32)
        .contiguous({{"counter", *product.counter}})
        .that(product.counter->count() >= tilesM * tilesN, "`counter` has " + std::to_string(product.counter->count()) +
                                                               " elements, but " + std::to_string(tilesM * tilesN) +
                                                               " are expected");
  if (checks.failed())
    return checks.error();
  std::optional<Tensor> partial, counter = product.counter;
  if (splits > 1 && tilesM * tilesN > 0) {
    Result<Tensor> sums = detail::scratch(a, DType::Fp32, {splits, tilesM * tilesN, blockM, blockN}, options);
    if (!sums)
      return sums.error();
    partial = *sums;
    if (!counter) {
      Result<Tensor> zeros = detail::scratch(a, DType::Int32, {tilesM * tilesN}, options);
      if (!zeros)
        return zeros.error();
      Result<void> done = detail::launch(detail::find("skinny_matmul", "clear"), {detail::cdiv(zeros->count(), 256)},
                                         options, {*zeros, zeros->count(), 256});
      if (!done)
        return done;
      counter = *zeros;
    }
  } else {
    counter = {};
  }
  int64_t depth = detail::cdiv(detail::cdiv(shape->k, blockK), splits) * blockK;
  return detail::launch(detail::find("skinny_matmul", "skinny_matmul"), {tilesN, splits, tilesM}, tuned,
                        {a,
                         b,
                         detail::optionalArgument(product.bias),
                         c,
                         detail::optionalArgument(partial),
                         detail::optionalArgument(counter),
                         shape->m,
                         shape->n,
                         shape->k,
                         a.strides()[0],
                         a.strides()[1],
                         b.strides()[0],
                         b.strides()[1],
                         c.strides()[0],
                         depth,
                         blockM,
                         blockN,
                         blockK,
                         splits,
                         product.activation.empty() ? Argument(nullptr) : Argument(Expression{product.activation}),
                         product.precision});
}

} // namespace nereid::kernels
