// Chance.h: what a GPU leaves open, by a seed: which warp goes on and for how long, and whether a copy or a product beside the
// threads is made at once or as late as what waits for it lets it be. Whoever does not wait then finds old values, or overwrites
// what is still to be read.
#pragma once

#include <cstdint>

namespace nereid::emulated {

class Chance {
public:
  // 0: always late, and the warps in turn.
  explicit Chance(uint64_t seed) : state(seed) {}

  bool isOpen() const { return state != 0; }
  uint64_t below(uint64_t end) { return next() % end; }
  bool isAtOnce() { return isOpen() && next() % 2; }

private:
  uint64_t next() { // splitmix64
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  uint64_t state;
};

} // namespace nereid::emulated
