// GenerateShape.cpp: operations that move elements and do not change them.
#include "Generator.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nereid::differ {

namespace {

constexpr size_t kMostAxes = 5;

std::optional<Variable> pickTile(Generator &g, size_t leastRank = 1, size_t mostRank = kMostAxes) {
  auto found =
      g.pick([&](const Variable &v) { return v.type.shape.size() >= leastRank && v.type.shape.size() <= mostRank; });
  if (found && !g.spend(g.count(found->type.shape)))
    return std::nullopt;
  return found;
}

std::string listInCode(const std::vector<int64_t> &values) {
  std::string out;
  for (int64_t value : values)
    out += (out.empty() ? "" : ", ") + std::to_string(value);
  return out;
}

bool generateExpand(Generator &g) {
  auto a = pickTile(g, 1, kMostAxes - 1);
  if (!a)
    return false;
  TileType type = a->type;
  int64_t axis = g.below(int64_t(type.shape.size()) + 1);
  type.shape.insert(type.shape.begin() + axis, Extent{});
  if (g.chance(50)) {
    const char *name = g.chance(70) ? "tl.expand_dims(" : "tl.unsqueeze(";
    g.define(type, a->facts, name + a->name + ", " + std::to_string(axis) + ")");
    return true;
  }
  std::string index;
  for (size_t i = 0; i < type.shape.size(); ++i)
    index += std::string(i ? ", " : "") + (int64_t(i) == axis ? "None" : ":");
  g.define(type, a->facts, a->name + "[" + index + "]");
  return true;
}

bool generateSqueeze(Generator &g) {
  auto isOne = [](const Extent &extent) { return extent.isOne(); };
  auto a =
      g.pick([&](const Variable &v) { return v.type.shape.size() > 1 && std::ranges::any_of(v.type.shape, isOne); });
  if (!a || !g.spend(g.count(a->type.shape)))
    return false;
  TileType type = a->type;
  auto axis = std::ranges::find_if(type.shape, isOne) - type.shape.begin();
  type.shape.erase(type.shape.begin() + axis);
  g.define(type, a->facts, "tl.squeeze(" + a->name + ", " + std::to_string(axis) + ")");
  return true;
}

bool generateBroadcast(Generator &g) {
  auto a = g.pick([](const Variable &v) {
    return std::ranges::any_of(v.type.shape, [](const Extent &extent) { return extent.isOne(); }) ||
           v.type.shape.empty();
  });
  if (!a)
    return false;
  TileType type = a->type;
  if (type.shape.empty())
    type.shape = g.randomShape(1024);
  for (Extent &extent : type.shape)
    if (extent.isOne() && g.chance(70))
      extent = g.extent(int64_t(1) << g.below(7));
  if (type.shape.empty() || g.count(type.shape) > g.tileLimit || !g.spend(g.count(type.shape)))
    return false;
  g.define(type, a->facts, "tl.broadcast_to(" + a->name + ", " + text(type.shape) + ")");
  return true;
}

// Deals the factors of all extents out to a new number of axes.
bool generateReshape(Generator &g) {
  auto a = pickTile(g);
  if (!a || !g.isEven(a->type.shape))
    return false;
  std::vector<Extent> factors;
  for (const Extent &extent : a->type.shape) {
    for (int64_t rest = extent.factor; rest > 1; rest /= 2)
      factors.push_back({2, {}});
    for (unsigned symbol : extent.symbols)
      factors.push_back({1, {symbol}});
  }
  TileType type{a->type.dtype, TileShape(size_t(g.between(1, 4)))};
  for (const Extent &factor : factors) {
    Extent &extent = type.shape[g.below(int64_t(type.shape.size()))];
    extent = extent * factor;
  }
  std::string form = type.shape.size() == 1 && g.chance(50) ? "tl.ravel(" + a->name + ")"
                                                            : "tl.reshape(" + a->name + ", " + text(type.shape) + ")";
  g.define(type, a->facts, form);
  return true;
}

bool generatePermute(Generator &g) {
  auto a = pickTile(g, 2);
  if (!a)
    return false;
  size_t rank = a->type.shape.size();
  std::vector<int64_t> order(rank);
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = rank; i-- > 1;)
    std::swap(order[i], order[g.below(int64_t(i) + 1)]);
  TileType type{a->type.dtype, {}};
  if (rank == 2 && g.chance(60)) {
    type.shape = {a->type.shape[1], a->type.shape[0]};
    g.define(type, a->facts, g.chance(50) ? a->name + ".T" : "tl.trans(" + a->name + ")");
    return true;
  }
  for (int64_t axis : order)
    type.shape.push_back(a->type.shape[axis]);
  std::string name = g.chance(50) ? "tl.permute(" : "tl.trans(";
  g.define(type, a->facts, name + a->name + ", " + listInCode(order) + ")");
  return true;
}

