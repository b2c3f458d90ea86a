// Linear.h: a matrix that rows are multiplied by, in the type of the file or in 8 or 4 bits.
#pragma once

#include "Place.h"

namespace llama {

enum class WeightKind { AsStored, Int8, Int4 };
// "int8", "int4"; nothing for another name.
std::optional<WeightKind> weightKindOf(std::string_view name);

class Linear {
public:
  // `weight` is [out, in] on the host.
  static Result<Linear> make(const Tensor &weight, WeightKind kind, const Place &place);

  // out = x @ weight^T
  Result<void> operator()(const Tensor &out, const Tensor &x, const Place &place) const;
  int64_t rows() const { return outputs; }

private:
  Linear(WeightKind kind, Tensor matrix, std::optional<Tensor> scale, int64_t outputs)
      : kind(kind), matrix(std::move(matrix)), scale(std::move(scale)), outputs(outputs) {}
  WeightKind kind;
  Tensor matrix;               // [out, in]; quantized: [in, out], of which 4 bits lie two in a byte
  std::optional<Tensor> scale; // fp32 [groups of inputs, out]
  int64_t outputs;
};

} // namespace llama
