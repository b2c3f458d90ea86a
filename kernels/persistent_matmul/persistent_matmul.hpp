// persistent_matmul.hpp: persistentMatmul(c, a, b): c = a @ b.T by a fixed number of programs with tensor descriptors.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

// a is [M, K], b is [N, K], c is [M, N], all contiguous with rows of a multiple of 16 bytes. 0 programs: chosen.
inline Result<void> persistentMatmul(const Tensor &c, const Tensor &a, const Tensor &b, int64_t programs = 0,
                                     const std::string &precision = "ieee", const LaunchOptions &options = {}) {
  detail::Checks checks("persistentMatmul");
  checks.floats({{"c", c}, {"a", a}, {"b", b}}).sameType({"a", a}, {"b", b}).rank({"b", b}, 2);
  if (checks.failed())
    return checks.error();
  Tensor transposed = b.transposed();
  Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c}, {"a", a}, {"b.T", transposed});
  if (!shape)
    return shape.error();
  for (detail::Named each : {detail::Named{"c", c}, {"a", a}, {"b", b}}) {
    int64_t bytes = each.tensor.shape()[1] * static_cast<int64_t>(bytesOf(each.tensor.dtype()));
    checks.contiguous({each}).that(bytes % 16 == 0, std::string("a row of `") + each.name + "` has " +
                                                        std::to_string(bytes) +
                                                        " bytes, but a multiple of 16 is expected");
  }
  checks.that(programs >= 0, "there are " + std::to_string(programs) + " programs, but 0 or more are expected");
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, blockK, tuned] = detail::productPlan(*shape, bytesOf(a.dtype()), options);
  int64_t tiles = detail::cdiv(shape->m, blockM) * detail::cdiv(shape->n, blockN);
  if (programs == 0)
    programs = detail::isGpu(options) ? detail::multiprocessors(options) : 64;
  return detail::launch(detail::find("persistent_matmul", "persistent_matmul"), {std::min(tiles, programs)}, tuned,
                        {a, b, c, shape->m, shape->n, shape->k, blockM, blockN, blockK, 8, precision});
}

} // namespace nereid::kernels
