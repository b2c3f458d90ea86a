// A target is read once from what users write: its kind, its facts, and what kernel files see of it.
#include "compiler/Target.h"

#include <gtest/gtest.h>

namespace nereid::compiler {

using Kind = Target::Kind;

TEST(Target, Kinds) {
  EXPECT_EQ(findTarget("interp")->kind, Kind::Interpreter);
  EXPECT_EQ(findTarget("cpu")->kind, Kind::Cpu);
  EXPECT_EQ(findTarget("x86-64-v3+avxvnni")->cpu->vectorBits, 256u);
  EXPECT_EQ(findTarget("sm_90a")->kind, Kind::Nvidia);
  EXPECT_TRUE(findTarget("sm_90a")->gpu->hasWgmma);
  EXPECT_EQ(findTarget("gfx90a")->kind, Kind::Amd);
  for (const char *wrong : {"", "cuda", "sm90", "sm_", "sm_9", "sm_90xyz", "sm_1000", "x86-64+avx3", "gfx"})
    EXPECT_FALSE(findTarget(wrong)) << wrong;
}

TEST(Target, WhatKernelFilesSee) {
  EXPECT_STREQ(findTarget("interp")->description().backend(), "cuda");
  EXPECT_EQ(findTarget("interp")->description().capability, 90);
  EXPECT_EQ(findTarget("sm_80")->description().capability, 80);
  EXPECT_STREQ(findTarget("gfx942")->description().backend(), "hip");
  EXPECT_STREQ(findTarget("aarch64")->description().backend(), "cpu");
}

} // namespace nereid::compiler
