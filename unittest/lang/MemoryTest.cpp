// MemoryTest.cpp: loads, stores, block pointers, descriptors and atomics: the ops they make and what they refuse.
#include "EmitterFixture.h"

using namespace nereid;
using namespace nereid::lang;

namespace {

class MemoryTest : public EmitterTest {
protected:
  Tensor pointers(std::string_view scalar = "*fp32") { return argument(scalar, {16}); }
  Value blockPointer(std::string_view scalar = "*fp32") {
    Value shape = Value::tuple({argument("int32"), argument("int32")}), strides = Value::tuple({argument("int64"), 1});
    return tl("make_block_ptr", {argument(scalar), shape, strides, Value::tuple({0, argument("int32")}),
                                 Value::tuple({8, 4}), Value::tuple({1, 0})});
  }
  Value descriptor(std::string_view scalar = "*fp32", Value block = Value::tuple({8, 32})) {
    return tl("make_tensor_descriptor", {argument(scalar), Value::tuple({argument("int32"), argument("int32")}),
                                         Value::tuple({argument("int32"), 1}), block});
  }
};

TEST_F(MemoryTest, LoadWithMaskAndOther) {
  Tensor value = tl("load", {pointers("*fp16"), argument("int1", {16})}, {{"other", 0.0}}).tensor();
  EXPECT_EQ(value.type, Type(Scalar::Fp16).withShape({16}));
  EXPECT_EQ(ops(), "tile.load");
  tl("load", {argument("*fp32")});
  tl("load", {pointers(), true}, {{"other", argument("fp32", {16})}});
  EXPECT_TRUE(verifies());
}

TEST_F(MemoryTest, BooleansAreBytes) {
  EXPECT_EQ(tl("load", {pointers("*i1")}).tensor().type, Type(Scalar::Int1).withShape({16}));
  EXPECT_EQ(ops(), "tile.ptr_cast tile.load arith.cmpi");
  tl("store", {pointers("*i1"), argument("int1", {16})});
  EXPECT_TRUE(verifies());
}

TEST_F(MemoryTest, LoadRefuses) {
  EXPECT_EQ(messageOf([&] { tl("load", {argument("fp32")}); }), "`load` needs a pointer, got f32");
  EXPECT_EQ(messageOf([&] { tl("load", {pointers(), None{}, 0.0}); }),
            "`other` needs a `mask`: without one every element is loaded");
  EXPECT_EQ(messageOf([&] { tl("load", {pointers(), argument("int32", {16})}); }),
            "`mask` must be boolean, got i32[16]");
  EXPECT_EQ(messageOf([&] { tl("load", {argument("*fp32"), argument("int1", {16})}); }),
            "`mask` is i1[16] but the pointer is a single pointer");
  EXPECT_EQ(messageOf([&] { tl("load", {pointers()}, {{"boundary_check", Value::tuple({0})}}); }),
            "`boundary_check` needs a block pointer; the extents of a plain pointer are not known");
  EXPECT_EQ(messageOf([&] { tl("load", {pointers()}, {{"cache_modifier", ".wb"}}); }),
            "`cache_modifier` of a load must be one of `.ca`, `.cg`, `.cs`, `.cv`, got `.wb`");
  EXPECT_EQ(messageOf([&] { tl("load", {pointers()}, {{"maks", true}}); }), "`load` has no parameter `maks`");
  EXPECT_EQ(messageOf([&] { tl("load", {}); }), "`load` needs the argument `pointer`");
}

TEST_F(MemoryTest, StoreCastsAndBroadcasts) {
  tl("store", {pointers("*fp16"), argument("fp32")},
     {{"mask", argument("int1", {16})}, {"cache_modifier", ".wt"}, {"eviction_policy", "evict_last"}});
  EXPECT_EQ(ops(), "arith.truncf tile.splat tile.store");
  EXPECT_EQ(messageOf([&] { tl("store", {argument("*kfp32"), 0.0}); }), "cannot store to a constant pointer");
  EXPECT_EQ(messageOf([&] { tl("store", {argument("*fp32"), argument("fp32", {16})}); }),
            "`value` is f32[16] but the pointer is a single pointer");
  EXPECT_EQ(messageOf([&] { tl("store", {argument("*fp32", {1}), argument("fp32", {16})}); }),
            "the pointer has shape [1] but the value and mask make [16]");
  EXPECT_TRUE(verifies());
}

TEST_F(MemoryTest, BlockPointersBecomeTilesOfPointers) {
  Value pointer = blockPointer();
  Value moved = tl("advance", {pointer, Value::tuple({0, 4})});
  Tensor plain = tl("load", {moved}).tensor();
  EXPECT_EQ(plain.type, Type(Scalar::Fp32).withShape({8, 4}));
  EXPECT_EQ(ops().find("mask"), std::string::npos);
  Tensor checked = tl("load", {moved}, {{"boundary_check", Value::tuple({0, 1})}, {"padding_option", "nan"}}).tensor();
  tl("store", {moved, checked}, {{"boundary_check", Value::tuple({1})}});
  EXPECT_EQ(messageOf([&] { tl("load", {moved, true}); }),
            "a load through a block pointer takes no `mask` and no `other`");
  EXPECT_EQ(messageOf([&] { tl("load", {moved}, {{"boundary_check", Value::tuple({2})}}); }),
            "`boundary_check` names dimension 2, but the block has 2 dimensions");
  EXPECT_EQ(messageOf([&] { tl("advance", {moved, Value::tuple({1})}); }),
            "`offsets` has 1 entries but the block has 2 dimensions");
  EXPECT_EQ(messageOf([&] { tl("store", {moved, argument("fp16", {8, 4})}); }),
            "`value` has type f16 but the block pointer stores f32");
  EXPECT_TRUE(verifies());
}

TEST_F(MemoryTest, BlockPointersSurviveALoop) {
  Value pointer = blockPointer();
  std::vector<mlir::Value> flat;
  flatten(Value::tuple({pointer, 3, argument("fp32")}), flat);
  EXPECT_EQ(flat.size(), 1u + 2 + 2 + 2 + 1);
  std::span<const mlir::Value> rest(flat);
  Value back = unflatten(Value::tuple({pointer, 3, argument("fp32")}), rest);
  EXPECT_TRUE(rest.empty());
  EXPECT_EQ(back.asTuple()->items[0].constant<BlockPointer>()->offsets[1].ir,
            pointer.constant<BlockPointer>()->offsets[1].ir);
}

TEST_F(MemoryTest, Descriptors) {
  Value desc = descriptor();
  Value offsets = Value::tuple({argument("int32"), 0});
  Tensor block = call("descriptor", "load", {desc, offsets}).tensor();
  EXPECT_EQ(block.type, Type(Scalar::Fp32).withShape({8, 32}));
  call("descriptor", "store", {desc, offsets, argument("fp16", {8, 32})});
  call("descriptor", "atomic_add", {desc, offsets, block});
  Value row = descriptor("*fp16", Value::tuple({1, 32}));
  EXPECT_EQ(call("descriptor", "gather", {row, argument("int32", {16}), 0}).tensor().type.shape(), (Shape{16, 32}));
  call("descriptor", "scatter", {row, argument("fp16", {16, 32}), argument("int32", {16}), 0});
  EXPECT_EQ(
      ops(),
      "arith.extsi arith.extsi arith.extsi tile.make_desc tile.desc_load arith.extf tile.desc_store tile.desc_reduce "
      "arith.extsi arith.extsi arith.extsi tile.make_desc tile.desc_gather tile.desc_scatter");
  EXPECT_TRUE(verifies());
}

TEST_F(MemoryTest, DescriptorsRefuse) {
  EXPECT_EQ(
      messageOf([&] { descriptor("*fp32", Value::tuple({8, 2})); }),
      "descriptor block shape must have at least 16 bytes in the last dimension, got 2 elements of f32 (8 bytes)");
  EXPECT_EQ(messageOf([&] { call("descriptor", "load", {descriptor(), Value::tuple({0})}); }),
            "the descriptor has 2 dimensions, but 1 offsets are given");
  EXPECT_EQ(messageOf([&] { call("descriptor", "load", {descriptor(), Value::tuple({argument("int64"), 0})}); }),
            "offsets of a descriptor have 32 bits, got i64");
  EXPECT_EQ(
      messageOf([&] { call("descriptor", "store", {descriptor(), Value::tuple({0, 0}), argument("fp32", {8, 8})}); }),
      "`value` is f32[8, 8] but the descriptor's block is f32[8, 32]");
}

TEST_F(MemoryTest, OldDescriptorsLieInMemory) {
  Tensor block = tl("_experimental_descriptor_load",
                    {argument("*i8"), Value::tuple({0, 0}), Value::tuple({8, 32}), Type(Scalar::Fp16)})
                     .tensor();
  EXPECT_EQ(block.type, Type(Scalar::Fp16).withShape({8, 32}));
  tl("_experimental_descriptor_store", {descriptor("*fp16"), block, Value::tuple({0, 0})});
  EXPECT_TRUE(verifies());
}

TEST_F(MemoryTest, Atomics) {
  auto kindOf = [&](std::string_view name, std::string_view pointer, Value value) {
    tl(name, {argument(pointer, {16}), value}, {{"sem", "relaxed"}, {"scope", "cta"}});
    auto op = mlir::cast<tile::AtomicRmwOp>(function.getBody().front().back());
    return tile::stringifyRmwKind(op.getKind()).str();
  };
  EXPECT_EQ(kindOf("atomic_add", "*fp32", 1.0), "fadd");
  EXPECT_EQ(kindOf("atomic_add", "*i32", 1), "add");
  EXPECT_EQ(kindOf("atomic_max", "*u32", 1), "umax");
  EXPECT_EQ(kindOf("atomic_max", "*i64", 1), "max");
  EXPECT_EQ(kindOf("atomic_min", "*fp64", 1.0), "fmin");
  EXPECT_EQ(kindOf("atomic_xchg", "*fp32", 1.0), "xchg");
  tl("atomic_cas", {argument("*i32"), 0, 1});
  tl("atomic_poll", {argument("*i32"), 1}, {{"timeout_ns", 1000}});
  EXPECT_EQ(messageOf([&] { tl("atomic_max", {argument("*fp16"), 1.0}); }), "`atomic_max` does not support f16");
  EXPECT_EQ(messageOf([&] { tl("atomic_add", {argument("*i16"), 1}); }), "`atomic_add` does not support i16");
  EXPECT_EQ(messageOf([&] { tl("atomic_and", {argument("*fp32"), 1}); }), "`atomic_and` does not support f32");
  EXPECT_EQ(messageOf([&] { tl("atomic_cas", {argument("*i8"), 0, 1}); }), "`atomic_cas` does not support i8");
  tl("atomic_load", {argument("*fp32", {16})}, {{"mask", argument("i1", {16})}});
  tl("atomic_store", {argument("*i64"), 1});
  EXPECT_EQ(messageOf([&] { tl("atomic_load", {argument("*fp16")}); }), "`atomic_load` does not support f16");
  EXPECT_EQ(messageOf([&] { tl("atomic_store", {argument("*i32"), 1}, {{"sem", "acquire"}}); }),
            "`sem` of `atomic_store` must be `release` or `relaxed`");
  EXPECT_EQ(messageOf([&] { tl("atomic_add", {argument("*i32"), 1}, {{"sem", "strict"}}); }),
            "`sem` must be `acquire`, `release`, `acq_rel` or `relaxed`, got `strict`");
  EXPECT_TRUE(verifies());
}

} // namespace
