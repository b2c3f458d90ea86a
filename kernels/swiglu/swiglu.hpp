// swiglu.hpp: swiglu(out, gate, up): silu(gate) * up over the rows of matrices, and its backward pass.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// Rows are contiguous and any stride apart: gate and up may be the two halves of one matrix.
inline Result<void> swiglu(const Tensor &out, const Tensor &gate, const Tensor &up, const LaunchOptions &options = {}) {
  detail::Checks checks("swiglu");
  checks.rank({"gate", gate}, 2);
  for (detail::Named each : {detail::Named{"out", out}, {"gate", gate}, {"up", up}})
    checks.sameShape(each, {"gate", gate}).contiguousRows({each}).floats({each});
  if (checks.failed())
    return checks.error();
  int64_t rows = gate.shape()[0], columns = gate.shape()[1];
  int64_t block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(detail::find("swiglu", "swiglu_forward"), {rows, detail::cdiv(columns, block)},
                        detail::withWarps(options, block),
                        {gate, up, out, gate.strides()[0], up.strides()[0], out.strides()[0], columns, block,
                         detail::cacheModifier(out)});
}

inline Result<void> swigluBackward(const Tensor &gradGate, const Tensor &gradUp, const Tensor &gradOut,
                                   const Tensor &gate, const Tensor &up, const LaunchOptions &options = {}) {
  detail::Checks checks("swigluBackward");
  checks.rank({"gate", gate}, 2);
  for (detail::Named each :
       {detail::Named{"gradGate", gradGate}, {"gradUp", gradUp}, {"gradOut", gradOut}, {"gate", gate}, {"up", up}})
    checks.sameShape(each, {"gate", gate}).contiguousRows({each}).floats({each});
  if (checks.failed())
    return checks.error();
  int64_t rows = gate.shape()[0], columns = gate.shape()[1];
  int64_t block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(detail::find("swiglu", "swiglu_backward"), {rows, detail::cdiv(columns, block)},
                        detail::withWarps(options, block),
                        {gradOut, gate, up, gradGate, gradUp, gradOut.strides()[0], gate.strides()[0], up.strides()[0],
                         gradGate.strides()[0], gradUp.strides()[0], columns, block, detail::cacheModifier(gradGate)});
}

} // namespace nereid::kernels
