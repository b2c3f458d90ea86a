// GenerateRowLoop.cpp: loops over the columns of rows: each tile is added up, reduced and scanned along both axes, sorted, looked up,
// counted, stored again in another order; sums and counts are carried from one to the next.
//
// Everything is a whole number so small that sums are exact.
#include "Generator.h"

#include <algorithm>

namespace nereid::differ {

namespace {

class RowLoop {
public:
  explicit RowLoop(Generator &g) : g(g) {}

  bool run() {
    if (g.loopLevel > 0 || g.depth > 0 || g.program.isDebug)
      return false;
    using enum DType;
    dtype = g.choose({Int32, Int32, Fp32, Fp16, Bf16, Int8, Int16, Int64});
    wide = isFloat(dtype) ? Fp32 : bytesOf(dtype) > 4 ? Int64 : Int32;
    rows = g.extent(int64_t(1) << g.below(7)), columns = g.extent(int64_t(16) << g.below(6));
    if (g.value(rows) * g.value(columns) > 8192)
      return false;
    steps = g.between(1, 5);
    int64_t tile = g.value(rows) * g.value(columns);
    if (!g.spend(12 * tile * steps))
      return false;
    tail = g.chance(40) ? g.below(g.value(columns)) : 0;
    width = g.value(columns) * steps - tail;
    declare();
    loop();
    return true;
  }

private:
  static Facts wholeOf(DType dtype, double most) {
    if (!isFloat(dtype))
      return wrapped(dtype, -most, most);
    Facts facts = wholeFacts(-most, most);
    facts.isZeroUnsigned = true;
    return facts;
  }

  std::string arange(const Extent &extent) {
    return g
        .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
                "tl.arange(0, " + extent.text() + ")")
        .name;
  }

  void declare() {
    Facts facts;
    isTransposed = g.chance(20), isLookedUp = g.chance(25);
    Facts wish = isFloat(dtype) ? wholeFacts(-8, 8) : integerFacts(-8, 8);
    from = g.freshTensor(dtype, wish, g.value(rows) * width, facts).name;
    if (isLookedUp)
      table = g.freshTensor(DType::Int32, integerFacts(0, double(width - 1)), width, facts).name;
    down = arange(rows), along = arange(columns), widthText = g.constantOrArgument(width);
    others = g.freshTensor(wide, isFloat(wide) ? wholeFacts(-8, 8) : integerFacts(-8, 8), 64, facts).name;
  }

  Variable carried(const TileType &type, double most) {
    return g.define(type, wholeOf(type.dtype, most),
                    "tl.zeros(" + text(type.shape) + ", " + languageName(type.dtype) + ")");
  }

  void loop() {
    TileType tile{wide, {rows, columns}}, row{wide, {rows}}, column{wide, {columns}};
    for (int64_t i = g.between(1, 4); i > 0; --i)
      works.push_back(Work(g.below(kWorks)));
    std::vector<Variable> sums;
    for (Work work : works)
      sums.push_back(carried(work == Work::Count     ? TileType{DType::Int32, {g.extent(16)}}
                             : isOfRows(work)        ? row
                             : work == Work::Columns ? column
                                                     : tile,
                             1 << 20));
    std::string index = g.newName("k"), size = columns.text();
    std::string stages = g.chance(60) ? ", num_stages=" + std::to_string(g.between(1, 4)) : "";
    Statement made{.text = "for " + index + " in tl.range(0, " + widthText + ", " + size + stages + "):",
                   .firstIndex = index};
    made.body = g.collect([&] {
      ++g.loopLevel;
      at = g.define({DType::Int32, {columns}}, integerFacts(0, double(width + g.value(columns))), index + " + " + along)
               .name;
      Variable x = load();
      Variable wideX = g.define(tile, wholeOf(wide, 8), x.name + ".to(" + languageName(wide) + ")");
      for (size_t i = 0; i < works.size(); ++i)
        add(works[i], sums[i], wideX, index);
      --g.loopLevel;
    });
    g.block->push_back(made);
  }

