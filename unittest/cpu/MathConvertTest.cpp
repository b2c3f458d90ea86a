// MathConvertTest.cpp: narrow floats, every pattern of them, against the interpreter.
#include "MathJit.h"

#include "codegen/math/Math.h"
#include "interp/Float8.h"
#include "interp/NarrowFloat.h"

#include <gtest/gtest.h>

namespace nereid::cpu::test {
namespace {

using interp::Element;
using interp::Narrowing;

struct Row {
  const char *name;
  NarrowFloat type;
  unsigned bits;
  // The interpreter has no e4m3b11fnuz; its general encoder does it.
  Element element;
};

const Row kRows[] = {
    {"f16", NarrowFloat::F16, 16, Element::F16},
    {"bf16", NarrowFloat::BF16, 16, Element::BF16},
    {"e4m3fn", NarrowFloat::F8E4M3FN, 8, Element::F8E4M3FN},
    {"e5m2", NarrowFloat::F8E5M2, 8, Element::F8E5M2},
    {"e4m3fnuz", NarrowFloat::F8E4M3FNUZ, 8, Element::F8E4M3FNUZ},
    {"e5m2fnuz", NarrowFloat::F8E5M2FNUZ, 8, Element::F8E5M2FNUZ},
    {"e4m3b11fnuz", NarrowFloat::F8E4M3B11FNUZ, 8, Element::I1},
};
constexpr interp::Float8Format kE4M3B11{4, 3, 11, false, true};
const unsigned kConvertedLanes[] = {1, 3, 8, 16, 32};

std::vector<LaneFunction> conversions() {
  std::vector<LaneFunction> functions;
  for (const Row &row : kRows)
    for (unsigned lanes : kConvertedLanes) {
      std::string suffix = std::string(row.name) + "_" + std::to_string(lanes);
      std::string narrowed(1, row.bits == 16 ? 'h' : 'b');
      NarrowFloat type = row.type;
      functions.push_back({"widen_" + suffix, narrowed + ">f", lanes, [type](auto &builder, auto &target, auto values) {
                             return widen(builder, target, values[0], type);
                           }});
      for (bool towardZero : {false, true})
        functions.push_back({(towardZero ? "cut_" : "round_") + suffix, "f>" + narrowed, lanes,
                             [type, towardZero](auto &builder, auto &target, auto values) {
                               return narrow(builder, target, values[0], type, towardZero);
                             }});
    }
  return functions;
}

void unpack(const Row &row, float *result, const void *source, size_t count) {
  if (row.element != Element::I1)
    return interp::unpackOf(row.element)(result, source, count);
  for (size_t i = 0; i < count; ++i)
    result[i] = interp::decodeFloat8(kE4M3B11, static_cast<const uint8_t *>(source)[i]);
}

void pack(const Row &row, void *result, const float *source, size_t count, Narrowing how) {
  if (row.element != Element::I1)
    return interp::packOf(row.element, how)(result, source, count);
  for (size_t i = 0; i < count; ++i)
    static_cast<uint8_t *>(result)[i] = interp::encodeFloat8(kE4M3B11, source[i], how);
}

// A multiple of every lane count, from the start again at the end.
template <typename T> void padToLanes(std::vector<T> &values) {
  for (size_t i = 0; values.size() % 96; ++i)
    values.push_back(values[i]);
}

void checkWiden(MathJit &jit, const Row &row, unsigned lanes, bool quiets) {
  SCOPED_TRACE("widen " + std::string(row.name) + " by " + std::to_string(lanes));
  std::vector<uint16_t> patterns16;
  std::vector<uint8_t> patterns8;
  for (unsigned i = 0; i < 1u << row.bits; ++i) {
    patterns16.push_back(uint16_t(i));
    patterns8.push_back(uint8_t(i));
  }
  padToLanes(patterns16);
  padToLanes(patterns8);
  const void *source = row.bits == 16 ? static_cast<void *>(patterns16.data()) : patterns8.data();
  std::vector<uint32_t> found(patterns16.size()), expected(patterns16.size());
  unpack(row, reinterpret_cast<float *>(expected.data()), source, expected.size());
  jit.find("widen_" + std::string(row.name) + "_" + std::to_string(lanes))(found.data(), source, nullptr, nullptr,
                                                                           int64_t(found.size()));
  for (size_t i = 0; i < found.size(); ++i) {
    bool isSignaling = (expected[i] & 0x7fffffff) > 0x7f800000 && !(expected[i] & 0x400000);
    uint32_t quiet = quiets && isSignaling && row.type == NarrowFloat::F16 ? 0x400000 : 0;
    ASSERT_EQ(found[i], expected[i] | quiet) << "pattern " << patterns16[i];
  }
}

// All signs and exponents with all patterns of the upper bits of the mantissa, the lower ones at zero, just above, at
// the end, or anywhere: with one bit more than the format keeps, every tie is among them, and its neighbours.
std::vector<float> densePatterns(unsigned upperBits) {
  std::vector<float> values;
  unsigned lowerBits = 32 - upperBits;
  uint32_t ones = (1u << lowerBits) - 1;
  for (uint32_t upper = 0; upper < 1u << upperBits; ++upper)
    for (uint32_t lower : {0u, 1u, ones, upper * 2654435761u & ones})
      values.push_back(std::bit_cast<float>(upper << lowerBits | lower));
  padToLanes(values);
  return values;
}

void checkNarrow(MathJit &jit, const Row &row, unsigned lanes, bool towardZero) {
  SCOPED_TRACE((towardZero ? "cut " : "round ") + std::string(row.name) + " by " + std::to_string(lanes));
  static const std::vector<float> kDense = densePatterns(20), kCoarse = densePatterns(14);
  const std::vector<float> &values = row.bits == 16 && lanes == 16 ? kDense : kCoarse;
  std::vector<uint8_t> found(values.size() * 2), expected(values.size() * 2);
  pack(row, expected.data(), values.data(), values.size(), towardZero ? Narrowing::Cut : Narrowing::Cast);
  jit.find((towardZero ? "cut_" : "round_") + std::string(row.name) + "_" +
           std::to_string(lanes))(found.data(), values.data(), nullptr, nullptr, int64_t(values.size()));
  size_t size = row.bits / 8;
  for (size_t i = 0; i < values.size(); ++i)
    ASSERT_EQ(std::memcmp(&found[i * size], &expected[i * size], size), 0)
        << "pattern " << std::hex << std::bit_cast<uint32_t>(values[i]) << " found " << +found[i * size] << " expected "
        << +expected[i * size];
}

TEST(MathConvert, equalsTheInterpreterWithoutALibrary) {
  for (const std::string &level : allLevels()) {
    SCOPED_TRACE(level);
    MathJit jit(level, conversions());
    ASSERT_EQ(jit.error, "");
    if (!canRun(level))
      continue;
    for (const Row &row : kRows)
      for (unsigned lanes : kConvertedLanes) {
        checkWiden(jit, row, lanes, findTarget(level)->hasF16c);
        for (bool towardZero : {false, true})
          checkNarrow(jit, row, lanes, towardZero);
      }
  }
}

} // namespace
} // namespace nereid::cpu::test
