// stream_k_matmul.hpp: streamKMatmul(c, a, b): a product whose work is shared evenly, whatever the number of tiles.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

struct StreamKOptions {
  std::string precision = "ieee"; // of fp32 inputs, as tl.dot has it
  int64_t programs = 0;           // that share the work; 0: one for each multiprocessor
};

// a: [M, K], b: [K, N] of any strides; c: [M, N] with contiguous rows. The same result on every run.
inline Result<void> streamKMatmul(const Tensor &c, const Tensor &a, const Tensor &b, const StreamKOptions &product = {},
                                  const LaunchOptions &options = {}) {
  detail::Checks checks("streamKMatmul");
  checks.floats({{"c", c}, {"a", a}, {"b", b}}).sameType({"a", a}, {"b", b});
  checks.that(product.programs >= 0 && product.programs <= 65535,
              "there are " + std::to_string(product.programs) + " programs, but 0 to 65535 are expected");
  Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c}, {"a", a}, {"b", b});
  if (!shape)
    return shape.error();
  checks.contiguousRows({{"c", c}});
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, blockK, tuned] = detail::sharedProductPlan(*shape, bytesOf(a.dtype()), options);
  int64_t tiles = detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN);
  int64_t programs = product.programs         ? product.programs
                     : detail::isGpu(options) ? detail::multiprocessors(options)
                                              : 8;
  // Whole waves, whose programs read the same blocks at the same time; the tiles that are left are shared by steps of depth, in
  // runs of 8 or more.
  int64_t waves = tiles / programs, rest = tiles % programs;
  int64_t runs = std::clamp<int64_t>(rest * detail::cdiv(shape->k, blockK) / 8, 1, programs);
  Result<Tensor> partial = detail::scratch(a, DType::Fp32, {runs, 2, blockM, blockN}, options);
  if (!partial)
    return partial.error();
  if (tiles == 0)
    return {};
  std::string order = detail::blockOrder(c, a, b, options);
  Result<void> done = detail::launch(detail::find("stream_k_matmul", "stream_k_matmul"), {programs}, tuned,
                                     {a,
                                      b,
                                      c,
                                      *partial,
                                      shape->m,
                                      shape->n,
                                      shape->k,
                                      a.strides()[0],
                                      a.strides()[1],
                                      b.strides()[0],
                                      b.strides()[1],
                                      c.strides()[0],
                                      waves,
                                      runs,
                                      runs * 2 * blockM,
                                      blockM,
                                      blockN,
                                      blockK,
                                      8,
                                      product.precision,
                                      order.empty() ? Argument(nullptr) : Argument(order)});
  if (!done || rest == 0)
    return done;
  int64_t rows = std::min<int64_t>(blockM, 16);
  return detail::launch(detail::find("stream_k_matmul", "stream_k_join"), {runs, blockM / rows}, options,
                        {c, *partial, shape->m, shape->n, shape->k, c.strides()[0], waves, programs, runs, blockM,
                         blockN, blockK, 8, rows});
}

} // namespace nereid::kernels
