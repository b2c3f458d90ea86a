// The algebra of layouts: its laws on random maps, against brute force over all points.
#include "RandomLayout.h"

#include "layout/LayoutShapes.h"
#include "layout/LinearLayout.h"

#include "gtest/gtest.h"

#include <set>

using namespace nereid::layout;

// What a layout means, bit by bit and dimension by dimension.
static uint64_t applyByHand(const LinearLayout &layout, uint64_t point) {
  uint64_t result = 0;
  for (const Space::Entry &in : layout.in().entries())
    for (unsigned bit = 0; bit < in.bits; ++bit)
      if (layout.in().index(point, in.dim) >> bit & 1)
        for (const Space::Entry &out : layout.out().entries())
          result ^= layout.out().point(out.dim, layout.basis(in.dim, bit, out.dim));
  return result;
}

TEST(LinearLayout, example) {
  std::string problem;
  auto layout = LinearLayout::parse("4x8: register 1@1, lane 2..4@1 1@0, warp 2@0", problem);
  ASSERT_TRUE(layout) << problem;
  EXPECT_EQ(layout->element(1, 5, 1), (llvm::SmallVector<int64_t, 4>{3, 3}));
  EXPECT_TRUE(layout->isInvertible());
  EXPECT_EQ(layout->shape(), (llvm::SmallVector<int64_t, 4>{4, 8}));
}

TEST(LinearLayout, applyIsTheSumOfBases) {
  Generator random(1);
  for (unsigned i = 0; i < 100; ++i) {
    LinearLayout layout =
        randomMap(random, Space::threads(draw(random, 0, 4), 3, draw(random, 0, 2)), randomTile(random, 8));
    for (uint64_t point = 0; point < layout.in().size(); ++point)
      EXPECT_EQ(layout.apply(point), applyByHand(layout, point));
  }
}

TEST(LinearLayout, thenAppliesBoth) {
  Generator random(2);
  for (unsigned i = 0; i < 100; ++i) {
    Space middle = randomTile(random, 6);
    LinearLayout first = randomMap(random, Space::threads(2, 3, 1), middle);
    LinearLayout second = randomMap(random, middle, Space::offset(7));
    LinearLayout third = randomMap(random, Space::offset(7), Space::tile({8, 4}));
    LinearLayout both = first.then(second);
    for (uint64_t point = 0; point < first.in().size(); ++point)
      EXPECT_EQ(both.apply(point), second.apply(first.apply(point)));
    EXPECT_EQ(both.then(third), first.then(second.then(third)));
    EXPECT_EQ(first.then(LinearLayout::identity(middle)), first);
  }
}

TEST(LinearLayout, inverse) {
  Generator random(3);
  for (unsigned i = 0; i < 100; ++i) {
    LinearLayout map = randomBijection(random, Space::threads(2, 3, 2), randomTile(random, 7));
    EXPECT_EQ(map.then(map.inverse()), LinearLayout::identity(map.in()));
    EXPECT_EQ(map.inverse().then(map), LinearLayout::identity(map.out()));
    EXPECT_EQ(map.inverse().inverse(), map);
  }
}

TEST(LinearLayout, pseudoInverse) {
  Generator random(4);
  for (unsigned i = 0; i < 200; ++i) {
    LinearLayout map =
        randomMap(random, Space::threads(draw(random, 0, 3), 3, 1), randomTile(random, draw(random, 3, 8)));
    LinearLayout back = map.pseudoInverse();
    EXPECT_EQ(map.then(back).then(map), map);
    if (map.isSurjective()) {
      EXPECT_EQ(back.then(map), LinearLayout::identity(map.out()));
    }
    if (map.isInjective()) {
      EXPECT_EQ(map.then(back), LinearLayout::identity(map.in()));
    }
  }
}

TEST(LinearLayout, injectiveAndSurjectiveByCounting) {
  Generator random(5);
  for (unsigned i = 0; i < 200; ++i) {
    LinearLayout map = randomMap(random, Space::threads(2, 2, 1), randomTile(random, draw(random, 3, 6)));
    std::set<uint64_t> images;
    for (uint64_t point = 0; point < map.in().size(); ++point)
      images.insert(map.apply(point));
    EXPECT_EQ(map.isInjective(), images.size() == map.in().size());
    EXPECT_EQ(map.isSurjective(), images.size() == map.out().size());
    // With all free bits at 0 every element that is held is held once.
    std::multiset<uint64_t> once;
    for (uint64_t point = 0; point < map.in().size(); ++point) {
      bool isFirst = true;
      for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp, Dim::Block})
        isFirst &= !(map.in().index(point, dim) & map.freeBits(dim));
      if (isFirst)
        once.insert(map.apply(point));
    }
    EXPECT_EQ(once.size(), images.size());
    EXPECT_EQ(std::set<uint64_t>(once.begin(), once.end()), images);
  }
}

