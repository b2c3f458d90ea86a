#include "Access.h"

#include <algorithm>
#include <numeric>

namespace nereid::differ {

namespace {

Variable indexTile(Generator &g, const TileShape &shape, size_t axis, bool isWide) {
  std::string text = "tl.arange(0, " + shape[axis].text() + ")";
  if (shape.size() > 1) {
    text += "[";
    for (size_t i = 0; i < shape.size(); ++i)
      text += std::string(i ? ", " : "") + (i == axis ? ":" : "None");
    text += "]";
  }
  if (isWide)
    text += ".to(tl.int64)";
  TileShape own(shape.size());
  own[axis] = shape[axis];
  return g.define({isWide ? DType::Int64 : DType::Int32, own}, integerFacts(0, double(g.value(shape[axis]) - 1)), text);
}

// A number in the text, or an argument of the kernel.
std::string numberText(Generator &g, int64_t value) {
  return g.chance(60) ? std::to_string(value) : g.addInteger(value, value);
}

} // namespace

Placement place(Generator &g, const TileShape &shape, Use use) {
  enum { Dense, Padded, Spread } kind = g.chance(65) ? Dense : g.chance(60) ? Padded : Spread;
  Placement result;
  result.isWide = g.chance(15);
  std::vector<size_t> order(shape.size()); // fastest first
  std::iota(order.rbegin(), order.rend(), 0);
  if (shape.size() > 1 && g.chance(25))
    std::swap(order[0], order[size_t(g.between(1, int64_t(shape.size()) - 1))]);
  std::vector<std::string> terms(shape.size());
  size_t visible = g.variables.size();
  for (size_t i = 0; i < shape.size(); ++i)
    result.indices.push_back(indexTile(g, shape, i, result.isWide));
  if (g.chance(85)) // seldom operands of anything else: data is more telling
    g.variables.resize(visible);
  Extent dense;
  int64_t stride = kind == Spread ? g.between(2, 4) : 1;
  for (size_t axis : order) {
    std::string index = result.indices[axis].name;
    int64_t extent = g.value(shape[axis]);
    if (g.chance(6))
      index = "(" + shape[axis].text() + " - 1 - " + index + ")";
    if (use == Use::Read && shape.size() > 1 && g.chance(6)) {
      terms[axis] = index + " * 0";
      continue;
    }
    if (kind == Dense && stride == g.value(dense))
      terms[axis] = dense.isOne() ? index : index + " * (" + dense.text() + ")";
    else
      terms[axis] = index + " * " + numberText(g, stride);
    result.span += (extent - 1) * stride;
    stride = stride * extent + (kind == Padded ? g.between(0, 5) : 0);
    dense = dense * shape[axis];
  }
  for (const std::string &term : terms)
    result.offsets += (result.offsets.empty() ? "" : " + ") + term;
  return result;
}

std::string baseFor(Generator &g, int64_t span, Use use, int64_t &total) {
  std::string base;
  total = span;
  for (const Generator::Counter &counter : g.counters)
    if (counter.count > 0 && total * counter.count < 200'000 && g.chance(50)) {
      base += (base.empty() ? "" : " + ") + counter.name + " * " + numberText(g, total);
      total *= counter.count;
    }
  if (g.programs() > 1 && (use == Use::Write || g.chance(60))) {
    base = "pid * " + numberText(g, total) + (base.empty() ? "" : " + ") + base;
    total *= g.programs();
  }
  return base;
}

std::string maskFor(Generator &g, const TileShape &shape, const Placement &placement) {
  std::string mask;
  size_t first = size_t(g.below(int64_t(shape.size())));
  size_t second = size_t(g.below(int64_t(shape.size())));
  for (size_t axis : {first, second}) {
    if (!mask.empty() && axis == first)
      break;
    int64_t extent = g.value(shape[axis]);
    int64_t bound = g.chance(20) ? extent + g.below(3) : g.below(extent + 1);
    mask += (mask.empty() ? "(" : " & (") + placement.indices[axis].name + " < " + g.addInteger(bound) + ")";
    if (g.chance(60))
      break;
  }
  return mask;
}

} // namespace nereid::differ
