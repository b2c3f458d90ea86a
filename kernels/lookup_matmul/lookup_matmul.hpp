// lookup_matmul.hpp: lookupDequantize(w, q, table) and lookupMatmul(c, a, q, table): weights as codes into a table of each output channel, as SqueezeLLM stores them.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

// Weights beside the table: a sparse matrix with a row for each output channel.
struct SparseWeights {
  Tensor starts, places, values; // int32 [N + 1]; int32 [weights]: their k; fp32 [weights]
};

namespace detail {
// How many bits a code has, from the table's width.
inline int64_t lookupBits(Checks &checks, const Tensor &q, const Tensor &table, int64_t depth, int64_t columns) {
  checks.rank({"table", table}, 2).dtype({"table", table}, DType::Fp32).dtype({"q", q}, DType::Int32);
  checks.contiguous({{"q", q}, {"table", table}});
  if (checks.failed())
    return 0;
  int64_t width = table.shape()[1], bits = width == 4 ? 2 : width == 8 ? 3 : width == 16 ? 4 : 0;
  checks.that(bits != 0, "a table has " + std::to_string(width) + " values, but 4, 8 or 16 are expected");
  checks.that(depth % 32 == 0, "the weights have " + std::to_string(depth) + " rows, but a multiple of 32 is expected");
  checks.shape({"table", table}, {columns, width}).shape({"q", q}, {depth / 32 * bits, columns});
  return bits;
}
} // namespace detail

// w[k, n] = table[n, code[k, n]], contiguous [K, N]; q: int32 [K / 32 * bits, N], 32 codes in `bits` words along k, the lowest bits first; table: fp32 [N, 2^bits].
inline Result<void> lookupDequantize(const Tensor &w, const Tensor &q, const Tensor &table,
                                     const LaunchOptions &options = {}) {
  detail::Checks checks("lookupDequantize");
  checks.rank({"w", w}, 2).floats({{"w", w}}).contiguous({{"w", w}});
  if (checks.failed())
    return checks.error();
  int64_t depth = w.shape()[0], columns = w.shape()[1], bits = detail::lookupBits(checks, q, table, depth, columns);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("lookup_matmul", "lookup_dequantize"),
                        {detail::cdiv(columns, 128), detail::cdiv(depth, 32)}, options,
                        {q, table, w, depth, columns, bits, 32, 128, detail::cacheModifier(w)});
}

// c = a @ w for a [M, K] and c [M, N] with contiguous rows, and what the weights beside the table add.
inline Result<void> lookupMatmul(const Tensor &c, const Tensor &a, const Tensor &q, const Tensor &table,
                                 const std::optional<SparseWeights> &beside = {}, const std::string &precision = "ieee",
                                 const LaunchOptions &options = {}) {
  detail::Checks checks("lookupMatmul");
  checks.rank({"a", a}, 2).rank({"c", c}, 2).floats({{"a", a}, {"c", c}}).contiguousRows({{"a", a}, {"c", c}});
  if (checks.failed())
    return checks.error();
  int64_t rows = a.shape()[0], depth = a.shape()[1], columns = c.shape()[1],
          bits = detail::lookupBits(checks, q, table, depth, columns);
  checks.shape({"c", c}, {rows, columns});
  if (beside)
    checks.shape({"starts", beside->starts}, {columns + 1})
        .dtype({"starts", beside->starts}, DType::Int32)
        .rank({"places", beside->places}, 1)
        .dtype({"places", beside->places}, DType::Int32)
        .sameShape({"values", beside->values}, {"places", beside->places})
        .dtype({"values", beside->values}, DType::Fp32)
        .contiguous({{"starts", beside->starts}, {"places", beside->places}, {"values", beside->values}});
  if (checks.failed())
    return checks.error();
  std::optional<Tensor> sums;
  if (beside) {
    Result<Tensor> made = detail::scratch(c, DType::Fp32, {rows, columns}, options);
    if (!made)
      return made.error();
    sums = *made;
    int64_t blockM = std::min<int64_t>(32, detail::powerOfTwo(rows));
    Result<void> done = detail::launch(
        detail::find("lookup_matmul", "sparse_part"), {columns, detail::cdiv(rows, blockM)}, options,
        {a, beside->starts, beside->places, beside->values, *sums, rows, columns, a.strides()[0], blockM, 32});
    if (!done)
      return done;
  }
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(rows), 16, 64), blockN = 64;
  return detail::launch(detail::find("lookup_matmul", "lookup_matmul"),
                        {detail::cdiv(rows, blockM) * detail::cdiv(columns, blockN)}, options,
                        {a, q, table, detail::optionalArgument(sums), c, rows, columns, depth, a.strides()[0],
                         c.strides()[0], bits, blockM, blockN, 32, precision});
}

} // namespace nereid::kernels
