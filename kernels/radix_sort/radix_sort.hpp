// radix_sort.hpp: sort(sorted, places, keys): a stable sort of a vector, with where its elements came from.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct SortOptions {
  bool descending = false;
  int64_t bits = 0; // integers are 0 … 2^bits - 1, which saves passes; 0: any
};

// keys and sorted: int32, int64 or fp32 [n]; places: int32 [n]. All contiguous; n is below 2^31.
inline Result<void> sort(const Tensor &sorted, const Tensor &places, const Tensor &keys, const SortOptions &order = {},
                         const LaunchOptions &options = {}) {
  detail::Checks checks("sort");
  DType type = keys.dtype();
  checks.rank({"keys", keys}, 1)
      .that(type == DType::Int32 || type == DType::Int64 || type == DType::Fp32,
            "`keys` has type " + detail::Checks::name(type) + ", but i32, i64 or f32 is expected");
  checks.sameShape({"sorted", sorted}, {"keys", keys}).sameType({"sorted", sorted}, {"keys", keys});
  checks.sameShape({"places", places}, {"keys", keys}).dtype({"places", places}, DType::Int32);
  checks.contiguous({{"keys", keys}, {"sorted", sorted}, {"places", places}});
  int64_t count = keys.count(), width = 8 * static_cast<int64_t>(bytesOf(type));
  checks.that(order.bits >= 0 && order.bits <= width && (order.bits == 0 || type != DType::Fp32),
              std::to_string(order.bits) + " bits are asked for, but up to " + std::to_string(width) +
                  " are expected, and all of floats");
  checks.that(count < (int64_t(1) << 31), "`keys` has too many elements");
  if (checks.failed())
    return checks.error();
  constexpr int64_t kBlock = 256;
  int64_t passes = detail::cdiv(order.bits ? order.bits : width, 4);
  int64_t programs = std::clamp<int64_t>(detail::cdiv(count, 4 * kBlock), 1, detail::isGpu(options) ? 512 : 16);
  int64_t chunk = std::max<int64_t>(kBlock, detail::cdiv(detail::cdiv(count, programs), kBlock) * kBlock);
  Result<Tensor> counts = detail::scratch(keys, DType::Int32, {programs, 16}, options),
                 otherKeys = detail::scratch(keys, type, {count}, options),
                 otherPlaces = detail::scratch(keys, DType::Int32, {count}, options);
  for (const Result<Tensor> *each : {&counts, &otherKeys, &otherPlaces})
    if (!*each)
      return each->error();
  Result<void> done;
  for (int64_t pass = 0; pass < passes && done; ++pass) {
    bool endsInPlace = (passes - pass) % 2 == 1; // the last pass writes the results
    const Tensor &toKeys = endsInPlace ? sorted : *otherKeys, &toPlaces = endsInPlace ? places : *otherPlaces;
    const Tensor &from = pass == 0 ? keys : endsInPlace ? *otherKeys : sorted;
    Argument fromPlaces = pass == 0 ? Argument(nullptr) : Argument(endsInPlace ? *otherPlaces : places);
    bool isTop = 4 * pass == width - 4;
    done = detail::launch(detail::find("radix_sort", "radix_count"), {count ? programs : 0}, options,
                          {from, *counts, count, chunk, 4 * pass, isTop, order.descending, kBlock});
    if (done)
      done = detail::launch(
          detail::find("radix_sort", "radix_scatter"), {count ? programs : 0}, options,
          {from, fromPlaces, *counts, toKeys, toPlaces, count, chunk, 4 * pass, isTop, order.descending, kBlock, 32});
  }
  return done;
}

} // namespace nereid::kernels