  Variable load() {
    std::string place = at, mask = tail || g.chance(20) ? ", mask=(" + at + " < " + widthText + ")" : "";
    if (isLookedUp)
      place = g.define({DType::Int32, {columns}}, integerFacts(0, double(width)),
                       "tl.load(" + table + " + " + at + (mask.empty() ? ")" : mask + ", other=0)"))
                  .name;
    std::string offsets = isTransposed ? place + "[None, :] * " + rows.text() + " + " + down + "[:, None]"
                                       : down + "[:, None] * " + widthText + " + " + place + "[None, :]";
    std::string other = isFloat(dtype) ? g.choose({"0.0", "1.0", "-3.0"}) : g.choose({"0", "1", "-3"});
    return g.define({dtype, {rows, columns}}, wholeOf(dtype, 8),
                    "tl.load(" + from + " + " + offsets +
                        (mask.empty() ? ")" : mask + "[None, :], other=" + other + ")"));
  }

  // What a tile is used for.
  enum class Work {
    Whole,
    Rows,
    Least,
    Columns,
    Running,
    Sorted,
    Count,
    Gathered,
    Best,
    Atomics,
    Looked,
    Composed,
    Turned,
    Chosen
  };
  static constexpr int64_t kWorks = 14;
  static bool isOfRows(Work work) {
    return work == Work::Rows || work == Work::Least || work == Work::Running || work == Work::Best ||
           work == Work::Composed || work == Work::Chosen;
  }

  void add(Work work, const Variable &sum, const Variable &x, const std::string &index) {
    Facts facts = sum.facts;
    const TileType &tile = x.type;
    auto set = [&](const std::string &made) { g.assign(sum, facts, made); };
    switch (work) {
    case Work::Whole: return set(sum.name + " + " + x.name);
    case Work::Rows: return set(sum.name + " + tl.sum(" + x.name + ", 1)");
    case Work::Least: return set("tl.minimum(" + sum.name + ", tl.min(" + x.name + ", 1))");
    case Work::Columns: return set(sum.name + " + tl.sum(" + x.name + ", 0)");
    case Work::Running: {
      std::string end = g.chance(30) ? ", 1, reverse=True)" : ", 1)";
      Variable scanned = g.define(tile, facts, "tl.cumsum(" + x.name + end + " + " + sum.name + "[:, None]");
      store(scanned, index, false);
      return set(sum.name + " + tl.sum(" + x.name + ", 1)");
    }
    case Work::Sorted:
      if (g.value(columns) > 128)
        return set(sum.name + " - " + x.name);
      return set("tl.maximum(" + sum.name + ", tl.sort(" + x.name + (g.chance(40) ? ", descending=True))" : "))"));
    case Work::Count: {
      Variable place =
          g.define({DType::Int32, {rows * columns}}, integerFacts(0, 15), "tl.ravel(" + x.name + ".to(tl.int32)) & 15");
      return set(sum.name + " + tl.histogram(" + place.name + ", 16)");
    }
    case Work::Gathered: {
      Variable place =
          g.define({DType::Int32, tile.shape}, integerFacts(0, double(g.value(columns) - 1)),
                   "(" + x.name + ".to(tl.int32) * 5 + " + at + "[None, :]) & (" + columns.text() + " - 1)");
      return set(sum.name + " + tl.gather(" + x.name + ", " + place.name + ", 1)");
    }
    case Work::Best: {
      std::vector<Variable> best = g.defineAll(
          {{wide, {rows}}, {DType::Int32, {rows}}}, {wholeOf(wide, 8), integerFacts(0, double(g.value(columns)))},
          (g.chance(50) ? "tl.max(" : "tl.min(") + x.name + ", 1, return_indices=True)");
      return set("tl.where(" + best[0].name + " > " + sum.name + ", " + best[0].name + " + " + best[1].name + ".to(" +
                 languageName(wide) + "), " + sum.name + ")");
    }
    case Work::Atomics: return addAtomically(x);
    case Work::Looked: {
      Variable looked =
          g.define(tile, wholeOf(wide, 8), "tl.load(" + others + " + (" + x.name + ".to(tl.int32) & 63))");
      return set(sum.name + " + " + looked.name);
    }
    case Work::Composed: return compose(sum, x);
    case Work::Turned: return store(x, index, true);
    case Work::Chosen: {
      Statement choice{.text = "if tl.max(tl.max(" + x.name + ", 1), 0) > 6:"};
      choice.body = g.collect([&] { set(sum.name + " + tl.max(" + x.name + ", 1)"); });
      g.block->push_back(std::move(choice));
    }
    }
  }

