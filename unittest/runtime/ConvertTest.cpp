// ConvertTest.cpp: every code of the small formats against values that stand in their definitions, and round trips.
#include "runtime/Convert.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

using namespace nereid;
using namespace nereid::runtime;

static double decode(DType type, uint16_t code) {
  std::byte bytes[2];
  std::memcpy(bytes, &code, 2);
  return readElement(type, bytes);
}
static uint16_t encode(DType type, double value) {
  std::byte bytes[2] = {};
  writeElement(type, bytes, value);
  uint16_t code;
  std::memcpy(&code, bytes, 2);
  return code;
}

TEST(Convert, KnownValues) {
  EXPECT_EQ(decode(DType::Fp8E4NV, 0x7e), 448.0);
  EXPECT_TRUE(std::isnan(decode(DType::Fp8E4NV, 0x7f)));
  EXPECT_EQ(decode(DType::Fp8E5, 0x7b), 57344.0);
  EXPECT_EQ(decode(DType::Fp8E5, 0x7c), INFINITY);
  EXPECT_EQ(decode(DType::Fp8E4B8, 0x7f), 240.0);
  EXPECT_TRUE(std::isnan(decode(DType::Fp8E4B8, 0x80)));
  EXPECT_EQ(decode(DType::Fp8E5B16, 0x7f), 57344.0);
  EXPECT_EQ(decode(DType::Fp8E4B15, 0x7f), 1.875);
  EXPECT_EQ(decode(DType::Fp16, 0x7bff), 65504.0);
  EXPECT_EQ(decode(DType::Fp16, 0x0001), std::ldexp(1.0, -24));
  EXPECT_EQ(decode(DType::Bf16, 0x3fc0), 1.5);
}

TEST(Convert, EveryCodeComesBack) {
  for (DType type :
       {DType::Fp8E4NV, DType::Fp8E5, DType::Fp8E4B8, DType::Fp8E5B16, DType::Fp8E4B15, DType::Fp16, DType::Bf16}) {
    int codes = bytesOf(type) == 1 ? 256 : 65536;
    for (int code = 0; code < codes; ++code) {
      double value = decode(type, static_cast<uint16_t>(code));
      if (!std::isnan(value))
        ASSERT_EQ(encode(type, value), code) << nameOf(type) << " " << value;
      else
        ASSERT_TRUE(std::isnan(decode(type, encode(type, value)))) << nameOf(type);
    }
  }
}

TEST(Convert, HalfAgreesWithTheCompiler) {
  for (int i = 0; i < 200000; ++i) {
    double value = std::ldexp(std::sin(i * 12.9898), i % 60 - 36);
    _Float16 half = static_cast<_Float16>(value);
    uint16_t expected;
    std::memcpy(&expected, &half, 2);
    ASSERT_EQ(encode(DType::Fp16, value), expected) << value;
  }
}

TEST(Convert, RoundsToNearestEven) {
  EXPECT_EQ(decode(DType::Bf16, encode(DType::Bf16, 1 + 1.0 / 256)), 1.0);           // a tie, to the even code
  EXPECT_EQ(decode(DType::Bf16, encode(DType::Bf16, 1 + 3.0 / 256)), 1 + 4.0 / 256); // a tie, up to the even code
  EXPECT_EQ(decode(DType::Fp8E4NV, encode(DType::Fp8E4NV, 464)), 448.0); // a tie with the first value beyond
  EXPECT_TRUE(std::isnan(decode(DType::Fp8E4NV, encode(DType::Fp8E4NV, 465))));
  EXPECT_EQ(decode(DType::Fp16, encode(DType::Fp16, 65520)), INFINITY);
}

TEST(Convert, IntegersSaturate) {
  std::byte bytes[8];
  writeElement(DType::Int8, bytes, 1000);
  EXPECT_EQ(readElement(DType::Int8, bytes), 127);
  writeElement(DType::UInt8, bytes, -3);
  EXPECT_EQ(readElement(DType::UInt8, bytes), 0);
  writeElement(DType::Int64, bytes, 1e30);
  int64_t wide;
  std::memcpy(&wide, bytes, 8);
  EXPECT_EQ(wide, INT64_MAX);
  writeElement(DType::Int32, bytes, NAN);
  EXPECT_EQ(readElement(DType::Int32, bytes), 0);
}

TEST(Convert, Names) {
  EXPECT_EQ(parseDType("float32"), DType::Fp32);
  EXPECT_EQ(parseDType("bf16"), DType::Bf16);
  EXPECT_EQ(parseDType("bool"), DType::Int1);
  EXPECT_FALSE(parseDType("f33"));
}
