// GenerateIndex.cpp: index arithmetic: expressions over positions, program ids and numbers, in all integer types and
// with wrapping, used as values, as offsets and as masks. Compilers recompute such expressions, take them apart into
// strides and conditions, and guess that masks are true; all of that has to agree with plain arithmetic.
#include "Access.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

const std::vector<Family> &indexFamilies();

namespace {

// One position along an axis, a program id, a loop counter or a number.
std::string leaf(Generator &g, const TileShape &shape) {
  int64_t kind = g.below(10);
  if (kind < 6) {
    size_t axis = size_t(g.below(int64_t(shape.size())));
    std::string text = "tl.arange(0, " + shape[axis].text() + ")";
    if (shape.size() == 1)
      return text;
    text += "[";
    for (size_t i = 0; i < shape.size(); ++i)
      text += std::string(i ? ", " : "") + (i == axis ? ":" : "None");
    return text + "]";
  }
  if (kind < 8)
    return g.counters.empty() || g.chance(50) ? "pid" : g.choose(g.counters).name;
  return "(pid + " + (g.chance(50) ? std::to_string(g.below(50)) : g.addInteger(g.below(70))) + ")";
}

std::string expression(Generator &g, const TileShape &shape, int depth) {
  if (depth == 0)
    return leaf(g, shape);
  std::string a = expression(g, shape, depth - 1), number = std::to_string(g.choose({1, 2, 3, 4, 7, 8, 16, 100}));
  if (g.chance(25))
    number = g.addInteger(g.between(1, 40), 1);
  switch (g.below(14)) {
  case 0:
  case 1:
  case 2: return "(" + a + " + " + expression(g, shape, depth - 1) + ")";
  case 3: return "(" + a + " - " + expression(g, shape, g.chance(50) ? 0 : depth - 1) + ")";
  case 4:
  case 5: return "(" + a + " * " + number + ")";
  case 6: return "(" + a + " // " + number + ")";
  case 7: return "(" + a + " % " + number + ")";
  case 8: return "(" + a + " & " + std::to_string(g.choose({1, 3, 7, 12, 31, 127})) + ")";
  case 9: return "(" + a + " ^ " + expression(g, shape, 0) + ")";
  case 10: return "(" + a + " << " + std::to_string(g.below(4)) + ")";
  case 11: return "(" + a + " >> " + std::to_string(g.below(4)) + ")";
  case 12: return "tl.minimum(" + a + ", " + expression(g, shape, 0) + ")";
  default:
    return a + ".to(" + languageName(g.choose({DType::Int64, DType::Int16, DType::Int8, DType::UInt8})) +
           ").to(tl.int32)";
  }
}

// An expression of the whole shape, as 32-bit integers.
std::string fullExpression(Generator &g, const TileShape &shape) {
  return "tl.broadcast_to(" + expression(g, shape, int(g.between(1, 3))) + " + tl.zeros(" + text(shape) +
         ", tl.int32), " + text(shape) + ")";
}

std::optional<TileShape> indexShape(Generator &g, int cost) {
  TileShape shape = g.randomShape(g.tileLimit);
  if (shape.empty() || g.program.isDebug || !g.spend(cost * g.count(shape)))
    return std::nullopt;
  return shape;
}

bool generateIndexValue(Generator &g) {
  auto shape = indexShape(g, 4);
  if (!shape)
    return false;
  g.define({DType::Int32, *shape}, fullFacts(DType::Int32), fullExpression(g, *shape));
  return true;
}

std::string comparison(Generator &g, const TileShape &shape) {
  std::string left = expression(g, shape, int(g.between(0, 2)));
  std::string right = g.chance(60) ? g.addInteger(g.below(80)) : expression(g, shape, 0);
  return "(" + left + g.choose({" < ", " <= ", " >= ", " == ", " != ", " > "}) + right + ")";
}

std::string indexMask(Generator &g, const TileShape &shape) {
  std::string mask = comparison(g, shape);
  while (g.chance(40))
    mask += g.choose({" & ", " & ", " | "}) + comparison(g, shape);
  return "tl.broadcast_to((" + mask + ") & tl.full(" + text(shape) + ", True, tl.int1), " + text(shape) + ")";
}

bool generateIndexMask(Generator &g) {
  auto shape = indexShape(g, 6);
  if (!shape)
    return false;
  g.define({DType::Int1, *shape}, integerFacts(0, 1), indexMask(g, *shape));
  return true;
}

// An offset brought into [0, reach), and often a mask of its own.
bool generateIndexedLoad(Generator &g) {
  auto shape = indexShape(g, 8);
  if (!shape)
    return false;
  int64_t reach = int64_t(1) << g.between(1, 9);
  std::string offset = fullExpression(g, *shape), last = std::to_string(reach - 1);
  switch (g.below(3)) {
  case 0: offset = "(" + offset + " & " + last + ")"; break;
  case 1: offset = "tl.minimum(tl.maximum(" + offset + ", 0), " + last + ")"; break;
  default:
    offset = "(((" + offset + " % " + std::to_string(reach) + ") + " + std::to_string(reach) + ") % " +
             std::to_string(reach) + ")";
    break;
  }
  DType dtype = g.randomType();
  Facts facts, wish = g.randomWish(dtype);
  std::string tensor = g.inputTensor(dtype, wish, reach, facts);
  TileType type{dtype, *shape};
  if (g.chance(50)) {
    g.define(type, facts, "tl.load(" + tensor + " + " + offset + ")");
    return true;
  }
  double other = std::clamp(0.0, wish.low, wish.high);
  Facts both = unite(facts, isFloat(dtype) ? wholeFacts(other, other) : integerFacts(other, other));
  both.isIntegral &= other == std::floor(other);
  g.define(type, both,
           "tl.load(" + tensor + " + " + offset + ", mask=" + indexMask(g, *shape) +
               ", other=" + g.literal(dtype, other) + ")");
  return true;
}

// Offsets that only the mask keeps inside: those of a neighbour, of a window, of a triangle.
bool generateGuardedLoad(Generator &g) {
  auto shape = indexShape(g, 8);
  if (!shape)
    return false;
  int64_t size = g.between(1, 200);
  DType dtype = g.randomType();
  Facts facts, wish = g.randomWish(dtype);
  double other = std::clamp(0.0, wish.low, wish.high);
  std::string tensor = g.inputTensor(dtype, wish, size, facts), bound = g.addInteger(size, size);
  Variable index = g.define({DType::Int32, *shape}, fullFacts(DType::Int32), fullExpression(g, *shape));
  Facts both = unite(facts, isFloat(dtype) ? wholeFacts(other, other) : integerFacts(other, other));
  both.isIntegral &= other == std::floor(other);
  std::string mask = "(" + index.name + " >= 0) & (" + index.name + " < " + bound + ")";
  g.define({dtype, *shape}, both,
           "tl.load(" + tensor + " + " + index.name + ", mask=" + mask + ", other=" + g.literal(dtype, other) + ")");
  return true;
}

// Stores under a mask of index arithmetic.
bool generateMaskedStore(Generator &g) {
  auto v = g.pick([](const Variable &v) { return !v.type.shape.empty(); });
  if (!v || g.program.isDebug || !g.spend(6 * g.count(v->type.shape)))
    return false;
  Placement placement = place(g, v->type.shape, Use::Write);
  int64_t total = 0;
  std::string base = baseFor(g, placement.span, Use::Write, total);
  std::string tensor = g.outputTensor(v->type.dtype, v->facts, total);
  g.effect("tl.store(" + tensor + (base.empty() ? "" : " + " + base) + " + " + placement.offsets + ", " + v->name +
           ", mask=" + indexMask(g, v->type.shape) + ")");
  return true;
}

} // namespace

const std::vector<Family> &indexFamilies() {
  static const std::vector<Family> kFamilies = {{3, false, generateIndexValue},
                                                {2, false, generateIndexMask},
                                                {4, false, generateIndexedLoad},
                                                {3, false, generateGuardedLoad},
                                                {3, false, generateMaskedStore}};
  return kFamilies;
}

} // namespace nereid::differ
