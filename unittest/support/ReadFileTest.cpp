// ReadFileTest.cpp: files that are no ordinary ones.
#include "support/ReadFile.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

using namespace nereid;

class ReadFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = std::filesystem::temp_directory_path() / "nereid-read-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder, problem;
};

TEST_F(ReadFileTest, OrdinaryFilesWholeAndInPart) {
  std::string path = folder + "/text", all(100000, 'x');
  std::ofstream(path) << all;
  EXPECT_EQ(readFile(path, 1 << 20, problem), all);
  EXPECT_EQ(readFile(path, 10, problem), std::string(10, 'x'));
  EXPECT_EQ(readFile("/dev/null", 10, problem), "");
  EXPECT_EQ(readFile("/dev/zero", 100000, problem)->size(), 100000u);
  EXPECT_GT(readFile("/proc/self/status", 100000, problem)->size(), 100u); // which says that it is empty
  EXPECT_FALSE(readFile(folder + "/none", 10, problem));
  EXPECT_EQ(problem, "No such file or directory");
  EXPECT_FALSE(readFile(folder, 10, problem));
  EXPECT_EQ(problem, "Is a directory");
}

TEST_F(ReadFileTest, PipesWithAndWithoutAWriter) {
  std::string path = folder + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_FALSE(readFile(path, 10, problem, std::chrono::milliseconds(20)));
  EXPECT_EQ(problem, "nobody writes to it");
  std::thread writer([&] { std::ofstream(path) << std::string(200000, 'y'); });
  std::optional<std::string> text = readFile(path, 1 << 20, problem);
  writer.join();
  ASSERT_TRUE(text) << problem;
  EXPECT_EQ(text->size(), 200000u);
}
