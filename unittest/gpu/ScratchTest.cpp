// Ops that go through shared memory, one after the other and in loops: right values, no races, no barrier too many.
#include "LowerKernel.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace nereid::gpu;

namespace {

constexpr unsigned kCount = 512, kTurns = 3;

// `body` makes %v out of %x, numbers that are all different: i * 7 + 3.
std::string kernelText(const std::string &body) {
  return R"(func.func @kernel(%out: !tile.ptr<i32>) {
    %i = tile.arange 0 to 512 : tensor<512xi32>
    %c3 = arith.constant dense<3> : tensor<512xi32>
    %c7 = arith.constant dense<7> : tensor<512xi32>
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %turns = arith.constant 3 : i32
    %m = arith.muli %i, %c7 : tensor<512xi32>
    %x = arith.addi %m, %c3 : tensor<512xi32>
    )" + body +
         R"(
    %p = tile.splat %out : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
    %q = tile.addptr %p, %i : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
    tile.store %q, %v : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
    return
  })";
}

std::string sum(const std::string &result, const std::string &source) {
  return result + " = tile.reduce " + source + R"( {axis = 0 : i32} : (tensor<512xi32>) -> i32 {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      tile.yield %s : i32
    }
  )";
}

std::string inLoop(const std::string &body) {
  return "%v = scf.for %k = %zero to %turns step %one iter_args(%y = %x) -> (tensor<512xi32>) : i32 {\n" + body +
         "scf.yield %n : tensor<512xi32>\n}\n";
}

using Numbers = std::vector<uint32_t>;

// Runs the kernel and compares with what `change` makes of the numbers. Gives the barriers that the block passed.
unsigned check(const std::string &body, const std::function<void(Numbers &)> &change, unsigned warps = 4) {
  Options options;
  options.choices.hasLines = false, options.numWarps = warps;
  LoweredKernel kernel(kernelText(body), options, false);
  EXPECT_TRUE(kernel.isGood) << kernel.problem;
  if (!kernel.isGood)
    return 0;
  std::vector<uint8_t> memory(kCount * 4, 0xAA);
  EXPECT_TRUE(kernel.run(memory)) << kernel.problem << kernel.llvmText;
  Numbers actual(kCount), expected;
  std::memcpy(actual.data(), memory.data(), memory.size());
  for (unsigned i = 0; i < kCount; ++i)
    expected.push_back(i * 7 + 3);
  change(expected);
  EXPECT_EQ(actual, expected);
  return kernel.barriers;
}

void addSum(Numbers &numbers) {
  uint32_t total = 0;
  for (uint32_t number : numbers)
    total += number;
  for (uint32_t &number : numbers)
    number += total;
}

} // namespace

// Between the partial sums' write and their read, and before the next iteration writes them again.
TEST(Scratch, sumInLoop) {
  unsigned barriers = check(inLoop(sum("%t", "%y") + R"(
    %w = tile.splat %t : i32 -> tensor<512xi32>
    %n = arith.addi %y, %w : tensor<512xi32>
    )"),
                            [](Numbers &numbers) {
                              for (unsigned turn = 0; turn < kTurns; ++turn)
                                addSum(numbers);
                            });
  EXPECT_EQ(barriers, 2 * kTurns);
}

// Two sums have places of their own: each one's barrier is the other's as well.
TEST(Scratch, twoSumsInLoop) {
  unsigned barriers = check(inLoop(sum("%t", "%y") + R"(
    %w = tile.splat %t : i32 -> tensor<512xi32>
    %h = arith.addi %y, %w : tensor<512xi32>
    )" + sum("%u", "%h") + R"(
    %z = tile.splat %u : i32 -> tensor<512xi32>
    %n = arith.addi %h, %z : tensor<512xi32>
    )"),
                            [](Numbers &numbers) {
                              for (unsigned turn = 0; turn < 2 * kTurns; ++turn)
                                addSum(numbers);
                            });
  EXPECT_EQ(barriers, 2 * kTurns);
}

// Products of complex numbers.
std::string product(const std::string &real, const std::string &imaginary, const std::string &type,
                    const std::string &result) {
  return "%c:2 = tile.reduce " + real + ", " + imaginary + " {axis = 0 : i32} : (" + type + ", " + type + ") -> (" +
         result + ", " + result + R"() {
    ^bb0(%a: i32, %b: i32, %d: i32, %e: i32):
      %ad = arith.muli %a, %d : i32
      %be = arith.muli %b, %e : i32
      %ae = arith.muli %a, %e : i32
      %bd = arith.muli %b, %d : i32
      %re = arith.subi %ad, %be : i32
      %im = arith.addi %ae, %bd : i32
      tile.yield %re, %im : i32, i32
    }
  )";
}

