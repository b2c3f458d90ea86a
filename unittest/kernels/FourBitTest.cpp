// FourBitTest.cpp: the wrappers of nf4 and packed_weights: nearest values, and words packed by hand.
#include "nereid/kernels/nf4.hpp"
#include "nereid/kernels/packed_weights.hpp"

#include "Reference.h"

using namespace nereid;
using namespace nereid::test;

TEST(FourBit, TakesTheNearestValue) {
  constexpr int64_t kCount = 301, kBlock = 64;
  Tensor x = random({kCount}), out = zeros({kCount}), q = zeros({151}, DType::UInt8), scale = zeros({5});
  auto values = x.values<float>();
  for (const auto &table : {kernels::kNf4Values, kernels::kFp4Values}) {
    expectDone(kernels::quantize4Bit(q, scale, x, kBlock, table, options()));
    expectDone(kernels::dequantize4Bit(out, q, scale, kBlock, table, options()));
    for (int64_t i = 0; i < kCount; ++i) {
      double most = scale.values<float>()[i / kBlock], nearest = 2 * most;
      for (float value : table)
        nearest = std::min(nearest, std::fabs(value * most - values[i]));
      ASSERT_NEAR(std::fabs(double(out.values<float>()[i]) - values[i]), nearest, 1e-5) << "at element " << i;
    }
  }
  expectError(kernels::quantize4Bit(q, zeros({4}), x, kBlock, kernels::kNf4Values, options()),
              "quantize4Bit: `scale` has shape [4], but [5] is expected");
}

TEST(FourBit, DecodesScales) {
  Tensor q = zeros({3}, DType::UInt8), table = random({256}), out = zeros({3}), scale = zeros({1});
  for (uint8_t i = 0; i < 3; ++i)
    q.values<uint8_t>()[i] = 100 * i;
  scale.values<float>()[0] = 2;
  expectDone(kernels::dequantize8Bit(out, q, table, scale, 0.5, 256, options()));
  expectValues(out, [&](int64_t i) { return table.values<float>()[100 * i] * 2 + 0.5; });
}

static Tensor words(Shape shape, const std::vector<uint32_t> &values) {
  Tensor result = zeros(std::move(shape), DType::Int32);
  for (size_t i = 0; i < values.size(); ++i)
    result.values<int32_t>()[i] = static_cast<int32_t>(values[i]);
  return result;
}
static Tensor halfEverywhere(Shape shape) {
  Tensor result = zeros(std::move(shape));
  for (float &value : result.values<float>())
    value = 0.5F;
  return result;
}

TEST(PackedWeights, DecodeAwq) {
  Tensor out = zeros({2, 8});
  // From the low bits on: columns 0, 2, 4, 6, 1, 3, 5, 7.
  expectDone(kernels::dequantizeAwq(out, words({2, 1}, {0x75316420, 0xFFFFFFFF}), words({1, 1}, {0x11111111}),
                                    halfEverywhere({1, 8}), options()));
  expectValues(out, [](int64_t i) { return ((i < 8 ? i : 15) - 1) * 0.5; });
  expectError(kernels::dequantizeAwq(out, words({2, 2}, {}), words({1, 1}, {}), halfEverywhere({1, 8}), options()),
              "dequantizeAwq: `q` has shape [2, 2], but [2, 1] is expected");
}

TEST(PackedWeights, DecodeGptq) {
  Tensor out = zeros({8, 8}), q = zeros({1, 8}, DType::Int32), groups = zeros({8}, DType::Int32);
  for (int32_t &word : q.values<int32_t>())
    word = 0x76543210; // row k has the code k
  Tensor zeroes = words({2, 1}, {0x76543210, 0}), scale = halfEverywhere({2, 8});
  expectDone(kernels::dequantizeGptq(out, q, zeroes, scale, {}, options()));
  expectValues(out, [](int64_t i) { return (i / 8 - (i < 32 ? i % 8 : 0) - 1) * 0.5; });
  groups.values<int32_t>()[0] = 1;
  expectDone(
      kernels::dequantizeGptq(out, q, zeroes, scale, {.areZerosOneTooSmall = false, .groups = groups}, options()));
  expectValues(out, [](int64_t i) { return (i / 8 - (i >= 8 ? i % 8 : 0)) * 0.5; });
  expectError(kernels::dequantizeGptq(out, q, zeroes, scale, {.bits = 3}, options()),
              "dequantizeGptq: 3 bits are asked for, but 2, 4 or 8 are expected");
}
