// Linear.cpp: products with weights, and how weights become 8 or 4 bits: for each group of inputs and each output the
// largest magnitude is the largest number.
#include "Linear.h"

#include <nereid/kernels/matmul.hpp>
#include <nereid/kernels/quantized_matmul.hpp>

#include <bit>
#include <cmath>

namespace llama {

namespace {

float halfToFloat(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                             : std::ldexp(static_cast<float>(fraction), -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

float elementOf(const Tensor &tensor, int64_t i) {
  if (tensor.dtype() == DType::Fp32) {
    float value = 0;
    std::memcpy(&value, tensor.data() + i * 4, 4);
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, tensor.data() + i * 2, 2);
  return tensor.dtype() == DType::Bf16 ? std::bit_cast<float>(static_cast<uint32_t>(bits) << 16) : halfToFloat(bits);
}

// How many inputs share a scale.
int64_t groupOf(int64_t inputs) {
  for (int64_t group : {128, 64, 32})
    if (inputs % group == 0)
      return group;
  return 0;
}

} // namespace

std::optional<WeightKind> weightKindOf(std::string_view name) {
  if (name == "int8")
    return WeightKind::Int8;
  if (name == "int4")
    return WeightKind::Int4;
  return std::nullopt;
}

Result<Linear> Linear::make(const Tensor &weight, WeightKind kind, const Place &place) {
  int64_t outputs = weight.shape()[0], inputs = weight.shape()[1], group = groupOf(inputs);
  if (kind == WeightKind::AsStored) {
    Result<Tensor> matrix = place.bring(weight);
    return matrix ? Result<Linear>(Linear(kind, *matrix, {}, outputs)) : matrix.error();
  }
  if (group == 0)
    return Error{Status::BadInput, "error: a matrix has " + std::to_string(inputs) +
                                       " inputs, but a multiple of 32 is needed for 8 or 4 bits\n"};
  bool isNarrow = kind == WeightKind::Int4;
  float most = isNarrow ? 7 : 127;
  Result<Tensor> numbers = Tensor::zeros(isNarrow ? DType::UInt8 : DType::Int8, {inputs, outputs});
  Result<Tensor> scale = Tensor::zeros(DType::Fp32, {inputs / group, outputs});
  if (!numbers || !scale)
    return (numbers ? scale : numbers).error();
  for (int64_t out = 0; out < outputs; ++out)
    for (int64_t first = 0; first < inputs; first += group) {
      float largest = 0;
      for (int64_t in = first; in < first + group; ++in)
        largest = std::max(largest, std::fabs(elementOf(weight, out * inputs + in)));
      float step = largest / most;
      scale->values<float>()[static_cast<size_t>(first / group * outputs + out)] = step;
      for (int64_t in = first; in < first + group; ++in) {
        auto number = static_cast<int>(step > 0 ? std::nearbyint(elementOf(weight, out * inputs + in) / step) : 0);
        numbers->data()[in * outputs + out] = static_cast<std::byte>(isNarrow ? number + 8 : number);
      }
    }
  Result<Tensor> packed = isNarrow ? nereid::kernels::packInt4(*numbers, group) : numbers;
  if (!packed)
    return packed.error();
  Result<Tensor> matrix = place.bring(*packed), steps = place.bring(*scale);
  if (!matrix || !steps)
    return (matrix ? steps : matrix).error();
  return Linear(kind, *matrix, *steps, outputs);
}

Result<void> Linear::operator()(const Tensor &out, const Tensor &x, const Place &place) const {
  switch (kind) {
  case WeightKind::AsStored: return nereid::kernels::matmul(out, x, matrix.transposed(), {}, place.options());
  case WeightKind::Int8: return nereid::kernels::int8WeightMatmul(out, x, matrix, *scale, "ieee", place.options());
  case WeightKind::Int4: return nereid::kernels::int4WeightMatmul(out, x, matrix, *scale, {}, "ieee", place.options());
  }
  return {};
}

} // namespace llama
