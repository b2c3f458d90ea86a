// CastTest.cpp: conversions, checked on constants, which the builder folds: every value of the 8-bit formats, and
// which op each pair of types takes.
#include "EmitterFixture.h"

#include <cmath>

using namespace nereid;
using namespace nereid::lang;

namespace {

class CastTest : public EmitterTest {
protected:
  std::string castOps(std::string_view from, std::string_view to, Value rounding = {}) {
    size_t before = function.getBody().front().getOperations().size();
    castTo(emitter, argument(from), *Type::parse(to), rounding);
    std::string names;
    for (mlir::Operation &op : llvm::drop_begin(function.getBody().front().getOperations(), before))
      if (!mlir::isa<mlir::arith::ConstantOp>(op))
        names += (names.empty() ? "" : " ") + op.getName().getStringRef().str();
    return names;
  }
  double halfValue(uint64_t bits) {
    return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits)).convertToDouble();
  }
};

// sign, 4 bits of exponent with bias 15, 3 bits of mantissa; no infinity and no NaN.
double decode(uint8_t byte) {
  int exponent = (byte >> 3) & 15, mantissa = byte & 7;
  double magnitude = exponent ? std::ldexp(8 + mantissa, exponent - 15 - 3) : std::ldexp(mantissa, 1 - 15 - 3);
  return byte & 0x80 ? -magnitude : magnitude;
}

TEST_F(CastTest, EveryFp8e4b15Widens) {
  for (int byte = 0; byte < 256; ++byte) {
    Tensor bits = constant(emitter, Scalar::UInt8, byte);
    Tensor half = castTo(emitter, bitcastTo(emitter, bits, Scalar::Fp8E4B15), Scalar::Fp16);
    ASSERT_TRUE(bitsOf(half)) << byte;
    EXPECT_EQ(halfValue(*bitsOf(half)), decode(byte)) << byte;
  }
}

TEST_F(CastTest, Fp8e4b15NarrowsToNearest) {
  for (uint32_t bits = 0; bits < 0x10000; bits += 7) {
    double value = halfValue(bits);
    Tensor half = bitcastTo(emitter, constant(emitter, Scalar::UInt16, int64_t(bits)), Scalar::Fp16);
    Tensor byte = castTo(emitter, half, Scalar::Fp8E4B15);
    ASSERT_TRUE(bitsOf(byte));
    double got = decode(*bitsOf(byte));
    double clamped =
        std::isnan(value) ? std::copysign(1.75, bits & 0x8000 ? -1.0 : 1.0) : std::min(std::max(value, -1.75), 1.75);
    for (int other = 0; other < 256; ++other) // no other value is nearer
      if ((other & 0x7f) != 0x7f)
        ASSERT_LE(std::abs(got - clamped), std::abs(decode(other) - clamped)) << bits;
    if (bits % 70 == 0)
      function.getBody().front().clear();
  }
}

TEST_F(CastTest, ConstantsOfFp8e4b15MatchTheConversion) {
  for (double value : {0.0, -0.0, 0.1, -0.3, 1.0, 1.7, 5.0, -9.0, 1e-5}) {
    Tensor direct = constant(emitter, Scalar::Fp8E4B15, value);
    uint64_t bits = *bitsOf(direct);
    double clamped = std::min(std::max(value, -1.75), 1.75);
    for (int other = 0; other < 256; ++other)
      if ((other & 0x7f) != 0x7f)
        EXPECT_LE(std::abs(decode(bits) - clamped), std::abs(decode(other) - clamped) + 1e-9) << value;
  }
}

