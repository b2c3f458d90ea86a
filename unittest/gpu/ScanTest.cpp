// Scans in the layouts in which tiles come from memory: right values along either axis and from either end, for
// functions whose order counts, and no conversion where threads can go along the axis as they are.
#include "LowerKernel.h"

#include "gpu/layouts/ScanRuns.h"
#include "layout/LayoutShapes.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace nereid::gpu;
using nereid::layout::blockedLayout;

namespace {

struct Case {
  unsigned rows, columns, axis, warps;
  bool isReverse;
};

// Compositions of x -> a x + b: the order counts.
std::string kernelText(const Case &of) {
  std::string rows = std::to_string(of.rows), columns = std::to_string(of.columns);
  std::string tile = "tensor<" + rows + "x" + columns;
  std::string left = "tensor<" + rows + "x1xi32>", top = "tensor<1x" + columns + "xi32>";
  return R"(func.func @kernel(%base: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i32> {tile.divisibility = 16 : i32}) {
    %ri = tile.arange 0 to )" +
         rows + " : tensor<" + rows + R"(xi32>
    %rc = tile.expand_dims %ri {axis = 1 : i32} : tensor<)" +
         rows + "xi32> -> " + left + R"(
    %width = arith.constant dense<)" +
         columns + "> : " + left + R"(
    %rw = arith.muli %rc, %width : )" +
         left + R"(
    %rj = tile.broadcast %rw : )" +
         left + " -> " + tile + R"(xi32>
    %ci = tile.arange 0 to )" +
         columns + " : tensor<" + columns + R"(xi32>
    %cr = tile.expand_dims %ci {axis = 0 : i32} : tensor<)" +
         columns + "xi32> -> " + top + R"(
    %cj = tile.broadcast %cr : )" +
         top + " -> " + tile + R"(xi32>
    %j = arith.addi %rj, %cj : )" +
         tile + R"(xi32>
    %p = tile.splat %base : !tile.ptr<i32> -> )" +
         tile + R"(x!tile.ptr<i32>>
    %q = tile.addptr %p, %j : )" +
         tile + "x!tile.ptr<i32>>, " + tile + R"(xi32>
    %a = tile.load %q : )" +
         tile + "x!tile.ptr<i32>> -> " + tile + R"(xi32>
    %v:2 = tile.scan %a, %j {axis = )" +
         std::to_string(of.axis) + " : i32" + (of.isReverse ? ", reverse" : "") + "} : (" + tile + "xi32>, " + tile +
         "xi32>) -> (" + tile + "xi32>, " + tile + R"(xi32>) {
    ^bb0(%la: i32, %lb: i32, %ra: i32, %rb: i32):
      %na = arith.muli %la, %ra : i32
      %m = arith.muli %lb, %ra : i32
      %nb = arith.addi %m, %rb : i32
      tile.yield %na, %nb : i32, i32
    }
    %o = tile.splat %out : !tile.ptr<i32> -> )" +
         tile + R"(x!tile.ptr<i32>>
    %r = tile.addptr %o, %j : )" +
         tile + "x!tile.ptr<i32>>, " + tile + R"(xi32>
    %sum = arith.addi %v#0, %v#1 : )" +
         tile + R"(xi32>
    tile.store %r, %sum : )" +
         tile + "x!tile.ptr<i32>>, " + tile + R"(xi32>
    return
  })";
}

std::vector<uint32_t> expected(const Case &of, const std::vector<uint32_t> &input) {
  std::vector<uint32_t> result(input.size());
  unsigned length = of.axis ? of.columns : of.rows, lines = of.axis ? of.rows : of.columns;
  for (unsigned line = 0; line < lines; ++line) {
    uint32_t a = 1, b = 0;
    for (unsigned k = 0; k < length; ++k) {
      unsigned at = of.isReverse ? length - 1 - k : k;
      unsigned place = of.axis ? line * of.columns + at : at * of.columns + line;
      b = b * input[place] + place, a *= input[place];
      result[place] = a + b;
    }
  }
  return result;
}

unsigned check(const Case &of) {
  Options options;
  options.choices.hasLines = false, options.numWarps = of.warps;
  LoweredKernel kernel(kernelText(of), options, false);
  EXPECT_TRUE(kernel.isGood) << kernel.problem;
  if (!kernel.isGood)
    return 0;
  std::vector<uint32_t> input;
  for (unsigned i = 0; i < of.rows * of.columns; ++i)
    input.push_back(i * 6 + 5);
  std::vector<uint8_t> memory(input.size() * 8);
  std::memcpy(memory.data(), input.data(), input.size() * 4);
  EXPECT_TRUE(kernel.run(memory, {reinterpret_cast<uint64_t>(memory.data()) + input.size() * 4})) << kernel.problem;
  std::vector<uint32_t> actual(input.size());
  std::memcpy(actual.data(), memory.data() + input.size() * 4, input.size() * 4);
  EXPECT_EQ(actual, expected(of, input)) << of.rows << " x " << of.columns << " axis " << of.axis << " warps "
                                         << of.warps;
  return kernel.barriers;
}

} // namespace

TEST(Scan, eitherAxisAndEnd) {
  for (auto [rows, columns] : {std::pair(8u, 128u), {1u, 1024u}, {64u, 4u}, {16u, 64u}, {512u, 1u}, {2u, 128u}})
    for (unsigned axis : {0u, 1u})
      for (unsigned warps : {1u, 4u})
        for (bool isReverse : {false, true})
          check({rows, columns, axis, warps, isReverse});
}

// A row for each warp, as it came from memory: nothing goes through shared memory.
TEST(Scan, rowsOfWarpsStay) {
  EXPECT_EQ(check({8, 128, 1, 8, false}), 0u);
  EXPECT_EQ(check({16, 32, 1, 4, true}), 0u);
  EXPECT_EQ(check({1, 1024, 1, 1, false}), 0u); // in chunks
}

// Totals of runs go to the thread that has their neighbours: along rows of warps, and along one of the whole block.
TEST(Scan, manyChunks) {
  for (bool isReverse : {false, true}) {
    EXPECT_EQ(check({1, 1024, 1, 1, isReverse}), 0u);
    EXPECT_EQ(check({4, 1024, 1, 4, isReverse}), 0u);
    EXPECT_EQ(check({16, 512, 1, 4, isReverse}), 0u);
    EXPECT_EQ(check({1, 4096, 1, 4, isReverse}), 3u);
    EXPECT_EQ(check({2, 2048, 1, 2, isReverse}), 0u);
  }
}

// Totals of warps, once.
TEST(Scan, oneBarrierBetweenWarps) {
  EXPECT_EQ(check({1, 1024, 1, 4, false}), 1u);
  EXPECT_EQ(check({64, 128, 0, 4, true}), 1u);
}

TEST(Scan, runsOfLayouts) {
  int64_t shape[] = {8, 256};
  std::optional<ScanRuns> along = scanRuns(blockedLayout(shape, 4, 2, {1, 0}), 1);
  ASSERT_TRUE(along);
  EXPECT_EQ(along->run, 2u);
  EXPECT_EQ(along->lanes, 5u);
  EXPECT_EQ(along->run + along->lanes + along->warps + along->chunks, 8u);
  // Threads along the other axis: rows are registers and warps.
  std::optional<ScanRuns> across = scanRuns(blockedLayout(shape, 4, 2, {1, 0}), 0);
  ASSERT_TRUE(across);
  EXPECT_EQ(across->lanes, 0u);
}
