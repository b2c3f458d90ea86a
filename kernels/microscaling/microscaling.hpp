// microscaling.hpp: microscalingQuantize(q, scale, x, "e2m1"), microscalingDequantize(out, q, scale, "e2m1"): the formats MXFP4 and MXFP8.
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
inline Result<void> microscaling(const char *function, const char *kernel, const Tensor &values, const Tensor &q,
                                 const Tensor &scale, const std::string &kind, bool isReading,
                                 const LaunchOptions &options) {
  Checks checks(function);
  Named named{isReading ? "out" : "x", values};
  checks.floats({named}).contiguous({named, {"q", q}, {"scale", scale}});
  checks.dtype({"q", q}, DType::UInt8).dtype({"scale", scale}, DType::UInt8);
  checks.that(kind == "e2m1" || kind == "e4m3" || kind == "e5m2",
              "`kind` is \"" + kind + "\", but \"e2m1\", \"e4m3\" or \"e5m2\" is expected");
  checks.that(values.rank() > 0 && values.shape().back() % 32 == 0,
              std::string("`") + named.name + "` has shape " + Checks::text(values.shape()) +
                  ", but a last axis of groups of 32 is expected");
  if (checks.failed())
    return checks.error();
  Shape codes = values.shape(), scales = values.shape();
  codes.back() /= kind == "e2m1" ? 2 : 1, scales.back() /= 32;
  checks.shape({"q", q}, codes).shape({"scale", scale}, scales);
  if (checks.failed())
    return checks.error();
  int64_t groups = values.count() / 32, block = std::clamp<int64_t>(powerOfTwo(groups), 1, 128);
  std::vector<Argument> arguments =
      isReading ? std::vector<Argument>{q, scale, values} : std::vector<Argument>{values, q, scale};
  arguments.insert(arguments.end(), {groups, kind, block});
  return launch(find("microscaling", kernel), {cdiv(groups, block)}, options, arguments);
}
} // namespace detail

// Groups of 32 along the last axis, all contiguous: q uint8, two codes to a byte of "e2m1" (MXFP4), else one ("e4m3", "e5m2": MXFP8); scale uint8, 2^(code - 127) for each group.
inline Result<void> microscalingQuantize(const Tensor &q, const Tensor &scale, const Tensor &x, const std::string &kind,
                                         const LaunchOptions &options = {}) {
  return detail::microscaling("microscalingQuantize", "microscaling_quantize", x, q, scale, kind, false, options);
}
inline Result<void> microscalingDequantize(const Tensor &out, const Tensor &q, const Tensor &scale,
                                           const std::string &kind, const LaunchOptions &options = {}) {
  return detail::microscaling("microscalingDequantize", "microscaling_dequantize", out, q, scale, kind, true, options);
}

} // namespace nereid::kernels
