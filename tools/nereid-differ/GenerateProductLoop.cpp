// GenerateProductLoop.cpp: products in loops as kernels for GPUs have them: bounds that are known, given or loaded; operands that come
// by every way there is (LoopOperand.h); sums that are scaled, that wait for conditions, or that are two; what else a loop
// does beside its products; and other loops around it, persistent ones among them.
//
// Everything is a whole number so small that sums are exact.
#include "LoopOperand.h"
#include "Products.h"

#include <algorithm>

namespace nereid::differ {

namespace {

class ProductLoop {
public:
  explicit ProductLoop(Generator &g) : g(g) {}

  bool run() {
    if (g.loopLevel > 0 || g.depth > 0 || !chooseSizes())
      return false;
    chooseForm();
    declare();
    if (around == Around::Persistent)
      persistentLoop();
    else if (around == Around::Taps)
      tapsLoop();
    else
      finish(loopOverDepth("0", "0"));
    return true;
  }

private:
  enum class Around { None, Persistent, Taps };
  enum class Update { Fused, Added, Subtracted, Signed, Scaled, Conditional, Chosen };

  bool chooseSizes() {
    using enum DType;
    lhs = rhs = g.choose({Fp16, Fp16, Fp16, Bf16, Bf16, Bf16, Fp32, Int8, Fp8E5, Fp8E4NV, Fp64});
    out = isFloat(lhs) ? (lhs == Fp64 ? Fp64 : Fp32) : Int32;
    if (lhs == Fp32)
      options = std::string(", input_precision=\"") + g.choose({"tf32", "tf32", "ieee", "tf32x3"}) + "\"";
    bool isShort = bytesOf(lhs) == 1;
    limit = isShort ? 1 : 2;
    int64_t least = leastDepth(lhs), large = bytesOf(lhs) > 2 ? 2 : 1;
    bool isSmall = g.chance(30); // others are as large as they are on GPUs
    m = g.extent((isSmall ? g.choose({16, 16, 32, 64}) : g.choose({64, 64, 128, 128, 256})) / large);
    n = g.extent((isSmall ? g.choose({16, 32, 64}) : g.choose({32, 64, 128, 128, 256})) / large);
    k = g.extent(
        std::max(least, (isSmall ? g.choose<int64_t>({16, 32}) : g.choose<int64_t>({32, 64, 64, 128})) / large));
    around = g.chance(55) ? Around::None : g.chance(60) ? Around::Persistent : Around::Taps;
    steps = g.between(1, 7), taps = around == Around::Taps ? g.between(1, 3) : 1;
    if (around == Around::Persistent)
      tilesM = g.between(1, 3), tilesN = g.between(1, 3);
    int64_t depth = g.value(k) * steps, tiles = g.value(m) * g.value(n);
    if (tiles > 256 * 128) // f32 that do not fit into shared memory, through which some layouts are reached
      return false;
    g.leastWarps = std::max(g.leastWarps, tiles > 128 * 128 ? 8 : tiles > 64 * 64 ? 4 : 1);
    int64_t rounds = around == Around::Persistent ? (tilesM * tilesN + g.programs() - 1) / g.programs() : taps;
    return g.spend(tiles * depth * rounds);
  }

  void chooseForm() {
    update = Update(g.choose({0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 6}));
    isPair = g.chance(20), isTuple = isPair && g.chance(40);
    isByElements = g.chance(50), isDescribed = g.chance(35);
    storesParts = g.chance(8), sumsRows = g.chance(12), addsAtomically = g.chance(6);
    isWhile = g.chance(8);
    bound = Bound(g.choose({0, 0, 0, 1, 1, 2, 3}));
    tail = g.chance(40) ? g.below(g.value(k)) : 0;
  }

