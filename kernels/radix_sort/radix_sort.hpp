// radix_sort.hpp: sort(sorted, places, keys): a stable sort of a vector, with where its elements came from; sortRows of each row of a matrix.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct SortOptions {
  bool descending = false;
  int64_t bits = 0; // integers are 0 … 2^bits - 1, which saves passes; 0: any
};

// keys and sorted: integers, or floats of 16 to 64 bits [n], NaN above all; places: int32 [n]. All contiguous.
inline Result<void> sort(const Tensor &sorted, const Tensor &places, const Tensor &keys, const SortOptions &order = {},
                         const LaunchOptions &options = {}) {
  detail::Checks checks("sort");
  DType type = keys.dtype();
  checks.rank({"keys", keys}, 1)
      .that(type != DType::Int1 && (!isFloat(type) || type >= DType::Fp16),
            "`keys` has type " + detail::Checks::name(type) + ", but integers or floats of 16 to 64 bits are expected");
  checks.sameShape({"sorted", sorted}, {"keys", keys}).sameType({"sorted", sorted}, {"keys", keys});
  checks.sameShape({"places", places}, {"keys", keys}).dtype({"places", places}, DType::Int32);
  checks.contiguous({{"keys", keys}, {"sorted", sorted}, {"places", places}});
  int64_t count = keys.count(), width = 8 * static_cast<int64_t>(bytesOf(type));
  checks.that(order.bits >= 0 && order.bits <= width && (order.bits == 0 || !isFloat(type)),
              std::to_string(order.bits) + " bits are asked for, but up to " + std::to_string(width) +
                  " are expected, and all of floats");
  checks.places({"keys", keys}, count);
  if (checks.failed())
    return checks.error();
  constexpr int64_t kBlock = 1024, kPrograms = 128; // keys and programs whose counts are read at a time
  int64_t passes = detail::cdiv(order.bits ? order.bits : width, 4);
  int64_t programs = std::clamp<int64_t>(detail::cdiv(count, 2 * kBlock), 1, detail::isGpu(options) ? 1024 : 16);
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
      done = detail::launch(detail::find("radix_sort", "radix_scatter"), {count ? programs : 0}, options,
                            {from, fromPlaces, *counts, toKeys, toPlaces, count, chunk, 4 * pass, isTop,
                             order.descending, kBlock, kPrograms});
  }
  return done;
}

// Each row of keys, of the same types [rows, columns], in order; columns (int32 or int64) says where its elements came from. All contiguous. All rows are sorted together, and then by their number.
inline Result<void> sortRows(const Tensor &sorted, const Tensor &columns, const Tensor &keys, bool descending = false,
                             const LaunchOptions &options = {}) {
  detail::Checks checks("sortRows");
  checks.rank({"keys", keys}, 2).contiguous({{"keys", keys}, {"sorted", sorted}, {"columns", columns}});
  checks.sameShape({"sorted", sorted}, {"keys", keys}).sameType({"sorted", sorted}, {"keys", keys});
  checks.sameShape({"columns", columns}, {"keys", keys});
  checks.that(columns.dtype() == DType::Int32 || columns.dtype() == DType::Int64,
              "`columns` has type " + detail::Checks::name(columns.dtype()) + ", but i32 or i64 is expected");
  checks.places({"keys", keys}, keys.count());
  if (checks.failed())
    return checks.error();
  int64_t count = keys.count(), rows = keys.shape()[0], width = keys.shape()[1];
  auto numbers = [&] { return detail::scratch(keys, DType::Int32, {count}, options); };
  Result<Tensor> inOrder = detail::scratch(keys, keys.dtype(), {count}, options), places = numbers(), row = numbers(),
                 sortedRow = numbers(), order = numbers();
  for (const Result<Tensor> *each : {&inOrder, &places, &row, &sortedRow, &order})
    if (!*each)
      return each->error();
  Tensor flat = Tensor::borrow(keys.data(), keys.dtype(), {count}, {1});
  if (!keys.isOnHost())
    flat = flat.onGpu(keys.gpuOrdinal());
  int64_t bits = 1;
  while (rows >> bits)
    ++bits;
  Result<void> done = sort(*inOrder, *places, flat, {.descending = descending}, options);
  if (done)
    done = detail::launch(detail::find("radix_sort", "rows_of_places"), {detail::cdiv(count, 1024)}, options,
                          {*places, *row, count, width, 1024});
  if (done)
    done = sort(*sortedRow, *order, *row, {.bits = bits}, options);
  return done ? detail::launch(detail::find("radix_sort", "take_rows_in_order"), {detail::cdiv(count, 1024)}, options,
                               {keys, *places, *order, sorted, columns, count, width, 1024})
              : done;
}

} // namespace nereid::kernels
