// Random.h: a small random number generator whose sequence for a seed is the same on every machine.
#pragma once

#include <cstdint>
#include <string_view>

namespace nereid::runtime {

// SplitMix64: 64 bits of state, passes BigCrush, and every seed is a good one.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  // A stream of its own for each name, so that the values of one tensor do not depend on which others there are.
  Random(uint64_t seed, std::string_view name);

  uint64_t next();
  double uniform();                           // in [0, 1)
  double normal();                            // mean 0, deviation 1
  int64_t integer(int64_t low, int64_t high); // in [low, high), which must not be empty

private:
  uint64_t state;
};

} // namespace nereid::runtime
