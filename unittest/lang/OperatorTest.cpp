// OperatorTest.cpp: which ops the operators emit, broadcasting, indexing, and what they refuse.
#include "EmitterFixture.h"

using namespace nereid;
using namespace nereid::lang;
using Op = syntax::BinaryOperator;
using Compare = syntax::CompareOperator;

namespace {

class OperatorTest : public EmitterTest {
protected:
  Tensor binary(Op op, const Value &a, const Value &b) { return emitBinary(emitter, op, a, b).tensor(); }
};

TEST_F(OperatorTest, IntegersFollowTheirSign) {
  Tensor s = argument("int32"), u = argument("uint32");
  binary(Op::FloorDiv, s, 3);
  binary(Op::FloorDiv, u, 3);
  binary(Op::Mod, s, 3);
  binary(Op::Mod, u, 3);
  binary(Op::RShift, s, 1);
  binary(Op::RShift, u, 1);
  binary(Op::RShift, s, u);
  EXPECT_EQ(ops(), "arith.divsi arith.divui arith.remsi arith.remui arith.shrsi arith.shrui arith.shrsi");
  EXPECT_TRUE(verifies());
}

TEST_F(OperatorTest, DivisionIsInFloats) {
  EXPECT_EQ(binary(Op::Div, argument("int32"), argument("int32")).type, Type(Scalar::Fp32));
  EXPECT_EQ(binary(Op::Div, argument("fp16"), argument("fp16")).type, Type(Scalar::Fp32));
  EXPECT_EQ(binary(Op::Mod, argument("bf16"), 3).type, Type(Scalar::Fp32));
  EXPECT_TRUE(verifies());
}

TEST_F(OperatorTest, PointerOffsets) {
  Tensor p = argument("*fp32");
  EXPECT_EQ(binary(Op::Add, p, argument("int32", {8})).type, Type::parse("*fp32")->withShape({8}));
  EXPECT_EQ(ops(), "tile.splat tile.addptr");
  binary(Op::Add, argument("uint32"), p); // an unsigned offset is widened with zeros
  binary(Op::Sub, p, argument("int64"));
  EXPECT_EQ(ops(), "tile.splat tile.addptr arith.extui tile.addptr arith.subi tile.addptr");
  EXPECT_EQ(messageOf([&] { binary(Op::Add, p, p); }), "two pointers cannot be added");
  EXPECT_EQ(messageOf([&] { binary(Op::Mult, p, 2); }), "operands of types *f32 and i32 do not go together");
  EXPECT_EQ(messageOf([&] { binary(Op::Add, p, 1.5); }), "operands of types *f32 and f32 do not go together");
  EXPECT_TRUE(verifies());
}

TEST_F(OperatorTest, PointersCompareAsAddresses) {
  emitCompare(emitter, Compare::Lt, argument("*fp32"), argument("*fp32"));
  EXPECT_EQ(ops(), "tile.ptr_to_int tile.ptr_to_int arith.cmpi");
}

TEST_F(OperatorTest, ANumberTakesPartInComparisons) {
  emitCompare(emitter, Compare::Lt, argument("fp16"), 0.1); // 0.1 stays an fp32
  EXPECT_EQ(ops(), "arith.extf arith.cmpf");
  EXPECT_EQ(messageOf([&] { emitCompare(emitter, Compare::Lt, argument("uint8"), 300); }), "");
}

TEST_F(OperatorTest, Unary) {
  EXPECT_EQ(bitsOf(emitUnary(emitter, syntax::UnaryOperator::USub, constant(emitter, Scalar::Fp32, 0.0)).tensor()),
            0u); // 0 - 0
  EXPECT_EQ(bitsOf(emitUnary(emitter, syntax::UnaryOperator::Invert, constant(emitter, Scalar::UInt8, 1)).tensor()),
            0xfeu);
  EXPECT_EQ(messageOf([&] { emitUnary(emitter, syntax::UnaryOperator::Not, argument("int32")); }),
            "`not` is defined for booleans, got i32");
  EXPECT_EQ(messageOf([&] { emitUnary(emitter, syntax::UnaryOperator::Invert, argument("fp32")); }),
            "`~` is not defined for type f32");
}

TEST_F(OperatorTest, Refusals) {
  Tensor f = argument("fp32"), i = argument("int32");
  EXPECT_EQ(messageOf([&] { binary(Op::Pow, f, 2); }), "`**` is not defined for tensors");
  EXPECT_EQ(messageOf([&] { binary(Op::MatMult, f, f); }), "`@` is not defined for tensors");
  EXPECT_EQ(messageOf([&] { binary(Op::FloorDiv, f, f); }), "invalid operands of type f32 for `//`");
  EXPECT_EQ(messageOf([&] { binary(Op::BitAnd, f, i); }), "invalid operands of type f32 for `&`");
  EXPECT_EQ(messageOf([&] { binary(Op::Mod, i, argument("uint32")); }),
            "cannot use division with i32 and u32 because they have different signedness");
  EXPECT_EQ(messageOf([&] { emitLogical(emitter, syntax::BoolOperator::And, i, true); }),
            "`and`, `or` work on booleans, got i32");
}

TEST_F(OperatorTest, Broadcasting) {
  EXPECT_EQ(binary(Op::Add, argument("fp32", {8, 1}), argument("fp32", {16})).type.shape(), (Shape{8, 16}));
  EXPECT_EQ(ops(), "tile.expand_dims tile.broadcast tile.broadcast arith.addf");
  EXPECT_EQ(messageOf([&] { binary(Op::Add, argument("fp32", {8}), argument("fp32", {16})); }),
            "shapes [8] and [16] do not broadcast: dimension 0 has extents 8 and 16");
  EXPECT_EQ(messageOf([&] { binary(Op::Add, argument("fp32", {2048, 1}), argument("fp32", {1, 2048})); }),
            "broadcasting [2048, 1] with [1, 2048] gives 4194304 elements; a tensor holds at most 1048576");
}

TEST_F(OperatorTest, IndexingByColonAndNone) {
  Tensor x = argument("fp32", {8});
  EXPECT_EQ(emitSubscript(emitter, x, Value::tuple({slice(), None{}})).tensor().type.shape(), (Shape{8, 1}));
  EXPECT_EQ(emitSubscript(emitter, x, Value::tuple({None{}, slice(), None{}})).tensor().type.shape(), (Shape{1, 8, 1}));
  EXPECT_EQ(emitSubscript(emitter, argument("fp32"), None{}).tensor().type.shape(), (Shape{1}));
  EXPECT_EQ(messageOf([&] { emitSubscript(emitter, x, 0); }), "unsupported tensor index: int");
}

TEST_F(OperatorTest, Conditions) {
  EXPECT_EQ(toCondition(emitter, argument("int32", {1})).type, Type(Scalar::Int1));
  EXPECT_EQ(ops(), "tile.unsplat arith.cmpi");
  EXPECT_EQ(messageOf([&] { toCondition(emitter, argument("int1", {8})); }),
            "a condition must be a single boolean, got i1[8]");
}

TEST_F(OperatorTest, DebugChecksOverflow) {
  options.debug = true;
  binary(Op::Mult, argument("int32"), argument("int32"));
  EXPECT_NE(ops().find("tile.assert"), std::string::npos);
  size_t asserts = ops().size();
  binary(Op::Mult, argument("int64"), argument("int64"));
  emitBinary(emitter, Op::Add, argument("int32"), argument("int32"), false);
  EXPECT_EQ(ops().find("tile.assert", asserts), std::string::npos);
  EXPECT_TRUE(verifies());
}

} // namespace
