// ShapeTest.cpp: creation, changes of shape, matrix products, and attributes.
#include "EmitterFixture.h"

using namespace nereid;
using namespace nereid::lang;

namespace {

class ShapeTest : public EmitterTest {
protected:
  Shape shapeOf(const Value &value) { return value.tensor().type.shape(); }
  Value pair(Value a, Value b) { return Value::tuple({a, b}); }
};

TEST_F(ShapeTest, Creation) {
  EXPECT_EQ(shapeOf(tl("arange", {0, 64})), (Shape{64}));
  EXPECT_EQ(bitsOf(tl("full", {Value::tuple({4, 4}), 2, Type(Scalar::Fp32)}).tensor()), 0x40000000u);
  EXPECT_EQ(tl("zeros", {Value::tuple({4}), Type(Scalar::Bf16)}).tensor().type, Type(Scalar::Bf16).withShape({4}));
  EXPECT_EQ(shapeOf(tl("full", {Value::tuple({4, 4}), argument("int32"), Type(Scalar::Fp32)})), (Shape{4, 4}));
  EXPECT_EQ(tl("zeros_like", {argument("int8", {2, 2})}).tensor().type.shortName(), "i8[2, 2]");
  EXPECT_TRUE(verifies());
}

TEST_F(ShapeTest, CreationRefuses) {
  options.strictExtents = true;
  EXPECT_EQ(messageOf([&] { tl("arange", {0, 48}); }), "arange's range must be a power of 2");
  EXPECT_EQ(messageOf([&] { tl("arange", {8, 8}); }), "`end` of `arange` must be greater than `start`, got 8 and 8");
  EXPECT_EQ(messageOf([&] { tl("arange", {0, argument("int32")}); }),
            "`end` of `arange` must be a constant integer, got " + typeName(argument("int32")));
  EXPECT_EQ(messageOf([&] { tl("zeros", {Value::tuple({3, 4}), Type(Scalar::Fp32)}); }),
            "shape element 0 must be a power of 2");
  EXPECT_EQ(messageOf([&] { tl("zeros", {Value::tuple({1 << 11, 1 << 11}), Type(Scalar::Fp32)}); }),
            "a tensor holds at most 1048576 elements");
  EXPECT_EQ(messageOf([&] { tl("zeros", {Value::tuple({4}), 5}); }),
            "`dtype` must be a type such as `tl.float32`, got int");
}

TEST_F(ShapeTest, Reshaping) {
  Tensor x = argument("fp32", {4, 8});
  EXPECT_EQ(shapeOf(tl("reshape", {x, 8, 4})), (Shape{8, 4}));
  EXPECT_EQ(shapeOf(tl("reshape", {x, pair(2, 16)})), (Shape{2, 16}));
  EXPECT_EQ(shapeOf(tl("view", {x, Value::tuple({32})})), (Shape{32}));
  EXPECT_EQ(shapeOf(tl("ravel", {x})), (Shape{32}));
  EXPECT_EQ(shapeOf(tl("expand_dims", {x, pair(0, -1)})), (Shape{1, 4, 8, 1}));
  EXPECT_EQ(shapeOf(tl("unsqueeze", {x, 1})), (Shape{4, 1, 8}));
  EXPECT_EQ(shapeOf(tl("squeeze", {argument("fp32", {4, 1}), 1})), (Shape{4}));
  EXPECT_EQ(shapeOf(tl("broadcast_to", {argument("fp32", {4, 1}), 4, 8})), (Shape{4, 8}));
  EXPECT_EQ(shapeOf(tl("trans", {x})), (Shape{8, 4}));
  EXPECT_EQ(shapeOf(tl("permute", {argument("fp32", {2, 4, 8}), 2, 0, 1})), (Shape{8, 2, 4}));
  EXPECT_EQ(shapeOf(tl("item", {argument("fp32", {1, 1})})), Shape{});
  EXPECT_EQ(shapeOf(tensorAttribute(emitter, x, "T")), (Shape{8, 4}));
  EXPECT_EQ(messageOf([&] { tl("reshape", {x, 4, 4}); }),
            "cannot reshape f32[4, 8] (32 elements) to [4, 4] (16 elements)");
  EXPECT_EQ(messageOf([&] { tl("permute", {x, 0, 0}); }), "dimensions must be a permutation of 0 to 1, got [0, 0]");
  EXPECT_EQ(messageOf([&] { tl("trans", {argument("fp32", {4})}); }),
            "`trans` needs at least 2 dimensions, got f32[4]");
  EXPECT_EQ(messageOf([&] { tl("expand_dims", {x, 5}); }), "invalid axis 5: `axis` must be in -3 to 2");
  EXPECT_TRUE(verifies());
}

TEST_F(ShapeTest, JoinSplitCatGather) {
  Tensor a = argument("fp32", {4}), b = argument("fp32", {4});
  EXPECT_EQ(shapeOf(tl("join", {a, b})), (Shape{4, 2}));
  EXPECT_EQ(shapeOf(tl("join", {argument("fp32"), argument("fp32")})), (Shape{2}));
  EXPECT_EQ(shapeOf(tl("interleave", {a, b})), (Shape{8}));
  EXPECT_EQ(shapeOf(tl("split", {argument("fp32", {4, 2})}).asTuple()->items[1]), (Shape{4}));
  EXPECT_EQ(shapeOf(tl("split", {argument("fp32", {2})}).asTuple()->items[0]), Shape{});
  EXPECT_EQ(shapeOf(tl("cat", {a, b}, {{"can_reorder", true}})), (Shape{8}));
  EXPECT_EQ(shapeOf(tl("flip", {argument("fp32", {4, 8}), 0})), (Shape{4, 8}));
  EXPECT_EQ(shapeOf(tl("gather", {argument("fp32", {4, 8}), argument("int32", {4, 2}), 1})), (Shape{4, 2}));
  EXPECT_EQ(messageOf([&] { tl("split", {a}); }), "`split` needs a last dimension of extent 2, got f32[4]");
  EXPECT_EQ(messageOf([&] { tl("join", {a, argument("int32", {4})}); }),
            "`join` needs two tensors of one type, got f32 and i32");
  EXPECT_EQ(messageOf([&] { tl("gather", {a, argument("fp32", {4}), 0}); }),
            "`index` must be a tensor of integers, got f32[4]");
  EXPECT_TRUE(verifies());
}

TEST_F(ShapeTest, Dot) {
  auto product = [&](std::string_view type, std::vector<std::pair<std::string, Value>> keywords = {}) {
    return tl("dot", {argument(type, {16, 32}), argument(type, {32, 64})}, keywords).tensor().type.shortName();
  };
  EXPECT_EQ(product("fp16"), "f32[16, 64]");
  EXPECT_EQ(product("fp16", {{"out_dtype", Type(Scalar::Fp16)}}), "f16[16, 64]");
  EXPECT_EQ(product("bf16"), "f32[16, 64]");
  EXPECT_EQ(product("fp64"), "f64[16, 64]");
  EXPECT_EQ(product("int8"), "i32[16, 64]");
  EXPECT_EQ(product("uint8"), "i32[16, 64]");
  EXPECT_EQ(product("fp8e4b15"), "f32[16, 64]");
  EXPECT_EQ(product("fp32", {{"allow_tf32", false}}), "f32[16, 64]");
  EXPECT_EQ(mlir::cast<tile::DotOp>(function.getBody().front().back()).getPrecision(), tile::InputPrecision::IEEE);
  EXPECT_EQ(product("fp16", {{"acc", argument("fp32", {16, 64})}}), "f32[16, 64]");
  EXPECT_EQ(tl("dot", {argument("fp16", {2, 2, 16, 16}), argument("fp16", {2, 2, 16, 16})}).tensor().type.shortName(),
            "f32[2, 2, 16, 16]");
  EXPECT_EQ(tl("dot", {argument("fp16", {16, 32}), argument("fp16", {64, 32})}, {{"trans_b", true}})
                .tensor()
                .type.shortName(),
            "f32[16, 64]");
  EXPECT_TRUE(verifies());
}

TEST_F(ShapeTest, DotRefuses) {
  Tensor a = argument("fp16", {16, 32});
  EXPECT_EQ(messageOf([&] { tl("dot", {a, a}); }),
            "`dot` multiplies M x K with K x N, but the extents of K are 32 and 16: f16[16, 32] and f16[16, 32]");
  EXPECT_EQ(messageOf([&] { tl("dot", {a, argument("fp32", {32, 16})}); }),
            "`dot` needs two operands of one type, got f16 and f32");
  EXPECT_EQ(messageOf([&] { tl("dot", {argument("int32", {16, 32}), argument("int32", {32, 16})}); }),
            "`dot` multiplies i8, u8, fp8, f16, bf16, f32 or f64, got i32[16, 32]");
  EXPECT_EQ(messageOf([&] { tl("dot", {argument("fp16", {16, 8}), argument("fp16", {8, 16})}); }),
            "input shapes should have M >= 1, N >= 1 and K >= 16 for a dot of f16, but K is 8");
  EXPECT_EQ(messageOf([&] { tl("dot", {a, argument("fp16", {32, 16}), argument("fp32", {16, 32})}); }),
            "`acc` is f32[16, 32] but the product is f32[16, 16]");
  EXPECT_EQ(messageOf([&] { tl("dot", {a, argument("fp16", {32, 16})}, {{"input_precision", "fast"}}); }),
            "`input_precision` must be `tf32`, `tf32x3`, `ieee`, `bf16x3` or `bf16x6`, got `fast`");
  EXPECT_EQ(messageOf([&] { tl("dot", {a, argument("fp16", {32, 16})}, {{"out_dtype", Type(Scalar::Bf16)}}); }),
            "`dot` cannot accumulate in bf16");
}

TEST_F(ShapeTest, DotScaled) {
  Tensor scale = argument("uint8", {16, 2});
  EXPECT_EQ(tl("dot_scaled", {argument("uint8", {16, 32}), scale, "e2m1", argument("fp8e4nv", {64, 32}),
                              argument("uint8", {32, 2}), "e4m3"})
                .tensor()
                .type.shortName(),
            "f32[16, 32]");
  EXPECT_EQ(tl("dot_scaled", {argument("uint8", {16, 64}), scale, "e5m2", argument("bf16", {64, 32}), None{}, "bf16"})
                .tensor()
                .type.shortName(),
            "f32[16, 32]");
  EXPECT_EQ(messageOf([&] {
              tl("dot_scaled",
                 {argument("uint8", {16, 64}), scale, "e2m1", argument("bf16", {64, 32}), None{}, "bf16"});
            }),
            "`dot_scaled` needs one K, but the operands have 128 and 64 elements along it");
  EXPECT_EQ(messageOf([&] {
              tl("dot_scaled", {argument("fp32", {16, 64}), scale, "bf16", argument("bf16", {64, 32}), None{}, "bf16"});
            }),
            "format `bf16` needs elements of type bf16 or u16, got f32");
  EXPECT_TRUE(verifies());
}

TEST_F(ShapeTest, Attributes) {
  Tensor p = argument("*fp16", {8});
  EXPECT_EQ(*tensorAttribute(emitter, p, "dtype").get<Type>(), *Type::parse("*fp16"));
  EXPECT_EQ(*typeAttribute(*Type::parse("*fp16"), "element_ty").get<Type>(), Type(Scalar::Fp16));
  EXPECT_EQ(typeAttribute(Scalar::Fp16, "primitive_bitwidth").integer(), Integer(16));
  EXPECT_EQ(*callTypeMethod(Scalar::Fp8E5, "is_fp8").get<bool>(), true);
  EXPECT_EQ(*callTypeMethod(Scalar::Fp8E5, "is_fp16").get<bool>(), false);
  EXPECT_EQ(*callTypeMethod(Scalar::Int1, "is_bool").get<bool>(), true);
  EXPECT_EQ(callTypeMethod(Scalar::Int8, "get_int_min_value").integer(), Integer(-128));
  EXPECT_FALSE(callTypeMethod(Scalar::Int8, "is_nonsense"));
  EXPECT_TRUE(typeAttribute(Scalar::Fp32, "is_floating").constant<BoundMethod>());
  EXPECT_FALSE(typeAttribute(Scalar::Fp32, "nonsense"));
  EXPECT_TRUE(tensorAttribute(emitter, p, "to").constant<BoundMethod>());
  EXPECT_FALSE(tensorAttribute(emitter, p, "nonsense"));
}

} // namespace
