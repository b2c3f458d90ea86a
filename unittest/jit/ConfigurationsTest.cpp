// Tables of configurations: how rows are read and found, and that the library's has an answer for every kind of device.
#include "jit/tune/Configurations.h"

#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace nereid::jit {

namespace {

std::string find(const ConfigurationTable &table, std::string_view kernel, std::string_view facts) {
  Result<std::vector<Fact>> read = readFacts(facts);
  EXPECT_TRUE(read);
  auto found = table.find(kernel, *read);
  return found ? textOf(*found) : "nothing";
}

} // namespace

TEST(Configurations, TheFirstRowThatHoldsCounts) {
  ConfigurationTable table;
  ASSERT_TRUE(table.add("Words | are no rows.\n"
                        "| kernel | when | configuration | from |\n|---|---|---|---|\n"
                        "| f | capability>=90 dim<=64 | BLOCK=1 num_warps=8 | here |\n"
                        "|f|dim!=3|BLOCK=2||\n"
                        "| f | | BLOCK=3 | all others |\r\n"));
  EXPECT_EQ(find(table, "f", "capability=90 dim=64"), "BLOCK=1 num_warps=8");
  EXPECT_EQ(find(table, "f", "capability=90 dim=65"), "BLOCK=2");
  EXPECT_EQ(find(table, "f", "capability=89 dim=3"), "BLOCK=3");
  EXPECT_EQ(find(table, "f", "capability=89"), "BLOCK=3") << "a fact that is not known holds no condition";
  EXPECT_EQ(find(table, "g", "dim=3"), "nothing");
  ASSERT_TRUE(table.add("| f | | BLOCK=4 | later |\n| g | | | nothing to say |"));
  EXPECT_EQ(find(table, "f", "dim=3"), "BLOCK=3");
  EXPECT_EQ(find(table, "g", "dim=3"), "");
}

TEST(Configurations, MistakesNameTheirRow) {
  ConfigurationTable table;
  for (auto [text, message] :
       {std::pair{"\n| f | dim<64 | B=1 | |", "error: row 2 of the configurations: `dim<64` is no condition: "
                                              "`NAME<=NUMBER`, or with `>=`, `=` or `!=`, is expected\n"},
        {"| f | =4 | B=1 | |",
         "error: row 1 of the configurations: `=4` is no condition: `NAME<=NUMBER`, or with `>=`, "
         "`=` or `!=`, is expected\n"},
        {"| f | | B=x | |", "error: row 1 of the configurations: `B=x` is no fact: `NAME=NUMBER` is expected\n"},
        {"| f | | B | |", "error: row 1 of the configurations: `B` is no fact: `NAME=NUMBER` is expected\n"}}) {
    Result<void> added = table.add(std::string("| f | | OTHER=1 | |\n").substr(20) + text);
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().message, message);
  }
  EXPECT_EQ(find(table, "f", ""), "nothing") << "a broken table adds no row";
}

// Of every kind of device that the documentation names.
TEST(Configurations, TheLibrarysTableHasARowForEveryDevice) {
  std::ifstream file(NEREID_TEST_DIR "/../../kernels/configurations.md");
  std::stringstream text;
  text << file.rdbuf();
  ConfigurationTable table;
  Result<void> added = table.add(text.str());
  ASSERT_TRUE(added) << added.error().message;
  for (const char *device : {"gpu=1 capability=80 multiprocessors=108 shared=163 l2=40",
                             "gpu=1 capability=86 multiprocessors=82 shared=99 l2=6",
                             "gpu=1 capability=89 multiprocessors=128 shared=99 l2=72",
                             "gpu=1 capability=90 multiprocessors=132 shared=227 l2=50",
                             "gpu=1 capability=100 multiprocessors=148 shared=227 l2=126",
                             "gpu=1 capability=120 multiprocessors=170 shared=99 l2=96", "gpu=0 cores=2"}) {
    for (const char *problem : {"bytes=1 large=1", "bytes=2 large=0", "bytes=4 large=1"})
      EXPECT_NE(find(table, "matmul", std::string(device) + " m=512 n=512 k=64 " + problem), "nothing") << device;
    for (const char *kernel : {"attention_forward", "attention_backward_kv", "attention_backward_q"})
      for (const char *problem : {"bytes=2 dim=64 causal=1", "bytes=2 dim=128 causal=0", "bytes=4 dim=256 causal=0"})
        EXPECT_NE(find(table, kernel, std::string(device) + " length=4096 whole=1 " + problem), "nothing") << device;
  }
  std::string hopper = "gpu=1 capability=90 shared=227 bytes=2 whole=1 length=4096 ";
  EXPECT_EQ(find(table, "attention_forward", hopper + "dim=128 causal=1"),
            "BLOCK_M=128 BLOCK_N=128 num_warps=8 num_stages=2 TMA=1");
  EXPECT_EQ(find(table, "attention_forward", hopper + "dim=64 causal=0"),
            "BLOCK_M=64 BLOCK_N=128 num_warps=4 num_stages=2 TMA=1");
}

} // namespace nereid::jit
