// split_k_matmul.hpp: splitKMatmul(c, a, b, splits): a product with few tiles and a long depth.
#pragma once

#include "nereid/kernels/matmul.hpp"
#include "nereid/kernels/reduce.hpp"

namespace nereid::kernels {

// c is contiguous. `splits` programs share each tile of c, a tile of `matmul`; 0 chooses a number and larger tiles.
inline Result<void> splitKMatmul(const Tensor &c, const Tensor &a, const Tensor &b, int64_t splits = 0,
                                 const std::string &precision = "ieee", const LaunchOptions &options = {}) {
  detail::Checks checks("splitKMatmul");
  checks.floats({{"c", c}, {"a", a}, {"b", b}}).sameType({"a", a}, {"b", b}).contiguous({{"c", c}});
  checks.that(splits >= 0 && splits <= 65535,
              "there are " + std::to_string(splits) + " splits, but 0 to 65535 are expected");
  Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c}, {"a", a}, {"b", b});
  if (!shape)
    return shape.error();
  if (c.count() == 0)
    return {};
  size_t bytes = bytesOf(a.dtype());
  auto [blockM, blockN, blockK, tuned] =
      splits ? detail::productPlan(*shape, bytes, options) : detail::sharedProductPlan(*shape, bytes, options);
  int64_t tiles = detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN);
  std::string order = splits ? "" : detail::blockOrder(c, a, b, options);
  if (splits == 0) {
    int64_t most = detail::isGpu(options) ? detail::multiprocessors(options) / tiles : 64;
    splits = std::max<int64_t>(std::min(most, shape->k / (4 * blockK)), 1);
  }
  int64_t depth = detail::cdiv(detail::cdiv(shape->k, blockK), splits) * blockK;
  Result<Tensor> partial = detail::scratch(a, DType::Fp32, {splits, shape->m, shape->n}, options);
  if (!partial)
    return partial.error();
  Result<void> done = detail::launch(detail::find("split_k_matmul", "split_k_matmul"), {tiles, splits}, tuned,
                                     {a, b, *partial, shape->m, shape->n, shape->k, a.strides()[0], a.strides()[1],
                                      b.strides()[0], b.strides()[1], depth, blockM, blockN, blockK, precision,
                                      order.empty() ? Argument(nullptr) : Argument(order)});
  if (!done)
    return done;
  int64_t count = shape->m * shape->n;
  return sum(c.viewed(c.dtype(), {count}, {1}), partial->viewed(DType::Fp32, {splits, count}, {count, 1}), 0, options);
}

} // namespace nereid::kernels
