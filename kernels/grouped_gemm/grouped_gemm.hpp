// grouped_gemm.hpp: many matrix products in one launch: groupedGemm({c…}, {a…}, {b…}), raggedGemm(c, a, b, ends).
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

namespace detail {
// Programs that walk over all tiles; more than any machine has cores.
inline constexpr int64_t kWalkers = 256;

inline std::string languageType(DType type) {
  return type == DType::Fp16 ? "tl.float16" : type == DType::Bf16 ? "tl.bfloat16" : "tl.float32";
}
} // namespace detail

// c[g] = a[g] @ b[g]: rows are contiguous, and all matrices have one element type.
inline Result<void> groupedGemm(const std::vector<Tensor> &c, const std::vector<Tensor> &a,
                                const std::vector<Tensor> &b, const std::string &precision = "ieee",
                                LaunchOptions options = {}) {
  detail::Checks checks("groupedGemm");
  checks.that(c.size() == a.size() && c.size() == b.size(),
              "there are " + std::to_string(c.size()) + ", " + std::to_string(a.size()) + " and " +
                  std::to_string(b.size()) + " matrices, but as many of each are expected");
  if (checks.failed())
    return checks.error();
  if (c.empty())
    return {};
  std::vector<int64_t> addresses[3];
  std::vector<int32_t> sizes, leading;
  int64_t tiles = 0;
  for (size_t g = 0; g < c.size(); ++g) {
    Result<detail::ProductShape> shape = detail::productShape(checks, {"c", c[g]}, {"a", a[g]}, {"b", b[g]});
    if (!shape)
      return shape.error();
    for (const Tensor *each : {&a[g], &b[g], &c[g]}) {
      checks.contiguousRows({{"a matrix", *each}})
          .floats({{"a matrix", *each}})
          .sameType({"a matrix", *each}, {"c", c[0]});
      addresses[each == &a[g] ? 0 : each == &b[g] ? 1 : 2].push_back(reinterpret_cast<int64_t>(each->data()));
      leading.push_back(static_cast<int32_t>(each->strides()[0]));
      options.reachable.push_back(*each);
    }
    if (checks.failed())
      return checks.error();
    for (int64_t extent : {shape->m, shape->n, shape->k})
      sizes.push_back(static_cast<int32_t>(extent));
    tiles += detail::cdiv(shape->m, 64) * detail::cdiv(shape->n, 64);
  }
  auto count = static_cast<int64_t>(c.size());
  auto vector = [&](std::vector<int64_t> &values) { return Tensor::borrow(values.data(), DType::Int64, {count}); };
  auto table = [&](std::vector<int32_t> &values) { return Tensor::borrow(values.data(), DType::Int32, {count, 3}); };
  return detail::launch(detail::find("grouped_gemm", "grouped_gemm"), {std::min(tiles, detail::kWalkers)}, options,
                        {vector(addresses[0]), vector(addresses[1]), vector(addresses[2]), table(sizes), table(leading),
                         count, Expression{detail::languageType(c[0].dtype())}, 64, 64, 128, precision});
}

// Rows ends[g - 1] … ends[g] - 1 of c are those of a times b[g]. a: [rows, K], b: [groups, K, N], c: [rows, N],
// contiguous; ends: i32 [groups], ascending, the last one is the number of rows.
inline Result<void> raggedGemm(const Tensor &c, const Tensor &a, const Tensor &b, const Tensor &ends,
                               const std::string &precision = "ieee", const LaunchOptions &options = {}) {
  detail::Checks checks("raggedGemm");
  checks.rank({"a", a}, 2).rank({"b", b}, 3).floats({{"c", c}, {"a", a}, {"b", b}}).sameType({"a", a}, {"b", b});
  checks.contiguous({{"c", c}, {"a", a}, {"b", b}, {"ends", ends}}).dtype({"ends", ends}, DType::Int32);
  if (checks.failed())
    return checks.error();
  int64_t rows = a.shape()[0], groups = b.shape()[0], k = b.shape()[1], n = b.shape()[2];
  checks.shape({"a", a}, {rows, k}).shape({"c", c}, {rows, n}).shape({"ends", ends}, {groups});
  if (checks.failed())
    return checks.error();
  int64_t previous = 0;
  for (int32_t end : ends.values<int32_t>()) {
    checks.that(end >= previous && end <= rows, "`ends` holds " + std::to_string(end) + " after " +
                                                    std::to_string(previous) + ", but ascending numbers up to " +
                                                    std::to_string(rows) + " are expected");
    previous = end;
  }
  if (checks.failed())
    return checks.error();
  auto [blockM, blockN, blockK, tuned] =
      detail::productPlan({groups ? detail::cdiv(rows, groups) : 0, n, k}, bytesOf(a.dtype()), options);
  int64_t tiles = (detail::cdiv(rows, blockM) + groups) * detail::cdiv(n, blockN);
  return detail::launch(detail::find("grouped_gemm", "ragged_gemm"), {std::min(tiles, detail::kWalkers)}, tuned,
                        {a, b, c, ends, groups, n, k, blockM, blockN, blockK, precision});
}

} // namespace nereid::kernels
