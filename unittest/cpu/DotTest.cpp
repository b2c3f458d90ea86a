// DotTest.cpp: products against sums in f64 (floats) and modulo 2^32 (integers), for every kind of x86-64 that this
// machine runs, every element type, odd shapes and all layouts. Operands end where memory ends.
#include "DotMatrix.h"
#include "DotRunner.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace nereid::cpu;
using namespace nereid::cpu::test;

namespace {

constexpr Strides kRow = Strides::RowMajor, kColumn = Strides::ColumnMajor, kGeneral = Strides::General;

std::vector<Target> runnableTargets() {
  std::vector<Target> targets;
  for (const char *name : {"x86-64", "x86-64-v3", "x86-64-v4"})
    if (Target target = *findTarget(name); target.runsHere())
      targets.push_back(target);
  return targets;
}

// What the type of the sums loses in one rounding, and the precision loses in one product.
double epsilonOf(const DotSpec &spec) {
  if (spec.acc == DotElement::F64)
    return 0x1p-53;
  bool isF32 = spec.lhs == DotElement::F32 && spec.rhs == DotElement::F32;
  switch (isF32 ? spec.precision : DotPrecision::IEEE) {
  case DotPrecision::TF32: return 0x1p-11;
  default: return 0x1p-24;
  }
}

struct Product {
  Target target;
  DotSpec spec;
  Strides lhs = kRow, rhs = kRow;

  std::string text() const {
    return target.text() + " " + std::to_string(spec.m) + "x" + std::to_string(spec.n) + "x" + std::to_string(spec.k) +
           " types " + std::to_string(int(spec.lhs)) + " " + std::to_string(int(spec.rhs)) + " precision " +
           std::to_string(int(spec.precision)) + " strides " + std::to_string(int(lhs)) + " " +
           std::to_string(int(rhs));
  }
};

// Sums run over k in order: each of the k + 1 roundings is at most epsilon of the sum of magnitudes.
template <typename Sum>
void expectClose(const Product &product, const DotMatrix &lhs, const DotMatrix &rhs, const std::vector<Sum> &before,
                 const Sum *after) {
  const DotSpec &spec = product.spec;
  double worst = 0;
  for (int64_t i = 0; i < spec.m; ++i)
    for (int64_t j = 0; j < spec.n; ++j) {
      double expected = before[i * spec.n + j], magnitude = std::abs(expected);
      for (int64_t p = 0; p < spec.k; ++p) {
        expected += lhs.at(i, p) * rhs.at(p, j);
        magnitude += std::abs(lhs.at(i, p) * rhs.at(p, j));
      }
      double bound = (spec.k + 2) * epsilonOf(spec) * magnitude, error = std::abs(after[i * spec.n + j] - expected);
      worst = std::max(worst, std::isnan(error) ? INFINITY : error / bound);
    }
  EXPECT_LE(worst, 1) << product.text();
}

void expectEqual(const Product &product, const DotMatrix &lhs, const DotMatrix &rhs,
                 const std::vector<uint32_t> &before, const uint32_t *after) {
  const DotSpec &spec = product.spec;
  for (int64_t i = 0; i < spec.m; ++i)
    for (int64_t j = 0; j < spec.n; ++j) {
      uint32_t expected = before[i * spec.n + j];
      for (int64_t p = 0; p < spec.k; ++p)
        expected += uint32_t(int64_t(lhs.at(i, p))) * uint32_t(int64_t(rhs.at(p, j)));
      ASSERT_EQ(after[i * spec.n + j], expected) << product.text() << " at " << i << ", " << j;
    }
}

template <typename Sum> void checkWith(const Product &product) {
  const DotSpec &spec = product.spec;
  DotRunner runner(product.target, spec, product.lhs, product.rhs);
  ASSERT_EQ(runner.error, "") << product.text();
  std::mt19937 random(spec.m * 7 + spec.n * 5 + spec.k);
  DotMatrix lhs(spec.lhs, spec.m, spec.k, product.lhs, random), rhs(spec.rhs, spec.k, spec.n, product.rhs, random);
  std::vector<Sum> before(spec.m * spec.n);
  for (Sum &value : before)
    value = Sum(int32_t(random() % 1000) - 500) / 100;
  GuardedMemory acc(before.size() * sizeof(Sum)), scratch(runner.scratchBytes);
  std::memcpy(acc.data(), before.data(), before.size() * sizeof(Sum));
  // NaNs of any earlier use.
  std::memset(scratch.data(), 0xff, runner.scratchBytes);
  runner.run(lhs.operand(), rhs.operand(), acc.data(), scratch.data());
  const Sum *after = reinterpret_cast<const Sum *>(acc.data());
  if constexpr (std::is_same_v<Sum, uint32_t>)
    expectEqual(product, lhs, rhs, before, after);
  else
    expectClose(product, lhs, rhs, before, after);
}

void check(const Product &product) {
  switch (product.spec.acc) {
  case DotElement::I32: return checkWith<uint32_t>(product);
  case DotElement::F64: return checkWith<double>(product);
  default: return checkWith<float>(product);
  }
}

DotSpec specOf(int64_t m, int64_t n, int64_t k, DotElement element) {
  DotElement acc = isInteger(element)           ? DotElement::I32
                   : element == DotElement::F64 ? DotElement::F64
                                                : DotElement::F32;
  return {m, n, k, element, element, acc, DotPrecision::IEEE};
}

TEST(Dot, ShapesAndLayouts) {
  for (const Target &target : runnableTargets())
    for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1}, {17, 33, 9}, {29, 80, 32}, {2, 130, 5}, {70, 8, 4}})
      for (Strides lhs : {kRow, kColumn, kGeneral})
        for (Strides rhs : {kRow, kColumn, kGeneral})
          check({target, specOf(m, n, k, DotElement::F32), lhs, rhs});
}