TEST(LinearLayout, productHoldsBothSideBySide) {
  Generator random(6);
  for (unsigned i = 0; i < 100; ++i) {
    LinearLayout low = randomMap(random, Space::threads(1, 2, 0), Space::tile({4, 2}));
    LinearLayout high = randomMap(random, Space::threads(1, 1, 1), Space::tile({2, 4}));
    LinearLayout both = low.product(high);
    EXPECT_EQ(both.shape(), (llvm::SmallVector<int64_t, 4>{8, 8}));
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned l = 0; l < 8; ++l)
        for (unsigned w = 0; w < 2; ++w) {
          auto a = low.element(r & 1, l & 3), b = high.element(r >> 1, l >> 2, w), sum = both.element(r, l, w);
          EXPECT_EQ(sum[0], a[0] + 4 * b[0]);
          EXPECT_EQ(sum[1], a[1] + 2 * b[1]);
        }
    EXPECT_EQ(both.quotient(low), high);
    LinearLayout third = randomMap(random, Space::threads(1, 0, 1), Space::tile({2, 2}));
    EXPECT_EQ(both.product(third), low.product(high.product(third)));
  }
  EXPECT_FALSE(LinearLayout::identity(Dim::Lane, Dim::Axis0, 3).quotient(LinearLayout::copies(Dim::Lane, 1)));
}

TEST(LinearLayout, restriction) {
  Generator random(7);
  LinearLayout map = randomMap(random, Space::threads(2, 3, 1), Space::tile({8, 16}));
  LinearLayout lanes = map.restrictIn({Dim::Lane}), columns = map.restrictOut({Dim::Axis1});
  for (unsigned lane = 0; lane < 8; ++lane)
    EXPECT_EQ(lanes.apply(lane), map.apply(map.in().point(Dim::Lane, lane)));
  for (uint64_t point = 0; point < map.in().size(); ++point)
    EXPECT_EQ(columns.apply(point), map.out().index(map.apply(point), Dim::Axis1));
}

TEST(LinearLayout, textAndBack) {
  Generator random(8);
  std::string problem;
  for (unsigned i = 0; i < 300; ++i) {
    Space tile = randomTile(random, draw(random, 0, 9));
    LinearLayout map = i % 3 == 0   ? randomMap(random, Space::threads(draw(random, 0, 3), 5, draw(random, 0, 2)), tile)
                       : i % 3 == 1 ? randomDistributed(random, tile, 2, false)
                                    : randomMap(random, Space::offset(draw(random, 0, 9)), Space::threads(3, 5, 2));
    EXPECT_EQ(LinearLayout::parse(map.toString(), problem), map) << map.toString() << ": " << problem;
    EXPECT_EQ(hash_value(*LinearLayout::parse(map.toString(), problem)), hash_value(map));
  }
}

TEST(LinearLayout, textThatIsWrong) {
  auto problemOf = [](std::string_view text) {
    std::string problem;
    EXPECT_FALSE(LinearLayout::parse(text, problem)) << text;
    return problem;
  };
  EXPECT_EQ(problemOf("4x6: lane 1@0"), "a tile has at most 64 axes with sizes that are powers of two, found 6");
  EXPECT_EQ(problemOf("4x8: lane 4@0"), "the index 4 is outside of `dim0`, which has 4");
  EXPECT_EQ(problemOf("4x8: lane 1@0, lane 2@0"), "the dimension `lane` is named twice");
  EXPECT_EQ(problemOf("4x8: lame 1@0"),
            "expected the name of a dimension (register, lane, warp, block, offset, dim0, …) before `lame 1@0`");
  EXPECT_EQ(problemOf("4x8 lane"), "expected `:` before `lane`");
  EXPECT_EQ(problemOf("4x8: lane 1..3@1"), "a run of bases doubles from its first to its last");
  EXPECT_EQ(problemOf("4x8: lane 1@"),
            "expected the name of a dimension (register, lane, warp, block, offset, dim0, …) before ``");
}

TEST(LinearLayout, contiguousRegisters) {
  LinearLayout layout = blockedLayout({64, 32}, {{2, 4}, {4, 8}, {4, 1}, {1, 0}});
  EXPECT_EQ(layout.contiguousRegisters(1), 4u);
  EXPECT_EQ(layout.contiguousRegisters(0), 1u);
  // A lane that moves inside of the run breaks it.
  layout.setColumn(Dim::Lane, 0, layout.column(Dim::Lane, 0) ^ layout.out().point(Dim::Axis1, 2));
  EXPECT_EQ(layout.contiguousRegisters(1), 2u);
}

TEST(F2, intersectionAndKernelByCounting) {
  Generator random(9);
  auto span = [](llvm::ArrayRef<F2Vector> vectors) {
    std::set<F2Vector> all;
    for (F2Vector index = 0; index < F2Vector(1) << vectors.size(); ++index)
      all.insert(multiply(vectors, index));
    return all;
  };
  for (unsigned i = 0; i < 200; ++i) {
    F2Vectors left, right;
    for (unsigned j = draw(random, 0, 5); j > 0; --j)
      left.push_back(draw(random, 0, 63));
    for (unsigned j = draw(random, 0, 5); j > 0; --j)
      right.push_back(draw(random, 0, 63));
    std::set<F2Vector> expected;
    for (F2Vector vector : span(left))
      if (span(right).count(vector))
        expected.insert(vector);
    EXPECT_EQ(span(intersect(left, right)), expected);
    std::set<F2Vector> zeros;
    for (F2Vector index = 0; index < F2Vector(1) << left.size(); ++index)
      if (!multiply(left, index))
        zeros.insert(index);
    EXPECT_EQ(span(kernelOf(left)), zeros);
    EXPECT_EQ(rankOf(left) + complete(left, 6).size(), 6u);
  }
}
