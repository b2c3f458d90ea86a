// GenerateMemory.cpp: loads and stores through pointers.
#include "Access.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

namespace {

// What a masked load gives elsewhere, within the wish.
double otherFor(const Facts &wish) { return std::clamp(0.0, wish.low, wish.high); }

std::string loadOptions(Generator &g) {
  if (!g.chance(10))
    return "";
  return g.choose({", eviction_policy=\"evict_last\"", ", cache_modifier=\".cg\"", ", volatile=True",
                   ", eviction_policy=\"evict_first\""});
}

Variable loadScalar(Generator &g, DType dtype, const Facts &wish) {
  int64_t total = 0;
  std::string base = baseFor(g, 1, Use::Read, total);
  int64_t skip = g.below(4);
  Facts facts;
  std::string tensor = g.inputTensor(dtype, wish, total + skip, facts);
  std::string pointer = tensor + (base.empty() ? "" : " + " + base) + (skip ? " + " + std::to_string(skip) : "");
  auto mask = g.pick([](const Variable &v) { return v.type.dtype == DType::Int1 && v.type.shape.empty(); });
  if (!mask || g.chance(60))
    return g.define({dtype, {}}, facts, "tl.load(" + pointer + ")");
  double other = otherFor(wish);
  facts = unite(facts, isFloat(dtype) ? wholeFacts(other, other) : integerFacts(other, other));
  facts.isIntegral &= other == std::floor(other);
  return g.define({dtype, {}}, facts,
                  "tl.load(" + pointer + ", mask=" + mask->name + ", other=" + g.literal(dtype, other) + ")");
}

// Indices from memory, from arithmetic, or wrapped at a bound.
Variable loadGathered(Generator &g, const TileType &type, const Facts &wish) {
  int64_t reach = int64_t(1) << g.between(2, 9);
  std::string index;
  DType indexType = g.choose({DType::Int32, DType::Int32, DType::Int64, DType::UInt32, DType::Int16, DType::UInt8});
  if (bytesOf(indexType) == 1)
    reach = std::min<int64_t>(reach, 128);
  if (g.chance(50)) {
    Variable any = g.obtain({indexType, type.shape}, fullFacts(indexType));
    index = "(" + any.name + " & " + std::to_string(reach - 1) + ")";
  } else {
    Placement placement = place(g, type.shape, Use::Read);
    reach = g.between(1, 300);
    index = "((" + placement.offsets + " + pid) % " + g.addInteger(reach, reach) + ")";
  }
  Facts facts;
  std::string tensor = g.inputTensor(type.dtype, wish, reach, facts);
  return g.define(type, facts, "tl.load(" + tensor + " + " + index + loadOptions(g) + ")");
}

// The usual tail: offsets of all programs against the size of the tensor, which ends right there.
Variable loadTail(Generator &g, const TileType &type, const Facts &wish) {
  std::string extent = type.shape[0].text();
  int64_t total = g.programs() * g.value(type.shape[0]);
  int64_t size = std::max<int64_t>(total - g.below(g.value(type.shape[0]) + 1), 0);
  Variable offsets = g.define({DType::Int32, type.shape}, integerFacts(0, double(total - 1)),
                              "pid * (" + extent + ") + tl.arange(0, " + extent + ")");
  Variable mask = g.define({DType::Int1, type.shape}, integerFacts(0, 1), offsets.name + " < " + g.addInteger(size));
  double other = otherFor(wish);
  Facts facts;
  std::string tensor = g.inputTensor(type.dtype, wish, size, facts);
  facts = unite(facts, isFloat(type.dtype) ? wholeFacts(other, other) : integerFacts(other, other));
  facts.isIntegral &= other == std::floor(other);
  return g.define(type, facts,
                  "tl.load(" + tensor + " + " + offsets.name + ", mask=" + mask.name +
                      ", other=" + g.literal(type.dtype, other) + loadOptions(g) + ")");
}

Variable loadMasked(Generator &g, const TileType &type, const Facts &wish, const std::string &pointer,
                    const std::string &maskText, const Facts &loaded) {
  auto data = g.pick([&](const Variable &v) { return v.type.dtype == DType::Int1 && v.type.shape == type.shape; });
  Variable mask = data && g.chance(50) ? *data
                                       : g.define({DType::Int1, type.shape}, integerFacts(0, 1),
                                                  "tl.broadcast_to(" + maskText + ", " + text(type.shape) + ")");
  double other = otherFor(wish);
  Facts facts = unite(loaded, isFloat(type.dtype) ? wholeFacts(other, other) : integerFacts(other, other));
  facts.isIntegral &= other == std::floor(other);
  std::string number = g.literal(type.dtype, other);
  if (g.chance(70))
    return g.define(type, facts,
                    "tl.load(" + pointer + ", mask=" + mask.name + ", other=" + number + loadOptions(g) + ")");
  // Without `other` the masked elements are undefined: nothing may use them.
  Variable raw = g.define(type, facts, "tl.load(" + pointer + ", mask=" + mask.name + ")");
  std::erase_if(g.variables, [&](const Variable &v) { return v.name == raw.name; });
  std::string zero = "tl.full(" + text(type.shape) + ", " + number + ", " + languageName(type.dtype) + ")";
  return g.define(type, facts, "tl.where(" + mask.name + ", " + raw.name + ", " + zero + ")");
}

bool isAtomOf(const Variable &v) { return !v.isPointer; }

} // namespace

