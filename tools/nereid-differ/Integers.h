// Integers.h: what statements about integers are made of.
#pragma once

#include "Generator.h"

namespace nereid::differ {

struct Operand {
  std::string text;
  TileType type;
};

bool isWhole(const Variable &v);
std::string asType(const std::string &text, DType dtype);
// For an argument or in the text; never 0, and not -1, by which the smallest number cannot be divided.
int64_t number(Generator &g);
// Positions along an axis of a shape.
Operand positions(Generator &g, const TileShape &shape);
// One that is no constant, and broadcasts to the shape.
Operand operand(Generator &g, const TileShape &shape);

const std::vector<Family> &integerLoopFamilies();

} // namespace nereid::differ
