// Reductions between lanes and warps on the emulated GPU: functions whose order counts, and integers that a warp combines in one
// instruction.
#include "LowerKernel.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <functional>

using namespace nereid::gpu;

namespace {

struct Reduction {
  unsigned rows, columns, axis, warps;
  bool isStored = false; // the results themselves; else every element gets what its line has
};

// Reduces `%a`, which is i32 from memory, and `%j`, the place of each, or the first alone.
std::string kernelText(const Reduction &of, const std::string &sources, const std::string &types,
                       const std::string &combine) {
  std::string rows = std::to_string(of.rows), columns = std::to_string(of.columns);
  std::string tile = "tensor<" + rows + "x" + columns, left = "tensor<" + rows + "x1xi32>",
              top = "tensor<1x" + columns + "xi32>";
  std::string line = "tensor<" + (of.axis ? rows : columns), single = of.axis ? left : top;
  std::string found = types == "2" ? "%sum" : "%v";
  std::string spread = "%e = tile.expand_dims " + found + " {axis = " + std::to_string(of.axis) + " : i32} : " + line +
                       "xi32> -> " + single + "\n%f = tile.broadcast %e : " + single + " -> " + tile +
                       "xi32>\n%o = tile.splat %out : !tile.ptr<i32> -> " + tile +
                       "x!tile.ptr<i32>>\n%r = tile.addptr %o, %j : " + tile + "x!tile.ptr<i32>>, " + tile +
                       "xi32>\ntile.store %r, %f : " + tile + "x!tile.ptr<i32>>, " + tile + "xi32>\n";
  std::string stored = "%o = tile.splat %out : !tile.ptr<i32> -> " + line + "x!tile.ptr<i32>>\n%r = tile.addptr %o, " +
                       (of.axis ? "%ri" : "%ci") + " : " + line + "x!tile.ptr<i32>>, " + line +
                       "xi32>\ntile.store %r, " + found + " : " + line + "x!tile.ptr<i32>>, " + line + "xi32>\n";
  auto list = [&](const std::string &type) { return "(" + type + (types == "2" ? ", " + type : "") + ")"; };
  return "func.func @kernel(%base: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i32> "
         "{tile.divisibility = 16 : i32}) {\n"
         "%ri = tile.arange 0 to " +
         rows + " : tensor<" + rows +
         "xi32>\n"
         "%rc = tile.expand_dims %ri {axis = 1 : i32} : tensor<" +
         rows + "xi32> -> " + left +
         "\n"
         "%width = arith.constant dense<" +
         columns + "> : " + left +
         "\n"
         "%rw = arith.muli %rc, %width : " +
         left +
         "\n"
         "%rj = tile.broadcast %rw : " +
         left + " -> " + tile +
         "xi32>\n"
         "%ci = tile.arange 0 to " +
         columns + " : tensor<" + columns +
         "xi32>\n"
         "%cr = tile.expand_dims %ci {axis = 0 : i32} : tensor<" +
         columns + "xi32> -> " + top +
         "\n"
         "%cj = tile.broadcast %cr : " +
         top + " -> " + tile +
         "xi32>\n"
         "%j = arith.addi %rj, %cj : " +
         tile +
         "xi32>\n"
         "%p = tile.splat %base : !tile.ptr<i32> -> " +
         tile +
         "x!tile.ptr<i32>>\n"
         "%q = tile.addptr %p, %j : " +
         tile + "x!tile.ptr<i32>>, " + tile +
         "xi32>\n"
         "%a = tile.load %q : " +
         tile + "x!tile.ptr<i32>> -> " + tile +
         "xi32>\n"
         "%v" +
         (types == "2" ? ":2" : "") + " = tile.reduce " + sources + " {axis = " + std::to_string(of.axis) +
         " : i32} : " + list(tile + "xi32>") + " -> " + list(line + "xi32>") + " {\n" + combine + "}\n" +
         (types == "2" ? "%sum = arith.addi %v#0, %v#1 : " + line + "xi32>\n" : "") + (of.isStored ? stored : spread) +
         "return\n}";
}

// The lines of the tile, each folded from its first element on.
void checkReduction(const Reduction &of, const std::string &text,
                    const std::function<uint32_t(const std::vector<uint32_t> &)> &fold) {
  Options options;
  options.choices.hasLines = false, options.numWarps = of.warps;
  LoweredKernel kernel(text, options, false);
  ASSERT_TRUE(kernel.isGood) << kernel.problem;
  std::vector<uint32_t> input;
  for (unsigned i = 0; i < of.rows * of.columns; ++i)
    input.push_back(i * 2654435761u ^ i << 7);
  std::vector<uint32_t> expected(input.size()), actual(input.size());
  unsigned length = of.axis ? of.columns : of.rows, lines = of.axis ? of.rows : of.columns;
  for (unsigned line = 0; line < lines; ++line) {
    auto place = [&](unsigned k) { return of.axis ? line * of.columns + k : k * of.columns + line; };
    std::vector<uint32_t> elements; // each with its place behind it
    for (unsigned k = 0; k < length; ++k)
      elements.insert(elements.end(), {input[place(k)], place(k)});
    uint32_t folded = fold(elements);
    for (unsigned k = 0; k < length && !of.isStored; ++k)
      expected[place(k)] = folded;
    if (of.isStored)
      expected[line] = folded;
  }
  std::vector<uint8_t> memory(input.size() * 8);
  std::memcpy(memory.data(), input.data(), input.size() * 4);
  ASSERT_TRUE(kernel.run(memory, {reinterpret_cast<uint64_t>(memory.data()) + input.size() * 4})) << kernel.problem;
  std::memcpy(actual.data(), memory.data() + input.size() * 4, input.size() * 4);
  EXPECT_EQ(actual, expected) << of.rows << " x " << of.columns << " axis " << of.axis << " warps " << of.warps;
}

const Reduction kCases[] = {{8, 128, 1, 1},
                            {8, 128, 1, 4},
                            {1, 1024, 1, 4},
                            {64, 4, 0, 1},
                            {64, 4, 0, 4},
                            {2, 64, 1, 4},
                            {32, 2, 0, 1},
                            {1, 32, 1, 1},
                            // Results come out of shared memory as the tile has them, or as they are stored.
                            {32, 16, 0, 4},
                            {16, 128, 0, 8},
                            {16, 128, 0, 4, true},
                            {16, 256, 0, 8, true},
                            {32, 512, 0, 16, true}};

} // namespace

