// Fragments of the tensor-core instructions and swizzles of shared memory, against plain formulas from the PTX manual
// and the addresses that TMA uses.
#include "layout/LayoutShapes.h"
#include "layout/MmaLayouts.h"
#include "layout/SharedLayouts.h"

#include "gtest/gtest.h"

using namespace nereid::layout;
using Coordinates = llvm::SmallVector<int64_t, 4>;

TEST(Fragments, accumulatorOfM16N8) {
  LinearLayout layout = mmaAccumulatorLayout({16, 8}, {1, 1});
  ASSERT_EQ(layout.registers(), 4u);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(layout.element(i, lane), (Coordinates{lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2}));
}

TEST(Fragments, operandsOfM16N8K16For16Bits) {
  LinearLayout a = mmaOperandLayout({16, 16}, DotOperand::A, {1, 1}, 2);
  LinearLayout b = mmaOperandLayout({16, 8}, DotOperand::B, {1, 1}, 2);
  ASSERT_EQ(a.registers(), 8u);
  ASSERT_EQ(b.registers(), 4u);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i) {
      int row = lane / 4 + (i == 0 || i == 1 || i == 4 || i == 5 ? 0 : 8);
      EXPECT_EQ(a.element(i, lane), (Coordinates{row, lane % 4 * 2 + (i & 1) + (i >= 4 ? 8 : 0)}));
    }
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(b.element(i, lane), (Coordinates{lane % 4 * 2 + (i & 1) + (i >= 2 ? 8 : 0), lane / 4}));
  }
}

TEST(Fragments, operandsOfM16N8K32For8Bits) {
  LinearLayout a = mmaOperandLayout({16, 32}, DotOperand::A, {1, 1}, 4);
  LinearLayout b = mmaOperandLayout({32, 8}, DotOperand::B, {1, 1}, 4);
  ASSERT_EQ(a.registers(), 16u);
  ASSERT_EQ(b.registers(), 8u);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 16; ++i) {
      int row = lane / 4 + (i < 4 || (i >= 8 && i < 12) ? 0 : 8);
      EXPECT_EQ(a.element(i, lane), (Coordinates{row, lane % 4 * 4 + (i & 3) + (i >= 8 ? 16 : 0)}));
    }
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(b.element(i, lane), (Coordinates{lane % 4 * 4 + (i & 3) + (i >= 4 ? 16 : 0), lane / 4}));
  }
}

// The manual's figure of the metadata of wgmma.sp with 64 x 32 elements of 16 bits: of each four lanes two have 16 elements
// along K, of row lane / 4 in the low half of the word and of the row 8 further in the high one. The selector says which two:
// those of 32 elements more are in the others.
TEST(Fragments, placesOfSparseM64K32) {
  LinearLayout halves = wgmmaPlacesLayout({128, 8}, {8, 1}, 16), bytes = wgmmaPlacesLayout({64, 8}, {4, 1}, 8);
  ASSERT_EQ(halves.registers(), 4u);
  ASSERT_EQ(bytes.registers(), 4u);
  for (int warp = 0; warp < 8; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 4; ++i) {
        int selector = lane % 4 / 2, row = 16 * warp + lane / 4, k = 32 * selector + 16 * (lane % 2);
        EXPECT_EQ(halves.element(i, lane, warp), (Coordinates{row + 8 * (i % 2), (k + 64 * (i / 2)) / 16}));
        if (warp < 4)
          EXPECT_EQ(bytes.element(i, lane, warp), (Coordinates{row + 8 * (i / 2), (k + 8 * (i % 2)) / 8}));
      }
}

// With 32 elements along K, the lanes of the second selector have copies.
TEST(Fragments, placesOfSparseK32) {
  LinearLayout layout = wgmmaPlacesLayout({64, 2}, {4, 1}, 16);
  ASSERT_EQ(layout.registers(), 2u);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(layout.element(i, lane, 3), (Coordinates{48 + lane / 4 + 8 * i, lane % 2}));
}

TEST(Fragments, operandsOfM16N8K8ForTf32) {
  LinearLayout a = mmaOperandLayout({16, 8}, DotOperand::A, {1, 1}, 1);
  LinearLayout b = mmaOperandLayout({8, 8}, DotOperand::B, {1, 1}, 1);
  ASSERT_EQ(a.registers(), 4u);
  ASSERT_EQ(b.registers(), 2u);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(a.element(i, lane), (Coordinates{lane / 4 + (i % 2 ? 8 : 0), lane % 4 + (i < 2 ? 0 : 4)}));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(b.element(i, lane), (Coordinates{lane % 4 + (i ? 4 : 0), lane / 4}));
  }
}

