// Access.h: how a tile of a given shape lies in a tensor: index tiles, strides, what stands before it, masks.
#pragma once

#include "Generator.h"

namespace nereid::differ {

// Positions of a tile's elements: offsets 0 … span-1 from a base.
struct Placement {
  std::vector<Variable> indices; // one tile for each axis, broadcastable to the shape
  std::string offsets;           // the sum of index * stride
  int64_t span = 1;
  bool isWide = false; // 64-bit offsets
};
enum class Use { Read, Write }; // a write needs different offsets for different elements
Placement place(Generator &g, const TileShape &shape, Use use);

// What is added to the offsets so that each program has elements of its own (needed for writes, possible for reads),
// and possibly each round of the loops around: "pid * 64 + t3 * 16", empty for none. `total` is the number of elements
// that all of them reach.
std::string baseFor(Generator &g, int64_t span, Use use, int64_t &total);

// "(t1 < n0) & (t2 < n1)" over one or two of the indices.
std::string maskFor(Generator &g, const TileShape &shape, const Placement &placement);

// Accesses through block pointers and descriptors (GenerateBlock.cpp); false or nothing where the tile does not suit.
std::optional<Variable> loadBlock(Generator &g, const TileType &type, const Facts &wish);
bool storeBlock(Generator &g, const Variable &variable);

} // namespace nereid::differ
