// GenerateChain.cpp: products of what other products gave: one after the other, and in a loop as attention has them, with rows that
// say where tiles lie, rows that are added to products, masks, sums that are scaled, and an operand that the loop changes.
//
// Everything is a whole number so small that sums of f32 are exact. What becomes an operand again is rounded once, the same everywhere.
#include "Products.h"

#include <algorithm>

namespace nereid::differ {

namespace {

constexpr double kMost = 1 << 22; // of sums

Facts within(double most) {
  Facts facts = wholeFacts(-most, most);
  facts.isZeroUnsigned = true;
  return facts;
}

// What a product gives may be added to something where it is summed, which rounds there.
Facts productWithin(double most, int64_t depth) {
  Facts facts = within(most);
  facts.fusedUnits = fusedUnitsOf(double(depth));
  return facts;
}

std::string arange(Generator &g, const Extent &extent) {
  return g
      .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
              "tl.arange(0, " + extent.text() + ")")
      .name;
}

// A product as an operand: as it is where the type holds numbers of that size, or its sign.
Variable asOperand(Generator &g, DType dtype, const Variable &product) {
  double most = product.facts.magnitude();
  TileType type{dtype, product.type.shape};
  if (most <= 2048 && g.chance(75))
    return g.define(type, within(most), product.name + ".to(" + languageName(dtype) + ")");
  return g.define(type, within(1), "tl.where(" + product.name + " > 0, 1.0, -1.0).to(" + languageName(dtype) + ")");
}

} // namespace

bool generateProductChain(Generator &g) {
  DType dtype = g.choose({DType::Fp16, DType::Bf16});
  Extent size = g.extent(g.choose({16, 32, 64, 64, 64}));
  int64_t n = g.value(size);
  if (!g.spend(n * n * n))
    return false;
  TileShape shape{size, size};
  std::string places = arange(g, size), i = places + "[:, None]", j = places + "[None, :]";
  std::vector<Variable> tiles, products;
  for (int64_t count = g.between(2, 3); count > 0; --count)
    tiles.push_back(g.obtain({dtype, shape}, wholeFacts(-1, 1)));
  for (int64_t rounds = g.between(2, 5); rounds > 0; --rounds) {
    // Mostly what has just been computed.
    Variable x = g.chance(60) ? tiles.back() : g.choose(tiles), y = g.chance(40) ? tiles.back() : g.choose(tiles);
    std::optional<Variable> acc = !products.empty() && g.chance(25) ? std::optional(g.choose(products)) : std::nullopt;
    double most = double(n) * x.facts.magnitude() * y.facts.magnitude() + (acc ? acc->facts.magnitude() : 0);
    if (most > kMost || !g.spend(n * n * n))
      break;
    std::string rhs = g.chance(30) ? "tl.trans(" + y.name + ")" : y.name;
    products.push_back(g.define({DType::Fp32, shape}, productWithin(most, n * int64_t(products.size() + 1)),
                                "tl.dot(" + x.name + ", " + rhs + (acc ? ", " + acc->name : "") + ")"));
    Variable masked = products.back();
    if (g.chance(50)) {
      std::string order = g.choose({i + " >= " + j, i + " > " + j, i + " < " + j, i + " == " + j + " + 8"});
      masked = g.define({DType::Fp32, shape}, within(most), "tl.where(" + order + ", " + masked.name + ", 0.0)");
    }
    tiles.push_back(asOperand(g, dtype, masked));
  }
  return !products.empty();
}

namespace {

// Tiles of keys and values go by; each is multiplied, and what comes of it is too.
class Attention {
public:
  Attention(Generator &g) : g(g) {}

  bool run() {
    if (g.loopLevel > 0 || g.depth > 0)
      return false;
    m = g.extent(g.choose({16, 64, 64, 128})), width = g.extent(g.choose({16, 32, 64}));
    block = g.extent(g.choose({16, 32, 64}));
    steps = g.between(1, 5);
    length = g.value(block) * steps - (g.chance(50) ? g.below(g.value(block)) : 0);
    if (!g.spend(3 * g.value(m) * g.value(width) * g.value(block) * steps))
      return false;
    chooseForm();
    make();
    return true;
  }

private:
  void chooseForm() {
    dtype = g.choose({DType::Fp16, DType::Bf16});
    isLookedUp = g.chance(50), hasRow = g.chance(50), isWindowed = g.chance(40), isScaled = g.chance(40);
    isChanged = g.chance(40), isBackward = g.chance(25);
  }

  std::string mask(const std::string &index) {
    return ", mask=(" + at + " < " + lengthText + ")" + index + ", other=0.0)";
  }
  // Rows of a matrix as they lie, or each a column.
  Variable tile(const std::string &tensor, bool isColumns) {
    std::string where = isColumns ? "[None, :]" : "[:, None]", other = isColumns ? "[:, None]" : "[None, :]";
    TileShape shape = isColumns ? TileShape{width, block} : TileShape{block, width};
    return g.define({dtype, shape}, within(1),
                    "tl.load(" + tensor + " + " + rows + where + " * " + width.text() + " + " + across + other +
                        mask(where));
  }

