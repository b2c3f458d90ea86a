// Changes of layout in generated code: every thread computes numbers from the indices of its elements, the layout
// changes, and each element is stored at its own index: memory must hold the numbers in order, whatever the layouts
// were.
#include "../layout/RandomLayout.h"
#include "LowerKernel.h"

#include "layout/LayoutMoves.h"
#include "layout/LayoutShapes.h"
#include "layout/MmaLayouts.h"

#include "gtest/gtest.h"

#include <cstring>

using namespace nereid::gpu;
using namespace nereid::layout;

namespace {

std::string tensor(const LinearLayout &layout, const std::string &element) {
  return "tensor<" + std::to_string(layout.out().size()) + "x" + element + ", #warp.layout<\"" + layout.toString() +
         "\">>";
}

// Rows and columns become one axis; registers stay.
LinearLayout flat(const LinearLayout &layout) { return reshapeLayout(layout, {int64_t(layout.out().size())}); }

constexpr uint32_t kFactor = 2654435761u;

// Numbers in the layout `from`; `body` makes %v with the layout `to` out of %t.
std::string kernelText(const LinearLayout &from, const LinearLayout &to, unsigned bytes, const std::string &body) {
  std::string type = "i" + std::to_string(8 * bytes), count = std::to_string(from.out().size());
  std::string a = tensor(from, "i32"), b = tensor(to, "i32");
  std::string narrow = bytes == 4   ? "%t = arith.addi %m, %i : " + a
                       : bytes == 8 ? "%t = arith.extui %m : " + a + " to " + tensor(from, type)
                                    : "%t = arith.trunci %m : " + a + " to " + tensor(from, type);
  return "func.func @kernel(%out: !tile.ptr<" + type +
         ">) {\n"
         "%i = tile.arange 0 to " +
         count + " : " + a +
         "\n"
         "%c = arith.constant dense<" +
         std::to_string(int32_t(kFactor)) + "> : " + a +
         "\n"
         "%m = arith.muli %i, %c : " +
         a + "\n" + narrow + "\n" + body + "%j = tile.arange 0 to " + count + " : " + b +
         "\n"
         "%p = tile.splat %out : !tile.ptr<" +
         type + "> -> " + tensor(to, "!tile.ptr<" + type + ">") +
         "\n"
         "%q = tile.addptr %p, %j : " +
         tensor(to, "!tile.ptr<" + type + ">") + ", " + b +
         "\n"
         "tile.store %q, %v : " +
         tensor(to, "!tile.ptr<" + type + ">") + ", " + tensor(to, type) +
         "\n"
         "return\n}\n";
}

std::string convertText(const std::string &result, const std::string &source, const LinearLayout &from,
                        const LinearLayout &to, unsigned bytes) {
  std::string type = "i" + std::to_string(8 * bytes);
  return result + " = warp.convert_layout " + source + " : " + tensor(from, type) + " -> " + tensor(to, type) + "\n";
}

std::vector<uint8_t> expected(uint64_t count, unsigned bytes) {
  std::vector<uint8_t> memory(count * bytes);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t value = uint32_t(i * kFactor + (bytes == 4 ? i : 0));
    std::memcpy(memory.data() + i * bytes, &value, bytes);
  }
  return memory;
}

// Gives the kernel after a run that was right.
std::unique_ptr<LoweredKernel> check(const std::string &text, uint64_t count, unsigned bytes, unsigned warps,
                                     const std::string &target = "sm_90a") {
  Options options;
  options.numWarps = warps;
  options.target = targetOf(target);
  options.choices.hasLines = false;
  auto kernel = std::make_unique<LoweredKernel>(text, options);
  EXPECT_TRUE(kernel->isGood) << kernel->problem << text;
  if (!kernel->isGood)
    return kernel;
  std::vector<uint8_t> memory(count * bytes, 0xAA);
  EXPECT_TRUE(kernel->run(memory)) << kernel->problem << "\n" << text << kernel->llvmText;
  EXPECT_EQ(memory, expected(count, bytes)) << text;
  return kernel;
}

std::unique_ptr<LoweredKernel> checkConversion(const LinearLayout &from, const LinearLayout &to, unsigned bytes,
                                               const std::string &target = "sm_90a") {
  LinearLayout a = flat(from), b = flat(to);
  return check(kernelText(a, b, bytes, convertText("%v", "%t", a, b, bytes)), a.out().size(), bytes, a.warps(), target);
}

