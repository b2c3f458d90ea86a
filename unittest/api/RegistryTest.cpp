// Kernels that a program registers by name: files, folders, texts.
#include "nereid/registry.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace nereid {

namespace {

std::string textOf(const std::string &kernel, const std::string &value) {
  return "import triton\nimport triton.language as tl\n\n\n@triton.jit\ndef " + kernel +
         "(x, n, BLOCK: tl.constexpr):\n" + "    i = tl.arange(0, BLOCK)\n    tl.store(x + i, " + value + ", i < n)\n";
}

float called(const std::string &name) {
  Tensor x = *Tensor::zeros(DType::Fp32, {3});
  Result<void> done = call(name, {.grid = {1}, .device = Device::interpreter()}, {x, 3, {"BLOCK", 4}});
  EXPECT_TRUE(done) << done.error().message;
  return x.values<float>()[2];
}

class Registry : public ::testing::Test {
protected:
  void SetUp() override { std::filesystem::create_directories(folder / "inner" / "deeper"); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  void write(const std::string &name, const std::string &text) { std::ofstream(folder / name) << text; }

  std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "nereid-registry";
};

} // namespace

TEST_F(Registry, TextsAndFilesAreCalledByName) {
  std::string other = textOf("other", "3.0");
  ASSERT_TRUE(registerText("text", textOf("fill", "2.0") + "\n\n" + other.substr(other.find("@triton"))));
  EXPECT_EQ(called("text:fill"), 2);
  EXPECT_EQ(called("text:other"), 3);
  EXPECT_EQ(called("text:fill"), 2);
  write("one.py", textOf("fill", "5.0"));
  ASSERT_TRUE(registerKernels("file", folder / "one.py"));
  EXPECT_EQ(called("file"), 5) << "a file with one kernel needs no second name";
  nereid_kernel *kernel = nullptr, *again = nullptr;
  ASSERT_EQ(nereid_find("file:fill", &kernel), NEREID_OK);
  ASSERT_EQ(nereid_find("file:fill", &again), NEREID_OK);
  EXPECT_EQ(kernel, again);
  EXPECT_STREQ(nereid_kernel_name(kernel), "fill");
}

TEST_F(Registry, AFolderGivesItsFilesAndThoseOfItsFolders) {
  write("one.py", textOf("fill", "1.0"));
  write("inner/two.py", textOf("fill", "2.0"));
  write("inner/two_oracle.py", "this is no kernel file at all(");
  write("inner/settings.py", "SIZE = 4\n");
  write("inner/deeper/three.py", "also none(");
  write("notes.txt", "no kernels");
  Result<void> done = registerKernels("folder", folder);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(called("folder/one"), 1);
  EXPECT_EQ(called("folder/two:fill"), 2);
  EXPECT_FALSE(call("folder/settings", {.grid = {1}}, {}));
}

TEST_F(Registry, Mistakes) {
  auto messageOf = [](const Result<void> &result) { return result ? std::string("nothing") : result.error().message; };
  ASSERT_TRUE(registerText("taken", textOf("fill", "2.0")));
  EXPECT_EQ(messageOf(registerText("taken", textOf("fill", "3.0"))),
            "error: kernels are registered under `taken` already\n");
  EXPECT_EQ(called("taken"), 2);
  EXPECT_EQ(messageOf(registerText("a:b", "")), "error: `a:b` cannot be registered: a name without `:` is expected\n");
  EXPECT_EQ(messageOf(registerText("", "")), "error: `` cannot be registered: a name without `:` is expected\n");
  EXPECT_NE(messageOf(registerText("broken", "def (")).find("broken.py:1:"), std::string::npos);
  EXPECT_NE(messageOf(registerKernels("none", folder)).find("has no kernel file"), std::string::npos);
  EXPECT_NE(messageOf(registerKernels("none", folder / "missing.py")).find("missing.py"), std::string::npos);
  EXPECT_NE(messageOf(call("nobody:fill", {.grid = {1}}, {})).find("there are no kernels under `nobody`: "),
            std::string::npos);
  EXPECT_NE(messageOf(call("taken:spill", {.grid = {1}}, {})).find("spill"), std::string::npos);
  // A folder with a broken file registers nothing.
  write("good.py", textOf("fill", "1.0"));
  write("wrong.py", "def (");
  EXPECT_FALSE(registerKernels("half", folder));
  EXPECT_FALSE(call("half/good", {.grid = {1}}, {}));
  EXPECT_EQ(nereid_register(nullptr, "x"), NEREID_BAD_INPUT);
  EXPECT_EQ(nereid_find("taken", nullptr), NEREID_BAD_INPUT);
  EXPECT_EQ(nereid_call(nullptr, nullptr, 0, nullptr), NEREID_BAD_INPUT);
}

} // namespace nereid
