// WriteFileTest.cpp: a file holds all that was written, or what it held before.
#include "runtime/WriteFile.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace nereid::runtime;
namespace fs = std::filesystem;

class WriteFileTest : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = fs::temp_directory_path() / "nereid-write-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { fs::remove_all(folder); }
  static std::string contents(const std::string &path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
  }
  std::string folder;
};

TEST_F(WriteFileTest, WritesPartsInOrder) {
  std::string path = folder + "/file";
  EXPECT_EQ(writeFile(path, {"one ", "two"}), 0);
  EXPECT_EQ(contents(path), "one two");
  EXPECT_EQ(writeFile(path, {"three"}), 0);
  EXPECT_EQ(contents(path), "three");
  EXPECT_EQ(files(), 1u);
}

TEST_F(WriteFileTest, WhatWasThereStaysWhereTheNewDoesNotFit) {
  std::string path = folder + "/file";
  ASSERT_EQ(writeFile(path, {"good"}), 0);
  rlimit saved{}, low{};
  getrlimit(RLIMIT_FSIZE, &saved);
  low = saved;
  low.rlim_cur = 4096;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &low), 0);
  int problem = writeFile(path, {std::string(100000, 'x')}),
      other = writeFile(folder + "/new", {std::string(100000, 'x')});
  setrlimit(RLIMIT_FSIZE, &saved);
  EXPECT_EQ(problem, EFBIG);
  EXPECT_EQ(other, EFBIG);
  EXPECT_EQ(contents(path), "good");
  EXPECT_EQ(files(), 1u); // no part of the new ones is left
}

TEST_F(WriteFileTest, RightsAndLinksStay) {
  std::string path = folder + "/file", link = folder + "/link", ahead = folder + "/ahead";
  ASSERT_EQ(writeFile(path, {"old"}), 0);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  ASSERT_EQ(symlink("file", link.c_str()), 0);
  ASSERT_EQ(symlink("made", ahead.c_str()), 0);
  EXPECT_EQ(writeFile(link, {"new"}), 0);
  EXPECT_EQ(writeFile(ahead, {"made"}), 0);
  EXPECT_EQ(contents(path), "new");
  EXPECT_TRUE(fs::is_symlink(link) && fs::is_symlink(ahead));
  EXPECT_EQ(contents(folder + "/made"), "made");
  struct stat status{};
  stat(path.c_str(), &status);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
}

TEST_F(WriteFileTest, LongNamesDevicesAndFolders) {
  EXPECT_EQ(writeFile(folder + "/" + std::string(255, 'n'), {"x"}), 0);
  EXPECT_EQ(writeFile(folder + "/" + std::string(256, 'n'), {"x"}), ENAMETOOLONG);
  EXPECT_EQ(writeFile("/dev/full", {"x"}), ENOSPC);
  EXPECT_EQ(writeFile("/dev/null", {"x"}), 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(writeFile(folder, {"x"}), EISDIR);
  EXPECT_EQ(writeFile(folder + "/none/file", {"x"}), ENOENT);
  EXPECT_EQ(writeFile("", {"x"}), ENOENT);
}
