// NpyTest.cpp: files that numpy would write, and files that lie.
#include "runtime/Npy.h"

#include <gtest/gtest.h>

#include <cstdio>

using namespace nereid;
using namespace nereid::runtime;

static std::string header(std::string dict) {
  std::string text = "\x93NUMPY";
  text += {'\x01', '\x00', static_cast<char>(dict.size() & 0xff), static_cast<char>(dict.size() >> 8)};
  return text + dict;
}
static std::string messageOf(const std::string &file) {
  auto result = parseNpyHeader(file, file.size());
  return result ? "" : result.error().message;
}

TEST(Npy, ReadsAHeader) {
  std::string file =
      header("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }      \n") + std::string(24, 'x');
  auto result = parseNpyHeader(file, file.size());
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->shape, (Shape{2, 3}));
  EXPECT_EQ(result->dtype, DType::Fp32);
}

TEST(Npy, RejectsLies) {
  auto dict = [](const char *descr, const char *shape) {
    return header(std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': " + shape + "}\n");
  };
  EXPECT_NE(messageOf(dict("<f4", "(1000000,)")).find("4000000 bytes, but 0 bytes follow"), std::string::npos);
  EXPECT_NE(messageOf(dict("<f4", "(4611686018427387904, 4611686018427387904)")).find("more elements"),
            std::string::npos);
  EXPECT_NE(messageOf(dict("<f4", "(99999999999999999999,)")).find("tuple of integers"), std::string::npos);
  EXPECT_NE(messageOf(dict("<f4", "(-1,)")).find("negative"), std::string::npos);
  EXPECT_NE(messageOf(dict("<c8", "(1,)")).find("not a plain number"), std::string::npos);
  EXPECT_NE(messageOf(dict("|O", "(1,)")).find("not a plain number"), std::string::npos);
  EXPECT_NE(messageOf(header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}")).find("records"),
            std::string::npos);
  EXPECT_NE(messageOf(header("{'descr': '<f4'}")).find("lacks"), std::string::npos);
  EXPECT_NE(messageOf("\x93NUMPY\x01").find("begin"), std::string::npos);
  EXPECT_NE(messageOf(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)).find("claims 4294967295 bytes"),
            std::string::npos);
  EXPECT_NE(messageOf(std::string("\x93NUMPY\x09\x00\x00\x00", 10)).find("version"), std::string::npos);
}

TEST(Npy, WritesWhatItReads) {
  std::string path = testing::TempDir() + "nereid-npy-test.npy";
  auto tensor = Tensor::from<double>(std::vector<double>{1, 2.5, -3, 4, 5, 6});
  ASSERT_TRUE(tensor);
  Tensor matrix = tensor->viewed(DType::Fp64, {2, 3}, {3, 1});
  ASSERT_TRUE(writeNpy(path, matrix.transposed()));
  auto back = readNpy(path);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->shape(), (Shape{3, 2}));
  auto values = back->values<double>();
  EXPECT_EQ(std::vector<double>(values.begin(), values.end()), (std::vector<double>{1, 4, 2.5, 5, -3, 6}));
  auto half = readNpy(path, DType::Bf16);
  ASSERT_TRUE(half);
  EXPECT_EQ(half->dtype(), DType::Bf16);
  std::remove(path.c_str());
}

TEST(Npy, SaysWhyAFileCannotBeRead) {
  EXPECT_NE(readNpy("/no/such.npy").error().message.find("no such file"), std::string::npos);
  EXPECT_NE(readNpy("/tmp").error().message.find("directory"), std::string::npos);
  EXPECT_NE(readNpy("/dev/zero").error().message.find("not a regular file"), std::string::npos);
}
