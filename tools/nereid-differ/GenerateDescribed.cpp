// GenerateDescribed.cpp: matrix products of tensors behind descriptors, in the two forms that use TMA:
// a loop over K, and around it a loop over the tiles of the result whose iterations are shared by the programs.
#include "Products.h"

namespace nereid::differ {

namespace {

// One operand or the result: how it lies in memory, and the text of its descriptor.
struct Described {
  std::string name;
  Facts facts;
};

struct Sizes {
  Extent m, n, k;
  int64_t rows, columns, depth; // of the tensors: the last tiles may be cut off
  int64_t tilesM = 1, tilesN = 1, steps = 1;
};

int64_t roundedUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// Rows of whole pieces of 16 bytes; now and then one more, which TMA does not read.
Described describe(Generator &g, Parameter &tensor, const TileType &block, int64_t rows, int64_t columns,
                   int64_t stride) {
  std::string name = tensor.name; // a new parameter may move the others
  tensor.offset = 0;
  if (g.chance(40)) {
    tensor.kind = Parameter::Kind::Descriptor;
    tensor.shape = {rows, columns}, tensor.strides = {stride, 1};
    tensor.blockShape = block.shape;
    tensor.block.resize(2);
    return {name, {}};
  }
  std::string shape = g.constantOrArgument(rows) + ", " + g.constantOrArgument(columns);
  return {g.definePointer(block, "tl.make_tensor_descriptor(" + name + ", [" + shape + "], [" +
                                     g.constantOrArgument(stride) + ", 1], " + text(block.shape) + ")")
              .name,
          {}};
}

int64_t strideFor(Generator &g, DType dtype, int64_t columns) {
  return roundedUp(columns, 16 / int64_t(bytesOf(dtype))) + (g.chance(20) ? 16 : 0);
}

Described operand(Generator &g, const TileType &block, const Facts &wish, int64_t rows, int64_t columns) {
  int64_t stride = strideFor(g, block.dtype, columns);
  Facts facts;
  Parameter &tensor = g.freshTensor(block.dtype, wish, (rows - 1) * stride + columns, facts);
  Described made = describe(g, tensor, block, rows, columns, stride);
  made.facts = unite(facts, isFloat(block.dtype) ? wholeFacts(0, 0) : integerFacts(0, 0)); // what is outside
  return made;
}

std::optional<Sizes> chooseSizes(Generator &g, const ProductFormat &format, bool isPersistent) {
  int64_t least = std::max(leastDepth(format.lhs), leastDepth(format.rhs));
  Sizes sizes{.m = g.extent(g.choose({16, 64, 64, 128})),
              .n = g.extent(int64_t(16) << g.doublings(3)),
              .k = g.extent(least << g.below(3))};
  sizes.steps = g.between(1, 5);
  if (isPersistent)
    sizes.tilesM = g.between(1, 3), sizes.tilesN = g.between(1, 2);
  int64_t m = g.value(sizes.m), n = g.value(sizes.n), k = g.value(sizes.k);
  sizes.rows = m * sizes.tilesM - g.below(5), sizes.columns = n * sizes.tilesN - g.below(3);
  sizes.depth = k * sizes.steps - (g.chance(50) ? g.below(k) : 0);
  // All tiles of a persistent loop are computed once, by whichever program.
  int64_t work = m * n * sizes.depth * sizes.tilesM * sizes.tilesN;
  if (!g.spend(isPersistent ? (work + g.programs() - 1) / g.programs() : work))
    return std::nullopt;
  return sizes;
}

std::string rangeOptions(Generator &g) {
  std::string options;
  if (g.chance(30))
    options += ", num_stages=" + std::to_string(g.between(1, 4));
  if (g.chance(20))
    options += ", warp_specialize=True";
  return options;
}

struct Inside {
  Described a, b;
  bool isTransposed; // b lies as columns x depth
};

// acc += a[row:, …] x b[…, column:], over all of K.
Variable accumulate(Generator &g, const ProductFormat &format, const Sizes &sizes, const Inside &in, const Facts &facts,
                    const std::string &row, const std::string &column) {
  TileType typeA{format.lhs, {sizes.m, sizes.k}}, typeC{format.out, {sizes.m, sizes.n}};
  TileType typeB{format.rhs, in.isTransposed ? TileShape{sizes.n, sizes.k} : TileShape{sizes.k, sizes.n}};
  Facts zero = isFloat(format.out) ? wholeFacts(0, 0) : integerFacts(0, 0);
  Variable acc = g.define(typeC, zero, "tl.zeros(" + text(typeC.shape) + ", " + languageName(format.out) + ")");
  std::string index = g.newName("k"), at = index + " * " + sizes.k.text();
  Statement loop{.text = "for " + index + " in tl.range(" + g.constantOrArgument(sizes.steps) + rangeOptions(g) + "):",
                 .firstIndex = index};
  loop.body = g.collect([&] {
    Variable ta = g.define(typeA, in.a.facts, in.a.name + ".load([" + row + ", " + at + "])");
    Variable tb = g.define(typeB, in.b.facts,
                           in.b.name + ".load([" + (in.isTransposed ? column + ", " + at : at + ", " + column) + "])");
    std::string rhs = tb.name + (in.isTransposed ? ".T" : "");
    bool isFused = g.chance(70);
    std::string dot = "tl.dot(" + ta.name + ", " + rhs + (isFused ? ", " + acc.name : "") + format.options + ")";
    g.assign(acc, facts, isFused ? dot : acc.name + " + " + dot);
  });
  g.block->push_back(loop);
  Facts all = unite(facts, zero);
  for (Variable &variable : g.variables)
    if (variable.name == acc.name)
      variable.facts = all;
  acc.facts = all;
  return acc;
}

// The tiles go round the programs; each one is stored where it belongs.
void persistentLoop(Generator &g, const ProductFormat &format, const Sizes &sizes, const Inside &in,
                    const Facts &facts) {
  TileType typeC{format.out, {sizes.m, sizes.n}};
  int64_t stride = strideFor(g, format.out, sizes.columns);
  Facts all = unite(facts, isFloat(format.out) ? wholeFacts(0, 0) : integerFacts(0, 0));
  std::string tensor = g.outputTensor(format.out, all, (sizes.rows - 1) * stride + sizes.columns);
  Described out = describe(g, g.parameter(tensor), typeC, sizes.rows, sizes.columns, stride);
  std::string tile = g.newName("k");
  std::string options = g.chance(30) ? ", flatten=True" : "";
  Statement loop{.text = "for " + tile + " in tl.range(pid, " + g.constantOrArgument(sizes.tilesM * sizes.tilesN) +
                         ", " + std::to_string(g.programs()) + options + rangeOptions(g) + "):",
                 .firstIndex = tile};
  loop.body = g.collect([&] {
    auto offset = [&](const std::string &index, const Extent &extent) {
      return g.define({DType::Int32, {}}, integerFacts(0, 4096), "(" + index + ") * " + extent.text()).name;
    };
    std::string row = offset(tile + " // " + std::to_string(sizes.tilesN), sizes.m),
                column = offset(tile + " % " + std::to_string(sizes.tilesN), sizes.n);
    Variable acc = accumulate(g, format, sizes, in, facts, row, column);
    g.effect(out.name + ".store([" + row + ", " + column + "], " + acc.name + ")");
  });
  g.block->push_back(loop);
}

} // namespace

bool generateDescribedProduct(Generator &g) {
  ProductFormat format = randomFormat(g);
  if (format.out == DType::Fp16 || g.loopLevel > 0 || g.depth > 0)
    return false;
  bool isPersistent = g.chance(50);
  std::optional<Sizes> sizes = chooseSizes(g, format, isPersistent);
  if (!sizes)
    return false;
  Inside in;
  in.isTransposed = g.chance(50);
  auto depth = double(sizes->depth);
  in.a = operand(g, {format.lhs, {sizes->m, sizes->k}}, operandWish(g, format, format.lhs, depth), sizes->rows,
                 sizes->depth);
  Facts wish = operandWish(g, format, format.rhs, depth);
  in.b = in.isTransposed ? operand(g, {format.rhs, {sizes->n, sizes->k}}, wish, sizes->columns, sizes->depth)
                         : operand(g, {format.rhs, {sizes->k, sizes->n}}, wish, sizes->depth, sizes->columns);
  auto facts = productFacts(g, format, in.a.facts, in.b.facts, depth, nullptr);
  if (!facts)
    return false;
  if (isPersistent)
    persistentLoop(g, format, *sizes, in, *facts);
  else
    accumulate(g, format, *sizes, in, *facts, "0", "0");
  return true;
}

} // namespace nereid::differ
