// TensorSpecTest.cpp: tensors in words.
#include "runtime/TensorSpec.h"

#include "runtime/Convert.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace nereid;
using namespace nereid::runtime;

static Result<Tensor> make(std::string_view text, uint64_t seed = 0, std::string_view name = "x") {
  auto spec = parseTensorSpec(text);
  if (!spec)
    return spec.error();
  uint64_t budget = 1 << 20;
  return makeTensor(
      *spec, name, seed,
      [](std::string_view extent) { return extent == "N" ? std::optional<int64_t>(7) : std::nullopt; }, budget);
}
static std::string messageOf(std::string_view text) {
  auto tensor = make(text);
  return tensor ? "" : tensor.error().message;
}

TEST(TensorSpec, MakesTensors) {
  auto count = make("arange:i64[2,3]");
  ASSERT_TRUE(count);
  EXPECT_EQ(count->values<int64_t>()[5], 5);
  auto named = make("ones:f16[N]");
  ASSERT_TRUE(named);
  EXPECT_EQ(named->shape(), Shape{7});
  EXPECT_EQ(readElement(DType::Fp16, named->data() + 12), 1.0);
  auto transposed = make("arange:i32[2,3].T");
  ASSERT_TRUE(transposed);
  EXPECT_EQ(transposed->shape(), (Shape{3, 2}));
  EXPECT_EQ(transposed->strides(), (Shape{1, 3}));
  EXPECT_EQ(make("zeros[]")->count(), 1);
  EXPECT_EQ(make("full(2.5):f32[2]")->values<float>()[1], 2.5f);
  EXPECT_TRUE(std::isnan(readElement(DType::Bf16, make("empty:bf16[1]")->data())) ||
              readElement(DType::Bf16, make("empty:bf16[1]")->data()) > 1e30);
}

TEST(TensorSpec, RandomValuesDependOnSeedAndName) {
  auto value = [](uint64_t seed, std::string_view name) {
    return make("randn:f32[4]", seed, name)->values<float>()[0];
  };
  EXPECT_EQ(value(1, "x"), value(1, "x"));
  EXPECT_NE(value(1, "x"), value(2, "x"));
  EXPECT_NE(value(1, "x"), value(1, "y"));
  double sum = 0, squares = 0;
  auto normal = make("randn:f64[10000]");
  for (double v : normal->values<double>())
    sum += v, squares += v * v;
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
  auto integers = make("randint(-2,3)[1000]");
  for (int32_t v : integers->values<int32_t>())
    EXPECT_TRUE(v >= -2 && v < 3);
}

// A value that the element type does not hold is an error, not another value.
TEST(TensorSpec, RefusesValuesThatTheTypeDoesNotHold) {
  EXPECT_EQ(messageOf("full(300):i8[4]"), "`full(300):i8[4]`: `i8` holds integers from -128 to 127, not 300");
  EXPECT_EQ(messageOf("full(nan):i32[4]"),
            "`full(nan):i32[4]`: `i32` holds integers from -2147483648 to 2147483647, not nan");
  EXPECT_NE(messageOf("full(2.5):i32[4]").find("not 2.5"), std::string::npos);
  EXPECT_NE(messageOf("full(-1):u64[4]").find("from 0 to 2**64 - 1"), std::string::npos);
  EXPECT_NE(messageOf("full(2):i1[4]").find("from 0 to 1"), std::string::npos);
  EXPECT_NE(messageOf("full(inf):i64[4]").find("from -2**63 to 2**63 - 1, not inf"), std::string::npos);
  EXPECT_NE(messageOf("full(9223372036854775808):i64[4]").find("holds integers"), std::string::npos);
  EXPECT_NE(messageOf("full(70000):f16[4]").find("`f16` holds numbers up to 65504, not 70000"), std::string::npos);
  EXPECT_NE(messageOf("full(1e39):f32[4]").find("`f32` holds numbers up to"), std::string::npos);
  EXPECT_NE(messageOf("full(1e999):f64[4]").find("too large"), std::string::npos);
  EXPECT_NE(messageOf("full(inf):fp8e4nv[4]").find("has no infinity"), std::string::npos);
  EXPECT_NE(messageOf("full(nan):fp8e4b15[4]").find("has no NaN"), std::string::npos);
  EXPECT_NE(messageOf("randint(0,300):u8[4]").find("from 0 to 255, not 299"), std::string::npos);
  EXPECT_NE(messageOf("randint(-1,3):u8[4]").find("not -1"), std::string::npos);
  EXPECT_NE(messageOf("randint(0,1e300):f64[4]").find("integers from -2**53 to 2**53"), std::string::npos);
  EXPECT_NE(messageOf("randn:i32[4]").find("write `randint(0,10):i32[…]`"), std::string::npos);
  EXPECT_NE(messageOf("rand:u8[4]").find("fractions"), std::string::npos);
  EXPECT_EQ(messageOf("arange:i8[129]"), "arange:i8[129]: `i8` holds integers from -128 to 127, not 128");
  EXPECT_NE(messageOf("arange:f16[65506]").find("up to 65504, not 65505"), std::string::npos);
  EXPECT_TRUE(make("arange:i8[128]") && make("arange:i8[0]") && make("arange:bf16[1024]") &&
              make("randint(0,256):u8[4]"));
  EXPECT_TRUE(make("full(nan):f16[4]") && make("full(-inf):f32[4]") && make("full(-128):i8[4]") && make("ones:i1[4]"));
}

TEST(TensorSpec, SixtyFourBitsAreExact) {
  EXPECT_EQ(make("full(9223372036854775807):i64[2]")->values<int64_t>()[1], INT64_MAX);
  EXPECT_EQ(make("full(-9223372036854775808):i64[2]")->values<int64_t>()[1], INT64_MIN);
  EXPECT_EQ(make("full(9007199254740993):i64[2]")->values<int64_t>()[1], 9007199254740993);
  EXPECT_EQ(make("full(18446744073709551615):u64[2]")->values<uint64_t>()[1], UINT64_MAX);
  EXPECT_EQ(make("full(1e3):i64[2]")->values<int64_t>()[1], 1000);
}

TEST(TensorSpec, SaysWhatIsWrong) {
  EXPECT_NE(messageOf("randn:f99[3]").find("no element type `f99`"), std::string::npos);
  EXPECT_NE(messageOf("randn:f32").find("a shape is missing"), std::string::npos);
  EXPECT_NE(messageOf("randn:f32[1e6]").find("neither a number nor the name"), std::string::npos);
  EXPECT_NE(messageOf("randn:f32[-4]").find("must not be negative"), std::string::npos);
  EXPECT_NE(messageOf("zeros:f32[1000000000,1000000000,1000000000]").find("more elements"), std::string::npos);
  EXPECT_NE(messageOf("zeros:f32[1000000000000]").find("there is room for"), std::string::npos);
  EXPECT_NE(messageOf("randint:i32[4]").find("needs its bounds"), std::string::npos);
  EXPECT_NE(messageOf("randint(5,5):i32[4]").find("no integer"), std::string::npos);
  EXPECT_NE(messageOf("gone.npy").find("no such file"), std::string::npos);
  EXPECT_FALSE(looksLikeTensor("ones"));
  EXPECT_TRUE(looksLikeTensor("ones[3]"));
}
