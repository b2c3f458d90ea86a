// dropout.hpp: dropout(out, x, p, seed): zeroes elements at random; the same call on the gradient is the backward pass.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

inline Result<void> dropout(const Tensor &out, const Tensor &x, double p, int64_t seed,
                            const LaunchOptions &options = {}) {
  detail::Checks checks("dropout");
  checks.sameShape({"out", out}, {"x", x}).contiguous({{"out", out}, {"x", x}}).floats({{"out", out}, {"x", x}});
  checks.that(p >= 0 && p <= 1, "the probability is " + std::to_string(p) + ", but 0 to 1 is expected");
  checks.that(x.count() <= (int64_t(1) << 31) - detail::kVectorBlock,
              "`x` has " + std::to_string(x.count()) + " elements, but at most 2^31 - 4096 are expected");
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("dropout", "dropout"), {detail::cdiv(x.count(), detail::kVectorBlock)},
                        detail::withWarps(options, detail::kVectorBlock),
                        {x, out, x.count(), p, seed, detail::kVectorBlock, detail::cacheModifier(out)});
}

} // namespace nereid::kernels
