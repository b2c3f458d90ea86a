#include "interp/count/Operations.h"

#include "interp/Dot.h"

#include <algorithm>

namespace nereid::interp {

static Counts floatFlops(Element element, uint64_t flops) {
  Counts counts;
  counts.flops = flops;
  (element == Element::F64 ? counts.fp64Flops : element == Element::F32 ? counts.fp32Flops : counts.fp16Flops) = flops;
  return counts;
}

static bool isOneOf(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

// Device functions of libdevice count as the special functions that most of them are, and roots that are rounded well.
static bool isSpecial(std::string_view name) {
  static constexpr std::string_view kFree[] = {"math.absf",  "math.floor",     "math.ceil",    "math.trunc",
                                               "math.round", "math.roundeven", "math.copysign"};
  return name.starts_with("tile.") || (name.starts_with("math.") && !isOneOf(name, kFree));
}

Counts costOfElement(const Fact &fact, const Instruction &instruction) {
  static constexpr std::string_view kFlops[] = {"arith.addf",    "arith.subf",     "arith.mulf",
                                                "arith.divf",    "arith.remf",     "arith.maxnumf",
                                                "arith.minnumf", "arith.maximumf", "arith.minimumf"};
  static constexpr std::string_view kIntegers[] = {
      "arith.addi",           "arith.subi",           "arith.muli",          "arith.andi",      "arith.ori",
      "arith.xori",           "arith.divui",          "arith.remui",         "arith.ceildivui", "arith.maxui",
      "arith.minui",          "arith.maxsi",          "arith.minsi",         "arith.divsi",     "arith.remsi",
      "arith.floordivsi",     "arith.ceildivsi",      "math.ipowi",          "arith.shli",      "arith.shrui",
      "arith.shrsi",          "arith.cmpi",           "math.absi",           "math.ctlz",       "math.cttz",
      "math.ctpop",

      "arith.mulsi_extended", "arith.mului_extended", "arith.addui_extended"};
  Counts counts;
  // Scalars that are spread over a tile first have the name of their op.
  bool isArithmetic = instruction.kernel || fact.flow == Flow::AddPointer || fact.flow == Flow::Histogram;
  if (!isArithmetic)
    return counts;
  Element element = !fact.results.empty()    ? fact.results[0].element
                    : !fact.operands.empty() ? fact.operands[0].element
                                             : Element::I32;
  // Of our own dialect, what takes two floats is a quotient that is rounded well.
  bool isQuotient = fact.name.starts_with("tile.") && fact.operands.size() == 2 && fact.name != "tile.extern";
  if (fact.flow == Flow::AddPointer || fact.flow == Flow::Histogram)
    counts.integerOperations = 1;
  else if (isQuotient || isOneOf(fact.name, kFlops))
    counts = floatFlops(element, 1);
  else if (fact.name == "math.fma" || fact.name == "math.clampf")
    counts = floatFlops(element, 2);
  else if (isOneOf(fact.name, kIntegers))
    counts.integerOperations = 1;
  else if (isSpecial(fact.name))
    counts.specialFunctions = 1;
  return counts;
}

static Counts tensorFlops(uint64_t Counts::*kind, uint64_t flops) {
  Counts counts;
  counts.flops = counts.tensorFlops = counts.*kind = flops;
  return counts;
}

Counts costOfProduct(const Instruction &instruction) {
  if (auto *scaled = dynamic_cast<const DotScaledPayload *>(instruction.payload))
    return tensorFlops(&Counts::tensorBf16, uint64_t(2) * scaled->batch * scaled->m * scaled->n * scaled->k);
  const auto &payload = static_cast<const DotPayload &>(*instruction.payload);
  // Of a sparse operand only what is there is multiplied.
  uint64_t flops = uint64_t(payload.hasPlaces ? 1 : 2) * payload.batch * payload.m * payload.n * payload.k;
  switch (payload.lhs.element) {
  case Element::F64: return floatFlops(Element::F64, flops);
  case Element::F32:
    switch (payload.precision) {
    case DotPrecision::IEEE: return floatFlops(Element::F32, flops);
    case DotPrecision::TF32: return tensorFlops(&Counts::tensorTf32, flops);
    case DotPrecision::TF32x3: return tensorFlops(&Counts::tensorTf32, 3 * flops);
    case DotPrecision::BF16x3: return tensorFlops(&Counts::tensorBf16, 3 * flops);
    case DotPrecision::BF16x6: return tensorFlops(&Counts::tensorBf16, 6 * flops);
    }
    return {};
  case Element::F16: return tensorFlops(&Counts::tensorFp16, flops);
  case Element::BF16: return tensorFlops(&Counts::tensorBf16, flops);
  case Element::F8E5M2:
  case Element::F8E4M3FN:
  case Element::F8E5M2FNUZ:
  case Element::F8E4M3FNUZ: return tensorFlops(&Counts::tensorFp8, flops);
  default: return tensorFlops(&Counts::tensorInt8, flops);
  }
}

} // namespace nereid::interp