TEST(Fragments, m8n8k4ForDoubles) {
  LinearLayout a = mmaDoubleOperandLayout({8, 4}, DotOperand::A, {1, 1});
  LinearLayout b = mmaDoubleOperandLayout({4, 8}, DotOperand::B, {1, 1});
  LinearLayout c = mmaDoubleAccumulatorLayout({8, 8}, {1, 1});
  ASSERT_EQ(a.registers(), 1u);
  ASSERT_EQ(b.registers(), 1u);
  ASSERT_EQ(c.registers(), 2u);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(a.element(0, lane), (Coordinates{lane >> 2, lane % 4}));
    EXPECT_EQ(b.element(0, lane), (Coordinates{lane % 4, lane >> 2}));
    for (int i = 0; i < 2; ++i)
      EXPECT_EQ(c.element(i, lane), (Coordinates{lane >> 2, lane % 4 * 2 + i}));
  }
}

TEST(Fragments, m16n8k16ForDoubles) {
  LinearLayout a = mmaOperandLayout({16, 16}, DotOperand::A, {1, 1}, 1);
  LinearLayout b = mmaOperandLayout({16, 8}, DotOperand::B, {1, 1}, 1);
  ASSERT_EQ(a.registers(), 8u);
  ASSERT_EQ(b.registers(), 4u);
  for (int lane = 0; lane < 32; ++lane) {
    for (int i = 0; i < 8; ++i)
      EXPECT_EQ(a.element(i, lane), (Coordinates{lane / 4 + 8 * (i % 2), lane % 4 + 4 * (i / 2)}));
    for (int i = 0; i < 4; ++i)
      EXPECT_EQ(b.element(i, lane), (Coordinates{lane % 4 + 4 * i, lane / 4}));
  }
}

TEST(Fragments, accumulatorOfWgmma) {
  LinearLayout layout = wgmmaAccumulatorLayout({64, 128}, {4, 1}, 128);
  ASSERT_EQ(layout.registers(), 64u);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 64; ++i) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + lane % 4 * 2 + i % 2;
        EXPECT_EQ(layout.element(i, lane, warp), (Coordinates{row, column}));
      }
}

TEST(Fragments, operandAOfWgmma) {
  LinearLayout layout = wgmmaOperandALayout({64, 16}, {4, 1}, 2);
  ASSERT_EQ(layout.registers(), 8u);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 8; ++i) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2 % 2), k = lane % 4 * 2 + i % 2 + 8 * (i / 4);
        EXPECT_EQ(layout.element(i, lane, warp), (Coordinates{row, k}));
      }
}

// Attention's second product: the accumulator of the first, cut to 16 bits, is its operand A without moving anything.
TEST(Fragments, accumulatorIsTheNextOperandA) {
  EXPECT_EQ(wgmmaAccumulatorLayout({64, 128}, {4, 1}, 128), wgmmaOperandALayout({64, 128}, {4, 1}, 2));
  EXPECT_EQ(wgmmaAccumulatorLayout({128, 64}, {8, 1}, 64), wgmmaOperandALayout({128, 64}, {8, 1}, 2));
}

TEST(Fragments, warpsAndRepetitions) {
  // 2 x 2 warps over 64 x 64: boxes of 16 x 8, warps next to each other, then registers along N, then along M.
  LinearLayout c = mmaAccumulatorLayout({64, 64}, {2, 2});
  ASSERT_EQ(c.registers(), 32u);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 32; ++i) {
        int row = lane / 4 + 8 * (i / 2 % 2) + 16 * (warp % 2) + 32 * (i / 16);
        int column = lane % 4 * 2 + i % 2 + 8 * (warp / 2) + 16 * (i / 4 % 4);
        EXPECT_EQ(c.element(i, lane, warp), (Coordinates{row, column}));
      }
  // A is the same for warps that differ along N, B for those that differ along M.
  LinearLayout a = mmaOperandLayout({64, 32}, DotOperand::A, {2, 2}, 2),
               b = mmaOperandLayout({32, 64}, DotOperand::B, {2, 2}, 2);
  EXPECT_EQ(a.freeBits(Dim::Warp), 2u);
  EXPECT_EQ(b.freeBits(Dim::Warp), 1u);
  EXPECT_TRUE(a.isSurjective() && b.isSurjective());
  for (int warp = 0; warp < 4; ++warp) {
    EXPECT_EQ(a.element(0, 0, warp)[0], 16 * (warp % 2));
    EXPECT_EQ(b.element(0, 0, warp)[1], 8 * (warp / 2));
  }
}