// Compositions of x -> a x + b. The lanes that come first have the order, and the others what these have.
TEST(Reduce, inOrder) {
  const char *combine = "^bb0(%la: i32, %lb: i32, %ra: i32, %rb: i32):\n%na = arith.muli %la, %ra : i32\n"
                        "%m = arith.muli %lb, %ra : i32\n%nb = arith.addi %m, %rb : i32\n"
                        "tile.yield %na, %nb : i32, i32\n";
  for (const Reduction &of : kCases)
    checkReduction(of, kernelText(of, "%a, %j", "2", combine), [](const std::vector<uint32_t> &elements) {
      uint32_t a = 1, b = 0;
      for (unsigned i = 0; i < elements.size(); i += 2)
        b = b * elements[i] + elements[i + 1], a *= elements[i];
      return a + b;
    });
}

TEST(Reduce, integersOfAWarp) {
  struct Row {
    const char *op;
    uint32_t (*fold)(uint32_t, uint32_t);
  } rows[] = {{"arith.addi", [](uint32_t a, uint32_t b) { return a + b; }},
              {"arith.andi", [](uint32_t a, uint32_t b) { return a & b; }},
              {"arith.ori", [](uint32_t a, uint32_t b) { return a | b; }},
              {"arith.xori", [](uint32_t a, uint32_t b) { return a ^ b; }},
              {"arith.maxsi", [](uint32_t a, uint32_t b) { return uint32_t(std::max(int32_t(a), int32_t(b))); }},
              {"arith.minsi", [](uint32_t a, uint32_t b) { return uint32_t(std::min(int32_t(a), int32_t(b))); }},
              {"arith.maxui", [](uint32_t a, uint32_t b) { return std::max(a, b); }},
              {"arith.minui", [](uint32_t a, uint32_t b) { return std::min(a, b); }}};
  for (const Row &row : rows)
    for (const Reduction &of : kCases) {
      std::string combine =
          "^bb0(%l: i32, %r: i32):\n%n = " + std::string(row.op) + " %l, %r : i32\ntile.yield %n : i32\n";
      checkReduction(of, kernelText(of, "%a", "1", combine), [&](const std::vector<uint32_t> &elements) {
        uint32_t found = elements[0];
        for (unsigned i = 2; i < elements.size(); i += 2)
          found = row.fold(found, elements[i]);
        return found;
      });
    }
}
