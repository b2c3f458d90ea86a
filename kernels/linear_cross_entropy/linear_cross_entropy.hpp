// linear_cross_entropy.hpp: linearCrossEntropy(loss, gradX, gradWeight, x, weight, target): a linear layer and its cross entropy, in chunks of
// rows, so that there are never all logits.
#pragma once

#include "nereid/kernels/cross_entropy.hpp"
#include "nereid/kernels/matmul.hpp"

namespace nereid::kernels {

struct LinearCrossEntropyOptions {
  CrossEntropyOptions entropy = {};
  std::optional<Tensor> scale =
      {};            // fp32 [1]: losses and gradients are multiplied by it (1 / rows for a mean); 1 if missing
  int64_t chunk = 0; // rows at a time; 0: so many that their logits are about as large as x
};

namespace detail {
inline Result<void> addTransposedProduct(const Tensor &c, const Tensor &a, const Tensor &b,
                                         const LaunchOptions &options) {
  ProductShape shape{c.shape()[0], c.shape()[1], a.shape()[0]};
  auto [blockM, blockN, blockK, tuned] = productPlan(shape, bytesOf(a.dtype()), options);
  blockM = std::min<int64_t>(blockM, 128),
  blockN = std::min<int64_t>(blockN, 128); // a tile of c is read and written besides
  return launch(find("linear_cross_entropy", "add_transposed_product"), {cdiv(shape.m, blockM) * cdiv(shape.n, blockN)},
                tuned,
                {a, b, c, shape.m, shape.n, shape.k, a.strides()[0], b.strides()[0], c.strides()[0], blockM, blockN,
                 blockK, 8, "ieee"});
}
} // namespace detail

// The logits are x @ weight^T: x is [rows, width], weight [classes, width], both with contiguous rows. loss: fp32 [rows]; gradX
// and gradWeight have the shapes of x and weight; gradWeight is added to, of any float type.
inline Result<void> linearCrossEntropy(const Tensor &loss, const Tensor &gradX, const Tensor &gradWeight,
                                       const Tensor &x, const Tensor &weight, const Tensor &target,
                                       const LinearCrossEntropyOptions &linear = {},
                                       const LaunchOptions &options = {}) {
  detail::Checks checks("linearCrossEntropy");
  checks.rank({"x", x}, 2).rank({"weight", weight}, 2).sameType({"weight", weight}, {"x", x});
  checks.sameShape({"gradX", gradX}, {"x", x}).sameShape({"gradWeight", gradWeight}, {"weight", weight});
  for (detail::Named each : {detail::Named{"x", x}, {"weight", weight}, {"gradX", gradX}, {"gradWeight", gradWeight}})
    checks.contiguousRows({each}).floats({each});
  if (checks.failed())
    return checks.error();
  int64_t rows = x.shape()[0], width = x.shape()[1], classes = weight.shape()[0];
  checks.shape({"weight", weight}, {classes, width});
  checks.shape({"target", target}, {rows}).contiguous({{"target", target}}).dtype({"target", target}, DType::Int64);
  checks.shape({"loss", loss}, {rows}).contiguous({{"loss", loss}}).dtype({"loss", loss}, DType::Fp32);
  if (linear.scale)
    checks.shape({"scale", *linear.scale}, {1}).dtype({"scale", *linear.scale}, DType::Fp32);
  if (checks.failed())
    return checks.error();
  int64_t chunk =
      linear.chunk
          ? linear.chunk
          : std::max<int64_t>(128, detail::powerOfTwo(detail::cdiv(rows * width, std::max<int64_t>(1, classes))));
  chunk = std::clamp<int64_t>(chunk, 1, std::max<int64_t>(rows, 1));
  Result<Tensor> logits = detail::scratch(x, x.dtype(), {chunk, classes}, options);
  Result<Tensor> one = linear.scale ? *linear.scale : detail::constants(x, std::array{1.0f}, options);
  if (!logits || !one)
    return (logits ? one : logits).error();
  auto part = [](const Tensor &tensor, int64_t first, int64_t count) {
    Shape shape = tensor.shape();
    shape[0] = count;
    int64_t offset = first * tensor.strides()[0] * static_cast<int64_t>(bytesOf(tensor.dtype()));
    return Tensor::borrow(tensor.data() + offset, tensor.dtype(), shape, tensor.strides()).onGpu(tensor.gpuOrdinal());
  };
  Tensor transposed = weight.transposed();
  int64_t block = std::min(detail::kLongBlock, detail::powerOfTwo(classes));
  Result<void> done;
  for (int64_t first = 0; first < rows && done; first += chunk) {
    int64_t count = std::min(chunk, rows - first);
    Tensor some = part(x, first, count), own = part(*logits, 0, count);
    done = matmul(own, some, transposed, {}, options);
    if (done)
      done = detail::launch(detail::find("linear_cross_entropy", "loss_and_gradient"), {classes ? count : 0},
                            detail::withWarps(options, block),
                            {own, part(target, first, count), *one, part(loss, first, count), own.strides()[0], classes,
                             linear.entropy.ignoreIndex, block, linear.entropy.labelSmoothing, linear.entropy.zLoss,
                             linear.entropy.softcap});
    if (done)
      done = matmul(part(gradX, first, count), own, weight, {}, options);
    if (done)
      done = detail::addTransposedProduct(gradWeight, own, some, options);
  }
  return done;
}

} // namespace nereid::kernels
