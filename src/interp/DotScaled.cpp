// DotScaled.cpp: matrix products of microscaled operands: groups of elements along K share a scale, a power of two.
//
// Elements times scale are exact in f32 (but for results below its range); they are multiplied and summed as by
// Dot.cpp.
#include "interp/Dot.h"

#include "interp/Float8.h"

#include <cstring>

namespace nereid::interp {

// e2m1: a sign, two bits of exponent (bias 1) and one of mantissa; all sixteen values are numbers.
static constexpr float kE2M1[16] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6, -0.0f, -0.5f, -1, -1.5f, -2, -3, -4, -6};

// e8m0: 2^(bits - 127), and 255 is NaN.
static float decodeScale(uint8_t bits) {
  return bits == 255 ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0f, int(bits) - 127);
}

// The operand as [batch][rows][columns] of f32; nibbles sit along the columns or along the rows.
static std::vector<float> decodeTile(const Machine &machine, const ScaledOperand &operand, size_t batch, size_t rows,
                                     size_t columns, bool packedAlongColumns) {
  std::vector<float> values(batch * rows * columns);
  const auto *bytes = reinterpret_cast<const uint8_t *>(machine.frame + operand.tile.offset);
  switch (operand.format) {
  case ScaledFormat::Wide: readAsF32(machine, operand.tile, values); break;
  case ScaledFormat::E4M3:
  case ScaledFormat::E5M2:
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = decodeFloat8(operand.format == ScaledFormat::E4M3 ? kE4M3FN : kE5M2, bytes[i]);
    break;
  case ScaledFormat::E2M1:
    for (size_t i = 0; i < values.size(); ++i) {
      size_t b = i / (rows * columns), row = i / columns % rows, column = i % columns;
      size_t byte = packedAlongColumns ? (b * rows + row) * (columns / 2) + column / 2
                                       : (b * (rows / 2) + row / 2) * columns + column;
      size_t nibble = (packedAlongColumns ? column : row) % 2;
      values[i] = kE2M1[bytes[byte] >> (4 * nibble) & 15];
    }
    break;
  }
  return values;
}

// values[b][i][p] (or [b][p][i] for the right side) *= scale[b][i][p / group].
static void applyScale(const Machine &machine, const ScaledOperand &operand, std::vector<float> &values, size_t batch,
                       size_t outer, size_t k, bool isRight) {
  if (!operand.hasScale)
    return;
  const auto *scales = reinterpret_cast<const uint8_t *>(machine.frame + operand.scale.offset);
  size_t groups = operand.scale.count / (batch * outer), group = k / groups;
  for (size_t b = 0; b < batch; ++b)
    for (size_t i = 0; i < outer; ++i)
      for (size_t p = 0; p < k; ++p) {
        size_t at = isRight ? (b * k + p) * outer + i : (b * outer + i) * k + p;
        values[at] *= decodeScale(scales[(b * outer + i) * groups + p / group]);
      }
}

void runDotScaled(Machine &machine, const Instruction &instruction) {
  const auto &payload = static_cast<const DotScaledPayload &>(*instruction.payload);
  size_t batch = payload.batch, m = payload.m, n = payload.n, k = payload.k;
  std::vector<float> lhs = decodeTile(machine, payload.lhs, batch, m, k, payload.lhs.isPackedAlongK);
  std::vector<float> rhs = decodeTile(machine, payload.rhs, batch, k, n, !payload.rhs.isPackedAlongK);
  applyScale(machine, payload.lhs, lhs, batch, m, k, false);
  applyScale(machine, payload.rhs, rhs, batch, n, k, true);
  std::vector<float> acc;
  readAsF32(machine, payload.acc, acc);
  for (size_t b = 0; b < batch; ++b)
    multiply(acc.data() + b * m * n, lhs.data() + b * m * k, rhs.data() + b * k * n, m, n, k);
  writeFromF32(machine, payload.result, acc);
}

} // namespace nereid::interp
