// lora.hpp: lora(y, x, w, starts, adapters): products of runs of rows with a matrix each, for low-rank adapters of many users in one batch.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct LoraOptions {
  double scale = 1;
  bool add = false;               // to what y holds
  std::string precision = "ieee"; // of fp32 inputs, as tl.dot has it
};

// y[rows] = scale * x[rows] @ w[adapter]^T for each segment: x [rows, depth], w [adapters, columns, depth], y [rows, columns], their last axes contiguous. starts, int32 [segments + 1]: segment s has the rows
// starts[s] … starts[s + 1] - 1, at most `longest` of them, and all rows are in one; adapters, int32 [segments], a negative one is none.
inline Result<void> lora(const Tensor &y, const Tensor &x, const Tensor &w, const Tensor &starts,
                         const Tensor &adapters, int64_t longest, const LoraOptions &lora = {},
                         const LaunchOptions &options = {}) {
  detail::Checks checks("lora");
  checks.rank({"x", x}, 2).rank({"w", w}, 3).rank({"adapters", adapters}, 1).floats({{"x", x}, {"w", w}, {"y", y}});
  checks.contiguousRows({{"x", x}, {"w", w}, {"y", y}});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], depth = x.shape()[1], columns = w.shape()[1], segments = adapters.shape()[0];
  checks.shape({"w", w}, {w.shape()[0], columns, depth}).shape({"y", y}, {rows, columns});
  checks.shape({"starts", starts}, {segments + 1});
  for (detail::Named each : {detail::Named{"starts", starts}, {"adapters", adapters}})
    checks.dtype(each, DType::Int32).contiguous({each});
  if (checks.failed())
    return checks.error();
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(longest), 16, 64);
  int64_t blockN = std::clamp<int64_t>(detail::powerOfTwo(columns), 16, 64), blockK = 64;
  return detail::launch(detail::find("lora", "lora"),
                        {detail::cdiv(columns, blockN), detail::cdiv(longest, blockM), segments}, options,
                        {x, w, starts, adapters, y, lora.scale, x.strides()[0], w.strides()[0], w.strides()[1],
                         y.strides()[0], columns, depth, lora.add, blockM, blockN, blockK, lora.precision});
}

} // namespace nereid::kernels
