// GenerateGradients.cpp: the loops of attention's backward pass: up to five products an iteration, of which some take what others gave,
// transposed or not, and two sums. Keys stay and queries go by, or the other way round.
//
// Everything is a whole number so small that sums are exact: a comparison stands for the exponential.
#include "Products.h"

#include <algorithm>

namespace nereid::differ {

namespace {

class Gradients {
public:
  explicit Gradients(Generator &g) : g(g) {}

  bool run() {
    if (g.loopLevel > 0 || g.depth > 0)
      return false;
    dtype = g.choose({DType::Fp16, DType::Bf16});
    bool isSmall = g.chance(25); // others are as large as they are on GPUs
    own = g.extent(isSmall ? g.choose({16, 32, 64}) : g.choose({64, 64, 128, 128}));
    width = g.extent(isSmall ? g.choose({16, 32}) : g.choose({32, 64, 64, 128}));
    block = g.extent(isSmall ? g.choose({16, 32}) : g.choose({32, 64, 64, 128}));
    steps = g.between(1, 5);
    tail = g.chance(30) ? g.below(g.value(block)) : 0;
    length = g.value(block) * steps - tail;
    if (!g.spend(5 * g.value(own) * g.value(width) * length))
      return false;
    int64_t most = g.value(own) * std::max(g.value(width), g.value(block));
    g.leastWarps = std::max(g.leastWarps, most > 64 * 64 ? 4 : 1);
    isCausal = g.chance(50), isDescribed = g.chance(40), isTurned = g.chance(50), isOfQueries = g.chance(35);
    addsAtomically = !isOfQueries && g.chance(20), startsLate = isCausal && g.chance(50), hasRows = g.chance(70);
    declare();
    loop();
    return true;
  }

private:
  void declare() {
    Facts facts;
    auto tensor = [&](int64_t rows) {
      return g.freshTensor(dtype, wholeFacts(-1, 1), rows * g.value(width), facts).name;
    };
    std::string first = tensor(g.value(own) * g.programs()), second = tensor(g.value(own) * g.programs());
    moving[0] = tensor(length), moving[1] = tensor(length);
    thresholds = g.freshTensor(DType::Fp32, wholeFacts(-4, 4), g.value(block) * steps, facts).name;
    deltas = g.freshTensor(DType::Fp32, wholeFacts(-4, 4), g.value(block) * steps, facts).name;
    lengthText = g.constantOrArgument(length);
    down = arange(own), along = arange(block), across = arange(width);
    mine = g.define({DType::Int32, {own}}, integerFacts(0, 1 << 20), "pid * " + own.text() + " + " + down).name;
    auto fixed = [&](const std::string &from) {
      return g.define({dtype, {own, width}}, wholeFacts(-1, 1),
                      "tl.load(" + from + " + " + mine + "[:, None] * " + width.text() + " + " + across + "[None, :])");
    };
    k = fixed(first), v = fixed(second);
    if (isDescribed)
      for (std::string &each : moving)
        each = describe(each);
    if (addsAtomically) {
      atomics = g.outputTensor(DType::Fp32, {}, length * g.value(width));
      Parameter &memory = g.parameter(atomics);
      memory.fill = Fill::Integers, memory.low = -4, memory.high = 4, memory.isZeroUnsigned = true;
    }
  }

  std::string arange(const Extent &extent) {
    return g
        .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
                "tl.arange(0, " + extent.text() + ")")
        .name;
  }

  std::string describe(const std::string &tensor) {
    g.parameter(tensor).offset = 0;
    TileShape tile{block, width};
    return g
        .definePointer({dtype, tile}, "tl.make_tensor_descriptor(" + tensor + ", [" + lengthText + ", " + width.text() +
                                          "], [" + width.text() + ", 1], " + text(tile) + ")")
        .name;
  }

  static Facts within(double most) {
    Facts facts = wholeFacts(-most, most);
    facts.isZeroUnsigned = true;
    return facts;
  }

  std::string mask() const { return tail ? ", mask=(" + at + " < " + lengthText + ")" : ""; }

  Variable load(const std::string &from, const std::string &index) {
    TileType type{dtype, {block, width}};
    if (isDescribed)
      return g.define(type, wholeFacts(-1, 1), from + ".load([" + index + ", 0])");
    return g.define(type, wholeFacts(-1, 1),
                    "tl.load(" + from + " + " + at + "[:, None] * " + width.text() + " + " + across + "[None, :]" +
                        (tail ? mask() + "[:, None], other=0.0)" : ")"));
  }

  Variable row(const std::string &from) {
    return g.define({DType::Fp32, {block}}, wholeFacts(-4, 4),
                    "tl.load(" + from + " + " + at + (tail ? mask() + ", other=0.0)" : ")"));
  }

