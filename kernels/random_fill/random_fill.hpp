// random_fill.hpp: fillUniform(out, seed), fillNormal, fillExponential, fillIntegers, fillCoins and fillPermutation: random numbers from a seed.
#pragma once

#include "nereid/kernels/radix_sort.hpp"

namespace nereid::kernels {

namespace detail {
inline Result<void> fillRandom(Checks &checks, const Tensor &out, int64_t seed, Argument low, Argument high,
                               const char *kind, const LaunchOptions &options) {
  checks.contiguous({{"out", out}});
  if (checks.failed())
    return checks.error();
  return launch(find("random_fill", "random_fill"), {cdiv(out.count(), kVectorBlock)}, withWarps(options, kVectorBlock),
                {out, out.count(), seed, low, high, kind, kVectorBlock, cacheModifier(out)});
}
inline bool isWholeNumber(DType type) { return type == DType::Int1 || (type >= DType::Int8 && type <= DType::UInt64); }
} // namespace detail

// Floats of [low, high). out is contiguous here and below; a seed gives the same numbers on every device.
inline Result<void> fillUniform(const Tensor &out, int64_t seed, double low = 0, double high = 1,
                                const LaunchOptions &options = {}) {
  detail::Checks checks("fillUniform");
  checks.floats({{"out", out}});
  return detail::fillRandom(checks, out, seed, low, high, "uniform", options);
}

inline Result<void> fillNormal(const Tensor &out, int64_t seed, double mean = 0, double deviation = 1,
                               const LaunchOptions &options = {}) {
  detail::Checks checks("fillNormal");
  checks.floats({{"out", out}});
  return detail::fillRandom(checks, out, seed, mean, deviation, "normal", options);
}

inline Result<void> fillExponential(const Tensor &out, int64_t seed, double rate = 1,
                                    const LaunchOptions &options = {}) {
  detail::Checks checks("fillExponential");
  checks.floats({{"out", out}}).that(rate > 0, "the rate is " + std::to_string(rate) + ", but must be above 0");
  return detail::fillRandom(checks, out, seed, rate, 0.0, "exponential", options);
}

// Integers of [low, high), at most 2^32 apart.
inline Result<void> fillIntegers(const Tensor &out, int64_t seed, int64_t low, int64_t high,
                                 const LaunchOptions &options = {}) {
  detail::Checks checks("fillIntegers");
  checks.that(detail::isWholeNumber(out.dtype()),
              "`out` has type " + detail::Checks::name(out.dtype()) + ", but integers are expected");
  checks.that(low < high && high - low <= (int64_t(1) << 32), "integers of " + std::to_string(low) + " to " +
                                                                  std::to_string(high) +
                                                                  " are asked for, but 1 to 2^32 are expected");
  return detail::fillRandom(checks, out, seed, low, high, "integer", options);
}

// 1 with a probability, else 0, in any type.
inline Result<void> fillCoins(const Tensor &out, int64_t seed, double probability, const LaunchOptions &options = {}) {
  detail::Checks checks("fillCoins");
  checks.that(probability >= 0 && probability <= 1,
              "the probability is " + std::to_string(probability) + ", but 0 to 1 is expected");
  return detail::fillRandom(checks, out, seed, probability, 0.0, "coin", options);
}

// The numbers 0 … n - 1 in a random order; out: int32 [n].
inline Result<void> fillPermutation(const Tensor &out, int64_t seed, const LaunchOptions &options = {}) {
  detail::Checks checks("fillPermutation");
  checks.rank({"out", out}, 1).dtype({"out", out}, DType::Int32).contiguous({{"out", out}});
  if (checks.failed())
    return checks.error();
  // Equal keys stay in order: there are hardly any among so few keys of 32 bits, or keys of 64.
  bool isLong = out.count() > (1 << 16);
  DType type = isLong ? DType::Int64 : DType::Int32;
  Result<Tensor> keys = detail::scratch(out, type, out.shape(), options),
                 sorted = detail::scratch(out, type, out.shape(), options);
  for (const Result<Tensor> *each : {&keys, &sorted})
    if (!*each)
      return each->error();
  Tensor words = Tensor::borrow(keys->data(), DType::Int32, {out.count() * (isLong ? 2 : 1)}, {1});
  if (!keys->isOnHost())
    words = words.onGpu(keys->gpuOrdinal());
  Result<void> done = detail::fillRandom(checks, words, seed, 0.0, 0.0, "key", options);
  return done ? sort(*sorted, out, *keys, {}, options) : done;
}

} // namespace nereid::kernels
