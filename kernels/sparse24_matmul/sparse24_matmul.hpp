// sparse24_matmul.hpp: sparse24Compress(values, places, w), sparse24Order(ordered, places), sparse24Expand(w, values, places), sparse24Matmul(c, a, values, places): weights of which two in every four are 0.
#pragma once

#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

struct Sparse24Options {
  std::optional<Tensor> bias = {}; // one element for each column of c
  std::string precision = "ieee";  // of fp32 inputs, as tl.dot has it
};

namespace detail {
// The compressed form of [n, k].
inline void sparse24Checks(Checks &checks, const Tensor &values, const Tensor &places, int64_t n, int64_t k) {
  checks.that(k % 8 == 0, "rows have " + std::to_string(k) + " elements, but a multiple of 8 is expected");
  checks.shape({"values", values}, {n, k / 2}).shape({"places", places}, {n, k / 8});
  checks.dtype({"places", places}, DType::UInt8).contiguous({{"values", values}, {"places", places}});
}

// The same with places in the order of sparse tensor cores.
inline Shape sparse24OrderedShape(int64_t n, int64_t k) { return {cdiv(n, 128) * 16, cdiv(k, 128) * 64}; }

inline void sparse24OrderedChecks(Checks &checks, const Tensor &values, const Tensor &ordered, int64_t n, int64_t k) {
  checks.that(n % 8 == 0 && k % 16 == 0, "the weights are " + std::to_string(n) + " x " + std::to_string(k) +
                                             ", but ordered places are for rows of a multiple of 16 elements, and a "
                                             "multiple of 8 of them");
  checks.shape({"values", values}, {n, k / 2}).shape({"places", ordered}, sparse24OrderedShape(n, k));
  checks.contiguous({{"values", values}, {"places", ordered}});
}
} // namespace detail

// values: [N, K / 2] of w's type, places: uint8 [N, K / 8], both contiguous, from w: [N, K] with contiguous rows: the two largest magnitudes of each four along K.
inline Result<void> sparse24Compress(const Tensor &values, const Tensor &places, const Tensor &w,
                                     const LaunchOptions &options = {}) {
  detail::Checks checks("sparse24Compress");
  checks.rank({"w", w}, 2).floats({{"w", w}}).sameType({"values", values}, {"w", w}).contiguousRows({{"w", w}});
  if (checks.failed())
    return checks.error();
  int64_t n = w.shape()[0], k = w.shape()[1];
  detail::sparse24Checks(checks, values, places, n, k);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("sparse24_matmul", "sparse24_compress"),
                        {detail::cdiv(k, 512), detail::cdiv(n, 4)}, options,
                        {w, values, places, w.strides()[0], n, k, 4, 512});
}

// ordered: int16 [N / 8, K / 2], with N and K filled up to multiples of 128, from places: uint8 [N, K / 8], both contiguous: the order in which sparse tensor cores take them.
inline Result<void> sparse24Order(const Tensor &ordered, const Tensor &places, const LaunchOptions &options = {}) {
  detail::Checks checks("sparse24Order");
  checks.rank({"places", places}, 2).dtype({"places", places}, DType::UInt8).dtype({"ordered", ordered}, DType::Int16);
  if (checks.failed())
    return checks.error();
  int64_t n = places.shape()[0], k = 8 * places.shape()[1];
  checks.shape({"ordered", ordered}, detail::sparse24OrderedShape(n, k));
  checks.contiguous({{"places", places}, {"ordered", ordered}});
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("sparse24_matmul", "sparse24_order"), {detail::cdiv(k, 128), detail::cdiv(n, 128)},
                        options, {places, ordered, n, k, 128, 128});
}