  // own x block, or block x own where it is turned.
  Variable product(const Variable &ofOwn, const Variable &ofBlock) {
    double most = double(g.value(width));
    std::string made = isTurned ? "tl.dot(" + ofBlock.name + ", tl.trans(" + ofOwn.name + "))"
                                : "tl.dot(" + ofOwn.name + ", tl.trans(" + ofBlock.name + "))";
    return g.define(tileType(), within(most), made);
  }
  TileType tileType() const { return {DType::Fp32, isTurned ? TileShape{block, own} : TileShape{own, block}}; }
  std::string ofBlock(const std::string &name) const { return name + (isTurned ? "[:, None]" : "[None, :]"); }
  std::string ofOwn(const std::string &name) const { return name + (isTurned ? "[None, :]" : "[:, None]"); }

  void loop() {
    double large = double(g.value(width)) + 8, most = large * double(length);
    TileType sumType{DType::Fp32, {own, width}};
    std::string zeros = "tl.zeros(" + text(sumType.shape) + ", tl.float32)";
    std::vector<Variable> sums = {g.define(sumType, within(most), zeros)};
    if (!isOfQueries)
      sums.push_back(g.define(sumType, within(most), zeros));
    std::string index = g.newName("k"), size = block.text();
    std::string start = "0", end = g.chance(50) ? lengthText : g.constantOrArgument(g.value(block) * steps);
    if (startsLate && !isOfQueries)
      start = "(pid * " + own.text() + ") // " + size + " * " + size;
    if (startsLate && isOfQueries)
      end = "tl.minimum(" + end + ", (pid + 1) * " + own.text() + ")";
    std::string stages = g.chance(40) ? ", num_stages=" + std::to_string(g.between(1, 4)) : "";
    Statement made{.text = "for " + index + " in tl.range(" + start + ", " + end + ", " + size + stages + "):",
                   .firstIndex = index};
    made.body = g.collect([&] {
      ++g.loopLevel;
      body(index, sums, most);
      --g.loopLevel;
    });
    g.block->push_back(made);
  }

  void body(const std::string &index, const std::vector<Variable> &sums, double most) {
    double large = double(g.value(width)) + 8;
    at = g.define({DType::Int32, {block}}, integerFacts(0, 1 << 20), index + " + " + along).name;
    Variable q = load(moving[0], index), o = load(moving[1], index);
    Variable s = product(k, q);
    std::string threshold = hasRows ? ofBlock(row(thresholds).name) : "0.0", sees = s.name + " > " + threshold;
    if (isCausal)
      sees = "(" + sees + ") & (" +
             (isOfQueries ? ofOwn(mine) + " >= " + ofBlock(at) : ofBlock(at) + " >= " + ofOwn(mine)) + ")";
    if (tail)
      sees = "(" + sees + ") & (" + ofBlock("(" + at + " < " + lengthText + ")") + ")";
    Variable p = g.define(tileType(), within(1), "tl.where(" + sees + ", 1.0, 0.0)");
    std::string to = ".to(" + languageName(dtype) + ")";
    auto turned = [&](const Variable &tile) { return isTurned ? "tl.trans(" + tile.name + ")" : tile.name; };
    auto add = [&](const Variable &sum, const Variable &left, const Variable &right) {
      std::string dot = "tl.dot(" + turned(left) + ", " + right.name;
      g.assign(sum, within(most), g.chance(60) ? dot + ", " + sum.name + ")" : sum.name + " + " + dot + ")");
    };
    TileType narrow{dtype, tileType().shape};
    if (!isOfQueries)
      add(sums[1], g.define(narrow, within(1), p.name + to), o);
    Variable dp = product(v, o);
    std::string delta = hasRows ? " - " + ofBlock(row(deltas).name) : "";
    Variable ds = g.define(narrow, within(large), "(" + p.name + " * (" + dp.name + delta + "))" + to);
    add(sums[0], ds, q);
    if (!addsAtomically)
      return;
    std::string left = isTurned ? ds.name : "tl.trans(" + ds.name + ")";
    Variable dq = g.define({DType::Fp32, {block, width}}, within(large * double(g.value(own))),
                           "tl.dot(" + left + ", " + k.name + ")");
    g.effect("tl.atomic_add(" + atomics + " + " + at + "[:, None] * " + width.text() + " + " + across + "[None, :], " +
             dq.name + (tail ? mask() + "[:, None])" : ")"));
  }

  Generator &g;
  DType dtype = DType::Fp16;
  Extent own, width, block;
  int64_t steps = 1, tail = 0, length = 0;
  bool isCausal = false, isDescribed = false, addsAtomically = false, startsLate = false, hasRows = false;
  bool isTurned = false;    // products have rows of what goes by
  bool isOfQueries = false; // queries stay
  std::string moving[2], thresholds, deltas, lengthText, down, along, across, mine, at, atomics;
  Variable k, v;
};

} // namespace

bool generateGradients(Generator &g) { return Gradients(g).run(); }

} // namespace nereid::differ
