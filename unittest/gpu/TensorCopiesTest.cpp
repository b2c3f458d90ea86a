// Blocks by TMA: where they lie, who waits for whom. Numbers go through shared memory unchanged, and the
// emulated GPU sees no race; without a wait it does.
#include "LowerKernel.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace nereid::gpu;

namespace {

constexpr int64_t kRows = 40; // of the tensor of 16-bit numbers

std::string with(std::string text, const std::string &mark, const std::string &by) {
  for (size_t at; (at = text.find(mark)) != std::string::npos;)
    text.replace(at, mark.size(), by);
  return text;
}

// The producer brings blocks of 16 rows; consumers read them and have them written 48 rows further on, in parts.
std::string specialized(const std::string &layout, const std::string &wait, const std::string &release,
                        const std::string &columns = "128", unsigned groups = 1) {
  std::string text = R"(func.func @kernel(%p: !tile.ptr<i16>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c2 = arith.constant 2 : i32
    %c16 = arith.constant 16 : i32
    %c48 = arith.constant 48 : i32
    %rows = arith.constant 40 : i32
    %all = arith.constant 88 : i32
    %columns = arith.constant COLUMNS : i32
    %stride = arith.constant COLUMNS : i64
    %one = arith.constant 1 : i64
    %in = warp.alloc : <[16, COLUMNS] x i16, 2, fast 1, swizzle 128>
    %out = warp.alloc : <[16, 64] x i16, 2, fast 1, swizzle 128>
    %full = warp.make_barriers 1 : <2>
    %empty = warp.make_barriers WARPS : <2>
    warp.specialize producer {
      %0:2 = scf.for %r = %c0 to %c48 step %c16 iter_args(%slot = %c0, %phase = %c0) -> (i32, i32) : i32 {
        %other = arith.xori %phase, %c1 : i32
        warp.wait_phase %empty[%slot] phase %other : <2>
        warp.expect %full[%slot], BYTES : <2>
        %map = warp.tensor_map %p shape[%rows, %columns] strides[%stride, %one] box [16, 64] swizzle 128 : !tile.ptr<i16>
        warp.copy_block %map[%r, %c0], %in, %full[%slot] : <[16, COLUMNS] x i16, 2, fast 1, swizzle 128>, <2>
        %next = arith.xori %slot, %c1 : i32
        %flip = arith.xori %phase, %slot : i32
        scf.yield %next, %flip : i32, i32
      }
      warp.done
    } consumer {
      %0:2 = scf.for %r = %c0 to %c48 step %c16 iter_args(%slot = %c0, %phase = %c0) -> (i32, i32) : i32 {
        WAIT
        %tile = warp.read %in[%slot] : <[16, COLUMNS] x i16, 2, fast 1, swizzle 128> -> tensor<16xCOLUMNSxi16, LAYOUT>
        RELEASE
        %map = warp.tensor_map %p shape[%all, %columns] strides[%stride, %one] box [ROWS, 64] swizzle 128 : !tile.ptr<i16>
        %to = arith.addi %r, %c48 : i32
        warp.store_block %tile, %out, %map[%to, %c0] {reused, groups = GROUPS : i32} : tensor<16xCOLUMNSxi16, LAYOUT>, <[16, 64] x i16, 2, fast 1, swizzle 128>
        %next = arith.xori %slot, %c1 : i32
        %flip = arith.xori %phase, %slot : i32
        scf.yield %next, %flip : i32, i32
      }
      warp.wait_stores
      warp.done
    }
    warp.release %in : !warp.buffer<[16, COLUMNS] x i16, 2, fast 1, swizzle 128>
    warp.release %out : !warp.buffer<[16, 64] x i16, 2, fast 1, swizzle 128>
    warp.release %full : !warp.barriers<2>
    warp.release %empty : !warp.barriers<2>
    return
  })";
  text = with(with(with(text, "WAIT", wait), "RELEASE", release), "LAYOUT", "#warp.layout<\"" + layout + "\">");
  text = with(with(text, "WARPS", std::to_string(4 * groups)), "GROUPS", std::to_string(groups));
  text = with(text, "ROWS", std::to_string(16 / groups));
  return with(with(text, "BYTES", std::to_string(16 * 2 * std::stoi(columns))), "COLUMNS", columns);
}

const std::string kWait = "warp.wait_phase %full[%slot] phase %phase : <2>";
const std::string kHangs = "warps wait for what does not come";
const std::string kRelease = "warp.barrier\nwarp.arrive %empty[%slot] : <2>";
// Parts of the columns are registers; or lanes and warps.
const std::string kByRegisters = "16x128: register 1..4@1 64@1, lane 8..32@1 1..2@0, warp 4..8@0";
const std::string kByThreads = "16x128: register 1..8@0, lane 1..16@1, warp 32..64@1";

