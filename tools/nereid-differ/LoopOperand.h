// LoopOperand.h: an operand of a product in a loop over K: where its tiles lie, and how the loop comes by them.
#pragma once

#include "Generator.h"

namespace nereid::differ {

// How many elements there are across and along K, in all and in a tile.
struct OperandSizes {
  Extent across, along;
  int64_t acrossTotal = 0, alongTotal = 0;
};

class LoopOperand {
public:
  // Whole numbers up to `limit`.
  LoopOperand(Generator &g, bool isLeft, DType dtype, double limit)
      : g(g), isLeft(isLeft), dtype(dtype), limit(limit) {}

  // In front of all loops: tensors, descriptors, tables. `masksAlong`: the loop may go beyond the end of K. `isDescribed`: by a
  // descriptor, and in the type of the product.
  void declare(const OperandSizes &sizes, bool masksAlong, bool isDescribed);
  // In front of the loop over K: `base` is the first element across, `start` the first along K.
  void begin(const std::string &base, const std::string &start);
  // In the loop: the tile from `at` on, [across, K] on the left and [K, across] on the right.
  Variable load(const std::string &at);
  void moveOn(); // at the end of the loop's body
  // Whether tiles come one behind the other, whatever `at` says.
  bool goesInOrder() const { return source == Source::Moved || source == Source::BlockPointer; }
  double magnitude() const { return most; }

private:
  enum class Source { Index, Moved, Table, Packed, BlockPointer, Descriptor };

  void chooseStored(bool isAsItIs);
  void describe();
  void makeTables();
  Variable loadByPointers(const std::string &at);
  Variable converted(Variable tile, const std::string &at);
  std::string pointers(const std::string &at, const std::string &along);
  std::string mask(const std::string &at);
  TileShape loadedShape() const;
  std::string acrossOf(const std::string &row) const { return row + (isAlongFirst ? "[None, :]" : "[:, None]"); }
  std::string alongOf(const std::string &row) const { return row + (isAlongFirst ? "[:, None]" : "[None, :]"); }
  // Behind the tile is turned: of the tile as the product takes it.
  std::string acrossOfOperand(const std::string &row) const { return row + (isLeft ? "[:, None]" : "[None, :]"); }

  Generator &g;
  bool isLeft;
  DType dtype;
  double limit, most = 0;
  DType stored = DType::Fp32;
  Source source = Source::Index;
  OperandSizes sizes;
  bool masksAlong = false, masksAcross = false, wraps = false;
  bool isAlongFirst = false; // the tile as it is loaded: [K, across]
  bool liesAlong = true;     // neighbours in memory are neighbours along K
  int64_t stride = 0;        // of the other axis
  std::string tensor, across, along, acrossText, alongText, other, base, pointer, table, tokens, scales;
  enum class Scale { None, Rows, Groups } scale = Scale::None;
};

} // namespace nereid::differ