TEST(Dot, LargeShapes) {
  for (const Target &target : runnableTargets())
    for (auto [m, n, k] : {std::array<int64_t, 3>{128, 128, 256}, {8, 400, 1100}})
      for (Strides strides : {kRow, kColumn})
        check({target, specOf(m, n, k, DotElement::F32), strides, strides});
}

TEST(Dot, ElementTypes) {
  using E = DotElement;
  for (const Target &target : runnableTargets())
    for (E element : {E::F64, E::F16, E::BF16, E::F8E4M3FN, E::F8E5M2, E::F8E4M3FNUZ, E::F8E5M2FNUZ, E::F8E4M3B11FNUZ,
                      E::I8, E::U8, E::I16, E::U16, E::I32})
      for (Strides strides : {kRow, kColumn, kGeneral})
        check({target, specOf(13, 21, 11, element), strides, strides});
}

TEST(Dot, MixedElementTypes) {
  using E = DotElement;
  for (const Target &target : runnableTargets())
    for (auto [lhs, rhs] : {std::pair(E::F16, E::BF16),
                            {E::F32, E::F16},
                            {E::F8E4M3FN, E::F8E5M2},
                            {E::I8, E::U8},
                            {E::U8, E::I8},
                            {E::I8, E::I16},
                            {E::U16, E::I8}}) {
      DotSpec spec = specOf(19, 40, 23, lhs);
      spec.rhs = rhs;
      check({target, spec, kRow, kColumn});
    }
}

// Whatever set of features this machine has.
TEST(Dot, Native) {
  for (DotElement element : {DotElement::I8, DotElement::U8, DotElement::I16, DotElement::BF16})
    for (Strides strides : {kRow, kColumn})
      check({hostTarget(), specOf(20, 70, 33, element), strides, strides});
}

