// embedding.hpp: embedding(out, table, index) takes rows, indexAdd(table, index, x) adds rows, which is also the gradient of the former.
#pragma once

#include "nereid/kernels/radix_sort.hpp"

namespace nereid::kernels {

namespace detail {
inline Checks indexChecks(const char *function, Named table, const Tensor &index, Named rows) {
  Checks checks(function);
  checks.rank(table, 2).rank(rows, 2).rank({"index", index}, 1).contiguous({{"index", index}});
  checks.that(index.dtype() == DType::Int32 || index.dtype() == DType::Int64,
              "`index` has type " + Checks::name(index.dtype()) + ", but i32 or i64 is expected");
  checks.floats({table, rows}).contiguousRows({table, rows});
  if (!checks.failed())
    checks.shape(rows, {index.shape()[0], table.tensor.shape()[1]});
  return checks;
}
} // namespace detail

// out[i] = table[index[i]], zeros where that is no row. out is contiguous; index: int32 or int64.
inline Result<void> embedding(const Tensor &out, const Tensor &table, const Tensor &index,
                              const LaunchOptions &options = {}) {
  detail::Checks checks = detail::indexChecks("embedding", {"table", table}, index, {"out", out});
  checks.contiguous({{"out", out}}).sameType({"out", out}, {"table", table});
  if (checks.failed())
    return checks.error();
  int64_t columns = table.shape()[1], block = std::min(detail::kVectorBlock, detail::powerOfTwo(columns));
  return detail::launch(
      detail::find("embedding", "gather_rows"), {index.shape()[0], detail::cdiv(columns, block)},
      detail::withWarps(options, block),
      {table, index, out, table.strides()[0], table.shape()[0], columns, block, detail::cacheModifier(out)});
}

// table[index[i]] += x[i] for all i, in their order; numbers that are no rows, and `skipped`, are left out. On zeros it is the
// gradient of an embedding.
inline Result<void> indexAdd(const Tensor &table, const Tensor &index, const Tensor &x, int64_t skipped = -1,
                             const LaunchOptions &options = {}) {
  detail::Checks checks = detail::indexChecks("indexAdd", {"table", table}, index, {"x", x});
  if (checks.failed())
    return checks.error();
  int64_t count = index.shape()[0], rows = table.shape()[0], columns = table.shape()[1];
  checks.that(rows < (int64_t(1) << 31), "`table` has too many rows");
  Result<Tensor> clean = detail::scratch(table, DType::Int32, {count}, options),
                 sorted = detail::scratch(table, DType::Int32, {count}, options),
                 places = detail::scratch(table, DType::Int32, {count}, options);
  if (checks.failed())
    return checks.error();
  for (const Result<Tensor> *each : {&clean, &sorted, &places})
    if (!*each)
      return each->error();
  int64_t bits = 1;
  while (rows >> bits)
    ++bits;
  Result<void> done = detail::launch(detail::find("embedding", "clean_index"), {detail::cdiv(count, 1024)}, options,
                                     {index, *clean, count, rows, skipped, 1024});
  if (done)
    done = sort(*sorted, *places, *clean, {.bits = bits}, options);
  int64_t block = std::min<int64_t>(1024, detail::powerOfTwo(columns));
  return done ? detail::launch(
                    detail::find("embedding", "add_rows"), {count, detail::cdiv(columns, block)}, options,
                    {x, *sorted, *places, table, x.strides()[0], table.strides()[0], count, rows, columns, block})
              : done;
}

} // namespace nereid::kernels