  // Every program and every round has a place of its own.
  void store(const Variable &value, const std::string &index, bool isTurned) {
    int64_t tile = g.value(rows) * g.value(columns);
    std::string to = g.outputTensor(wide, value.facts, tile * steps * g.programs());
    g.parameter(to).isZeroUnsigned = true;
    std::string base = to + " + pid * " + std::to_string(tile * steps) + " + " + index + " * " + rows.text() + " + ";
    if (isTurned) {
      Variable turned = g.define({wide, {columns, rows}}, value.facts, "tl.trans(" + value.name + ")");
      g.effect("tl.store(" + base + along + "[:, None] * " + rows.text() + " + " + down + "[None, :], " + turned.name +
               ")");
      return;
    }
    g.effect("tl.store(" + base + down + "[:, None] * " + columns.text() + " + " + along + "[None, :], " + value.name +
             ")");
  }

  void addAtomically(const Variable &x) {
    DType of = wide == DType::Int64 ? DType::Int32 : wide;
    std::string to = g.outputTensor(of, {}, 32);
    Parameter &memory = g.parameter(to);
    memory.fill = Fill::Integers, memory.low = -4, memory.high = 4, memory.isZeroUnsigned = true;
    std::string mask = g.chance(40) ? ", mask=" + x.name + " > 2" : "";
    g.effect("tl.atomic_add(" + to + " + (" + x.name + ".to(tl.int32) & 31), " + x.name + ".to(" + languageName(of) +
             ")" + mask + ")");
  }

  // x -> a x + b for each column, one after the other, and what the columns before gave.
  void compose(const Variable &sum, const Variable &x) {
    if (isFloat(wide))
      return g.assign(sum, sum.facts, sum.name + " + tl.max(" + x.name + ", 1)");
    std::string name = g.addFunction({.parameters = {"a", "b", "c", "d"}, .result = "a * c, b * c + d"});
    std::vector<Variable> made =
        g.defineAll({x.type, x.type}, {fullFacts(wide), fullFacts(wide)},
                    "tl.associative_scan((" + x.name + ", " + x.name + " + 1), 1, " + name + ")");
    Variable whole = g.define(x.type, fullFacts(wide), made[0].name + " * " + sum.name + "[:, None] + " + made[1].name);
    Variable changed = sum;
    changed.facts = fullFacts(wide);
    g.assign(changed, fullFacts(wide),
             "tl.sum(tl.where(" + along + "[None, :] == " + columns.text() + " - 1, " + whole.name + ", 0), 1)");
    for (Variable &variable : g.variables)
      if (variable.name == sum.name)
        variable.facts = fullFacts(wide);
  }

  Generator &g;
  DType dtype = DType::Int32, wide = DType::Int32;
  Extent rows, columns;
  int64_t steps = 1, tail = 0, width = 0;
  bool isTransposed = false, isLookedUp = false;
  std::string from, table, others, down, along, at, widthText;
  std::vector<Work> works;
};

} // namespace

bool generateRowLoop(Generator &g) { return RowLoop(g).run(); }

} // namespace nereid::differ
