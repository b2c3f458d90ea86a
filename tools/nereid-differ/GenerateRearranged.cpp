// GenerateRearranged.cpp: tiles of a wished type that are put together from others: halves joined, interleaved and concatenated,
// rows repeated, axes dealt out anew, bits of integers. Operands of products are often made so: packed weights, rotated halves.
#include "Generator.h"

#include <bit>

namespace nereid::differ {

namespace {

using Maker = std::optional<Variable> (*)(Generator &, const TileType &, const Facts &);

// The type with half as many elements along its last axis, or none where these are odd.
std::optional<TileType> halfOf(Generator &g, TileType type) {
  int64_t extent = g.value(type.shape.back());
  if (extent % 2)
    return std::nullopt;
  type.shape.back() = g.extent(extent / 2);
  return type;
}

std::optional<Variable> interleaved(Generator &g, const TileType &type, const Facts &wish) {
  std::optional<TileType> half = halfOf(g, type);
  if (!half)
    return std::nullopt;
  Variable a = g.obtain(*half, wish), b = g.obtain(*half, wish);
  return g.define(type, unite(a.facts, b.facts), "tl.interleave(" + a.name + ", " + b.name + ")");
}

// One half behind the other along the last axis, by a new axis of two.
std::optional<Variable> joined(Generator &g, const TileType &type, const Facts &wish) {
  std::optional<TileType> half = halfOf(g, type);
  if (!half || type.shape.size() != 2 || !g.isEven(type.shape))
    return std::nullopt;
  Variable a = g.obtain(*half, wish), b = g.obtain(*half, wish);
  return g.define(type, unite(a.facts, b.facts),
                  "tl.reshape(tl.join(" + a.name + ", " + b.name + ")" + (g.chance(60) ? ".permute(0, 2, 1)" : "") +
                      ", " + text(type.shape) + ")");
}

std::optional<Variable> concatenated(Generator &g, const TileType &type, const Facts &wish) {
  std::optional<TileType> half = halfOf(g, type);
  if (!half)
    return std::nullopt;
  Variable a = g.obtain(*half, wish), b = g.obtain(*half, wish);
  return g.define(type, unite(a.facts, b.facts),
                  "tl.cat(" + a.name + ", " + b.name + ", dim=" + std::to_string(type.shape.size() - 1) + ")");
}

std::optional<Variable> halved(Generator &g, const TileType &type, const Facts &wish) {
  TileType twice = type;
  twice.shape.push_back({2, {}});
  if (2 * g.count(type.shape) > g.tileLimit)
    return std::nullopt;
  Variable both = g.obtain(twice, wish);
  return g.defineAll({type, type}, {both.facts, both.facts}, "tl.split(" + both.name + ")")[size_t(g.below(2))];
}

// Another split of the same elements into axes.
std::optional<Variable> reshaped(Generator &g, const TileType &type, const Facts &wish) {
  if (!g.isEven(type.shape))
    return std::nullopt;
  int64_t count = g.count(type.shape), first = int64_t(1) << g.below(std::bit_width(uint64_t(count)));
  TileType other{type.dtype, {g.extent(first), g.extent(count / first)}};
  bool turns = g.chance(40);
  Variable source = g.obtain(other, wish);
  return g.define(type, source.facts,
                  "tl.reshape(" + source.name + (turns ? ".T" : "") + ", " + text(type.shape) + ")");
}

std::optional<Variable> repeated(Generator &g, const TileType &type, const Facts &wish) {
  TileType row = type;
  row.shape[size_t(g.below(int64_t(type.shape.size())))] = Extent{};
  Variable source = g.obtain(row, wish);
  return g.define(type, source.facts, "tl.broadcast_to(" + source.name + ", " + text(type.shape) + ")");
}

// Numbers of the lower half of [0, 1]: an exponent below that of 1, whatever the other bits.
std::optional<Variable> fromBits(Generator &g, const TileType &type, const Facts &wish) {
  if (!(wish.low <= 0 && wish.high >= 1) || wish.isIntegral)
    return std::nullopt;
  DType bits = type.dtype == DType::Fp32 ? DType::Int32 : DType::Int16;
  const char *mask = type.dtype == DType::Fp32   ? "0x3f7fffff"
                     : type.dtype == DType::Fp16 ? "0x3bff"
                     : type.dtype == DType::Bf16 ? "0x3f7f"
                                                 : nullptr;
  if (!mask)
    return std::nullopt;
  Variable source = g.obtain({bits, type.shape}, fullFacts(bits));
  return g.define(type, {.low = 0, .high = 1},
                  "(" + source.name + " & " + mask + ").to(" + languageName(type.dtype) + ", bitcast=True)");
}

// Two numbers of four bits from each byte, the upper ones behind the lower ones or between them.
std::optional<Variable> unpacked(Generator &g, const TileType &type, const Facts &wish) {
  std::optional<TileType> half = halfOf(g, type);
  bool isWide = isFloat(type.dtype) ? bytesOf(type.dtype) > 1 : isSigned(type.dtype);
  if (!half || !isWide || !(wish.low <= -8 && wish.high >= 7))
    return std::nullopt;
  Variable bytes = g.obtain({DType::UInt8, half->shape}, fullFacts(DType::UInt8));
  std::string to = ".to(tl.int8) - 8).to(" + languageName(type.dtype) + ")";
  Facts facts = isFloat(type.dtype) ? wholeFacts(-8, 7) : integerFacts(-8, 7);
  return g.define(type, facts,
                  "tl.interleave(((" + bytes.name + " & 15)" + to + ", ((" + bytes.name + " >> 4)" + to + ")");
}

} // namespace

Variable rearrangedTile(Generator &g, const TileType &type, const Facts &wish) {
  static constexpr Maker kMakers[] = {interleaved, joined,   concatenated, halved,
                                      reshaped,    repeated, fromBits,     unpacked};
  if (!type.shape.empty() && g.count(type.shape) > 1 && g.spend(2 * g.count(type.shape)))
    for (int tries = 0; tries < 3; ++tries)
      if (std::optional<Variable> made = kMakers[g.below(std::size(kMakers))](g, type, wish))
        return *made;
  return g.obtain(type, wish);
}

} // namespace nereid::differ
