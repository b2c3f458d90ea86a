// gather.hpp: gather(out, x, index, axis) takes elements along an axis, scatter(out, x, index, axis) puts them there, scatterAdd adds them.
#pragma once

#include "nereid/kernels/radix_sort.hpp"

namespace nereid::kernels {

namespace detail {
// A tensor as [outer, length, inner] around an axis, and what is taken from there, [outer, picked, inner].
struct AlongAxis {
  int64_t outer = 1, length = 1, picked = 1, inner = 1;

  AlongAxis(Checks &checks, Named whole, Named index, Named part, int64_t axis) {
    int64_t rank = whole.tensor.rank();
    checks.that(rank == index.tensor.rank() && axis >= 0 && axis < rank,
                "there is no axis " + std::to_string(axis) + " of `" + whole.name + "` with shape " +
                    Checks::text(whole.tensor.shape()) + " and `index` with " + Checks::text(index.tensor.shape()));
    checks.sameShape(part, index).contiguous({whole, index, part});
    checks.that(index.tensor.dtype() == DType::Int32 || index.tensor.dtype() == DType::Int64,
                "`index` has type " + Checks::name(index.tensor.dtype()) + ", but i32 or i64 is expected");
    if (checks.failed())
      return;
    for (int64_t i = 0; i < rank; ++i) {
      int64_t size = whole.tensor.shape()[i];
      checks.that(i == axis || index.tensor.shape()[i] == size,
                  "`index` has shape " + Checks::text(index.tensor.shape()) + ", but `" + whole.name + "` has " +
                      Checks::text(whole.tensor.shape()) + ", which differs beside axis " + std::to_string(axis));
      (i < axis ? outer : i == axis ? length : inner) *= size;
    }
    picked = index.tensor.shape()[axis];
  }
};
} // namespace detail

// out[…, j, …] = x[…, index[…, j, …], …] along the axis, 0 where that is no place. All contiguous; out has the index's shape, and x differs from it along the axis alone.
inline Result<void> gather(const Tensor &out, const Tensor &x, const Tensor &index, int64_t axis,
                           const LaunchOptions &options = {}) {
  detail::Checks checks("gather");
  detail::AlongAxis along(checks, {"x", x}, {"index", index}, {"out", out}, axis);
  checks.sameType({"out", out}, {"x", x});
  if (checks.failed())
    return checks.error();
  return detail::launch(
      detail::find("gather", "gather"), {detail::cdiv(index.count(), 1024)}, options,
      {x, index, out, index.count(), along.length, along.picked, along.inner, 1024, detail::cacheModifier(out)});
}

// out[…, index[…, j, …], …] = x[…, j, …]; what names no place is left out, and of two that name one place any may stay.
inline Result<void> scatter(const Tensor &out, const Tensor &x, const Tensor &index, int64_t axis,
                            const LaunchOptions &options = {}) {
  detail::Checks checks("scatter");
  detail::AlongAxis along(checks, {"out", out}, {"index", index}, {"x", x}, axis);
  if (checks.failed())
    return checks.error();
  return detail::launch(detail::find("gather", "scatter"), {detail::cdiv(index.count(), 1024)}, options,
                        {x, index, out, index.count(), along.length, along.picked, along.inner, 1024});
}

// out[…, index[…, j, …], …] += x[…, j, …] for floats. In the order of the elements and in fp32, the same on every run; or by atomics, which is faster on a GPU.
inline Result<void> scatterAdd(const Tensor &out, const Tensor &x, const Tensor &index, int64_t axis,
                               bool inOrder = true, const LaunchOptions &options = {}) {
  detail::Checks checks("scatterAdd");
  detail::AlongAxis along(checks, {"out", out}, {"index", index}, {"x", x}, axis);
  checks.floats({{"out", out}, {"x", x}});
  int64_t count = index.count(), outside = out.count();
  checks.places({"out", out}, outside).places({"index", index}, count);
  if (checks.failed())
    return checks.error();
  if (!inOrder)
    return detail::launch(detail::find("gather", "scatter_add"), {detail::cdiv(count, 1024)}, options,
                          {x, index, out, count, along.length, along.picked, along.inner, 1024});
  Result<Tensor> targets = detail::scratch(out, DType::Int32, {count}, options),
                 sorted = detail::scratch(out, DType::Int32, {count}, options),
                 from = detail::scratch(out, DType::Int32, {count}, options);
  for (const Result<Tensor> *each : {&targets, &sorted, &from})
    if (!*each)
      return each->error();
  int64_t bits = 1;
  while (outside >> bits)
    ++bits;
  Result<void> done = detail::launch(detail::find("gather", "scatter_targets"), {detail::cdiv(count, 1024)}, options,
                                     {index, *targets, count, along.length, along.picked, along.inner, outside, 1024});
  if (done)
    done = sort(*sorted, *from, *targets, {.bits = bits}, options);
  return done ? detail::launch(detail::find("gather", "add_sorted"), {detail::cdiv(count, 128)}, options,
                               {x, *sorted, *from, out, count, outside, 128})
              : done;
}

} // namespace nereid::kernels
