// TypeTest.cpp: names and sizes of types.
#include "lang/Type.h"

#include "gtest/gtest.h"

using namespace nereid::lang;

TEST(Type, EverySpellingOfAScalar) {
  EXPECT_EQ(*Type::parse("fp32"), Type(Scalar::Fp32));
  EXPECT_EQ(*Type::parse("f32"), Type(Scalar::Fp32));
  EXPECT_EQ(*Type::parse("float32"), Type(Scalar::Fp32));
  EXPECT_EQ(*Type::parse("i1"), Type(Scalar::Int1));
  EXPECT_EQ(*Type::parse("bool"), Type(Scalar::Int1));
  EXPECT_EQ(*Type::parse("uint8"), Type(Scalar::UInt8));
  EXPECT_EQ(*Type::parse("fp8e4b15"), Type(Scalar::Fp8E4B15));
  EXPECT_FALSE(Type::parse("f33"));
  EXPECT_FALSE(Type::parse("pointer"));
  EXPECT_FALSE(Type::parse(""));
  EXPECT_FALSE(Type::parse("*"));
}

TEST(Type, Pointers) {
  EXPECT_EQ(*Type::parse("*fp16"), Type::pointer(Scalar::Fp16));
  EXPECT_EQ(*Type::parse("*k fp16"), *Type::parse("*kfp16"));
  EXPECT_TRUE(Type::parse("*kfp16")->isConstPointer());
  EXPECT_NE(*Type::parse("*kfp16"), *Type::parse("*fp16"));
  EXPECT_EQ(Type::pointer(Type::pointer(Scalar::Int8)).shortName(), "**i8");
}

TEST(Type, NamesAsTritonPrintsThem) {
  EXPECT_EQ(Type(Scalar::Fp32).name(), "fp32");
  EXPECT_EQ(Type(Scalar::UInt8).name(), "uint8");
  EXPECT_EQ(Type::parse("*fp32")->name(), "pointer<fp32>");
  EXPECT_EQ(Type(Scalar::Fp32).withShape({128, 64}).name(), "<[128, 64], fp32>");
  EXPECT_EQ(Type(Scalar::Fp32).withShape({128, 64}).shortName(), "f32[128, 64]");
}

TEST(Type, Widths) {
  EXPECT_EQ(Type(Scalar::Int1).bitWidth(), 1u);
  EXPECT_EQ(Type(Scalar::Bf16).mantissaWidth(), 7u);
  EXPECT_EQ(Type(Scalar::Fp8E4B15).exponentBias(), 15);
  EXPECT_EQ(Type::parse("*i8")->bitWidth(), 64u);
  EXPECT_EQ(Type(Scalar::Int8).withShape({4, 8}).elementCount(), 32);
}