// Gives the problem, or what is wrong with the numbers.
std::string run(const std::string &text, int64_t columns, unsigned warps = 4) {
  Options options;
  options.choices.hasLines = false, options.numWarps = warps;
  LoweredKernel kernel(text, options);
  if (!kernel.isGood)
    return kernel.problem;
  std::vector<uint8_t> global((48 + 40) * columns * 2, 0xAA);
  auto *numbers = reinterpret_cast<uint16_t *>(global.data());
  for (int64_t i = 0; i < kRows * columns; ++i)
    numbers[i] = uint16_t(i * 3 + 1);
  if (!kernel.run(global))
    return kernel.problem;
  for (int64_t i = 0; i < kRows * columns; ++i)
    if (numbers[48 * columns + i] != uint16_t(i * 3 + 1))
      return "element " + std::to_string(i) + " is wrong";
  return "";
}

} // namespace

TEST(TensorCopies, ProducerAndConsumers) {
  EXPECT_EQ(run(specialized(kByRegisters, kWait, kRelease), 128), "");
  EXPECT_EQ(run(specialized(kByThreads, kWait, kRelease), 128), "");
}

TEST(TensorCopies, OneBoxAndNoPartsEither) {
  const std::string layout = "16x64: register 1..4@1, lane 8..32@1 1..2@0, warp 4..8@0";
  EXPECT_EQ(run(specialized(layout, kWait, kRelease, "64"), 64), "");
}

// Each half of the warps has half of the rows, and stores them for itself; or the halves are mixed.
TEST(TensorCopies, GroupsStoreTheirRows) {
  for (const char *layout : {"16x128: register 1..2@1 64@1, lane 4..16@1 1..2@0, warp 4@0 32@1 8@0",
                             "16x128: register 1..4@1, lane 8..32@1 1..2@0, warp 4@0 64@1 8@0",
                             "16x128: register 1..2@1 64@1, lane 4..16@1 1..2@0, warp 8@0 32@1 4@0"})
    EXPECT_EQ(run(specialized(layout, kWait, kRelease, "128", 2), 128, 8), "") << layout;
}

// The rows as places along three axes: of the blocks of 2 x 2 x 4, each half of the warps has one along the first.
TEST(TensorCopies, RowsOfAxes) {
  for (unsigned groups : {1u, 2u}) {
    std::string text =
        specialized(groups == 1 ? kByRegisters : "16x128: register 1..2@1 64@1, lane 4..16@1 1..2@0, warp 4@0 32@1 8@0",
                    kWait, kRelease, "128", groups);
    text = with(text, "%one = arith", R"(%two = arith.constant 2 : i32
    %four = arith.constant 4 : i32
    %three = arith.constant 3 : i32
    %five = arith.constant 5 : i32
    %eleven = arith.constant 11 : i32
    %apart = arith.constant 512 : i64
    %far = arith.constant 1024 : i64
    %one  = arith)"); // another text than the mark
    text = with(
        text, "shape[%rows, %columns] strides[%stride, %one] box [16, 64]",
        "shape[%five, %two, %four, %columns] strides[%far, %apart, %stride, %one] box [2, 2, 4, 64] block [2, 2, 4]");
    text = with(text, "shape[%all, %columns] strides[%stride, %one] box [" + std::to_string(16 / groups) + ", 64]",
                "shape[%eleven, %two, %four, %columns] strides[%far, %apart, %stride, %one] box [" +
                    std::to_string(2 / groups) + ", 2, 4, 64] block [2, 2, 4]");
    text = with(text, "%map = warp", "%at = arith.shrui %r, %three : i32\n%map  = warp");
    text = with(text, "%map[%r, %c0]", "%map[%at, %c0, %c0, %c0]");
    text = with(text, "%to = arith.addi %r, %c48", "%six = arith.constant 6 : i32\n%to = arith.addi %at, %six");
    text = with(text, "%map[%to, %c0]", "%map[%to, %c0, %c0, %c0]");
    EXPECT_EQ(run(text, 128, 4 * groups), "") << groups;
  }
}

TEST(TensorCopies, RacesAreSeen) {
  EXPECT_EQ(run(specialized(kByRegisters, "", kRelease), 128).substr(0, 5), "race:");
  // Released before all threads have read.
  EXPECT_EQ(run(specialized(kByRegisters, kWait, "warp.arrive %empty[%slot] : <2>"), 128).substr(0, 5), "race:");
  EXPECT_EQ(run(specialized(kByRegisters, kWait, ""), 128).substr(0, kHangs.size()), kHangs);
}

