// What a launch chooses about its code: choices have keys, and names of targets come in several spellings.
#include "gpu/CodeChoices.h"
#include "gpu/Target.h"

#include "gtest/gtest.h"

#include <set>

using namespace nereid::gpu;

TEST(CodeChoices, targetsHaveManySpellings) {
  EXPECT_EQ(targetNamed("sm90"), "sm_90a");
  EXPECT_EQ(targetNamed("90"), "sm_90a");
  EXPECT_EQ(targetNamed("sm_90a"), "sm_90a");
  EXPECT_EQ(targetNamed("sm80"), "sm_80");
  EXPECT_EQ(targetNamed("sm_100"), "sm_100");
  for (const char *wrong : {"", "gfx942", "sm", "sm_9", "sm_90b", "9000", "sm_-1"})
    EXPECT_EQ(targetNamed(wrong), "") << wrong;
}

TEST(Target, Facts) {
  Target hopper = targetOf("sm_90a"), ampere = targetOf("sm_80"), turing = targetOf("sm_75"),
         pascal = targetOf("sm_60");
  EXPECT_EQ(hopper.capability, 90u);
  EXPECT_EQ(targetOf("sm_100").capability, 100u);
  EXPECT_TRUE(hopper.hasWgmma && hopper.hasTma && hopper.hasFp8 && hopper.hasClusters);
  EXPECT_FALSE(targetOf("sm_90").hasWgmma) << "the instructions are in the specific target only";
  EXPECT_FALSE(targetOf("sm_100a").hasWgmma) << "Blackwell has others";
  EXPECT_TRUE(ampere.hasMma && ampere.hasAsyncCopies && !ampere.hasFp8 && !ampere.hasTma);
  EXPECT_TRUE(targetOf("sm_89").hasFp8);
  EXPECT_EQ(hopper.registers, 65536u);
  EXPECT_EQ(hopper.registersOfThread, 255u);
  EXPECT_EQ(ampere.sharedBytes, uint64_t(163) << 10);
  EXPECT_EQ(targetOf("sm_86").sharedBytes, uint64_t(99) << 10);
  EXPECT_EQ(targetOf("sm_120").sharedBytes, uint64_t(99) << 10);
  EXPECT_EQ(targetOf("sm_90a").mostBlocks(128, 0), 16u);
  EXPECT_EQ(targetOf("sm_90a").mostBlocks(128, 56 << 10), 4u);
  EXPECT_EQ(targetOf("sm_86").mostBlocks(512, 0), 3u);
  EXPECT_TRUE(turing.isSupported && turing.hasLdmatrix && !turing.hasMma);
  EXPECT_FALSE(pascal.isSupported);
  EXPECT_FALSE(targetOf("cuda").isSupported);
}

TEST(CodeChoices, everyChoiceHasItsKey) {
  EXPECT_EQ(CodeChoices{}.key(), "");
  CodeChoices choices[7];
  choices[1].target = "sm_80";
  choices[2].maxRegisters = 64;
  choices[3].fusesFloats = false;
  choices[4].flushesDenormals = false;
  choices[5].assemblerOptions = "-O1";
  choices[6].libraries = {"/lib.bc"};
  std::set<std::string> keys;
  for (const CodeChoices &choice : choices)
    keys.insert(choice.key());
  EXPECT_EQ(keys.size(), 7u);
}