uint32_t productOf(const Numbers &numbers, unsigned first, unsigned step) {
  uint32_t re = 1, im = 0;
  for (unsigned i = first; i < kCount; i += step) {
    uint32_t nextRe = re * numbers[i] - im * i;
    im = re * i + im * numbers[i], re = nextRe;
  }
  return re + im;
}

// Lanes fetch one partial result each, and combine them.
TEST(Scratch, productBetweenWarps) {
  for (unsigned warps : {1u, 2u, 4u, 8u, 16u})
    check(
        product("%x", "%i", "tensor<512xi32>", "i32") + R"(
      %s = arith.addi %c#0, %c#1 : i32
      %v = tile.splat %s : i32 -> tensor<512xi32>
      )",
        [](Numbers &numbers) { numbers.assign(kCount, productOf(numbers, 0, 1)); }, warps);
}

// With fewer lanes along the axis than warps, every lane fetches all.
TEST(Scratch, productsOfColumnsBetweenWarps) {
  for (unsigned warps : {4u, 8u, 16u})
    check(
        R"(
      %x2 = tile.reshape %x : tensor<512xi32> -> tensor<64x8xi32>
      %i2 = tile.reshape %i : tensor<512xi32> -> tensor<64x8xi32>
      )" + product("%x2", "%i2", "tensor<64x8xi32>", "tensor<8xi32>") +
            R"(
      %s = arith.addi %c#0, %c#1 : tensor<8xi32>
      %row = tile.expand_dims %s {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
      %all = tile.broadcast %row : tensor<1x8xi32> -> tensor<64x8xi32>
      %v = tile.reshape %all : tensor<64x8xi32> -> tensor<512xi32>
      )",
        [](Numbers &numbers) {
          Numbers sums(8);
          for (unsigned column = 0; column < 8; ++column)
            sums[column] = productOf(numbers, column, 8);
          for (unsigned i = 0; i < kCount; ++i)
            numbers[i] = sums[i % 8];
        },
        warps);
}

TEST(Scratch, scan) {
  check(R"(%v = tile.scan %x {axis = 0 : i32} : (tensor<512xi32>) -> tensor<512xi32> {
    ^bb0(%l: i32, %r: i32):
      %s = arith.addi %l, %r : i32
      tile.yield %s : i32
    }
    )",
        [](Numbers &numbers) {
          for (unsigned i = 1; i < kCount; ++i)
            numbers[i] += numbers[i - 1];
        });
}

TEST(Scratch, sortFlipGather) {
  check(R"(
    %mask = arith.constant dense<511> : tensor<512xi32>
    %factor = arith.constant dense<77> : tensor<512xi32>
    %far = arith.muli %i, %factor : tensor<512xi32>
    %index = arith.andi %far, %mask : tensor<512xi32>
    %g = tile.gather %x[%index] {axis = 0 : i32} : tensor<512xi32>, tensor<512xi32> -> tensor<512xi32>
    %f = tile.flip %g {axis = 0 : i32} : tensor<512xi32> -> tensor<512xi32>
    %o = tile.sort %f count 512 {descending} : tensor<512xi32> -> tensor<512xi32>
    %v = arith.addi %o, %f : tensor<512xi32>
    )",
        [](Numbers &numbers) {
          Numbers flipped(kCount);
          for (unsigned i = 0; i < kCount; ++i)
            flipped[kCount - 1 - i] = numbers[i * 77 & 511];
          Numbers sorted = flipped;
          std::sort(sorted.begin(), sorted.end(), std::greater<uint32_t>());
          for (unsigned i = 0; i < kCount; ++i)
            numbers[i] = sorted[i] + flipped[i];
        });
}

TEST(Scratch, histogram) {
  check(R"(
    %mask = arith.constant dense<63> : tensor<512xi32>
    %bins = arith.andi %x, %mask : tensor<512xi32>
    %v = tile.histogram %bins : tensor<512xi32> -> tensor<512xi32>
    )",
        [](Numbers &numbers) {
          Numbers counts(kCount, 0);
          for (uint32_t number : numbers)
            ++counts[number & 63];
          numbers = counts;
        });
}