// All threads of the producer copy rows; the last block has 8 of them. With `length`, some elements of each.
static std::string byRows(const std::string &wait, const std::string &arrive, const std::string &length = "") {
  std::string text = specialized(kByRegisters, wait, kRelease);
  size_t from = text.find("warp.expect"), to = text.find("%next");
  text.replace(from, to - from,
               R"(%far = arith.extsi %r : i32 to i64
        %before = arith.muli %far, %stride : i64
        %row = tile.addptr %p, %before : !tile.ptr<i16>, i64
        %count = arith.constant 40 : i64
        %left = arith.subi %count, %far : i64
        %length = arith.constant 92 : i64
        warp.copy_rows %row stride %stride, %in[%slot] count %left)" +
                   length + R"( : !tile.ptr<i16>, <[16, 128] x i16, 2, fast 1, swizzle 128>
        )" + arrive +
                   "\n        ");
  return with(text, "%full = warp.make_barriers 1 ", "%full = warp.make_barriers 128 ");
}

TEST(TensorCopies, RowsByAllThreads) {
  const std::string arrive = "warp.arrive_copies %full[%slot] : <2>";
  EXPECT_EQ(run(byRows(kWait, arrive), 128), "");
  EXPECT_EQ(run(byRows(kWait, arrive, " length %length"), 128), "element 92 is wrong"); // a zero
  EXPECT_EQ(run(byRows("", arrive), 128).substr(0, 5), "race:");
  EXPECT_EQ(run(byRows(kWait, ""), 128).substr(0, kHangs.size()), kHangs);
}

// A tile of 512 bytes has fewer pieces of 16 bytes than the producer has threads: no thread copies from between them.
TEST(TensorCopies, FewerPiecesThanThreads) {
  std::string text = byRows(kWait, "warp.arrive_copies %full[%slot] : <2>");
  text = with(with(with(text, "16x128", "16x16"), "16, 128", "16, 16"), "16, 64", "16, 16");
  text = with(with(text, "swizzle 128", "swizzle 32"), "constant 128 :", "constant 16 :");
  text = with(text, "register 1..4@1 64@1, lane 8..32@1 1..2@0", "register 1@1, lane 2..8@1 1..2@0");
  EXPECT_EQ(run(text, 16), "");
}

// In a loop that is planned here: products of fp32 without tensor cores.
TEST(TensorCopies, PipelinedLoop) {
  const std::string text =
      R"(func.func @kernel(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %m: i32, %k: i32 {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %one = arith.constant 1 : i64
    %wide = arith.extsi %k : i32 to i64
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    %a = tile.make_desc %p shape [%m, %k] strides [%wide, %one] : !tile.ptr<f32> -> !tile.desc<tensor<16x16xf32>>
    %sum = scf.for %i = %c0 to %k step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      %left = tile.desc_load %a[%c0, %i] : !tile.desc<tensor<16x16xf32>> -> tensor<16x16xf32>
      %right = tile.trans %left {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
      %next = tile.dot %left, %right, %acc {precision = #tile<precision ieee>} : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
      scf.yield %next : tensor<16x16xf32>
    }
    %x = tile.arange 0 to 16 : tensor<16xi32>
    %row = tile.expand_dims %x {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
    %column = tile.expand_dims %x {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %rows = tile.broadcast %row : tensor<16x1xi32> -> tensor<16x16xi32>
    %columns = tile.broadcast %column : tensor<1x16xi32> -> tensor<16x16xi32>
    %sixteen = arith.constant dense<16> : tensor<16x16xi32>
    %scaled = arith.muli %rows, %sixteen : tensor<16x16xi32>
    %place = arith.addi %scaled, %columns : tensor<16x16xi32>
    %start = tile.splat %o : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
    %pointers = tile.addptr %start, %place : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    tile.store %pointers, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
    return
  })";
  Options options;
  options.choices.hasLines = false, options.numWarps = 2;
  LoweredKernel kernel(text, options, false);
  ASSERT_TRUE(kernel.isGood) << kernel.problem;
  ASSERT_NE(kernel.llvmText.find("cp.async.bulk.tensor"), std::string::npos);
  constexpr int64_t kM = 12, kK = 80; // four rows of the block lie outside
  std::vector<uint8_t> global(kM * kK * 4 + 16 * 16 * 4, 0xAA);
  auto *numbers = reinterpret_cast<float *>(global.data());
  for (int64_t i = 0; i < kM * kK; ++i)
    numbers[i] = float(i % 7 - 3);
  ASSERT_TRUE(kernel.run(global, {kM, kK, reinterpret_cast<uint64_t>(global.data()) + kM * kK * 4})) << kernel.problem;
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 16; ++j) {
      float expected = 0;
      for (int64_t k = 0; k < kK; ++k)
        expected += i < kM && j < kM ? numbers[i * kK + k] * numbers[j * kK + k] : 0;
      EXPECT_EQ(numbers[kM * kK + i * 16 + j], expected) << i << " " << j;
    }
}
