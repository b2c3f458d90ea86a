// Tiles of any size: the accumulator of a wgmma with 176 columns, by its formula.
#include "layout/RepeatedLayout.h"
#include "layout/MmaLayouts.h"

#include "gtest/gtest.h"

using namespace nereid::layout;

TEST(RepeatedLayout, accumulatorOf176Columns) {
  auto [box, counts] = cutIntoBoxes({64, 176});
  EXPECT_EQ(box, (llvm::SmallVector<int64_t, 4>{64, 16}));
  RepeatedLayout layout(wgmmaAccumulatorLayout(box, {4, 1}, 16), counts);
  EXPECT_EQ(layout.shape(), (llvm::SmallVector<int64_t, 4>{64, 176}));
  ASSERT_EQ(layout.registers(), 88);
  for (int warp = 0; warp < 4; ++warp)
    for (int lane = 0; lane < 32; ++lane)
      for (int i = 0; i < 88; ++i) {
        int row = 16 * warp + lane / 4 + 8 * (i / 2 % 2), column = 8 * (i / 4) + lane % 4 * 2 + i % 2;
        EXPECT_EQ(layout.element(i, lane, warp), (llvm::SmallVector<int64_t, 4>{row, column}));
      }
  EXPECT_EQ(layout.toString(), "64x16: register 1@1 8@0 8@1, lane 2..4@1 1..4@0, warp 16..32@0 times 1x11");
}
