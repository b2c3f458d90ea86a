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