// w from its compressed form, with zeros.
inline Result<void> sparse24Expand(const Tensor &w, const Tensor &values, const Tensor &places,
                                   const LaunchOptions &options = {}) {
  detail::Checks checks("sparse24Expand");
  checks.rank({"w", w}, 2).floats({{"w", w}, {"values", values}}).contiguousRows({{"w", w}});
  if (checks.failed())
    return checks.error();
  int64_t n = w.shape()[0], k = w.shape()[1];
  detail::sparse24Checks(checks, values, places, n, k);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("sparse24_matmul", "sparse24_expand"), {detail::cdiv(k, 512), detail::cdiv(n, 4)},
                        options, {values, places, w, k / 2, k / 8, w.strides()[0], n, k, 4, 512});
}

namespace detail {
inline Result<void> sparse24Product(const Tensor &c, const Tensor &a, const Tensor &values, const Tensor &ordered,
                                    const Sparse24Options &product, const LaunchOptions &options) {
  ProductShape shape{a.shape()[0], values.shape()[0], a.shape()[1]};
  bool isKept = false;
  std::string facts = textOf(productFacts(shape, bytesOf(a.dtype()), processorsOf(options)));
  ProductPlan plan = productPlanOf(shape, configurationFor("sparse24_product", facts, options, isKept), options);
  int64_t blockN = std::max<int64_t>(plan.blockN, 64), blockK = std::max<int64_t>(plan.blockK, 64);
  int64_t tiles = cdiv(shape.m, plan.blockM) * cdiv(shape.n, blockN);
  return launch(find("sparse24_matmul", "sparse24_product"),
                {isGpu(options) ? std::min(tiles, multiprocessors(options)) : tiles}, plan.options,
                {a, values, ordered, optionalArgument(product.bias), c, shape.m, shape.n, shape.k, shape.k / 2,
                 ordered.shape()[0], ordered.shape()[1], a.strides()[0], c.strides()[0], plan.blockM, blockN, blockK, 8,
                 product.precision});
}
} // namespace detail

// c = a @ w^T + bias: a: [M, K], c: [M, N], with contiguous rows. With places of sparse24Order, sparse tensor cores multiply where the GPU has them.
inline Result<void> sparse24Matmul(const Tensor &c, const Tensor &a, const Tensor &values, const Tensor &places,
                                   const Sparse24Options &product = {}, const LaunchOptions &options = {}) {
  detail::Checks checks("sparse24Matmul");
  checks.rank({"a", a}, 2).rank({"values", values}, 2).floats({{"c", c}, {"a", a}, {"values", values}});
  checks.contiguousRows({{"a", a}, {"c", c}});
  if (checks.failed())
    return checks.error();
  int64_t m = a.shape()[0], k = a.shape()[1], n = values.shape()[0];
  bool isOrdered = places.dtype() == DType::Int16;
  if (isOrdered)
    detail::sparse24OrderedChecks(checks.sameType({"values", values}, {"a", a}), values, places, n, k);
  else
    detail::sparse24Checks(checks, values, places, n, k);
  checks.shape({"c", c}, {m, n});
  if (product.bias)
    checks.shape({"bias", *product.bias}, {n}).contiguous({{"bias", *product.bias}}).floats({{"bias", *product.bias}});
  if (checks.failed())
    return checks.error();
  if (isOrdered)
    return detail::sparse24Product(c, a, values, places, product, options);
  bool isNarrow = bytesOf(a.dtype()) < 4, isLarge = isNarrow && m > 64;
  int64_t blockM = detail::productBlock(m, isLarge ? 128 : 64), blockN = detail::productBlock(n, isLarge ? 128 : 64);
  int64_t blockK = isNarrow && !isLarge ? 128 : 64;
  LaunchOptions tuned = detail::withDefaults(options, isLarge ? 8 : 4, 3);
  return detail::launch(detail::find("sparse24_matmul", "sparse24_matmul"),
                        {detail::cdiv(m, blockM) * detail::cdiv(n, blockN)}, tuned,
                        {a, values, places, detail::optionalArgument(product.bias), c, m, n, k, a.strides()[0], k / 2,
                         k / 8, c.strides()[0], blockM, blockN, blockK, k % blockK == 0, product.precision});
}

} // namespace nereid::kernels
