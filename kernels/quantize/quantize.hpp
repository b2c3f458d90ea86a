// quantize.hpp: quantizeRows, quantizeBlocks and quantizeTensor make int8 or fp8 matrices with their scales, dequantize goes back.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// So many rows and columns share a scale; 0: all. {} is one scale for a matrix, {1} one for a row, {1, 128} one for each
// 128 columns of a row, {128, 128} one for a block.
struct ScaleBlock {
  int64_t rows = 0, columns = 0;
};

namespace detail {
// The largest value of a type to quantize to; 0 for any other type.
inline double largestValue(DType type) {
  switch (type) {
  case DType::Int8: return 127;
  case DType::Fp8E4NV: return 448;
  case DType::Fp8E5: return 57344;
  default: return 0;
  }
}

inline Checks quantizeChecks(const char *function, Named wide, Named narrow, const Tensor &scale) {
  Checks checks(function);
  checks.rank(wide, 2).sameShape(narrow, wide).contiguousRows({wide, narrow}).floats({wide});
  checks.that(largestValue(narrow.tensor.dtype()) != 0, std::string("`") + narrow.name + "` has type " +
                                                            Checks::name(narrow.tensor.dtype()) +
                                                            ", but i8, fp8e4nv or fp8e5 is expected");
  return checks.dtype({"scale", scale}, DType::Fp32).contiguous({{"scale", scale}});
}

// `block` with its zeros filled in, for a scale of the shape that this gives.
inline ScaleBlock scaleBlock(Checks &checks, ScaleBlock block, const Tensor &matrix, const Tensor &scale) {
  if (checks.failed())
    return block;
  block.rows = block.rows ? block.rows : std::max<int64_t>(1, matrix.shape()[0]);
  block.columns = block.columns ? block.columns : std::max<int64_t>(1, matrix.shape()[1]);
  checks.shape({"scale", scale}, {cdiv(matrix.shape()[0], block.rows), cdiv(matrix.shape()[1], block.columns)});
  return block;
}
} // namespace detail

// x is about q * scale[row]. q: int8, fp8e4nv or fp8e5; scale: fp32 [rows].
inline Result<void> quantizeRows(const Tensor &q, const Tensor &scale, const Tensor &x,
                                 const LaunchOptions &options = {}) {
  detail::Checks checks = detail::quantizeChecks("quantizeRows", {"x", x}, {"q", q}, scale);
  if (checks.failed() || checks.shape({"scale", scale}, {x.shape()[0]}).failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1];
  int64_t block = detail::powerOfTwo(columns);
  double largest = detail::largestValue(q.dtype());
  if (block > detail::kLongestRow)
    return detail::launch(detail::find("quantize", "quantize_rows"), {rows},
                          detail::withWarps(options, detail::kLongBlock),
                          {x, q, scale, x.strides()[0], q.strides()[0], columns, largest, detail::kLongBlock});
  int64_t together = std::max<int64_t>(detail::kVectorBlock / block, 1);
  return detail::launch(detail::find("quantize", "quantize_short_rows"), {detail::cdiv(rows, together)},
                        detail::withWarps(options, together * block),
                        {x, q, scale, x.strides()[0], q.strides()[0], rows, columns, largest, together, block});
}

// x[i][j] is about q[i][j] * scale[i / block][j / block]; the last blocks may be smaller. block: a power of two up to 256.
inline Result<void> quantizeBlocks(const Tensor &q, const Tensor &scale, const Tensor &x, int64_t block = 128,
                                   const LaunchOptions &options = {}) {
  detail::Checks checks = detail::quantizeChecks("quantizeBlocks", {"x", x}, {"q", q}, scale);
  checks.that(block >= 1 && block <= 256 && detail::powerOfTwo(block) == block,
              "a block has " + std::to_string(block) + " rows, but a power of two up to 256 is expected");
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1], down = detail::cdiv(rows, block),
          across = detail::cdiv(columns, block);
  if (checks.shape({"scale", scale}, {down, across}).failed())
    return checks.error();
  return detail::launch(
      detail::find("quantize", "quantize_blocks"), {across, down}, detail::withWarps(options, block * block),
      {x, q, scale, x.strides()[0], q.strides()[0], rows, columns, detail::largestValue(q.dtype()), block, block});
}

