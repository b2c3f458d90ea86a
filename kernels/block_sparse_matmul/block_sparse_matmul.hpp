// block_sparse_matmul.hpp: blockSparseMatmul(c, a, values, crow, col): c = a @ w^T with weights of which only some blocks are there.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

struct BlockSparseOptions {
  std::optional<Tensor> bias = {}; // one element for each column of c
  std::string precision = "ieee";  // of fp32 inputs, as tl.dot has it
};

namespace detail {
// The size of the blocks of values, [blocks, size, size].
inline int64_t blockSize(Checks &checks, const Tensor &values, Named index) {
  checks.rank({"values", values}, 3).contiguous({{"values", values}}).dtype(index, DType::Int32).contiguous({index});
  if (checks.failed())
    return 0;
  int64_t size = values.shape()[1];
  checks.shape({"values", values}, {values.shape()[0], size, size}).shape(index, {values.shape()[0]});
  checks.that(size >= 16 && size <= 128 && powerOfTwo(size) == size,
              "blocks have " + std::to_string(size) + " rows, but a power of two from 16 to 128 is expected");
  return size;
}

inline LaunchOptions blockSparseOptions(const LaunchOptions &options, int64_t size) {
  return withDefaults(options, size >= 128 ? 8 : 4, 3);
}
} // namespace detail

// w [N, K] as torch's BSR: values [blocks, size, size], int32 crow [N / size + 1] and col [blocks]: row block n has the blocks crow[n] … crow[n + 1] - 1, in the column blocks col[…]. a: [M, K] and c: [M, N] have contiguous rows.
inline Result<void> blockSparseMatmul(const Tensor &c, const Tensor &a, const Tensor &values, const Tensor &crow,
                                      const Tensor &col, const BlockSparseOptions &product = {},
                                      const LaunchOptions &options = {}) {
  detail::Checks checks("blockSparseMatmul");
  checks.rank({"a", a}, 2).rank({"c", c}, 2).floats({{"c", c}, {"a", a}, {"values", values}});
  checks.contiguousRows({{"a", a}, {"c", c}});
  int64_t size = detail::blockSize(checks, values, {"col", col});
  if (checks.failed())
    return checks.error();
  int64_t m = a.shape()[0], n = c.shape()[1];
  checks.shape({"c", c}, {m, n})
      .that(n % size == 0 && a.shape()[1] % size == 0, "`a` and `c` have " + std::to_string(a.shape()[1]) + " and " +
                                                           std::to_string(n) + " columns, but multiples of " +
                                                           std::to_string(size) + " are expected");
  checks.shape({"crow", crow}, {n / size + 1}).dtype({"crow", crow}, DType::Int32).contiguous({{"crow", crow}});
  if (product.bias)
    checks.shape({"bias", *product.bias}, {n}).contiguous({{"bias", *product.bias}}).floats({{"bias", *product.bias}});
  if (checks.failed())
    return checks.error();
  int64_t blockM = detail::productBlock(m, bytesOf(a.dtype()) < 4 ? 128 : 64);
  return detail::launch(detail::find("block_sparse_matmul", "block_sparse_matmul"), {detail::cdiv(m, blockM), n / size},
                        detail::blockSparseOptions(options, size),
                        {a, values, crow, col, detail::optionalArgument(product.bias), c, m, a.strides()[0],
                         c.strides()[0], size, blockM, product.precision});
}

// gradValues[i] = gradC[:, row block row[i]]^T @ a[:, column block col[i]], for every block that is there; int32 row and col.
inline Result<void> blockSparseGradient(const Tensor &gradValues, const Tensor &gradC, const Tensor &a,
                                        const Tensor &row, const Tensor &col, const std::string &precision = "ieee",
                                        const LaunchOptions &options = {}) {
  detail::Checks checks("blockSparseGradient");
  checks.rank({"gradC", gradC}, 2).rank({"a", a}, 2).contiguousRows({{"gradC", gradC}, {"a", a}});
  checks.floats({{"gradValues", gradValues}, {"gradC", gradC}, {"a", a}});
  int64_t size = detail::blockSize(checks, gradValues, {"col", col});
  if (checks.failed())
    return checks.error();
  checks.sameShape({"row", row}, {"col", col}).dtype({"row", row}, DType::Int32).contiguous({{"row", row}});
  checks.shape({"gradC", gradC}, {a.shape()[0], gradC.shape()[1]});
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("block_sparse_matmul", "block_sparse_gradient"), {col.shape()[0]},
                        detail::blockSparseOptions(options, size),
                        {gradC, a, row, col, gradValues, a.shape()[0], gradC.strides()[0], a.strides()[0], size,
                         detail::productBlock(a.shape()[0], 64), precision});
}

} // namespace nereid::kernels
