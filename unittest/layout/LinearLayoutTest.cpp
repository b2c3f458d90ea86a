#include "layout/LinearLayout.h"
#include "layout/LayoutShapes.h"

#include "gtest/gtest.h"

using namespace nereid::layout;

TEST(LinearLayout, blockedAsText) {
  LinearLayout layout = blockedLayout({64, 32}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}});
  EXPECT_EQ(layout.toString(), "64x32: register 1..2@1 16..32@0, lane 4..16@1 1..2@0, warp 4..8@0");
  std::string problem;
  EXPECT_EQ(LinearLayout::parse(layout.toString(), problem), layout) << problem;
}
