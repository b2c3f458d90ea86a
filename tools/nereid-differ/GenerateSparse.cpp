// GenerateSparse.cpp: products of an operand of which two in every four elements are kept, by themselves and in a loop over K.
#include "Products.h"

namespace nereid::differ {

namespace {

class SparseProduct {
public:
  explicit SparseProduct(Generator &g) : g(g) {}

  bool run() {
    if (g.loopLevel > 0 || g.depth > 0)
      return false;
    dtype = g.choose({DType::Fp16, DType::Bf16, DType::Bf16, DType::Fp32});
    m = g.extent(g.choose({16, 64, 64, 128, 128})), n = g.extent(g.choose({16, 32, 64, 128}));
    kept = g.extent(g.choose({16, 32, 32, 64}));
    steps = g.between(1, 5);
    isDescribed = g.chance(40), isByte = g.chance(30), isAlongDepth = g.chance(50);
    perPlace = isByte ? 4 : 8;
    if (!g.spend(2 * g.value(m) * g.value(n) * g.value(kept) * steps))
      return false;
    g.leastWarps = std::max(g.leastWarps, g.value(m) * g.value(n) > 64 * 64 ? 4 : 1);
    declare();
    loop();
    return true;
  }

private:
  struct Matrix {
    std::string name;
    TileType type;
    int64_t columns; // in a row
  };

  // What the loop reads of a matrix of that many rows and columns, tile by tile.
  Matrix matrix(DType of, const Facts &wish, const TileShape &tile, int64_t rows, int64_t columns) {
    Facts facts;
    Parameter &made = g.freshTensor(of, wish, rows * columns, facts);
    Matrix result{made.name, {of, tile}, columns};
    if (!isDescribed || g.value(tile[1]) * int64_t(bytesOf(of)) < 16)
      return result;
    made.offset = 0;
    result.name = g.definePointer(result.type, "tl.make_tensor_descriptor(" + made.name + ", [" + std::to_string(rows) +
                                                   ", " + std::to_string(columns) + "], [" + std::to_string(columns) +
                                                   ", 1], " + text(tile) + ")")
                      .name;
    return result;
  }

  std::string arange(const Extent &extent) {
    return g
        .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
                "tl.arange(0, " + extent.text() + ")")
        .name;
  }

  void declare() {
    int64_t rows = g.value(m), width = g.value(n), depth = g.value(kept) * steps;
    Extent placesOfTile = g.extent(g.value(kept) / perPlace), deep = g.extent(2 * g.value(kept));
    DType placeType = isByte ? DType::Int8 : DType::Int16;
    values = matrix(dtype, wholeFacts(-2, 2), {m, kept}, rows, depth);
    places = matrix(placeType, fullFacts(placeType), {m, placesOfTile}, rows, depth / perPlace);
    other = isAlongDepth ? matrix(dtype, wholeFacts(-2, 2), {n, deep}, width, 2 * depth)
                         : matrix(dtype, wholeFacts(-2, 2), {deep, n}, 2 * depth, width);
  }

  Variable load(const Matrix &from, const std::string &row, const std::string &column) {
    Facts facts = isFloat(from.type.dtype) ? wholeFacts(-2, 2) : fullFacts(from.type.dtype);
    if (from.name[0] == 'p')
      return g.define(from.type, facts, from.name + ".load([" + row + ", " + column + "])");
    std::string down = "tl.arange(0, " + from.type.shape[0].text() + ")[:, None]",
                across = "tl.arange(0, " + from.type.shape[1].text() + ")[None, :]";
    return g.define(from.type, facts,
                    "tl.load(" + from.name + " + (" + row + " + " + down + ") * " + std::to_string(from.columns) +
                        " + " + column + " + " + across + ")");
  }

  void loop() {
    double most = 4 * double(g.value(kept) * steps);
    Facts facts = wholeFacts(-most, most);
    facts.isZeroUnsigned = true;
    TileType sumType{DType::Fp32, {m, n}};
    Variable sum = g.define(sumType, facts, "tl.zeros(" + text(sumType.shape) + ", tl.float32)");
    std::string index = g.newName("k");
    std::string stages = g.chance(50) ? ", num_stages=" + std::to_string(g.between(1, 4)) : "";
    stages += g.chance(20) ? ", warp_specialize=True" : "";
    Statement made{.text = "for " + index + " in tl.range(" + g.constantOrArgument(steps) + stages + "):",
                   .firstIndex = index};
    made.body = g.collect([&] {
      ++g.loopLevel;
      auto at = [&](const std::string &size) { return "(" + index + " * " + size + ")"; };
      std::string deep = at("(2 * " + kept.text() + ")");
      Variable v = load(values, "0", at(kept.text()));
      Variable any = load(places, "0", at(places.type.shape[1].text()));
      // Of each four, one of the first two or the third, and one behind it.
      std::string mask = isByte ? "0x55) | -120" : "0x5555) | -30584";
      Variable p = g.define(any.type, any.facts, "(" + any.name + " & " + mask);
      Variable o = isAlongDepth ? load(other, "0", deep) : load(other, deep, "0");
      std::string right = isAlongDepth ? "tl.trans(" + o.name + ")" : o.name;
      g.assign(sum, facts,
               "tl.dot_sparse(" + v.name + ", " + p.name + ", " + right + ", " + sum.name +
                   (dtype == DType::Fp32 ? ", input_precision=\"tf32\")" : ")"));
      --g.loopLevel;
    });
    g.block->push_back(made);
  }

  Generator &g;
  DType dtype = DType::Fp16;
  Extent m, n, kept;
  int64_t steps = 1, perPlace = 8;
  bool isDescribed = false, isByte = false;
  bool isAlongDepth = false; // the right operand lies so
  Matrix values, places, other;
};

} // namespace

bool generateSparseProduct(Generator &g) { return SparseProduct(g).run(); }

} // namespace nereid::differ