// q[i][j] = x[i][j] / scale[i / by.rows][j / by.columns] for scales that are known.
inline Result<void> quantizeBy(const Tensor &q, const Tensor &x, const Tensor &scale, const ScaleBlock &by,
                               const LaunchOptions &options = {}) {
  detail::Checks checks = detail::quantizeChecks("quantizeBy", {"x", x}, {"q", q}, scale);
  auto [scaleRows, scaleColumns] = detail::scaleBlock(checks, by, x, scale);
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], columns = x.shape()[1], blockN = std::min<int64_t>(512, detail::powerOfTwo(columns));
  return detail::launch(detail::find("quantize", "quantize_by"), {detail::cdiv(columns, blockN), detail::cdiv(rows, 8)},
                        detail::withWarps(options, 8 * blockN),
                        {x, scale, q, x.strides()[0], q.strides()[0], scale.shape()[1], rows, columns, scaleRows,
                         scaleColumns, detail::largestValue(q.dtype()), 8, blockN, scale.count() == 1});
}

// One scale, fp32 [1, 1], for all of x, which is contiguous.
inline Result<void> quantizeTensor(const Tensor &q, const Tensor &scale, const Tensor &x,
                                   const LaunchOptions &options = {}) {
  detail::Checks checks = detail::quantizeChecks("quantizeTensor", {"x", x}, {"q", q}, scale);
  checks.contiguous({{"x", x}}).shape({"scale", scale}, {1, 1});
  if (checks.failed())
    return checks.error();
  int64_t count = x.count(), block = std::min(detail::kVectorBlock, detail::powerOfTwo(count));
  int64_t most = detail::isGpu(options) ? 8 * detail::multiprocessors(options) : 256;
  int64_t programs = std::clamp<int64_t>(detail::cdiv(count, block), 1, most);
  Result<Tensor> partial = detail::scratch(x, DType::Fp32, {programs}, options);
  if (!partial)
    return partial.error();
  auto kernel = detail::find("quantize", "largest_magnitude");
  Result<void> done =
      detail::launch(kernel, {programs}, detail::withWarps(options, block), {x, *partial, count, 1.0, block});
  if (done)
    done = detail::launch(kernel, {1}, options, {*partial, scale, programs, detail::largestValue(q.dtype()), 1024});
  return done ? quantizeBy(q, x, scale, {}, options) : done;
}

// out[i][j] = q[i][j] * scale[i / by.rows][j / by.columns]; a scale of each row has the shape [rows, 1] here.
inline Result<void> dequantize(const Tensor &out, const Tensor &q, const Tensor &scale, const ScaleBlock &by,
                               const LaunchOptions &options = {}) {
  detail::Checks checks = detail::quantizeChecks("dequantize", {"out", out}, {"q", q}, scale);
  auto [scaleRows, scaleColumns] = detail::scaleBlock(checks, by, out, scale);
  if (checks.failed())
    return checks.error();
  int64_t rows = q.shape()[0], columns = q.shape()[1], blockN = std::min<int64_t>(512, detail::powerOfTwo(columns));
  return detail::launch(detail::find("quantize", "dequantize_by"),
                        {detail::cdiv(columns, blockN), detail::cdiv(rows, 8)}, detail::withWarps(options, 8 * blockN),
                        {q, scale, out, q.strides()[0], out.strides()[0], scale.shape()[1], rows, columns, scaleRows,
                         scaleColumns, 8, blockN, detail::cacheModifier(out)});
}

} // namespace nereid::kernels