  void make() {
    int64_t count = g.value(block) * steps, high = isLookedUp ? g.between(1, count) : count;
    Facts facts;
    auto matrix = [&] { return g.freshTensor(dtype, wholeFacts(-1, 1), high * g.value(width), facts).name; };
    std::string keys = matrix(), values = matrix(), changes = isChanged ? matrix() : "", table, bias;
    if (isLookedUp)
      table = g.freshTensor(DType::Int32, integerFacts(0, double(high - 1)), count, facts).name;
    if (hasRow)
      bias = g.freshTensor(DType::Fp32, wholeFacts(-4, 4), count, facts).name;
    lengthText = g.constantOrArgument(length);
    across = arange(g, width);
    std::string down = arange(g, m), along = arange(g, block);
    Variable given = g.obtain({dtype, {m, width}}, wholeFacts(-1, 1));
    Variable query = g.define({dtype, {m, width}}, within(1),
                              "tl.where(" + given.name + " > 0, 1.0, -1.0).to(" + languageName(dtype) + ")");
    TileType sumType{DType::Fp32, {m, width}};
    Variable sum = g.define(sumType, within(0), "tl.zeros(" + text(sumType.shape) + ", tl.float32)");
    double score = double(g.value(width)) + (hasRow ? 4 : 0);
    double most = double(steps * g.value(block)) * std::max(1.0, score);
    std::string index = g.newName("k"), last = g.constantOrArgument(steps - 1);
    std::string range = isBackward ? last + ", -1, -1" : g.constantOrArgument(steps);
    std::string stages = g.chance(30) ? ", num_stages=" + std::to_string(g.between(1, 4)) : "";
    Statement loop{.text = "for " + index + " in tl.range(" + range + stages + "):", .firstIndex = index};
    loop.body = g.collect([&] {
      TileType row{DType::Int32, {block}}, scoreType{DType::Fp32, {m, block}};
      at = g.define(row, integerFacts(0, double(count)), index + " * " + block.text() + " + " + along).name;
      rows = isLookedUp ? g.define(row, integerFacts(0, double(high)), "tl.load(" + table + " + " + at + ")").name : at;
      bool isColumns = g.chance(50);
      Variable k = tile(keys, isColumns), v = tile(values, false);
      std::string product = "tl.dot(" + query.name + ", " + (isColumns ? k.name : "tl.trans(" + k.name + ")") + ")";
      Variable s = g.define(scoreType, within(score), product);
      if (hasRow) {
        Variable added = g.define({DType::Fp32, {block}}, within(4), "tl.load(" + bias + " + " + at + ")");
        s = g.define(scoreType, within(score), s.name + " + " + added.name + "[None, :]");
      }
      s = g.define(scoreType, within(score),
                   "tl.where((" + at + " < " + lengthText + ")[None, :] & (" + down + "[:, None] + 8 >= " + at +
                       "[None, :] % 32), " + s.name + ", 0.0)");
      if (isScaled) {
        Variable sign = g.define({DType::Fp32, {m}}, within(1), "tl.where(tl.sum(" + s.name + ", 1) > 0, 1.0, -1.0)");
        g.assign(sum, within(most), sum.name + " * " + sign.name + "[:, None]");
      }
      if (isWindowed)
        v = g.define(v.type, within(1), "tl.where((" + at + " >= 8)[:, None], " + v.name + ", 0.0)");
      Variable p = asOperand(g, dtype, s);
      std::string dot = "tl.dot(" + p.name + ", " + v.name;
      g.assign(sum, within(most), g.chance(50) ? dot + ", " + sum.name + ")" : sum.name + " + " + dot + ")");
      if (isChanged) {
        Variable w = tile(changes, false);
        Variable u = g.define(sumType, within(most), "tl.dot(" + p.name + ", " + w.name + ")");
        g.assign(query, within(1),
                 "tl.where(" + u.name + " > 0, 1.0, " + query.name + ").to(" + languageName(dtype) + ")");
      }
    });
    g.block->push_back(loop);
    for (Variable &variable : g.variables)
      if (variable.name == sum.name)
        variable.facts = within(most);
  }

  Generator &g;
  Extent m, width, block;
  int64_t steps = 0, length = 0;
  DType dtype = DType::Fp16;
  bool isLookedUp = false, hasRow = false, isWindowed = false, isScaled = false;
  bool isChanged = false;  // the left operand of the first product, by what the loop computes
  bool isBackward = false; // from the last tile to the first
  std::string lengthText, across, at, rows;
};

} // namespace

bool generateAttention(Generator &g) { return Attention(g).run(); }

} // namespace nereid::differ