  void declare() {
    int64_t rows = g.value(m) * tilesM - (g.chance(40) ? g.below(5) : 0),
            columns = g.value(n) * tilesN - (g.chance(40) ? g.below(5) : 0), depth = g.value(k) * steps * taps - tail;
    a.emplace(g, true, lhs, limit).declare({m, k, rows, depth}, tail != 0, isDescribed);
    b.emplace(g, false, rhs, limit).declare({n, k, columns, depth}, tail != 0, isDescribed);
    if (isPair)
      other.emplace(g, false, rhs, limit).declare({n, k, columns, depth}, tail != 0, isDescribed);
    double largest = std::max(b->magnitude(), isPair ? other->magnitude() : 0);
    most = 2 * double(g.value(k) * steps * taps) * a->magnitude() * largest + 4;
    down = arange(m), right = arange(n);
    Facts facts;
    if (bound == Bound::Loaded)
      counts = g.freshTensor(DType::Int32, integerFacts(0, double(steps)), g.programs(), facts).name;
    if (update == Update::Signed || update == Update::Scaled)
      signs = g.freshTensor(out, sum(2), g.value(k) * steps * taps + g.value(n) + g.value(m), facts).name;
    if (update == Update::Conditional || update == Update::Chosen)
      flags = g.freshTensor(DType::Int32, integerFacts(0, 1), steps * taps + 8, facts).name;
    if (storesParts) {
      parts = g.outputTensor(out, sum(most), g.value(m) * g.value(n) * steps * g.programs());
      if (isFloat(out))
        g.parameter(parts).isZeroUnsigned = true;
    }
    if (addsAtomically) {
      atomics = g.outputTensor(out == DType::Int32 ? out : DType::Fp32, {}, g.value(n));
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

  Facts sum(double largest) {
    if (!isFloat(out))
      return wrapped(out, -largest, largest);
    Facts facts = wholeFacts(-largest, largest);
    facts.isZeroUnsigned = true;
    return facts;
  }

  // ---- The loop over K.

  std::string upperBound() {
    std::string given = g.constantOrArgument(steps);
    switch (bound) {
    case Bound::Given: return given;
    case Bound::Rounded: return "tl.cdiv(" + g.constantOrArgument(g.value(k) * steps - tail) + ", " + k.text() + ")";
    case Bound::Loaded: return "tl.load(" + counts + " + pid)";
    case Bound::Causal: return "tl.minimum(" + given + ", pid + 1)";
    }
    return given;
  }

  std::string rangeOptions() {
    std::string text;
    if (g.chance(60))
      text += ", num_stages=" + std::to_string(g.between(1, 5));
    if (g.chance(10))
      text += ", loop_unroll_factor=" + std::to_string(g.between(1, 3));
    if (g.chance(10))
      text += ", warp_specialize=True";
    return text;
  }

  TileType tileType() const { return {out, {m, n}}; }

  Variable startSum() {
    std::string zeros = "tl.zeros(" + text(tileType().shape) + ", " + languageName(out) + ")";
    if (isPair || g.chance(70))
      return g.define(tileType(), sum(most), zeros);
    Variable given = g.obtain({out, {n}}, sum(4));
    return g.define(tileType(), sum(most), zeros + " + " + given.name + "[None, :]");
  }

  std::vector<Variable> startSums() {
    std::vector<Variable> sums = {startSum()};
    if (isPair)
      sums.push_back(startSum());
    if (isTuple)
      tuple = g.definePointer(tileType(), "(" + sums[0].name + ", " + sums[1].name + ")");
    return sums;
  }

  std::vector<Variable> loopOverDepth(const std::string &row, const std::string &column) {
    return loopOver(startSums(), row, column, "");
  }

  // What a loop adds to is there before it.
  std::vector<Variable> loopOver(std::vector<Variable> sums, const std::string &row, const std::string &column,
                                 const std::string &first) {
    if (sumsRows)
      rowSums = g.define({out, {m}}, sum(most * 8), "tl.zeros(" + text(TileShape{m}) + ", " + languageName(out) + ")");
    std::string start = first.empty() ? "0" : first;
    a->begin(row, start), b->begin(column, start);
    if (isPair)
      other->begin(column, start);
    std::string index = g.newName("k"), high = upperBound();
    Statement loop;
    if (isWhile) {
      Variable counter = g.define({DType::Int32, {}}, integerFacts(0, double(steps)), "pid - pid");
      std::erase_if(g.variables, [&](const Variable &v) { return v.name == counter.name; });
      index = counter.name;
      loop.text = "while " + index + " < " + high + ":";
    } else if (isByElements && first.empty()) {
      loop.text =
          "for " + index + " in tl.range(0, (" + high + ") * " + k.text() + ", " + k.text() + rangeOptions() + "):";
      loop.firstIndex = index;
    } else {
      loop.text = "for " + index + " in tl.range(" + high + rangeOptions() + "):", loop.firstIndex = index;
    }
    bool isElement = !isWhile && isByElements && first.empty();
    loop.body = g.collect([&] {
      ++g.loopLevel;
      body(sums, index, isElement, first);
      --g.loopLevel;
    });
    if (isWhile)
      loop.body.push_back(
          {.text = index + " + 1",
           .defines = {{.name = index, .type = {DType::Int32, {}}, .facts = integerFacts(0, double(steps))}},
           .isFixed = true});
    g.block->push_back(loop);
    return sums;
  }

  void body(std::vector<Variable> &sums, const std::string &index, bool isElement, const std::string &first) {
    std::string at = isElement ? index : "(" + index + " * " + k.text() + ")";
    number = isElement ? "(" + index + " // " + k.text() + ")" : index;
    if (!first.empty())
      at = "(" + first + " + " + at + ")";
    if (g.chance(40))
      at = g.define({DType::Int32, {}}, integerFacts(0, 1 << 20), at).name;
    bool isConditional = update == Update::Conditional || update == Update::Chosen;
    bool loadsInside = isConditional && g.chance(40);
    auto work = [&] {
      Variable x = a->load(at), y = b->load(at);
      add(sums[0], 0, x, y, at);
      if (isPair)
        add(sums[1], 1, g.chance(80) ? x : a->load(at), other->load(at), at);
      extras(sums[0], x);
    };
    if (isConditional && loadsInside)
      branch(sums, work);
    else
      work();
    a->moveOn(), b->moveOn();
    if (isPair)
      other->moveOn();
  }

  // Some rounds do it, others do something else.
  void branch(const std::vector<Variable> &sums, const std::function<void()> &work) {
    std::string condition = g.chance(40)   ? "tl.load(" + flags + " + " + number + ") != 0"
                            : g.chance(50) ? number + " % 2 == 0"
                                           : number + " != pid";
    Statement choice{.text = "if " + condition + ":"};
    choice.body = g.collect(work);
    if (update == Update::Chosen && !isTuple)
      choice.otherwise = g.collect([&] { g.assign(sums[0], sum(most), "0 - " + sums[0].name); });
    g.block->push_back(std::move(choice));
  }

  void add(const Variable &total, int part, const Variable &x, const Variable &y, const std::string &at) {
    std::string operands = "tl.dot(" + x.name + ", " + y.name, last = options + ")";
    if (isTuple) {
      std::string which = tuple.name + "[" + std::to_string(part) + "]",
                  kept = tuple.name + "[" + std::to_string(1 - part) + "]";
      std::string made = operands + ", " + which + last;
      g.assign(tuple, {}, part == 0 ? "(" + made + ", " + kept + ")" : "(" + kept + ", " + made + ")");
      return;
    }
    auto set = [&](const std::string &made) { g.assign(total, sum(most), made); };
    switch (update) {
    case Update::Fused:
    case Update::Conditional:
    case Update::Chosen: return set(operands + ", " + total.name + last);
    case Update::Added: return set(total.name + " + " + operands + last);
    case Update::Subtracted: return set(total.name + " - " + operands + last);
    case Update::Signed: {
      Variable row = g.define({out, {m}}, sum(2), "tl.load(" + signs + " + " + at + " + " + down + ")");
      Variable sign =
          g.define({out, {m}}, sum(1), "tl.where(" + row.name + " > 0, 1, -1).to(" + languageName(out) + ")");
      std::string scaled = total.name + " * " + sign.name + "[:, None]";
      return set(g.chance(50) ? operands + ", " + scaled + last : scaled + " + " + operands + last);
    }
    case Update::Scaled: {
      bool isRow = g.chance(50);
      std::string place = g.chance(50) ? at + " + " : "";
      Variable row =
          g.define({out, {isRow ? m : n}}, sum(2), "tl.load(" + signs + " + " + place + (isRow ? down : right) + ")");
      Variable made = g.define(tileType(), sum(most), operands + last);
      return set(total.name + " + " + made.name + " * " + row.name + (isRow ? "[:, None]" : "[None, :]"));
    }
    }
  }

  // What a loop may do beside its products.
  void extras(const Variable &total, const Variable &x) {
    if (sumsRows && isFloat(out))
      g.assign(rowSums, sum(most * 8), rowSums.name + " + tl.sum(" + x.name + ".to(" + languageName(out) + "), 1)");
    if (isTuple)
      return;
    if (storesParts && around == Around::None) {
      std::string place = "(pid * " + std::to_string(steps) + " + " + number + ") * (" + (m * n).text() + ")";
      g.effect("tl.store(" + parts + " + " + place + " + " + down + "[:, None] * " + n.text() + " + " + right +
               "[None, :], " + total.name + ")");
    }
    if (addsAtomically && most < 1 << 15) {
      std::string to = out == DType::Int32 ? "" : ".to(tl.float32)";
      g.effect("tl.atomic_add(" + atomics + " + " + right + ", (tl.max(" + total.name + ", 0) > 0).to(" +
               (out == DType::Int32 ? "tl.int32" : "tl.float32") + "))");
    }
  }

  // ---- Around it.

  void finish(const std::vector<Variable> &sums) {
    for (size_t i = 0; i < sums.size(); ++i) {
      if (isTuple)
        g.define(tileType(), sum(most), tuple.name + "[" + std::to_string(i) + "]");
      for (Variable &variable : g.variables)
        if (variable.name == sums[i].name)
          variable.facts = sum(most);
    }
  }

  // Tiles of the result go round the programs.
  void persistentLoop() {
    int64_t rows = g.value(m) * tilesM, columns = g.value(n) * tilesN;
    std::string result = g.outputTensor(out, sum(most), rows * columns);
    bool isDescribed = g.chance(50) && g.value(n) * int64_t(bytesOf(out)) >= 16;
    std::string described;
    if (isDescribed) {
      g.parameter(result).offset = 0;
      described =
          g.definePointer(tileType(), "tl.make_tensor_descriptor(" + result + ", [" + g.constantOrArgument(rows) +
                                          ", " + g.constantOrArgument(columns) + "], [" + std::to_string(columns) +
                                          ", 1], " + text(tileType().shape) + ")")
              .name;
    }
    std::string tile = g.newName("k");
    Statement loop{.text = "for " + tile + " in tl.range(pid, " + g.constantOrArgument(tilesM * tilesN) + ", " +
                           (g.chance(50) ? "tl.num_programs(0)" : std::to_string(g.programs())) +
                           (g.chance(30) ? ", flatten=True" : "") + rangeOptions() + "):",
                   .firstIndex = tile};
    if (g.program.grid[1] * g.program.grid[2] > 1)
      replaceName(loop.text, "tl.num_programs(0)", std::to_string(g.programs()));
    loop.body = g.collect([&] {
      ++g.loopLevel;
      auto offset = [&](const std::string &index, const Extent &extent) {
        return g.define({DType::Int32, {}}, integerFacts(0, 4096), "(" + index + ") * " + extent.text()).name;
      };
      std::string row = offset(tile + " // " + std::to_string(tilesN), m),
                  column = offset(tile + " % " + std::to_string(tilesN), n);
      std::vector<Variable> sums = loopOverDepth(row, column);
      std::string value = isTuple  ? tuple.name + "[0] + " + tuple.name + "[1]"
                          : isPair ? sums[0].name + " + " + sums[1].name
                                   : sums[0].name;
      if (isDescribed)
        g.effect(described + ".store([" + row + ", " + column + "], " + value + ")");
      else
        g.effect("tl.store(" + result + " + (" + row + " + " + down + ")[:, None] * " + std::to_string(columns) +
                 " + (" + column + " + " + right + ")[None, :], " + value + ")");
      --g.loopLevel;
    });
    g.block->push_back(loop);
  }

  // As a convolution: the sum goes on from one part of K to the next.
  void tapsLoop() {
    std::vector<Variable> sums = startSums();
    bool isStatic = g.chance(25);
    std::string tap = g.newName("k");
    Statement loop{.text = "for " + tap + " in " +
                           (isStatic ? "tl.static_range(" + std::to_string(taps) + ")"
                                     : "range(" + g.constantOrArgument(taps) + ")") +
                           ":",
                   .firstIndex = tap};
    loop.body = g.collect([&] {
      ++g.loopLevel;
      std::string first = "(" + tap + " * " + std::to_string(g.value(k) * steps) + ")";
      loopOver(sums, "0", "0", first);
      --g.loopLevel;
    });
    g.block->push_back(loop);
    finish(sums);
  }

  enum class Bound { Given, Rounded, Loaded, Causal };

  Generator &g;
  DType lhs = DType::Fp16, rhs = DType::Fp16, out = DType::Fp32;
  std::string options;
  double limit = 2, most = 0;
  Extent m, n, k;
  int64_t steps = 1, taps = 1, tilesM = 1, tilesN = 1, tail = 0;
  Around around = Around::None;
  Update update = Update::Fused;
  Bound bound = Bound::Given;
  bool isPair = false, isTuple = false, isByElements = false, isWhile = false, isDescribed = false;
  bool storesParts = false, sumsRows = false, addsAtomically = false;
  std::optional<LoopOperand> a, b, other;
  Variable tuple, rowSums;
  std::string down, right, counts, signs, flags, parts, atomics, number;
};

} // namespace

bool generateProductLoop(Generator &g) { return ProductLoop(g).run(); }

} // namespace nereid::differ