// Tile registers and pairs of bf16 and i16, each with and without the others: the instructions themselves where this
// machine has all of them, else emulated.
TEST(Dot, PairsAndTiles) {
  using E = DotElement;
  for (const char *features : {"", "+avx512vnni", "+avx512bf16", "+avx512vnni+avx512bf16", "+amx-bf16",
                               "+amx-int8+avx512vnni", "+avx512vnni+avx512bf16+amx-bf16+amx-int8"})
    for (auto [lhs, rhs] :
         {std::pair(E::BF16, E::BF16), {E::I8, E::I8}, {E::U8, E::I8}, {E::I8, E::U8}, {E::U8, E::U8}})
      for (Strides strides : {kRow, kColumn, kGeneral})
        for (auto [m, n, k] : {std::array<int64_t, 3>{48, 80, 128}, {32, 16, 75}}) {
          DotSpec spec = specOf(m, n, k, lhs);
          spec.rhs = rhs;
          check({*findTarget(std::string("x86-64-v4") + features), spec, strides, strides});
        }
}

TEST(Dot, UsesTheInstructions) {
  using E = DotElement;
  auto expect = [](const char *target, E element, const char *instruction) {
    EXPECT_NE(assemblyOf(*findTarget(target), specOf(32, 32, 64, element), kRow, kRow).find(instruction),
              std::string::npos)
        << target << " " << instruction;
  };
  expect("x86-64", E::F32, "mulps");
  expect("x86-64", E::I8, "pmaddwd");
  expect("x86-64-v3", E::F32, "vfmadd231ps");
  expect("x86-64-v4", E::F64, "vfmadd231pd");
  expect("x86-64-v3+avxvnni", E::I16, "{vex}\tvpdpwssd");
  expect("x86-64-v4", E::I16, "vpmaddwd");
  expect("x86-64-v4+avx512vnni", E::I16, "vpdpwssd");
  expect("x86-64-v4", E::BF16, "vfmadd231ps");
  expect("x86-64-v4+avx512bf16", E::BF16, "vdpbf16ps");
  expect("x86-64-v4+amx-int8", E::BF16, "vfmadd231ps");
  expect("x86-64-v4+amx-bf16", E::BF16, "tdpbf16ps");
  expect("x86-64-v4+amx-bf16", E::U8, "vpmaddwd");
  expect("sapphirerapids", E::I16, "vpdpwssd");
  expect("sapphirerapids", E::U8, "tdpbuud");
  expect("aarch64", E::F32, "fmla");
}

TEST(Dot, Precisions) {
  for (const Target &target : runnableTargets())
    for (Strides strides : {kRow, kColumn, kGeneral}) {
      DotSpec spec = specOf(18, 37, 40, DotElement::F32);
      spec.precision = DotPrecision::TF32;
      check({target, spec, strides, strides});
    }
}

// Rounding to tf32 is to nearest with ties away from zero, and shows in a product with one.
TEST(Dot, RoundsToTF32) {
  for (const Target &target : runnableTargets()) {
    DotSpec spec = specOf(1, 1, 1, DotElement::F32);
    spec.precision = DotPrecision::TF32;
    DotRunner runner(target, spec, kRow, kRow);
    ASSERT_EQ(runner.error, "");
    GuardedMemory scratch(runner.scratchBytes);
    auto rounded = [&](float value) {
      float one = 1, acc = 0;
      runner.run({&value, 1, 1}, {&one, 1, 1}, &acc, scratch.data());
      return acc;
    };
    EXPECT_EQ(rounded(1 + 0x1p-11f), 1 + 0x1p-10f);
    EXPECT_EQ(rounded(-1 - 0x1p-11f), -1 - 0x1p-10f);
    EXPECT_EQ(rounded(1 + 0x1p-11f - 0x1p-23f), 1);
    EXPECT_EQ(rounded(INFINITY), INFINITY);
    EXPECT_TRUE(std::isnan(rounded(NAN)));
  }
}

} // namespace