Variable loadTile(Generator &g, const TileType &type, const Facts &wish) {
  if (type.shape.empty())
    return loadScalar(g, type.dtype, wish);
  if (g.chance(9))
    return loadGathered(g, type, wish);
  if (type.shape.size() == 1 && g.chance(20))
    return loadTail(g, type, wish);
  if (g.chance(15))
    if (auto loaded = loadBlock(g, type, wish))
      return *loaded;
  Placement placement = place(g, type.shape, Use::Read);
  int64_t total = 0;
  std::string base = baseFor(g, placement.span, Use::Read, total);
  Facts facts;
  std::string tensor = g.inputTensor(type.dtype, wish, total, facts);
  std::string pointer = tensor + (base.empty() ? "" : " + " + base) + " + " + placement.offsets;
  if (g.chance(40))
    pointer = g.definePointer(type, pointer).name;
  if (g.chance(30))
    return loadMasked(g, type, wish, pointer, maskFor(g, type.shape, placement), facts);
  return g.define(type, facts, "tl.load(" + pointer + loadOptions(g) + ")");
}

namespace {

void storeScalar(Generator &g, const Variable &v, DType dtype, const Facts &facts) {
  int64_t total = 0;
  std::string base = baseFor(g, 1, Use::Write, total);
  std::string tensor = g.outputTensor(dtype, facts, total);
  g.effect("tl.store(" + tensor + (base.empty() ? "" : " + " + base) + ", " + v.name + ")");
}

// An odd factor permutes the numbers below a power of two; those below another number are moved on.
void storeScattered(Generator &g, const Variable &v, DType dtype, const Facts &facts) {
  int64_t total = 0, count = g.value(v.type.shape[0]);
  std::string base = baseFor(g, count, Use::Write, total);
  std::string tensor = g.outputTensor(dtype, facts, total);
  std::string extent = v.type.shape[0].text();
  bool isEven = g.isEven(v.type.shape);
  int64_t factor = 2 * g.below(9) + 1, start = g.below(30);
  std::string index = "((tl.arange(0, " + extent + ") * " + std::to_string(isEven ? factor : 1) + " + " +
                      std::to_string(start) + ") " + (isEven ? "& (" + extent + " - 1))" : "% (" + extent + "))");
  g.effect("tl.store(" + tensor + (base.empty() ? "" : " + " + base) + " + " + index + ", " + v.name + ")");
}

bool generateLoad(Generator &g) {
  auto like = g.pick(isAtomOf);
  TileShape shape = like && g.chance(60) ? like->type.shape : g.randomShape(g.tileLimit);
  DType dtype = g.randomType();
  if (!g.spend(g.count(shape)))
    return false;
  loadTile(g, {dtype, shape}, g.randomWish(dtype));
  return true;
}

bool generateStore(Generator &g) {
  auto v = g.pick(isAtomOf);
  if (!v || !g.spend(g.count(v->type.shape)))
    return false;
  storeTile(g, *v);
  return true;
}

} // namespace

void storeTile(Generator &g, const Variable &v) {
  DType dtype = v.type.dtype;
  Facts facts = v.facts;
  if (g.chance(12)) { // a store converts
    DType other = g.randomType();
    auto converted = castFacts(dtype, other, facts);
    if (converted && (converted->error == 0 || !g.program.isExact))
      dtype = other, facts = *converted;
  }
  if (v.type.shape.empty())
    return storeScalar(g, v, dtype, facts);
  if (v.type.shape.size() == 1 && g.chance(8))
    return storeScattered(g, v, dtype, facts);
  if (dtype == v.type.dtype && g.chance(15) && storeBlock(g, v))
    return;
  Placement placement = place(g, v.type.shape, Use::Write);
  int64_t total = 0;
  std::string base = baseFor(g, placement.span, Use::Write, total);
  std::string tensor = g.outputTensor(dtype, facts, total + g.below(3));
  std::string pointer = tensor + (base.empty() ? "" : " + " + base) + " + " + placement.offsets;
  std::string mask = g.chance(30) ? ", mask=" + maskFor(g, v.type.shape, placement) : "";
  if (mask.empty() && g.chance(8))
    if (auto found =
            g.pick([&](const Variable &m) { return m.type.dtype == DType::Int1 && m.type.shape == v.type.shape; }))
      mask = ", mask=" + found->name;
  g.effect("tl.store(" + pointer + ", " + v.name + mask + ")");
}

const std::vector<Family> &updateFamilies();
const std::vector<Family> &rowFamilies();
const std::vector<Family> &indexFamilies();

const std::vector<Family> &memoryFamilies() {
  static const std::vector<Family> kFamilies = [] {
    std::vector<Family> all = {{10, false, generateLoad}, {3, false, generateStore}};
    for (auto *families : {&updateFamilies(), &rowFamilies(), &indexFamilies()})
      all.insert(all.end(), families->begin(), families->end());
    return all;
  }();
  return kFamilies;
}

} // namespace nereid::differ