TEST(Fragments, batchAndSmallTiles) {
  LinearLayout c = mmaAccumulatorLayout({4, 32, 16}, {2, 1, 1});
  EXPECT_EQ(c.element(0, 0, 1), (Coordinates{1, 0, 0}));
  EXPECT_TRUE(c.isInvertible());
  // A tile of 16 rows for two warps along M: the second warp holds copies.
  EXPECT_EQ(mmaAccumulatorLayout({16, 16}, {2, 1}).freeBits(Dim::Warp), 1u);
}

// The address of TMA: row and byte within a box; the 16-byte chunk number is XORed with the bits from 7 on.
TEST(SharedLayouts, swizzlesOfTma) {
  for (int elementBytes : {1, 2, 4, 8})
    for (int swizzle : {32, 64, 128}) {
      int64_t rows = 64, columns = 256 / elementBytes, width = swizzle / elementBytes;
      LinearLayout layout = swizzledSharedLayout({rows, columns}, elementBytes, swizzle, {1, 0});
      ASSERT_TRUE(layout.isInvertible());
      LinearLayout addressOf = layout.inverse();
      for (int64_t row = 0; row < rows; ++row)
        for (int64_t column = 0; column < columns; ++column) {
          int64_t box = column / width, plain = row * swizzle + column % width * elementBytes;
          int64_t address = plain ^ ((plain >> 7 & (swizzle / 16 - 1)) << 4);
          EXPECT_EQ(int64_t(addressOf.apply(layout.out().pointAt({row, column}))) * elementBytes,
                    box * rows * swizzle + address);
        }
    }
}

TEST(SharedLayouts, plainOrders) {
  LinearLayout rows = sharedLayout({8, 16}, {1, 0}), columns = sharedLayout({8, 16}, {0, 1});
  for (int64_t offset = 0; offset < 128; ++offset) {
    EXPECT_EQ(rows.out().coordinates(rows.apply(offset)), (Coordinates{offset / 16, offset % 16}));
    EXPECT_EQ(columns.out().coordinates(columns.apply(offset)), (Coordinates{offset % 8, offset / 8}));
  }
  EXPECT_EQ(widestSwizzle({64, 64}, 2, {1, 0}), 128u);
  EXPECT_EQ(widestSwizzle({64, 16}, 2, {1, 0}), 32u);
  EXPECT_EQ(widestSwizzle({16, 64}, 2, {0, 1}), 32u);
  EXPECT_EQ(widestSwizzle({64, 4}, 1, {1, 0}), 16u);
}

TEST(Blocked, elementsByFormula) {
  // 8 warps of 4 x 8 lanes, 2 x 4 elements each, over 64 x 64: one block is 32 x 64, so registers cover it twice.
  LinearLayout layout = blockedLayout({64, 64}, {{2, 4}, {4, 8}, {4, 2}, {1, 0}});
  ASSERT_EQ(layout.registers(), 16u);
  for (int warp = 0; warp < 8; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 16; ++i) {
        int row = i / 4 % 2 + 2 * (lane / 8) + 8 * (warp / 2) + 32 * (i / 8),
            column = i % 4 + 4 * (lane % 8) + 32 * (warp % 2);
        EXPECT_EQ(layout.element(i, lane, warp), (Coordinates{row, column}));
      }
}

TEST(Blocked, smallTilesAreHeldSeveralTimes) {
  LinearLayout layout = blockedLayout({16}, 4, 4, {0});
  EXPECT_EQ(layout.toString(), "16: lane 1..8@0 0, warp 0 0");
  EXPECT_EQ(blockedLayout({}, 1, 4, {}).toString(), "scalar: lane 0 0 0 0 0, warp 0 0");
  EXPECT_EQ(blockedLayout({4096}, 4, 4, {0}).toString(),
            "4096: register 1..2@0 512..2048@0, lane 4..64@0, warp 128..256@0");
  EXPECT_EQ(withBlocks(layout, 1).freeBits(Dim::Block), 1u);
}
