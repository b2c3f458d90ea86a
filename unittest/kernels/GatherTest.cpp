// GatherTest.cpp: the wrappers of gather, compaction and random_fill against plain loops.
#include "nereid/kernels/gather.hpp"
#include "nereid/kernels/compaction.hpp"
#include "nereid/kernels/random_fill.hpp"

#include "Reference.h"

#include <map>
#include <set>

using namespace nereid;
using namespace nereid::test;

TEST(Gather, TakesAndPutsAlongAnAxis) {
  constexpr int64_t kOuter = 3, kLength = 7, kPicked = 5, kInner = 4;
  Tensor x = random({kOuter, kLength, kInner}, 1), out = zeros({kOuter, kPicked, kInner});
  Tensor index = randomIntegers<int64_t>({kOuter, kPicked, kInner}, -1, 7, 2); // some are no places
  auto places = index.values<int64_t>();
  auto target = [&](int64_t i) { return (i / (kPicked * kInner) * kLength + places[i]) * kInner + i % kInner; };
  auto isPlace = [&](int64_t i) { return places[i] >= 0 && places[i] < kLength; };
  expectDone(kernels::gather(out, x, index, 1, options()));
  expectValues(out, [&](int64_t i) { return isPlace(i) ? x.values<float>()[target(i)] : 0; }, 0);
  Tensor source = random(out.shape(), 3);
  for (bool inOrder : {true, false}) {
    Tensor sums = random(x.shape(), 4);
    std::vector<double> expected(sums.values<float>().begin(), sums.values<float>().end());
    for (int64_t i = 0; i < index.count(); ++i)
      if (isPlace(i))
        expected[target(i)] += source.values<float>()[i];
    expectDone(kernels::scatterAdd(sums, source, index, 1, inOrder, options()));
    expectValues(sums, [&](int64_t i) { return expected[i]; });
  }
  for (int64_t i = 0; i < index.count(); ++i) // each place once
    places[i] = (i / kInner % kPicked * 3 + i % kInner) % kLength;
  std::vector<double> put(x.values<float>().begin(), x.values<float>().end());
  for (int64_t i = 0; i < index.count(); ++i)
    put[target(i)] = source.values<float>()[i];
  expectDone(kernels::scatter(x, source, index, 1, options()));
  expectValues(x, [&](int64_t i) { return put[i]; }, 0);
  expectError(kernels::gather(out, x, index, 0, options()),
              "gather: `index` has shape [3, 5, 4], but `x` has [3, 7, 4], which differs beside axis 0");
}

TEST(Compaction, PacksWhatIsKept) {
  constexpr int64_t kCount = 5000;
  Tensor x = random({kCount}, 1), out = zeros({kCount}), mask = randomIntegers<int8_t>({kCount}, 0, 2, 2);
  Tensor number = zeros({1}, DType::Int32), places = zeros({kCount}, DType::Int64);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < kCount; ++i)
    if (mask.values<int8_t>()[i])
      kept.push_back(i);
  expectDone(kernels::compact(out, number, x, mask, options()));
  ASSERT_EQ(number.values<int32_t>()[0], static_cast<int32_t>(kept.size()));
  expectDone(kernels::nonzero(places, number, mask, options()));
  for (size_t i = 0; i < kept.size(); ++i) {
    ASSERT_EQ(out.values<float>()[i], x.values<float>()[kept[i]]);
    ASSERT_EQ(places.values<int64_t>()[i], kept[i]);
  }
  expectError(kernels::compact(out, number, x, zeros({4}), options()),
              "compact: `x` has shape [5000], but `mask` has [4]");
}

TEST(Compaction, FindsTheValuesOfAVector) {
  constexpr int64_t kCount = 3000;
  Tensor x = randomIntegers<int64_t>({kCount}, -40, 40, 3);
  kernels::Unique found{zeros({kCount}, DType::Int64), zeros({kCount}, DType::Int32), zeros({kCount}, DType::Int64),
                        zeros({1}, DType::Int32)};
  std::map<int64_t, int64_t> counts;
  for (int64_t value : x.values<int64_t>())
    ++counts[value];
  expectDone(kernels::unique(found, x, options()));
  ASSERT_EQ(found.number.values<int32_t>()[0], static_cast<int32_t>(counts.size()));
  int64_t rank = 0;
  for (auto [value, count] : counts) {
    EXPECT_EQ(found.values.values<int64_t>()[rank], value);
    EXPECT_EQ(found.counts.values<int64_t>()[rank++], count);
  }
  for (int64_t i = 0; i < kCount; ++i)
    ASSERT_EQ(found.values.values<int64_t>()[found.inverse.values<int32_t>()[i]], x.values<int64_t>()[i]);
}

TEST(RandomFill, HasMeansAndSeeds) {
  constexpr int64_t kCount = 20000;
  auto mean = [](const Tensor &x) {
    double total = 0;
    for (float value : x.values<float>())
      total += value;
    return total / static_cast<double>(x.count());
  };
  Tensor x = zeros({kCount}), again = zeros({kCount});
  expectDone(kernels::fillUniform(x, 5, -1, 3, options()));
  EXPECT_NEAR(mean(x), 1, 0.03);
  expectDone(kernels::fillUniform(again, 5, -1, 3, options()));
  expectValues(again, [&](int64_t i) { return x.values<float>()[i]; }, 0);
  expectDone(kernels::fillNormal(x, 5, 0.5, 2, options()));
  EXPECT_NEAR(mean(x), 0.5, 0.06);
  expectDone(kernels::fillExponential(x, 5, 4, options()));
  EXPECT_NEAR(mean(x), 0.25, 0.01);
  expectDone(kernels::fillCoins(x, 5, 0.3, options()));
  EXPECT_NEAR(mean(x), 0.3, 0.02);
  Tensor numbers = zeros({kCount}, DType::Int32);
  expectDone(kernels::fillIntegers(numbers, 6, -2, 3, options()));
  auto drawn = numbers.values<int32_t>();
  EXPECT_EQ(std::set<int32_t>(drawn.begin(), drawn.end()), (std::set<int32_t>{-2, -1, 0, 1, 2}));
  for (int64_t count : {kCount, int64_t(70000)}) {
    Tensor order = zeros({count}, DType::Int32);
    expectDone(kernels::fillPermutation(order, 7, options()));
    auto places = order.values<int32_t>();
    int64_t moved = 0;
    for (int64_t i = 0; i < count; ++i)
      moved += places[i] != i;
    EXPECT_GT(moved, count - 20);
    std::sort(places.begin(), places.end());
    for (int64_t i = 0; i < count; ++i)
      ASSERT_EQ(places[i], i);
  }
  expectError(kernels::fillIntegers(numbers, 6, 3, 3, options()),
              "fillIntegers: integers of 3 to 3 are asked for, but 1 to 2^32 are expected");
}