LinearLayout withoutCopies(Generator &random, const Space &tile, unsigned warpBits, bool scramble) {
  for (;;) {
    LinearLayout layout = randomDistributed(random, tile, warpBits, scramble);
    if (!layout.hasCopies())
      return layout;
  }
}

} // namespace

TEST(ConvertLayout, randomLayouts) {
  Generator random(41);
  for (unsigned i = 0; i < 60; ++i) {
    unsigned warpBits = draw(random, 0, 2), bits = 5 + warpBits + draw(random, 0, 4);
    Space tile = Space::tile({int64_t(1) << bits});
    LinearLayout from = randomDistributed(random, tile, warpBits, i % 3 == 0),
                 to = withoutCopies(random, tile, warpBits, i % 5 == 0);
    checkConversion(from, to, 1u << draw(random, 0, 3), i % 2 ? "sm_80" : "sm_90a");
    if (HasFailure())
      return;
  }
}

TEST(ConvertLayout, operandsAndAccumulators) {
  LinearLayout rows = blockedLayout({32, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  LinearLayout store = blockedLayout({64, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  // The operands of four warps in a row are read without copies.
  auto a = checkConversion(rows, mmaOperandLayout({32, 64}, DotOperand::B, {1, 4}, 2), 2);
  EXPECT_NE(a->llvmText.find("ldmatrix.sync.aligned.m8n8.x4.trans"), std::string::npos);
  auto c = checkConversion(wgmmaAccumulatorLayout({64, 64}, {4, 1}, 64), store, 2);
  EXPECT_NE(c->llvmText.find("stmatrix.sync.aligned.m8n8.x4.b16"), std::string::npos);
}

// Each warp of a wgmma accumulator that stores whole rows keeps to itself: no barrier for the block.
TEST(ConvertLayout, warpsThatKeepToThemselves) {
  LinearLayout accumulator = wgmmaAccumulatorLayout({64, 64}, {4, 1}, 64);
  LinearLayout rows = blockedLayout({64, 64}, {{1, 8}, {4, 8}, {4, 1}, {1, 0}});
  rows.setColumn(Dim::Warp, 0, accumulator.column(Dim::Warp, 0));
  rows.setColumn(Dim::Warp, 1, accumulator.column(Dim::Warp, 1));
  rows.setColumn(Dim::Register, 3, rows.out().point(Dim::Axis0, 4));
  rows.setColumn(Dim::Register, 4, rows.out().point(Dim::Axis0, 8));
  ASSERT_TRUE(rows.isInvertible());
  auto kernel = checkConversion(accumulator, rows, 4);
  EXPECT_EQ(kernel->barriers, 0u);
}

// In a loop that changes the layout there and back. Both changes have places of their own: what the first one reads is
// behind the barrier of the second one, so no more than one barrier each is needed.
TEST(ConvertLayout, barriersInLoops) {
  LinearLayout rows = flat(blockedLayout({32, 32}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}}));
  LinearLayout columns = flat(blockedLayout({32, 32}, {{4, 1}, {8, 4}, {1, 4}, {0, 1}}));
  std::string type = tensor(rows, "i32");
  auto loop = [&](const std::string &inside) {
    return "%zero = arith.constant 0 : i32\n%one = arith.constant 1 : i32\n%five = arith.constant 5 : i32\n"
           "%v = scf.for %k = %zero to %five step %one iter_args(%x = %t) -> (" +
           type + ") : i32 {\n" + inside + "scf.yield %back : " + type + "\n}\n";
  };
  std::string thereAndBack =
      convertText("%there", "%x", rows, columns, 4) + convertText("%back", "%there", columns, rows, 4);
  auto kernel = check(kernelText(rows, rows, 4, loop(thereAndBack)), 1024, 4, 4);
  EXPECT_EQ(kernel->barriers, 10u);
  EXPECT_EQ(kernel->sharedBytes, 8192u);
}

// Two changes that are too large to have places apart: a barrier before the second.
TEST(ConvertLayout, barriersWhereMemoryIsShared) {
  LinearLayout rows = flat(blockedLayout({64, 64}, {{1, 4}, {4, 8}, {4, 1}, {1, 0}}));
  LinearLayout columns = flat(blockedLayout({64, 64}, {{4, 1}, {8, 4}, {1, 4}, {0, 1}}));
  std::string body = convertText("%there", "%t", rows, columns, 4) + convertText("%v", "%there", columns, rows, 4);
  auto kernel = check(kernelText(rows, rows, 4, body), 4096, 4, 4);
  EXPECT_EQ(kernel->barriers, 3u);
  EXPECT_EQ(kernel->sharedBytes, 16384u);
}
