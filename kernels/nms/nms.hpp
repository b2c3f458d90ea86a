// nms.hpp: nms(keep, number, boxes, scores, threshold): the boxes that overlap none with a higher score that is kept.
#pragma once

#include "nereid/kernels/radix_sort.hpp"

namespace nereid::kernels {

// boxes: contiguous [n, 4], left, top, right, bottom; scores: contiguous fp32 [n]. keep, int64 [n], becomes the numbers of the boxes that stay, the highest score first; number, int32 [1], how many there are. At most 32768
// boxes.
inline Result<void> nms(const Tensor &keep, const Tensor &number, const Tensor &boxes, const Tensor &scores,
                        double threshold, const LaunchOptions &options = {}) {
  detail::Checks checks("nms");
  checks.rank({"boxes", boxes}, 2).floats({{"boxes", boxes}});
  if (checks.failed())
    return checks.error();
  int64_t n = boxes.shape()[0], words = detail::cdiv(n, 32);
  checks.shape({"boxes", boxes}, {n, 4}).shape({"scores", scores}, {n}).shape({"keep", keep}, {n});
  checks.shape({"number", number}, {1}).dtype({"number", number}, DType::Int32);
  checks.dtype({"scores", scores}, DType::Fp32).dtype({"keep", keep}, DType::Int64);
  checks.contiguous({{"boxes", boxes}, {"scores", scores}, {"keep", keep}});
  checks.that(n <= 32768, "there are " + std::to_string(n) + " boxes, but at most 32768 are expected");
  if (checks.failed())
    return checks.error();
  Result<Tensor> sorted = detail::scratch(boxes, DType::Fp32, {n}, options),
                 order = detail::scratch(boxes, DType::Int32, {n}, options),
                 hidden = detail::scratch(boxes, DType::Int32, {n, words}, options);
  for (const Result<Tensor> *each : {&sorted, &order, &hidden})
    if (!*each)
      return each->error();
  Result<void> done = sort(*sorted, *order, scores, {.descending = true}, options);
  if (done)
    done = detail::launch(detail::find("nms", "overlaps"), {detail::cdiv(n, 64), words}, options,
                          {boxes, *order, *hidden, n, words, threshold, 64});
  return done ? detail::launch(detail::find("nms", "select"), {1}, detail::withWarps(options, 8 * words),
                               {*hidden, *order, keep, number, n, words, detail::powerOfTwo(words)})
              : done;
}

} // namespace nereid::kernels
