// RandomLayout.h: random layouts for property tests; the same ones in every run.
#pragma once

#include "layout/LinearLayout.h"

#include <random>

namespace nereid::layout {

using Generator = std::mt19937;

inline unsigned draw(Generator &random, unsigned low, unsigned high) {
  return std::uniform_int_distribution<unsigned>(low, high)(random);
}

inline LinearLayout randomMap(Generator &random, const Space &in, const Space &out) {
  F2Vectors columns;
  for (unsigned bit = 0; bit < in.totalBits(); ++bit)
    columns.push_back(std::uniform_int_distribution<uint64_t>(0, out.size() - 1)(random));
  return LinearLayout(in, out, columns);
}

// A bijection: a random map, drawn again until it is one (about one in three is).
inline LinearLayout randomBijection(Generator &random, const Space &in, const Space &out) {
  for (;;) {
    LinearLayout map = randomMap(random, in, out);
    if (map.isInvertible())
      return map;
  }
}

// A tile of rank 1 to 3 with `bits` bits in all.
inline Space randomTile(Generator &random, unsigned bits) {
  unsigned rank = draw(random, 1, 3);
  llvm::SmallVector<int64_t, 4> shape(rank, 1);
  for (unsigned bit = 0; bit < bits; ++bit)
    shape[draw(random, 0, rank - 1)] *= 2;
  return Space::tile(shape);
}

// Every element is somewhere, no thread holds one twice, lanes and warps may hold copies. `scramble`: bases are sums of
// unit vectors; else each is a unit vector, as in nearly all layouts that people use.
inline LinearLayout randomDistributed(Generator &random, const Space &tile, unsigned warpBits, bool scramble) {
  unsigned bits = tile.totalBits();
  F2Vectors units;
  for (unsigned bit = 0; bit < bits; ++bit)
    units.push_back(F2Vector(1) << bit);
  if (scramble) {
    F2Vectors mixed(randomBijection(random, tile, tile).columns());
    units = mixed;
  }
  std::shuffle(units.begin(), units.end(), random);
  F2Vectors lanes, warps, registers;
  for (unsigned bit = 0; bit < 5; ++bit)
    lanes.push_back(units.empty() || draw(random, 0, 7) == 0 ? 0 : units.pop_back_val());
  for (unsigned bit = 0; bit < warpBits; ++bit)
    warps.push_back(units.empty() || draw(random, 0, 7) == 0 ? 0 : units.pop_back_val());
  registers = units;
  F2Vectors columns(registers);
  columns.append(lanes.begin(), lanes.end());
  columns.append(warps.begin(), warps.end());
  return LinearLayout(Space::threads(registers.size(), 5, warpBits), tile, columns);
}

} // namespace nereid::layout
