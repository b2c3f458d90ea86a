// pooling.hpp: maxPool2d(out, index, x, {.kernel = {2, 2}}) and avgPool2d(out, x, …): the largest element or the mean of each window, and their gradients.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <array>

namespace nereid::kernels {

struct PoolOptions {
  std::array<int64_t, 2> kernel = {2, 2};
  std::array<int64_t, 2> stride = {0, 0}; // 0: the kernel's size
  std::array<int64_t, 2> padding = {0, 0};
  std::array<int64_t, 2> dilation = {1, 1}; // of the largest element only
  bool ceil = false;                        // a last window may hang over
  bool countPadding = true;                 // padding counts as zeros in a mean
  int64_t divisor = 0;                      // of sums, in place of what counts
};

// How many windows lie along an axis; with `ceil` one that hangs over counts if it begins in the picture or before it.
inline int64_t pooledSize(int64_t size, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil) {
  int64_t span = size + 2 * padding - dilation * (kernel - 1) - 1;
  if (span < 0 && !(ceil && span + stride > 0))
    return 0;
  int64_t result = (span + (ceil ? stride - 1 : 0)) / stride + 1;
  return ceil && (result - 1) * stride >= size + padding ? result - 1 : result;
}

namespace detail {
// Blocks of [planes, height, width]: rows of up to 64, as many of them as leave the least over, and planes, 1024 places in all.
struct PlaneBlocks {
  int64_t planes, p, h = 1, w, count;

  explicit PlaneBlocks(const Shape &shape)
      : planes(shape[0] * shape[1]), w(std::min<int64_t>(64, powerOfTwo(shape[3]))) {
    for (int64_t rows = 1; rows <= 1024 / w; rows *= 2)
      if (cdiv(shape[2], rows) * rows <= cdiv(shape[2], h) * h)
        h = rows;
    p = std::min(1024 / (w * h), powerOfTwo(planes));
    count = cdiv(planes, p) * cdiv(shape[2], h) * cdiv(shape[3], w);
  }
};

// x and out are [batch, channels, height, width], contiguous.
struct Pool {
  Named x, out;
  PoolOptions pool;

  Pool(Named x, Named out, const PoolOptions &given) : x(x), out(out), pool(given) {
    for (int axis = 0; axis < 2; ++axis)
      pool.stride[axis] = pool.stride[axis] ? pool.stride[axis] : pool.kernel[axis];
  }
  Checks check(const char *function) const {
    Checks checks(function);
    checks.rank(x, 4).floats({x, out}).contiguous({x, out});
    for (int axis = 0; axis < 2; ++axis) {
      checks.that(pool.kernel[axis] >= 1 && pool.stride[axis] >= 1 && pool.dilation[axis] >= 1,
                  "kernel, stride and dilation are at least 1");
      checks.that(pool.padding[axis] >= 0 && 2 * pool.padding[axis] <= pool.kernel[axis],
                  "padding is " + std::to_string(pool.padding[axis]) + ", but at most half of the kernel's " +
                      std::to_string(pool.kernel[axis]) + " is expected");
    }
    if (checks.failed())
      return checks;
    const Shape &shape = x.tensor.shape();
    Shape expected{shape[0], shape[1]};
    for (int axis = 0; axis < 2; ++axis)
      expected.push_back(pooledSize(shape[2 + axis], pool.kernel[axis], pool.stride[axis], pool.padding[axis],
                                    pool.dilation[axis], pool.ceil));
    checks.shape(out, expected);
    checks.that(shape[2] * shape[3] < (int64_t(1) << 31), "a plane has too many elements");
    return checks;
  }
  // Sizes and steps, as all kernels take them.
  void addSizes(std::vector<Argument> &arguments) const {
    const Shape &in = x.tensor.shape(), &result = out.tensor.shape();
    arguments.insert(arguments.end(), {in[2], in[3], result[2], result[3]});
    for (const auto &pair : {pool.stride, pool.padding})
      arguments.insert(arguments.end(), {pair[0], pair[1]});
  }
  Result<void> launch(const char *kernel, const Tensor &result, std::vector<Argument> arguments, bool isMean,
                      const LaunchOptions &options) const {
    PlaneBlocks blocks(result.shape());
    arguments.push_back(blocks.planes);
    addSizes(arguments);
    if (isMean)
      arguments.insert(arguments.end(), {pool.divisor, pool.countPadding});
    else
      arguments.insert(arguments.end(), {pool.dilation[0], pool.dilation[1]});
    arguments.insert(arguments.end(), {pool.kernel[0], pool.kernel[1], blocks.p, blocks.h, blocks.w});
    return detail::launch(find("pooling", kernel), {blocks.count}, options, arguments);
  }
};
} // namespace detail

// out: the largest element of each window; index, int32 or int64 of out's shape or none: its place in the plane. All contiguous, [batch, channels, height, width].
inline Result<void> maxPool2d(const Tensor &out, const std::optional<Tensor> &index, const Tensor &x,
                              const PoolOptions &pool, const LaunchOptions &options = {}) {
  detail::Pool windows({"x", x}, {"out", out}, pool);
  detail::Checks checks = windows.check("maxPool2d");
  if (index)
    checks.sameShape({"index", *index}, {"out", out}).contiguous({{"index", *index}});
  if (checks.failed())
    return checks.error();
  return windows.launch("max_pool2d", out, {x, out, detail::optionalArgument(index)}, false, options);
}

inline Result<void> maxPool2dBackward(const Tensor &gradX, const Tensor &gradOut, const Tensor &index,
                                      const PoolOptions &pool, const LaunchOptions &options = {}) {
  detail::Pool windows({"gradX", gradX}, {"gradOut", gradOut}, pool);
  detail::Checks checks = windows.check("maxPool2dBackward");
  checks.sameShape({"index", index}, {"gradOut", gradOut}).contiguous({{"index", index}});
  if (checks.failed())
    return checks.error();
  return windows.launch("max_pool2d_backward", gradX, {gradOut, index, gradX}, false, options);
}

// out: the mean of each window.
inline Result<void> avgPool2d(const Tensor &out, const Tensor &x, const PoolOptions &pool,
                              const LaunchOptions &options = {}) {
  detail::Pool windows({"x", x}, {"out", out}, pool);
  detail::Checks checks = windows.check("avgPool2d");
  checks.that(pool.dilation == std::array<int64_t, 2>{1, 1} && pool.divisor >= 0,
              "a mean has no dilation, and its divisor is not negative");
  if (checks.failed())
    return checks.error();
  return windows.launch("avg_pool2d", out, {x, out}, true, options);
}

inline Result<void> avgPool2dBackward(const Tensor &gradX, const Tensor &gradOut, const PoolOptions &pool,
                                      const LaunchOptions &options = {}) {
  detail::Pool windows({"gradX", gradX}, {"gradOut", gradOut}, pool);
  detail::Checks checks = windows.check("avgPool2dBackward");
  checks.that(pool.dilation == std::array<int64_t, 2>{1, 1} && pool.divisor >= 0,
              "a mean has no dilation, and its divisor is not negative");
  if (checks.failed())
    return checks.error();
  return windows.launch("avg_pool2d_backward", gradX, {gradOut, gradX}, true, options);
}

} // namespace nereid::kernels
