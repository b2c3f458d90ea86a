// GenerateSoftmax.cpp: attention as it is used: exponentials of products, whose sums are kept beside what they weigh; bounds and masks
// of causal attention and of windows, biases, one loop or two. Results are compared within what a rounded exponential may be off.
#include "Products.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

class Softmax {
public:
  explicit Softmax(Generator &g) : g(g) {}

  bool run() {
    if (g.loopLevel > 0 || g.depth > 0 || g.program.isExact)
      return false;
    dtype = g.choose({DType::Fp16, DType::Fp16, DType::Bf16});
    bool isSmall = g.chance(25); // others are as large as they are on GPUs
    m = g.extent(isSmall ? g.choose({16, 32, 64}) : g.choose({64, 128, 128, 128}));
    width = g.extent(isSmall ? g.choose({16, 32, 64}) : g.choose({32, 64, 64, 128}));
    block = g.extent(isSmall ? g.choose({16, 32, 64}) : g.choose({32, 64, 64, 128}));
    steps = g.between(1, 6);
    tail = g.chance(40) ? g.below(g.value(block)) : 0;
    length = g.value(block) * steps - tail;
    if (!g.spend(2 * g.value(m) * g.value(width) * length))
      return false;
    int64_t most = g.value(m) * std::max(g.value(width), g.value(block));
    g.leastWarps = std::max(g.leastWarps, most > 64 * 128 ? 4 : 1);
    chooseForm();
    declare();
    start();
    loops();
    finish();
    return true;
  }

private:
  enum class Way { Pointers, Descriptors, BlockPointers };

  void chooseForm() {
    way = Way(g.choose({0, 0, 1, 1, 2}));
    isCausal = g.chance(50), isWindowed = g.chance(20), hasBias = g.chance(25), hasSlope = g.chance(20);
    isTwoLoops = isCausal && g.value(m) % g.value(block) == 0 && tail == 0 && g.chance(50);
    endsEarly = isCausal && g.chance(60), isBinary = g.chance(60), scalesQuery = g.chance(20);
    isFinite = isWindowed || g.chance(40), isGuarded = !isFinite && g.chance(30);
    hasSink = g.chance(20), isFused = g.chance(60), byElements = g.chance(60);
    isColumns = way != Way::Descriptors && g.chance(50);
  }

  void declare() {
    Facts facts;
    auto tensor = [&](int64_t rows) {
      Parameter &made = g.freshTensor(dtype, {.low = -1, .high = 1}, rows * g.value(width), facts);
      if (g.chance(80))
        made.offset = 0;
      return made.name;
    };
    queries = tensor(g.value(m) * g.programs()), keys = tensor(length), values = tensor(length);
    if (hasBias)
      bias = g.freshTensor(DType::Fp32, {.low = -2, .high = 2}, g.value(block) * steps, facts).name;
    lengthText = g.constantOrArgument(length);
    down = arange(m), along = arange(block), across = arange(width);
    factor = g.choose({"0.5", "0.25", "1.4426950408889634", "0.17677669529663687"});
    if (g.chance(40)) {
      Parameter number{.kind = Parameter::Kind::Float, .name = g.newName("s"), .number = 0.5};
      factor = number.name;
      g.program.parameters.push_back(number);
    }
    if (way == Way::Descriptors)
      keys = describe(keys), values = describe(values);
  }

  std::string describe(const std::string &tensor) {
    Parameter &made = g.parameter(tensor);
    made.offset = 0;
    TileShape tile{block, width};
    if (g.chance(40)) {
      made.kind = Parameter::Kind::Descriptor;
      made.shape = {length, g.value(width)}, made.strides = {g.value(width), 1};
      made.blockShape = tile, made.block.resize(2);
      return tensor;
    }
    return g
        .definePointer({dtype, tile}, "tl.make_tensor_descriptor(" + tensor + ", [" + lengthText + ", " + width.text() +
                                          "], [" + width.text() + ", 1], " + text(tile) + ")")
        .name;
  }

