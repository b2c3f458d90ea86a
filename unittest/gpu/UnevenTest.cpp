// Tiles whose extents are no powers of two, through the whole plan and on the emulated GPU: right values, no races.
#include "LowerKernel.h"

#include "gtest/gtest.h"

#include <cstring>
#include <functional>

using namespace nereid::gpu;

namespace {

constexpr unsigned kUnevenRows = 12, kColumns = 24, kUnevenCount = kUnevenRows * kColumns;
using Numbers = std::vector<uint32_t>;

// `body` makes %v out of %x, the numbers 7 i + 3 in rows.
std::string unevenKernel(const std::string &body) {
  return R"(func.func @kernel(%out: !tile.ptr<i32>) {
    %r = tile.arange 0 to 12 : tensor<12xi32>
    %c = tile.arange 0 to 24 : tensor<24xi32>
    %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<12xi32> -> tensor<12x1xi32>
    %c1 = tile.expand_dims %c {axis = 0 : i32} : tensor<24xi32> -> tensor<1x24xi32>
    %rows = tile.broadcast %r1 : tensor<12x1xi32> -> tensor<12x24xi32>
    %columns = tile.broadcast %c1 : tensor<1x24xi32> -> tensor<12x24xi32>
    %c3 = arith.constant dense<3> : tensor<12x24xi32>
    %c7 = arith.constant dense<7> : tensor<12x24xi32>
    %c24 = arith.constant dense<24> : tensor<12x24xi32>
    %s = arith.muli %rows, %c24 : tensor<12x24xi32>
    %i = arith.addi %s, %columns : tensor<12x24xi32>
    %m = arith.muli %i, %c7 : tensor<12x24xi32>
    %x = arith.addi %m, %c3 : tensor<12x24xi32>
    )" + body +
         R"(
    %p = tile.splat %out : !tile.ptr<i32> -> tensor<12x24x!tile.ptr<i32>>
    %q = tile.addptr %p, %i : tensor<12x24x!tile.ptr<i32>>, tensor<12x24xi32>
    tile.store %q, %v : tensor<12x24x!tile.ptr<i32>>, tensor<12x24xi32>
    return
  })";
}

void check(const std::string &body, const std::function<uint32_t(const Numbers &, unsigned row, unsigned column)> &is) {
  Numbers numbers, expected, actual(kUnevenCount);
  for (unsigned i = 0; i < kUnevenCount; ++i)
    numbers.push_back(i * 7 + 3);
  for (unsigned i = 0; i < kUnevenCount; ++i)
    expected.push_back(is(numbers, i / kColumns, i % kColumns));
  for (unsigned warps : {1u, 4u, 8u}) {
    Options options;
    options.choices.hasLines = false, options.numWarps = warps;
    LoweredKernel kernel(unevenKernel(body), options, false);
    ASSERT_TRUE(kernel.isGood) << kernel.problem;
    std::vector<uint8_t> memory(kUnevenCount * 4, 0xAA);
    EXPECT_TRUE(kernel.run(memory)) << kernel.problem << kernel.llvmText;
    std::memcpy(actual.data(), memory.data(), memory.size());
    EXPECT_EQ(actual, expected) << warps << " warps";
  }
}

constexpr const char *kAdd = R"({
    ^bb0(%l: i32, %o: i32):
      %sum = arith.addi %l, %o : i32
      tile.yield %sum : i32
    }
  )";

} // namespace

TEST(Uneven, sumsOfRows) {
  check(std::string("%t = tile.reduce %x {axis = 1 : i32} : (tensor<12x24xi32>) -> tensor<12xi32> ") + kAdd + R"(
    %t1 = tile.expand_dims %t {axis = 1 : i32} : tensor<12xi32> -> tensor<12x1xi32>
    %t2 = tile.broadcast %t1 : tensor<12x1xi32> -> tensor<12x24xi32>
    %v = arith.addi %x, %t2 : tensor<12x24xi32>
    )",
        [](const Numbers &numbers, unsigned row, unsigned column) {
          uint32_t sum = numbers[row * kColumns + column];
          for (unsigned i = 0; i < kColumns; ++i)
            sum += numbers[row * kColumns + i];
          return sum;
        });
}

TEST(Uneven, prefixSumsFromTheEnd) {
  check(std::string("%v = tile.scan %x {axis = 0 : i32, reverse} : (tensor<12x24xi32>) -> tensor<12x24xi32> ") + kAdd,
        [](const Numbers &numbers, unsigned row, unsigned column) {
          uint32_t sum = 0;
          for (unsigned i = row; i < kUnevenRows; ++i)
            sum += numbers[i * kColumns + column];
          return sum;
        });
}

// Pieces of 8 and 16 columns become such of 16 and 8 again.
TEST(Uneven, turned) {
  check(R"(%t = tile.trans %x {order = array<i32: 1, 0>} : tensor<12x24xi32> -> tensor<24x12xi32>
    %f = tile.flip %t {axis = 0 : i32} : tensor<24x12xi32> -> tensor<24x12xi32>
    %v = tile.trans %f {order = array<i32: 1, 0>} : tensor<24x12xi32> -> tensor<12x24xi32>
    )",
        [](const Numbers &numbers, unsigned row, unsigned column) {
          return numbers[row * kColumns + kColumns - 1 - column];
        });
}

TEST(Uneven, carriedByLoop) {
  check(R"(%zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %turns = arith.constant 3 : i32
    %v = scf.for %k = %zero to %turns step %one iter_args(%y = %x) -> (tensor<12x24xi32>) : i32 {
      %n = arith.addi %y, %x : tensor<12x24xi32>
      scf.yield %n : tensor<12x24xi32>
    }
    )",
        [](const Numbers &numbers, unsigned row, unsigned column) { return 4 * numbers[row * kColumns + column]; });
}
