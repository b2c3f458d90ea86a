// Dot.h: matrix products.
#pragma once

#include "interp/Machine.h"

namespace nereid::interp {

enum class DotPrecision : uint8_t { TF32, TF32x3, IEEE, BF16x3, BF16x6 };

// result[b] = operand 2[b] + operand 0[b] x operand 1[b]. With `hasPlaces`, lhs has two of every four elements along k, and
// operand 3 has two bits for each of them: its place in its four.
struct DotPayload : Payload {
  Slot lhs, rhs, acc, places, result;
  bool hasPlaces = false;
  uint32_t batch = 1, m = 1, n = 1, k = 1;
  DotPrecision precision = DotPrecision::IEEE;
  bool lhsUnsigned = false, rhsUnsigned = false;
};
void runDot(Machine &machine, const Instruction &instruction);

// How an operand of a scaled product is stored.
enum class ScaledFormat : uint8_t { E4M3, E5M2, E2M1, Wide };

struct ScaledOperand {
  Slot tile, scale;
  ScaledFormat format = ScaledFormat::Wide;
  bool hasScale = false;
  // e2m1: two elements a byte, along K or along the other dimension.
  bool isPackedAlongK = true;
};

struct DotScaledPayload : Payload {
  ScaledOperand lhs, rhs;
  Slot acc, result;
  uint32_t batch = 1, m = 1, n = 1, k = 1;
};
void runDotScaled(Machine &machine, const Instruction &instruction);

// c[m][n] += a[m][k] x b[k][n], rows contiguous; sums over k in order, a product and a sum each rounded to f32.
void multiply(float *c, const float *a, const float *b, size_t m, size_t n, size_t k);

// A tile as f32, whatever float type it is stored in.
void readAsF32(const Machine &machine, const Slot &slot, std::vector<float> &values);
void writeFromF32(Machine &machine, const Slot &slot, const std::vector<float> &values);

} // namespace nereid::interp