  std::string arange(const Extent &extent) {
    return g
        .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
                "tl.arange(0, " + extent.text() + ")")
        .name;
  }

  void start() {
    std::string from = "tl.load(" + queries + " + (pid * " + m.text() + " + " + down + ")[:, None] * " + width.text() +
                       " + " + across + "[None, :])";
    query = g.define({dtype, {m, width}}, {.low = -1, .high = 1}, from);
    if (scalesQuery)
      query = g.define({dtype, {m, width}}, {.low = -2, .high = 2, .error = 1e-2},
                       "(" + query.name + " * " + factor + ").to(" + languageName(dtype) + ")");
    rows = g.define({DType::Int32, {m}}, integerFacts(0, 1 << 20), "pid * " + m.text() + " + " + down).name;
    std::string row = text(TileShape{m}), lowest = hasSink ? "0.0" : isFinite ? "-1.0e6" : "float(\"-inf\")";
    largest = g.define({DType::Fp32, {m}}, unknown(1000), "tl.full(" + row + ", " + lowest + ", tl.float32)");
    total = g.define({DType::Fp32, {m}}, unknown(double(length) + 1),
                     hasSink || g.chance(20) ? "tl.full(" + row + ", 1.0, tl.float32)"
                                             : "tl.zeros(" + row + ", tl.float32)");
    result = g.define({DType::Fp32, {m, width}}, unknown(double(length) + 1),
                      "tl.zeros(" + text(TileShape{m, width}) + ", tl.float32)");
  }

  static Facts unknown(double most) { return {.low = -most, .high = most, .error = 0.01 * most}; }

  // ---- The loops.

  std::string rangeOptions() {
    std::string text;
    if (g.chance(40))
      text += ", num_stages=" + std::to_string(g.between(1, 4));
    if (g.chance(10))
      text += ", warp_specialize=True";
    return text;
  }

  void loops() {
    std::string whole = g.chance(50) ? lengthText : g.constantOrArgument(g.value(block) * steps),
                own = "pid * " + m.text();
    std::string causalEnd = "tl.minimum(" + whole + ", (pid + 1) * " + m.text() + ")";
    if (isTwoLoops) {
      std::string first =
          g.define({DType::Int32, {}}, integerFacts(0, double(length)), "tl.minimum(" + own + ", " + lengthText + ")")
              .name;
      loop("0", first, false);
      loop(first, causalEnd, true);
      return;
    }
    loop("0", endsEarly ? causalEnd : whole, isCausal);
  }

  void loop(const std::string &low, const std::string &high, bool isMasked) {
    std::string index = g.newName("k"), size = block.text();
    bool countsElements = byElements || low != "0";
    std::string range = countsElements ? low + ", " + high + ", " + size : "0, tl.cdiv(" + high + ", " + size + ")";
    Statement made{.text = "for " + index + " in tl.range(" + range + rangeOptions() + "):", .firstIndex = index};
    std::string keyBlocks, valueBlocks;
    if (way == Way::BlockPointers)
      keyBlocks = blockPointer(keys, low, isColumns), valueBlocks = blockPointer(values, low, false);
    made.body = g.collect([&] {
      ++g.loopLevel;
      std::string at = countsElements ? index : "(" + index + " * " + size + ")";
      columns = g.define({DType::Int32, {block}}, integerFacts(0, 1 << 20), at + " + " + along).name;
      Variable k = tile(keys, keyBlocks, at, isColumns);
      Variable s = scores(k, isMasked);
      Variable v = tile(values, valueBlocks, at, false);
      update(s, v);
      if (way == Way::BlockPointers)
        for (auto [pointer, isTurned] : {std::pair(keyBlocks, isColumns), std::pair(valueBlocks, false)})
          g.assign({.name = pointer, .type = {dtype, {block, width}}, .isPointer = true}, {},
                   "tl.advance(" + pointer + ", " + (isTurned ? "(0, " + size + "))" : "(" + size + ", 0))"));
      --g.loopLevel;
    });
    g.block->push_back(made);
  }

  std::string blockPointer(const std::string &tensor, const std::string &low, bool isTurned) {
    auto both = [&](const std::string &ofKeys, const std::string &ofWidth) {
      return isTurned ? "(" + ofWidth + ", " + ofKeys + ")" : "(" + ofKeys + ", " + ofWidth + ")";
    };
    return g
        .definePointer({dtype, {block, width}}, "tl.make_block_ptr(" + tensor + ", " + both(lengthText, width.text()) +
                                                    ", " + both(width.text(), "1") + ", " + both(low, "0") + ", " +
                                                    both(block.text(), width.text()) +
                                                    (isTurned ? ", (0, 1))" : ", (1, 0))"))
        .name;
  }

  Variable tile(const std::string &tensor, const std::string &pointer, const std::string &at, bool isTurned) {
    TileShape shape = isTurned ? TileShape{width, block} : TileShape{block, width};
    TileType type{dtype, shape};
    Facts facts{.low = -1, .high = 1};
    if (way == Way::Descriptors)
      return g.define(type, facts, tensor + ".load([" + at + ", 0])");
    if (way == Way::BlockPointers)
      return g.define(type, facts,
                      "tl.load(" + pointer +
                          (tail || g.chance(50) ? ", boundary_check=(0, 1), padding_option=\"zero\")" : ")"));
    std::string where = isTurned ? "[None, :]" : "[:, None]", other = isTurned ? "[:, None]" : "[None, :]";
    std::string mask =
        tail || g.chance(30) ? ", mask=(" + columns + " < " + lengthText + ")" + where + ", other=0.0" : "";
    return g.define(type, facts,
                    "tl.load(" + tensor + " + " + columns + where + " * " + width.text() + " + " + across + other +
                        mask + ")");
  }

  Variable scores(const Variable &k, bool isMasked) {
    TileType type{DType::Fp32, {m, block}};
    auto set = [&](const std::string &made) { return g.define(type, unknown(1000), made); };
    Variable s = set("tl.dot(" + query.name + ", " + (isColumns ? k.name : "tl.trans(" + k.name + ")") + ")");
    if (!scalesQuery && g.chance(80))
      s = set(s.name + " * " + factor);
    if (hasBias)
      s = set(s.name + " + tl.load(" + bias + " + " + columns + ")[None, :]");
    if (hasSlope)
      s = set(s.name + " - (" + rows + "[:, None] - " + columns + "[None, :]).to(tl.float32) * 0.03125");
    std::string sees;
    auto require = [&](const std::string &condition) { sees += (sees.empty() ? "(" : " & (") + condition + ")"; };
    if (isMasked)
      require(rows + "[:, None] >= " + columns + "[None, :]");
    if (isWindowed)
      require(rows + "[:, None] - " + columns + "[None, :] < 40");
    if (tail || sees.empty())
      if (tail || g.chance(20))
        require("(" + columns + " < " + lengthText + ")[None, :]");
    if (sees.empty())
      return s;
    std::string lowest = isFinite ? "-1.0e6" : "float(\"-inf\")";
    if (isFinite && !isWindowed && g.chance(30)) // a row without any key would keep little of its scores
      return set(s.name + " + tl.where(" + sees + ", 0.0, " + lowest + ")");
    return set("tl.where(" + sees + ", " + s.name + ", " + lowest + ")");
  }

  void update(const Variable &s, const Variable &v) {
    TileType row{DType::Fp32, {m}}, type{DType::Fp32, {m, block}};
    std::string exponential = isBinary ? "tl.exp2(" : "tl.exp(";
    Variable next = g.define(row, unknown(1000), "tl.maximum(" + largest.name + ", tl.max(" + s.name + ", 1))");
    Variable base = next;
    if (isGuarded)
      base = g.define(row, unknown(1000), "tl.where(" + next.name + " == float(\"-inf\"), 0.0, " + next.name + ")");
    Variable p = g.define(type, unknown(1), exponential + s.name + " - " + base.name + "[:, None])");
    Variable shrinks = g.define(row, unknown(1), exponential + largest.name + " - " + base.name + ")");
    g.assign(total, unknown(double(length)), total.name + " * " + shrinks.name + " + tl.sum(" + p.name + ", 1)");
    std::string scaled = result.name + " * " + shrinks.name + "[:, None]";
    std::string dot = "tl.dot(" + p.name + ".to(" + languageName(dtype) + "), " + v.name;
    if (isFused)
      g.assign(result, unknown(double(length)), dot + ", " + scaled + ")");
    else
      g.assign(result, unknown(double(length)), scaled + " + " + dot + ")");
    g.assign(largest, unknown(1000), next.name);
  }

  void finish() {
    for (const Variable &inner : {largest, total, result}) // only what is made of them is compared
      std::erase_if(g.variables, [&](const Variable &v) { return v.name == inner.name; });
    double unit = dtype == DType::Bf16 ? 0x1p-7 : 0x1p-9;
    Variable made = g.define({DType::Fp32, {m, width}}, {.low = -1.1, .high = 1.1, .error = unit},
                             result.name + " / " + total.name + "[:, None]");
    if (g.chance(50))
      g.define({dtype, {m, width}}, {.low = -1.1, .high = 1.1, .error = 2 * unit},
               made.name + ".to(" + languageName(dtype) + ")");
    if (g.chance(40))
      g.define({DType::Fp32, {m}}, {.low = -2e6, .high = 2e6, .error = 0.02},
               largest.name + " + " + (isBinary ? "tl.log2(" : "tl.log(") + total.name + ")");
  }

  Generator &g;
  DType dtype = DType::Fp16;
  Extent m, width, block;
  int64_t steps = 1, tail = 0, length = 0;
  Way way = Way::Pointers;
  bool isCausal = false, isWindowed = false, hasBias = false, hasSlope = false, isTwoLoops = false, endsEarly = false;
  bool isBinary = false, scalesQuery = false, isFinite = false, isGuarded = false, hasSink = false, isFused = false;
  bool byElements = false, isColumns = false;
  std::string queries, keys, values, bias, lengthText, down, along, across, factor, rows, columns;
  Variable query, largest, total, result;
};

} // namespace

bool generateSoftmax(Generator &g) { return Softmax(g).run(); }

} // namespace nereid::differ
