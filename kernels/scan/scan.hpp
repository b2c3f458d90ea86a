// scan.hpp: scan(out, x): sums, maxima or minima of all elements so far, in one pass; scanPlaces, the same with places; scanSegments and scanSteps, sums that begin anew and
// h[t] = a[t] * h[t - 1] + b[t].
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

struct ScanOptions {
  std::string kind = "sum"; // or prod, max, min
  bool isReversed = false;  // from the end of each row
};

namespace detail {
inline bool isInteger(DType type) { return type >= DType::Int8 && type <= DType::UInt64; }

// Tiles of rows, and zeros through which programs tell each other what they have summed.
struct ScanPlan {
  int64_t block, lines, window = 32, programs;
  LaunchOptions options;
  Result<Tensor> state;

  ScanPlan(const Tensor &x, int64_t words, int64_t longest, const LaunchOptions &given)
      : block(std::clamp<int64_t>(powerOfTwo(x.shape()[1]), 256, longest)), lines(given.numWarps ? given.numWarps : 4),
        programs(x.shape()[0] * cdiv(x.shape()[1], block)), options(given),
        state(scratch(x, DType::Int64, {2 + words * programs}, given)) {}

  Result<void> clear() const {
    if (!state)
      return state.error();
    return launch(find("scan", "clear"), {cdiv(state->count(), 1024)}, options, {*state, state->count(), 1024});
  }
};

inline Checks scanChecks(const char *function, std::initializer_list<Named> tensors) {
  Checks checks(function);
  checks.rank(*tensors.begin(), 2);
  if (!checks.failed())
    checks.places(*tensors.begin(), tensors.begin()->tensor.shape()[1]);
  for (Named each : tensors)
    checks.sameShape(each, *tensors.begin()).contiguousRows({each});
  return checks;
}
} // namespace detail

// out[i, j] = x[i, 0] … x[i, j] taken together. Floats are computed in fp32, integers in int64; out may have another type of the same sort. Sums of floats may differ in their last bits from run to run.
inline Result<void> scan(const Tensor &out, const Tensor &x, const ScanOptions &scan = {},
                         const LaunchOptions &options = {}) {
  detail::Checks checks = detail::scanChecks("scan", {{"x", x}, {"out", out}});
  checks.that(scan.kind == "sum" || scan.kind == "prod" || scan.kind == "max" || scan.kind == "min",
              "`kind` is `" + scan.kind + "`, but sum, prod, max or min is expected");
  bool isInteger = detail::isInteger(x.dtype());
  if (!isInteger)
    checks.floats({{"x", x}, {"out", out}});
  checks.that(detail::isInteger(out.dtype()) == isInteger, "`x` has type " + detail::Checks::name(x.dtype()) +
                                                               ", but `out` has " + detail::Checks::name(out.dtype()));
  if (checks.failed())
    return checks.error();
  detail::ScanPlan plan(x, isInteger ? 2 : 1, 4096, options);
  Result<void> done = plan.clear();
  return done ? detail::launch(detail::find("scan", "scan"), {plan.programs}, plan.options,
                               {x, out, *plan.state, x.strides()[0], out.strides()[0], x.shape()[1], scan.kind,
                                plan.block, plan.lines, plan.window, scan.isReversed})
              : done;
}

// Maxima or minima so far, as scan has them, and where in its row each stands: places, int64 of the same shape and strides as out; the last of equal ones. Floats, or integers of up to 32 bits.
inline Result<void> scanPlaces(const Tensor &out, const Tensor &places, const Tensor &x,
                               const ScanOptions &scan = {.kind = "max"}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::scanChecks("scanPlaces", {{"x", x}, {"out", out}, {"places", places}});
  checks.that((scan.kind == "max" || scan.kind == "min") && !scan.isReversed,
              "`kind` is `" + scan.kind + "`, but max or min, not reversed, is expected");
  bool isSmall = detail::isInteger(x.dtype()) && (x.dtype() == DType::Int32 || bytesOf(x.dtype()) < 4);
  checks.that(isSmall || !detail::isInteger(x.dtype()),
              "`x` has type " + detail::Checks::name(x.dtype()) + ", but integers that int32 holds are expected");
  if (!isSmall)
    checks.floats({{"x", x}});
  checks.sameType({"out", out}, {"x", x}).dtype({"places", places}, DType::Int64);
  checks.that(places.strides() == out.strides(), "`places` must have the strides of `out`");
  if (checks.failed())
    return checks.error();
  detail::ScanPlan plan(x, 2, 4096, options);
  Result<void> done = plan.clear();
  return done ? detail::launch(detail::find("scan", "scan_places"), {plan.programs}, plan.options,
                               {x, out, places, *plan.state, x.strides()[0], out.strides()[0], x.shape()[1], scan.kind,
                                plan.block, plan.lines, plan.window})
              : done;
}

// Sums of floats that begin anew where `heads`, of integers, is not 0.
inline Result<void> scanSegments(const Tensor &out, const Tensor &x, const Tensor &heads,
                                 const LaunchOptions &options = {}) {
  detail::Checks checks = detail::scanChecks("scanSegments", {{"x", x}, {"heads", heads}, {"out", out}});
  checks.floats({{"x", x}, {"out", out}});
  checks.that(heads.dtype() == DType::Int1 || detail::isInteger(heads.dtype()),
              "`heads` has type " + detail::Checks::name(heads.dtype()) + ", but an integer type is expected");
  if (checks.failed())
    return checks.error();
  detail::ScanPlan plan(x, 1, 4096, options);
  Result<void> done = plan.clear();
  return done ? detail::launch(detail::find("scan", "scan_segments"), {plan.programs}, plan.options,
                               {x, heads, out, *plan.state, x.strides()[0], heads.strides()[0], out.strides()[0],
                                x.shape()[1], plan.block, plan.lines, plan.window})
              : done;
}

// h[i, t] = a[i, t] * h[i, t - 1] + b[i, t]; initial, one number a row, is h before the first step, 0 if missing.
inline Result<void> scanSteps(const Tensor &h, const Tensor &a, const Tensor &b,
                              const std::optional<Tensor> &initial = {}, const LaunchOptions &options = {}) {
  detail::Checks checks = detail::scanChecks("scanSteps", {{"a", a}, {"b", b}, {"h", h}});
  checks.floats({{"a", a}, {"b", b}, {"h", h}});
  if (!checks.failed() && initial)
    checks.shape({"initial", *initial}, {a.shape()[0]})
        .contiguous({{"initial", *initial}})
        .floats({{"initial", *initial}});
  if (checks.failed())
    return checks.error();
  detail::ScanPlan plan(a, 2, 8192, detail::withDefaults(options, 8));
  Result<void> done = plan.clear();
  return done ? detail::launch(detail::find("scan", "scan_steps"), {plan.programs}, plan.options,
                               {a, b, detail::optionalArgument(initial), h, *plan.state, a.strides()[0], b.strides()[0],
                                h.strides()[0], a.shape()[1], plan.block, plan.lines, plan.window})
              : done;
}

} // namespace nereid::kernels