TEST_F(CastTest, OneOpForEachPair) {
  EXPECT_EQ(castOps("int8", "int32"), "arith.extsi");
  EXPECT_EQ(castOps("uint8", "int32"), "arith.extui");
  EXPECT_EQ(castOps("int1", "int32"), "arith.extui");
  EXPECT_EQ(castOps("int64", "uint8"), "arith.trunci");
  EXPECT_EQ(castOps("int32", "uint32"), "");
  EXPECT_EQ(castOps("int32", "int1"), "arith.cmpi");
  EXPECT_EQ(castOps("fp32", "int1"), "arith.cmpf");
  EXPECT_EQ(castOps("int1", "fp32"), "arith.uitofp");
  EXPECT_EQ(castOps("int32", "fp16"), "arith.sitofp");
  EXPECT_EQ(castOps("fp32", "uint8"), "arith.fptoui");
  EXPECT_EQ(castOps("fp32", "bf16"), "arith.truncf");
  EXPECT_EQ(castOps("bf16", "fp16"), "arith.extf arith.truncf");
  EXPECT_EQ(castOps("fp8e4nv", "bf16"), "arith.extf");
  EXPECT_EQ(castOps("fp8e4nv", "fp8e5"), "arith.extf arith.truncf");
  EXPECT_EQ(castOps("fp8e5", "int32"), "arith.extf arith.fptosi");
  EXPECT_EQ(castOps("*fp32", "int64"), "tile.ptr_to_int");
  EXPECT_EQ(castOps("int64", "*fp32"), "tile.int_to_ptr");
  EXPECT_EQ(castOps("int32", "*fp32"), "arith.extui tile.int_to_ptr");
  EXPECT_EQ(castOps("*fp32", "*int32"), "tile.ptr_cast");
  EXPECT_EQ(castOps("*fp32", "int1"), "tile.ptr_to_int arith.cmpi");
  EXPECT_TRUE(verifies());
}

TEST_F(CastTest, RoundingTowardZero) {
  Tensor half = castTo(emitter, argument("fp32"), Scalar::Fp16, "rtz");
  EXPECT_EQ(half.ir.getDefiningOp<mlir::arith::TruncFOp>().getRoundingmode(), mlir::arith::RoundingMode::toward_zero);
  EXPECT_EQ(messageOf([&] { castTo(emitter, argument("fp16"), Scalar::Fp32, "rtz"); }),
            "`fp_downcast_rounding` is for casts to a narrower floating-point type, but this one is from f16 to f32");
  EXPECT_EQ(messageOf([&] { castTo(emitter, argument("fp32"), Scalar::Fp16, "up"); }),
            "`fp_downcast_rounding` must be `rtne` or `rtz`, got `up`");
}

TEST_F(CastTest, Bitcasts) {
  EXPECT_EQ(bitsOf(bitcastTo(emitter, constant(emitter, Scalar::Fp32, 1.0), Scalar::Int32)), 0x3f800000u);
  EXPECT_EQ(messageOf([&] { bitcastTo(emitter, argument("fp32"), Scalar::Int16); }),
            "cannot bitcast f32 (32 bits) to i16 (16 bits)");
  EXPECT_EQ(messageOf([&] { castTo(emitter, argument("*fp32"), Scalar::Int32); }),
            "a pointer has 64 bits and cannot be cast to i32");
  EXPECT_EQ(messageOf([&] { castTo(emitter, argument("fp32"), Type::pointer(Scalar::Int8)); }),
            "cannot cast f32 to *i8");
}

TEST_F(CastTest, NumbersOfAType) {
  EXPECT_EQ(bitsOf(constant(emitter, Scalar::Fp8E4NV, 1e9)), 0x7eu); // saturates at 448
  EXPECT_EQ(bitsOf(constant(emitter, Scalar::Int8, -1)), 0xffu);
  EXPECT_EQ(bitsOf(constant(emitter, Scalar::Int32, 4.0)), 4u);
  EXPECT_EQ(messageOf([&] { constant(emitter, Scalar::Int32, 1.5); }), "`1.5` is not an integer, but its type is i32");
  EXPECT_EQ(messageOf([&] { constant(emitter, Scalar::UInt8, 300); }), "`300` does not fit u8, which holds 0 to 255");
}

} // namespace
