// GenerateDot.cpp: matrix products: single ones, batches, chains, and the loop over K with its pointers.
#include "Products.h"

#include <algorithm>
#include <cmath>

namespace nereid::differ {

ProductFormat randomFormat(Generator &g) {
  using enum DType;
  switch (g.below(10)) {
  case 0: return {Int8, Int8, Int32, "", 0};
  case 1: return {UInt8, g.choose({UInt8, Int8}), Int32, "", 0};
  case 2: return {Fp64, Fp64, Fp64, "", 0};
  case 3: {
    DType lhs = g.choose({Fp8E4NV, Fp8E5}), rhs = g.choose({Fp8E4NV, Fp8E5});
    return {lhs, rhs, Fp32, "", 0};
  }
  case 4:
  case 5: {
    if (g.chance(25))
      return {Fp16, Fp16, Fp16, ", out_dtype=tl.float16", 0};
    return {Fp16, Fp16, Fp32, "", 0};
  }
  case 6: return {Bf16, Bf16, Fp32, "", 0};
  default: break;
  }
  const char *precision = g.choose({"ieee", "ieee", "tf32", "tf32x3", "bf16x3", "bf16x6"});
  bool isShort = std::string_view(precision) == "tf32";
  return {Fp32, Fp32, Fp32, std::string(", input_precision=\"") + precision + "\"", isShort ? 0x1p-9 : 0x1p-15};
}

int64_t leastDepth(DType dtype) { return 32 / int64_t(bytesOf(dtype)); }

Facts operandWish(Generator &g, const ProductFormat &format, DType dtype, double depth) {
  if (!isFloat(dtype))
    return fullFacts(dtype);
  if (g.program.isExact || g.chance(30)) {
    double limit = std::floor(std::sqrt(exactLimitOf(format.out) / 2 / depth));
    limit = std::clamp(limit, 1.0, std::min(4.0, exactLimitOf(dtype)));
    return wholeFacts(-limit, limit);
  }
  return {.low = -1, .high = 1};
}

double fusedUnitsOf(double depth) { return 1 + depth / 4; }

std::optional<Facts> productFacts(Generator &g, const ProductFormat &format, const Facts &a, const Facts &b,
                                  double depth, const Facts *acc) {
  if (!isFloat(format.out)) {
    double most = depth * a.magnitude() * b.magnitude() + (acc ? acc->magnitude() : 0);
    return wrapped(format.out, -most, most);
  }
  if (a.isSpecial || b.isSpecial || (acc && acc->isSpecial))
    return std::nullopt;
  double term = a.magnitude() * b.magnitude(), most = depth * term + (acc ? acc->magnitude() : 0);
  Facts facts{.low = -most,
              .high = most,
              .isIntegral = a.isIntegral && b.isIntegral && (!acc || acc->isIntegral),
              .isZeroUnsigned = true};
  // A GPU adds products of bytes with 14 bits of the largest one.
  constexpr double kShortUnit = 0x1p-12;
  bool isShort = g.options.contracts && bytesOf(format.lhs) == 1;
  bool isExact = facts.isIntegral && a.error + b.error + (acc ? acc->error : 0) == 0 &&
                 most <= (isShort ? 1 / kShortUnit : exactLimitOf(format.out)) &&
                 std::max(a.magnitude(), b.magnitude()) <= 256;
  if (!isExact) {
    double sumUnit = unitOf(format.out == DType::Fp64 ? DType::Fp64 : DType::Fp32);
    facts.error = depth * (a.magnitude() * b.error + b.magnitude() * a.error + a.error * b.error) +
                  depth * term * (2 * format.inputUnit + depth * sumUnit) + (acc ? acc->error : 0) +
                  unitOf(format.out) * most + (isShort ? kShortUnit * most * (1 + depth / 32) : 0);
  }
  if (!acc)
    facts.fusedUnits = fusedUnitsOf(depth);
  auto done = rounded(format.out, facts);
  if (done && done->error > 0 && g.program.isExact)
    return std::nullopt;
  return done;
}

namespace {

// Loaded or computed before, or put together.
Variable operandPart(Generator &g, const TileType &type, const Facts &wish) {
  return g.chance(25) ? rearrangedTile(g, type, wish) : g.obtain(type, wish);
}

// Small integers as floats: as they are, or cut out of a byte and shifted below zero.
Variable convertedOperand(Generator &g, const TileType &type, const Facts &wish) {
  std::string suffix = ".to(" + languageName(type.dtype) + ")";
  double low = std::ceil(std::max(wish.low, -4.0)), high = std::floor(std::min(wish.high, 4.0));
  if (low <= -1 && high >= 0 && g.chance(40)) {
    Variable bytes = operandPart(g, {DType::UInt8, type.shape}, fullFacts(DType::UInt8));
    std::string shift = g.chance(50) ? bytes.name : "(" + bytes.name + " >> 4)";
    int64_t half = low <= -4 && high >= 3 ? 4 : low <= -2 && high >= 1 ? 2 : 1;
    return g.define(type, wholeFacts(double(-half), double(half - 1)),
                    "((" + shift + " & " + std::to_string(2 * half - 1) + ").to(tl.int8) - " + std::to_string(half) +
                        ")" + suffix);
  }
  DType narrow =
      low < 0 ? g.choose({DType::Int8, DType::Int8, DType::Int16}) : g.choose({DType::UInt8, DType::Int8, DType::Int1});
  Variable source =
      operandPart(g, {narrow, type.shape}, narrow == DType::Int1 ? integerFacts(0, 1) : integerFacts(low, high));
  return g.define(type, wholeFacts(source.facts.low, source.facts.high), source.name + suffix);
}

// As it is, the transpose of one, or converted to its type.
Variable operand(Generator &g, const TileType &type, const Facts &wish) {
  if (isFloat(type.dtype) && bytesOf(type.dtype) > 1 && g.chance(25) && wish.low <= 0 && wish.high >= 1)
    return convertedOperand(g, type, wish);
  if (type.shape.size() != 2 || g.chance(70))
    return operandPart(g, type, wish);
  Variable source = operandPart(g, {type.dtype, {type.shape[1], type.shape[0]}}, wish);
  return g.define(type, source.facts, "tl.trans(" + source.name + ")");
}

bool generateDot(Generator &g) {
  ProductFormat format = randomFormat(g);
  int64_t least = std::max(leastDepth(format.lhs), leastDepth(format.rhs));
  auto a = g.pick([&](const Variable &v) {
    return v.type.dtype == format.lhs && v.type.shape.size() >= 2 && v.type.shape.size() <= 3 &&
           g.value(v.type.shape.back()) >= least;
  });
  TileShape left;
  if (a && g.chance(50)) {
    left = a->type.shape;
  } else {
    left = {g.sizeOf(int64_t(1) << g.between(0, 7)), g.sizeOf(least << g.doublings(3), least)};
    if (g.chance(20))
      left.insert(left.begin(), g.extent(int64_t(1) << g.below(3)));
  }
  double depth = double(g.value(left.back()));
  TileShape right = left, out = left;
  right[right.size() - 2] = left.back();
  right.back() = out.back() = g.sizeOf(int64_t(1) << g.doublings(7));
  if (!g.spend(g.count(left) * g.value(right.back())))
    return false;
  Facts wishA = operandWish(g, format, format.lhs, depth), wishB = operandWish(g, format, format.rhs, depth);
  Variable lhs = operand(g, {format.lhs, left}, wishA), rhs = operand(g, {format.rhs, right}, wishB);
  std::optional<Variable> acc;
  if (g.chance(40)) {
    Facts wish = isFloat(format.out)
                     ? (g.program.isExact ? wholeFacts(-16, 16) : Facts{.low = -8, .high = 8, .error = 1e-3})
                     : fullFacts(format.out);
    acc = g.obtain({format.out, out}, wish);
  }
  auto facts = productFacts(g, format, lhs.facts, rhs.facts, depth, acc ? &acc->facts : nullptr);
  if (!facts)
    return false;
  g.define({format.out, out}, *facts,
           "tl.dot(" + lhs.name + ", " + rhs.name + (acc ? ", " + acc->name : "") + format.options + ")");
  return true;
}

// Whole numbers times 1/2, 1 or 2: everything stays exact.
bool generateScaledDot(Generator &g) {
  DType lhsType = g.choose({DType::Fp8E4NV, DType::Fp8E5, DType::Bf16, DType::UInt8}),
        rhsType = g.choose({DType::Fp8E4NV, DType::Fp8E5, DType::Bf16, DType::UInt8});
  auto formatOf = [](DType type) {
    return type == DType::Fp8E4NV ? "e4m3" : type == DType::Fp8E5 ? "e5m2" : type == DType::Bf16 ? "bf16" : "e2m1";
  };
  Extent m = g.extent(int64_t(4) << g.below(4)), n = g.extent(int64_t(4) << g.below(4)),
         groups = g.extent(int64_t(1) << g.below(2));
  int64_t depth = 32 * g.value(groups);
  if (!g.spend(2 * g.value(m) * g.value(n) * depth))
    return false;
  auto depthOf = [&](DType type) { return groups * Extent{type == DType::UInt8 ? 16 : 32, {}}; }; // two e2m1 to a byte
  auto wishOf = [](DType type) { return type == DType::UInt8 ? fullFacts(type) : wholeFacts(-4, 4); };
  Variable lhs = g.obtain({lhsType, {m, depthOf(lhsType)}}, wishOf(lhsType)),
           rhs = g.obtain({rhsType, {depthOf(rhsType), n}}, wishOf(rhsType));
  auto scaleOf = [&](DType type, const Extent &rows) {
    return type == DType::Bf16 ? std::string("None")
                               : g.obtain({DType::UInt8, {rows, groups}}, integerFacts(126, 128)).name;
  };
  std::string lhsScale = scaleOf(lhsType, m), rhsScale = scaleOf(rhsType, n);
  double most = double(depth) * 12 * 12;
  g.define({DType::Fp32, {m, n}},
           {.low = -most, .high = most, .isZeroUnsigned = true, .fusedUnits = fusedUnitsOf(double(depth))},
           "tl.dot_scaled(" + lhs.name + ", " + lhsScale + ", \"" + formatOf(lhsType) + "\", " + rhs.name + ", " +
               rhsScale + ", \"" + formatOf(rhsType) + "\")");
  return true;
}

struct Matrix {
  std::string tensor;
  int64_t rowStride, columnStride;
  Facts facts;
};

Matrix makeMatrix(Generator &g, DType dtype, const Facts &wish, int64_t rows, int64_t columns) {
  Matrix matrix{"", columns, 1, {}};
  if (g.chance(35))
    matrix.rowStride = 1, matrix.columnStride = rows;
  matrix.tensor = g.inputTensor(dtype, wish, rows * columns, matrix.facts);
  return matrix;
}

// The matmul of every tutorial: tiles of A and B move along K; the end of K, M and N may be masked.
bool generateMatmulLoop(Generator &g) {
  ProductFormat format = randomFormat(g);
  if (format.out == DType::Fp16 || g.loopLevel > 0)
    return false;
  int64_t least = std::max(leastDepth(format.lhs), leastDepth(format.rhs));
  Extent m = g.sizeOf(int64_t(8) << g.doublings(4)), n = g.sizeOf(int64_t(8) << g.doublings(4)),
         k = g.sizeOf(least << g.doublings(2), least);
  int64_t steps = g.between(1, 4), tail = g.chance(50) ? g.below(g.value(k)) : 0;
  int64_t rows = g.value(m) - g.below(3), columns = g.value(n) - g.below(3),
          depth = std::max<int64_t>(1, g.value(k) * steps - tail);
  if (!g.spend(g.value(m) * g.value(n) * depth))
    return false;
  Matrix a = makeMatrix(g, format.lhs, operandWish(g, format, format.lhs, double(depth)), rows, depth);
  Matrix b = makeMatrix(g, format.rhs, operandWish(g, format, format.rhs, double(depth)), depth, columns);
  auto facts = productFacts(g, format, a.facts, b.facts, double(depth), nullptr);
  if (!facts)
    return false;
  Facts zero = isFloat(format.out) ? wholeFacts(0, 0) : integerFacts(0, 0);
  auto arange = [&](const Extent &extent) {
    return g
        .define({DType::Int32, {extent}}, integerFacts(0, double(g.value(extent) - 1)),
                "tl.arange(0, " + extent.text() + ")")
        .name;
  };
  std::string im = arange(m), in = arange(n), ik = arange(k), depthText = g.constantOrArgument(depth);
  std::string rowIndex = im, columnIndex = in;
  bool wraps = g.chance(40); // as the tutorial does, instead of masks along M and N
  if (wraps) {
    rowIndex = "(" + im + " % " + g.constantOrArgument(rows) + ")";
    columnIndex = "(" + in + " % " + g.constantOrArgument(columns) + ")";
  }
  TileType typeA{format.lhs, {m, k}}, typeB{format.rhs, {k, n}}, typeC{format.out, {m, n}};
  Variable pa =
      g.definePointer(typeA, a.tensor + " + " + rowIndex + "[:, None] * " + g.constantOrArgument(a.rowStride) + " + " +
                                 ik + "[None, :] * " + g.constantOrArgument(a.columnStride));
  Variable pb = g.definePointer(typeB, b.tensor + " + " + ik + "[:, None] * " + g.constantOrArgument(b.rowStride) +
                                           " + " + columnIndex + "[None, :] * " + g.constantOrArgument(b.columnStride));
  Variable acc = g.define(typeC, zero, "tl.zeros(" + text(typeC.shape) + ", " + languageName(format.out) + ")");
  std::string rounds = g.constantOrArgument(steps), index = g.newName("k");
  Facts loadA = unite(a.facts, zero), loadB = unite(b.facts, zero);
  Statement loop{.text = "for " + index + " in range(" + rounds + "):", .firstIndex = index};
  loop.body = g.collect([&] {
    std::string inside = depthText + " - " + index + " * " + k.text(), maskA, maskB;
    bool masksDepth = g.value(k) * steps != depth || g.chance(30);
    if (masksDepth)
      maskA = "(" + ik + "[None, :] < " + inside + ")", maskB = "(" + ik + "[:, None] < " + inside + ")";
    if (!wraps) {
      maskA += (maskA.empty() ? "(" : " & (") + im + "[:, None] < " + std::to_string(rows) + ")";
      maskB += (maskB.empty() ? "(" : " & (") + in + "[None, :] < " + std::to_string(columns) + ")";
    }
    std::string other = isFloat(format.lhs) ? ", other=0.0)" : ", other=0)";
    Variable ta = g.define(typeA, loadA, "tl.load(" + pa.name + (maskA.empty() ? ")" : ", mask=" + maskA + other));
    Variable tb = g.define(typeB, loadB, "tl.load(" + pb.name + (maskB.empty() ? ")" : ", mask=" + maskB + other));
    bool isFused = g.chance(60);
    std::string dot = "tl.dot(" + ta.name + ", " + tb.name + (isFused ? ", " + acc.name : "") + format.options + ")";
    g.assign(acc, *facts, isFused ? dot : acc.name + " + " + dot);
    g.assign(pa, {}, pa.name + " + " + k.text() + " * " + g.constantOrArgument(a.columnStride));
    g.assign(pb, {}, pb.name + " + " + k.text() + " * " + g.constantOrArgument(b.rowStride));
  });
  g.block->push_back(loop);
  for (Variable &variable : g.variables)
    if (variable.name == acc.name)
      variable.facts = unite(*facts, zero);
  return true;
}

} // namespace

const std::vector<Family> &dotFamilies() {
  static const std::vector<Family> kFamilies = {{5, true, generateDot, true},
                                                {1, true, generateScaledDot, true},
                                                {3, false, generateMatmulLoop, true, 3},
                                                {2, false, generateDescribedProduct, true, 3},
                                                {2, false, generateProductChain, true},
                                                {3, false, generateAttention, true, 3},
                                                {1, false, generateSoftmax, true, 6},
                                                {1, false, generateGradients, true, 4},
                                                {1, false, generateSparseProduct, true, 1},
                                                {2, false, generateProductLoop, true, 8}};
  return kFamilies;
}

} // namespace nereid::differ
