// What a launch chooses about its code: choices have keys, and names of targets come in several spellings.
#include "gpu/CodeChoices.h"

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
  EXPECT_EQ(capabilityOf("sm_90a"), 90u);
  EXPECT_EQ(capabilityOf("sm_100"), 100u);
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
