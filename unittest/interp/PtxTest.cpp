// PtxTest.cpp: one instruction of PTX, on one lane and on all lanes of a warp.
#include "interp/ptx/Ptx.h"

#include <gtest/gtest.h>

#include <random>

namespace nereid::interp::ptx {

namespace {

constexpr const char *kInstructions[] = {"mov.b32 $0, $1;",
                                         "mov.b32 $0, 7;",
                                         "mov.b64 $0, {$1, $2};",
                                         "add.s32 $0, $1, $2;",
                                         "sub.u16x2 $0, $1, $2;",
                                         "xor.b32 $0, $1, 0x55;",
                                         "not.b32 $0, $1;",
                                         "abs.s16 $0, $1;",
                                         "max.s32 $0, $1, $2;",
                                         "max.relu.s32 $0, $1, $2;",
                                         "min.u64 $0, $1, $2;",
                                         "rem.s32 $0, $1, $2;",
                                         "mul.hi.s32 $0, $1, $2;",
                                         "mul.wide.u16 $0, $1, $2;",
                                         "mad.lo.s32 $0, $1, $2, $3;",
                                         "mad.wide.s32 $0, $1, $2, $3;",
                                         "shl.b32 $0, $1, 5;",
                                         "shr.s16 $0, $1, $2;",
                                         "shr.u32 $0, $1, 33;",
                                         "bfe.s32 $0, $1, 3, 7;",
                                         "prmt.b32 $0, $1, $2, 0x3170;",
                                         "cvt.s64.s8 $0, $1;",
                                         "cvt.s16.u32 $0, $1;",
                                         "cvt.u16.s32 $0, $1;",
                                         "cvt.sat.u8.s32 $0, $1;",
                                         "cvt.rn.f32.s32 $0, $1;",
                                         "add.f32 $0, $1, $2;",
                                         "fma.rn.f16x2 $0, $1, $2, $3;",
                                         "{ .reg .pred p; setp.lt.s32 p, $1, $2; selp.b32 $0, $3, 4, p; }",
                                         "{ .reg .pred p, q; setp.geu.f32 p|q, $1, $2; selp.b32 $0, $1, $2, q; }"};

// Registers of a lane that are the same ones of all lanes beside each other.
Operation spaced(Operation operation) {
  for (Operand &operand : operation.operands)
    for (uint32_t &each : operand.registers)
      each *= kMostLanes;
  return operation;
}

TEST(Ptx, AWarpComputesWhatEachOfItsLanesComputes) {
  std::mt19937_64 random(1);
  for (const char *text : kInstructions) {
    std::string error;
    std::optional<Code> code = parse(text, 4, error);
    ASSERT_TRUE(code) << text << ": " << error;
    std::vector<uint64_t> together(size_t(code->registers) * kMostLanes);
    for (uint64_t &value : together)
      value = random() >> random() % 64;
    std::vector<uint64_t> before = together;
    for (const Operation &operation : code->operations)
      operation.execute(spaced(operation), together.data(), kMostLanes);
    for (unsigned lane = 0; lane < kMostLanes; ++lane) {
      std::vector<uint64_t> alone;
      for (uint32_t i = 0; i < code->registers; ++i)
        alone.push_back(before[i * kMostLanes + lane]);
      run(*code, alone.data());
      for (uint32_t i = 0; i < code->registers; ++i)
        EXPECT_EQ(together[i * kMostLanes + lane], alone[i]) << text << " register " << i << " lane " << lane;
    }
  }
}

TEST(Ptx, FloatsAreRoundedToTf32) {
  auto rounded = [](const char *text, uint32_t bits) {
    std::string error;
    std::optional<Code> code = parse(text, 2, error);
    EXPECT_TRUE(code) << text << ": " << error;
    std::vector<uint64_t> registers(code ? code->registers : 2);
    registers[1] = bits;
    if (code)
      run(*code, registers.data());
    return uint32_t(registers[0]);
  };
  const char *away = "cvt.rna.tf32.f32 $0, $1;", *even = "cvt.rn.tf32.f32 $0, $1;", *cut = "cvt.rz.tf32.f32 $0, $1;";
  EXPECT_EQ(rounded(away, 0x3f801000), 0x3f802000u); // half of the last bit
  EXPECT_EQ(rounded(even, 0x3f801000), 0x3f800000u);
  EXPECT_EQ(rounded(even, 0x3f803000), 0x3f804000u);
  EXPECT_EQ(rounded(even, 0x3f801001), 0x3f802000u);
  EXPECT_EQ(rounded(cut, 0xbf801fff), 0xbf800000u);
  EXPECT_EQ(rounded(away, 0xbf800fff), 0xbf800000u);
  EXPECT_EQ(rounded(away, 0x7f7fffff), 0x7f800000u);
  EXPECT_EQ(rounded("cvt.rna.satfinite.tf32.f32 $0, $1;", 0xff7fffff), 0xff7fe000u);
  EXPECT_EQ(rounded("cvt.rn.relu.tf32.f32 $0, $1;", 0xbf800000), 0u);
  EXPECT_EQ(rounded(away, 0xff800000), 0xff800000u);
  EXPECT_EQ(rounded(away, 0xffc00001), 0x7fffffffu); // no number
  std::string error;
  for (const char *text : {"cvt.rna.f32.f32 $0, $1;", "cvt.tf32.f32 $0, $1;", "cvt.rna.tf32.f64 $0, $1;"})
    EXPECT_FALSE(parse(text, 2, error)) << text;
}

TEST(Ptx, WhatAnAssemblerRefusesIsNotRun) {
  std::string error;
  for (const char *text : {"{ .reg .pred p; setp.s32 p, $1, 10; }", "mul.wide.s64 $0, $1, $1;", "mov.b32 $0, {};",
                           "mov.b32 $0, {$1, $1, $1};", "mov.b32 {$0, $0, $0, $0, $0, $0, $0, $0}, $1;"}) {
    EXPECT_FALSE(parse(text, 2, error)) << text;
    EXPECT_FALSE(error.empty()) << text;
  }
}

TEST(Ptx, RegistersAreBounded) {
  std::string many, error;
  for (int i = 0; i < 200; ++i)
    many += ".reg .b32 a" + std::to_string(i) + "_<1024>; ";
  EXPECT_FALSE(parse(many + "mov.b32 $0, $1;", 2, error));
  EXPECT_EQ(error, "too many registers in inline assembly");
}

} // namespace

} // namespace nereid::interp::ptx
