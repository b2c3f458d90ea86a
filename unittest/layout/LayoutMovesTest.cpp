// Layouts through shape ops: each place must hold the element that the op puts there.
#include "RandomLayout.h"

#include "layout/LayoutMoves.h"
#include "layout/LayoutShapes.h"

#include "gtest/gtest.h"

using namespace nereid::layout;
using Coordinates = llvm::SmallVector<int64_t, 4>;

static LinearLayout randomOfShape(Generator &random, llvm::ArrayRef<int64_t> shape) {
  return randomDistributed(random, Space::tile(shape), 2, true);
}

TEST(LayoutMoves, transpose) {
  Generator random(21);
  LinearLayout layout = randomOfShape(random, {8, 4, 16});
  LinearLayout moved = transposeLayout(layout, {2, 0, 1});
  EXPECT_EQ(moved.shape(), (Coordinates{16, 8, 4}));
  for (unsigned r = 0; r < layout.registers(); ++r)
    for (unsigned l = 0; l < 32; ++l) {
      Coordinates from = layout.element(r, l, 3);
      EXPECT_EQ(moved.element(r, l, 3), (Coordinates{from[2], from[0], from[1]}));
    }
  EXPECT_EQ(transposeLayout(moved, invertPermutation({2, 0, 1})), layout);
}

TEST(LayoutMoves, reshapeKeepsTheRowMajorIndex) {
  Generator random(22);
  LinearLayout layout = randomOfShape(random, {8, 64});
  LinearLayout moved = reshapeLayout(layout, {16, 4, 8});
  for (unsigned r = 0; r < layout.registers(); ++r)
    for (unsigned l = 0; l < 32; ++l) {
      Coordinates a = layout.element(r, l, 1), b = moved.element(r, l, 1);
      EXPECT_EQ(a[0] * 64 + a[1], (b[0] * 4 + b[1]) * 8 + b[2]);
    }
  EXPECT_EQ(reshapeLayout(moved, {8, 64}), layout);
}

TEST(LayoutMoves, sliceExpandAndBroadcast) {
  Generator random(23);
  for (unsigned i = 0; i < 50; ++i) {
    LinearLayout layout = randomDistributed(random, Space::tile({16, 32}), 2, false);
    for (unsigned axis : {0u, 1u}) {
      LinearLayout slice = sliceLayout(layout, axis);
      EXPECT_TRUE(slice.isSurjective());
      EXPECT_EQ(slice.freeBits(Dim::Register), 0u);
      LinearLayout column = expandDimsLayout(slice, axis);
      EXPECT_EQ(column, shrinkAxisLayout(layout, axis));
      EXPECT_EQ(dropAxisLayout(column, axis), slice);
      LinearLayout wide = broadcastLayout(column, axis, layout.shape()[axis]);
      EXPECT_TRUE(wide.isSurjective());
      EXPECT_EQ(shrinkAxisLayout(wide, axis), column);
    }
  }
}

// What a reduction leaves as copies, a broadcast uses again: the round trip of softmax costs no movement.
TEST(LayoutMoves, broadcastTakesUpCopies) {
  LinearLayout layout = blockedLayout({64, 32}, {{1, 1}, {1, 32}, {4, 1}, {1, 0}});
  EXPECT_EQ(broadcastLayout(shrinkAxisLayout(layout, 1), 1, 32), layout);
}

TEST(LayoutMoves, joinAndSplit) {
  Generator random(24);
  LinearLayout layout = randomOfShape(random, {16, 32});
  LinearLayout joined = joinLayout(layout);
  EXPECT_EQ(joined.shape(), (Coordinates{16, 32, 2}));
  for (unsigned r = 0; r < layout.registers(); ++r)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned half = 0; half < 2; ++half) {
        Coordinates from = layout.element(r, l, 2);
        EXPECT_EQ(joined.element(2 * r + half, l, 2), (Coordinates{from[0], from[1], half}));
      }
  EXPECT_EQ(splitRegisterBit(joined), 0u);
  EXPECT_EQ(splitLayout(joined), layout);
  EXPECT_FALSE(splitLayout(blockedLayout({32, 2}, {{1, 1}, {16, 2}, {1, 1}, {1, 0}})));
}

TEST(LayoutMoves, concatenate) {
  Generator random(25);
  LinearLayout layout = randomOfShape(random, {16, 32});
  for (unsigned axis : {0u, 1u}) {
    LinearLayout both = concatenateLayout(layout, axis);
    for (unsigned r = 0; r < layout.registers(); ++r)
      for (unsigned l = 0; l < 32; ++l)
        for (unsigned half = 0; half < 2; ++half) {
          Coordinates from = layout.element(r, l, 2);
          from[axis] += half * layout.shape()[axis];
          EXPECT_EQ(both.element(r + half * layout.registers(), l, 2), from);
        }
    EXPECT_EQ(beforeConcatenation(both, axis), layout);
  }
}
