#include "runtime/Random.h"

#include <cmath>
#include <numbers>

namespace nereid::runtime {

Random::Random(uint64_t seed, std::string_view name) : state(seed) {
  uint64_t hash = 0xcbf29ce484222325; // FNV-1a
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  state = next() ^ hash;
}

uint64_t Random::next() {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

// Box and Muller's transform; 1 - u keeps the logarithm away from zero.
double Random::normal() {
  double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

int64_t Random::integer(int64_t low, int64_t high) {
  uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  // The high half of a 128-bit product: no division, and a bias below 2^-32 for ranges of 32 bits.
  auto scaled = static_cast<uint64_t>(static_cast<unsigned __int128>(next()) * range >> 64);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + scaled);
}

} // namespace nereid::runtime