bool generateJoin(Generator &g) {
  auto a = g.pick([&](const Variable &v) {
    return v.type.shape.size() < kMostAxes - 1 && 2 * g.count(v.type.shape) <= g.tileLimit;
  });
  if (!a || !g.spend(2 * g.count(a->type.shape)))
    return false;
  Variable b = g.obtain(a->type, g.randomWish(a->type.dtype));
  TileType type = a->type;
  bool interleaves = g.chance(40) && !type.shape.empty();
  if (interleaves)
    type.shape.back() = type.shape.back() * Extent{2, {}};
  else
    type.shape.push_back({2, {}});
  g.define(type, unite(a->facts, b.facts),
           (interleaves ? "tl.interleave(" : "tl.join(") + a->name + ", " + b.name + ")");
  return true;
}

bool generateSplit(Generator &g) {
  auto a = g.pick([](const Variable &v) { return v.type.shape.size() >= 2 && v.type.shape.back() == Extent{2, {}}; });
  if (!a) {
    if (!generateJoin(g))
      return false;
    a = g.variables.back();
    if (!(a->type.shape.back() == Extent{2, {}}) || a->type.shape.size() < 2)
      return true;
  }
  if (!g.spend(g.count(a->type.shape)))
    return false;
  TileType type = a->type;
  type.shape.pop_back();
  g.defineAll({type, type}, {a->facts, a->facts}, "tl.split(" + a->name + ")");
  return true;
}

bool generateCat(Generator &g) {
  auto a = pickTile(g);
  if (!a || 2 * g.count(a->type.shape) > g.tileLimit)
    return false;
  Variable b = g.obtain(a->type, g.randomWish(a->type.dtype));
  int64_t axis = g.below(int64_t(a->type.shape.size()));
  TileType type = a->type;
  type.shape[axis] = type.shape[axis] * Extent{2, {}};
  g.define(type, unite(a->facts, b.facts), "tl.cat(" + a->name + ", " + b.name + ", dim=" + std::to_string(axis) + ")");
  return true;
}

bool generateRearranged(Generator &g) {
  DType dtype = g.randomType();
  TileType type{dtype, g.randomShape(g.tileLimit)};
  if (type.shape.empty())
    return false;
  rearrangedTile(g, type, g.randomWish(dtype));
  return true;
}

bool generateFlip(Generator &g) {
  auto a = pickTile(g);
  if (!a)
    return false;
  g.define(a->type, a->facts,
           "tl.flip(" + a->name + ", " + std::to_string(g.below(int64_t(a->type.shape.size()))) + ")");
  return true;
}

// Indices within the extent of the axis: any integers, masked, and for extents that are no powers of two a rest.
bool generateGather(Generator &g) {
  auto a = pickTile(g, 1, 3);
  if (!a)
    return false;
  size_t axis = size_t(g.below(int64_t(a->type.shape.size())));
  TileShape shape = a->type.shape;
  if (g.chance(50))
    shape[axis] = g.extent(int64_t(1) << g.below(6));
  if (g.count(shape) > g.tileLimit || !g.spend(g.count(shape)))
    return false;
  DType indexType = g.choose({DType::Int32, DType::Int32, DType::Int64});
  Variable any = g.obtain({indexType, shape}, fullFacts(indexType));
  double most = double(g.value(a->type.shape[axis]) - 1);
  const Extent &extent = a->type.shape[axis];
  Variable index = g.define({indexType, shape}, integerFacts(0, most),
                            g.isEven({extent}) ? any.name + " & (" + extent.text() + " - 1)"
                                               : "(" + any.name + " & 32767) % (" + extent.text() + ")");
  g.define({a->type.dtype, shape}, a->facts,
           "tl.gather(" + a->name + ", " + index.name + ", " + std::to_string(axis) + ")");
  return true;
}

} // namespace

const std::vector<Family> &shapeFamilies() {
  static const std::vector<Family> kFamilies = {
      {4, true, generateExpand},  {2, true, generateSqueeze}, {4, true, generateBroadcast}, {5, true, generateReshape},
      {5, true, generatePermute}, {3, true, generateJoin},    {3, true, generateSplit},     {2, true, generateCat},
      {3, true, generateFlip},    {3, true, generateGather},  {4, true, generateRearranged}};
  return kFamilies;
}

} // namespace nereid::differ
