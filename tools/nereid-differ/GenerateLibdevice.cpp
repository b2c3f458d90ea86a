// GenerateLibdevice.cpp: the functions of libdevice whose result is fixed bit by bit: integers, roundings by name, conversions, the parts of floats.
#include "Generator.h"

#include "lang/builtins/LibdeviceTable.h"

#include <string_view>

namespace nereid::differ {

namespace {

// i: int32, u: uint32, l: int64, w: uint64, f: fp32, d: fp64, b: int1, as in the table of the language.
DType typeOf(char letter) {
  switch (letter) {
  case 'i': return DType::Int32;
  case 'u': return DType::UInt32;
  case 'l': return DType::Int64;
  case 'w': return DType::UInt64;
  case 'f': return DType::Fp32;
  case 'd': return DType::Fp64;
  default: return DType::Int1;
  }
}

struct Overload {
  std::string_view name, arguments;
  char result;
  bool showsBits; // of a NaN, which are not fixed
};

bool isRounding(std::string_view name) {
  return name.ends_with("_rn") || name.ends_with("_rz") || name.ends_with("_rd") || name.ends_with("_ru");
}

// Names between blanks.
constexpr std::string_view kExact =
    " clz popc byte_perm mulhi mul24 brev sad abs hadd rhadd ffs saturatef nearbyint rint llrint round llround trunc "
    "floor ceil isnan finitef isinf isfinited nextafter fmod remainder fdim logb ilogb ldexp scalbn fma "
    "hiloint2double int_as_float uint_as_float longlong_as_double ";
constexpr std::string_view kBits =
    " double2loint double2hiint float_as_int float_as_uint signbit double_as_longlong copysign ";

bool isIn(std::string_view names, std::string_view name) {
  return names.find(" " + std::string(name) + " ") != std::string_view::npos;
}

std::vector<Overload> exactOverloads() {
  std::vector<Overload> all;
  for (const lang::LibdeviceFunction &function : lang::libdeviceFunctions()) {
    bool showsBits = isIn(kBits, function.name);
    if (!showsBits && !isRounding(function.name) && !isIn(kExact, function.name))
      continue;
    for (std::string_view rest = function.variants; !rest.empty();) {
      size_t arrow = rest.find('>'), comma = rest.find(", ");
      all.push_back({function.name, rest.substr(0, arrow), rest[arrow + 1], showsBits});
      rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 2);
    }
  }
  return all;
}

Facts resultFacts(const Overload &overload) {
  if (overload.name == "clz" || overload.name == "popc" || overload.name == "ffs")
    return integerFacts(0, 64);
  return fullFacts(typeOf(overload.result));
}

bool generateExact(Generator &g) {
  static const std::vector<Overload> kOverloads = exactOverloads();
  const Overload &overload = g.choose(kOverloads);
  auto isGood = [&](char letter, const Variable &v) {
    return v.type.dtype == typeOf(letter) && v.facts.error == 0 && !v.facts.isZeroUnsigned &&
           !(overload.showsBits && v.facts.isSpecial);
  };
  auto first = g.pick([&](const Variable &v) { return isGood(overload.arguments[0], v); });
  TileShape shape = first ? first->type.shape : g.randomShape(g.tileLimit);
  if (!g.spend(4 * g.count(shape)))
    return false;
  std::string arguments;
  for (char letter : overload.arguments) {
    Facts wish =
        overload.showsBits && isFloat(typeOf(letter)) ? Facts{.low = -2, .high = 2} : fullFacts(typeOf(letter));
    Variable v = first && arguments.empty() ? *first : g.obtain({typeOf(letter), shape}, wish);
    if (!isGood(letter, v))
      return false;
    arguments += (arguments.empty() ? "" : ", ") + v.name;
  }
  g.define({typeOf(overload.result), shape}, resultFacts(overload),
           "libdevice." + std::string(overload.name) + "(" + arguments + ")");
  return true;
}

} // namespace

const std::vector<Family> &libdeviceFamilies() {
  static const std::vector<Family> kFamilies = {{5, true, generateExact}};
  return kFamilies;
}

} // namespace nereid::differ
