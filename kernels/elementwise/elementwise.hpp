// elementwise.hpp: functions of every element of contiguous tensors: add(out, x, y), gelu(out, x), unary(out, x,
// "cos").
#pragma once

#include "nereid/kernels/launch.hpp"

namespace nereid::kernels {

namespace detail {
inline Result<void> elementwise(const char *kernel, const Tensor &out, std::vector<Named> inputs,
                                const std::string &function, const LaunchOptions &options) {
  Checks checks(function);
  checks.contiguous({{"out", out}});
  for (Named input : inputs)
    checks.sameShape({"out", out}, input).contiguous({input});
  if (checks.failed())
    return checks.error();
  std::vector<Argument> arguments;
  for (Named input : inputs)
    arguments.push_back(input.tensor);
  arguments.insert(arguments.end(), {out, out.count(), Expression{function}, kVectorBlock, cacheModifier(out)});
  return launch(find("elementwise", kernel), {cdiv(out.count(), kVectorBlock)}, withWarps(options, kVectorBlock),
                arguments);
}
} // namespace detail

// `function` is the name of a function of elementwise.py.
inline Result<void> unary(const Tensor &out, const Tensor &x, const std::string &function,
                          const LaunchOptions &options = {}) {
  return detail::elementwise("unary", out, {{"x", x}}, function, options);
}
inline Result<void> binary(const Tensor &out, const Tensor &x, const Tensor &y, const std::string &function,
                           const LaunchOptions &options = {}) {
  return detail::elementwise("binary", out, {{"x", x}, {"y", y}}, function, options);
}

inline Result<void> ternary(const Tensor &out, const Tensor &x, const Tensor &y, const Tensor &z,
                            const std::string &function, const LaunchOptions &options = {}) {
  return detail::elementwise("ternary", out, {{"x", x}, {"y", y}, {"z", z}}, function, options);
}

inline Result<void> add(const Tensor &out, const Tensor &x, const Tensor &y, const LaunchOptions &options = {}) {
  return binary(out, x, y, "add", options);
}
inline Result<void> multiply(const Tensor &out, const Tensor &x, const Tensor &y, const LaunchOptions &options = {}) {
  return binary(out, x, y, "multiply", options);
}
inline Result<void> fma(const Tensor &out, const Tensor &x, const Tensor &y, const Tensor &z,
                        const LaunchOptions &options = {}) {
  return ternary(out, x, y, z, "fma", options);
}
inline Result<void> relu(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return unary(out, x, "relu", options);
}
inline Result<void> gelu(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return unary(out, x, "gelu", options);
}
inline Result<void> silu(const Tensor &out, const Tensor &x, const LaunchOptions &options = {}) {
  return unary(out, x, "silu", options);
}

} // namespace nereid::kernels
