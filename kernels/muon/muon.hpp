// muon.hpp: newtonSchulz(out, x) makes matrices orthogonal, muon(parameter, gradient, momentum) is a step of the optimizer, in place.
#pragma once

#include "nereid/kernels/launch.hpp"

#include <array>
#include <cmath>

namespace nereid::kernels {

struct NewtonSchulzOptions {
  int64_t steps = 5;
  std::array<double, 3> coefficients = {3.4445, -4.7750, 2.0315}; // of X, X X^T X and (X X^T)^2 X
  double eps = 1e-7;                                              // the least norm that is divided by
  std::string precision = "ieee";                                 // of fp32 matrices, as tl.dot has it
};

struct MuonOptions {
  double rate = 1e-3, beta = 0.95, decay = 0.1;
  bool nesterov = true;
  double scale = 0; // of the step beside the rate; 0: sqrt(max(1, rows / columns))
  NewtonSchulzOptions newtonSchulz = {};
  std::optional<DType> work = {};    // of the products; the gradient's if not given
  std::optional<Tensor> master = {}; // fp32: what is updated where the parameter is narrower
  std::optional<Tensor> factor = {}; // fp32 [1]: the gradient is multiplied by it first; 0 leaves the step out
};

namespace detail {
inline constexpr int64_t kMuonBlock = 1024, kMuonPrograms = 64;

// The direction of a step into `work`, contiguous as x; and then its Newton-Schulz steps. All are [matrices, rows, columns] in memory.
inline Result<Tensor> orthogonalDirection(const Tensor &x, const std::optional<Tensor> &momentum,
                                          const std::optional<Tensor> &factor, double beta, bool nesterov, DType work,
                                          const NewtonSchulzOptions &newtonSchulz, const LaunchOptions &options) {
  const Shape &shape = x.shape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back(), n = rows * columns;
  int64_t matrices = 1;
  for (size_t axis = 0; axis + 2 < shape.size(); ++axis)
    matrices *= shape[axis];
  bool isWide = rows <= columns;
  int64_t M = std::min(rows, columns), N = std::max(rows, columns);
  int64_t strideM = isWide ? columns : 1, strideN = isWide ? 1 : columns;
  int64_t programs = std::min(kMuonPrograms, std::max<int64_t>(1, cdiv(n, kMuonBlock)));
  Result<Tensor> now = scratch(x, work, shape, options), next = scratch(x, work, shape, options),
                 gram = scratch(x, work, {matrices, M, M}, options),
                 polynomial = scratch(x, work, {matrices, M, M}, options),
                 partial = scratch(x, DType::Fp32, {matrices, programs}, options);
  for (const Result<Tensor> *each : {&now, &next, &gram, &polynomial, &partial})
    if (!*each)
      return each->error();
  Result<void> done =
      launch(find("muon", "momentum_direction"), {n ? programs : 0, matrices}, options,
             {x, optionalArgument(momentum), optionalArgument(factor), *now, *partial, n, beta, nesterov, kMuonBlock});
  if (done)
    done = launch(find("muon", "normalize"), {cdiv(n, kMuonBlock), matrices}, options,
                  {*now, *partial, *next, n, programs, newtonSchulz.eps, kMuonPrograms, kMuonBlock});
  bool isNarrow = isGpu(options) && bytesOf(work) == 2;
  int64_t blockM = std::clamp<int64_t>(powerOfTwo(M), 16, isNarrow ? 128 : 64), blockN = blockM, blockK = 32;
  auto [a, b, c] = newtonSchulz.coefficients;
  for (int64_t step = 0; step < newtonSchulz.steps && done; ++step) {
    std::swap(*now, *next);
    done = launch(find("muon", "symmetric_product"), {cdiv(M, blockM), cdiv(M, blockM), matrices}, options,
                  {*now, nullptr, *gram, M, N, n, strideM, strideN, 0.0, 1.0, blockM, blockK, newtonSchulz.precision});
    if (done)
      done = launch(find("muon", "symmetric_product"), {cdiv(M, blockM), cdiv(M, blockM), matrices}, options,
                    {*gram, *gram, *polynomial, M, M, M * M, M, 1, b, c, blockM, blockK, newtonSchulz.precision});
    if (done)
      done = launch(
          find("muon", "polynomial_product"), {cdiv(M, blockM), cdiv(N, blockN), matrices}, options,
          {*polynomial, *now, *next, M, N, n, strideM, strideN, a, blockM, blockN, blockK, newtonSchulz.precision});
  }
  return done ? next : Result<Tensor>(done.error());
}

inline Checks matrixChecks(const char *function, std::initializer_list<Named> tensors) {
  Checks checks(function);
  for (Named each : tensors)
    checks.sameShape(each, *tensors.begin()).contiguous({each}).floats({each});
  checks.that(tensors.begin()->tensor.rank() >= 2, std::string("`") + tensors.begin()->name + "` has shape " +
                                                       Checks::text(tensors.begin()->tensor.shape()) +
                                                       ", but a matrix or a batch of them is expected");
  return checks;
}
} // namespace detail

// out is x [..., rows, columns] with singular values near 1: x over its norm, and then steps of an odd polynomial. Both contiguous, of one type.
inline Result<void> newtonSchulz(const Tensor &out, const Tensor &x, const NewtonSchulzOptions &newtonSchulz = {},
                                 const LaunchOptions &options = {}) {
  detail::Checks checks = detail::matrixChecks("newtonSchulz", {{"x", x}, {"out", out}});
  checks.sameType({"out", out}, {"x", x});
  checks.that(newtonSchulz.steps >= 0, "the number of steps is negative");
  if (checks.failed())
    return checks.error();
  Result<Tensor> direction = detail::orthogonalDirection(x, {}, {}, 0, false, x.dtype(), newtonSchulz, options);
  if (!direction)
    return direction.error();
  return detail::launch(detail::find("muon", "muon_update"), {detail::cdiv(x.count(), detail::kMuonBlock)}, options,
                        {out, nullptr, *direction, nullptr, x.count(), -1.0, 1.0, detail::kMuonBlock});
}

// One step of Muon on matrices [..., rows, columns], all contiguous; momentum is what one step keeps for the next, zeros at first.
inline Result<void> muon(const Tensor &parameter, const Tensor &gradient, const Tensor &momentum,
                         const MuonOptions &muon = {}, const LaunchOptions &options = {}) {
  detail::Checks checks =
      detail::matrixChecks("muon", {{"parameter", parameter}, {"gradient", gradient}, {"momentum", momentum}});
  if (muon.master)
    checks.sameShape({"master", *muon.master}, {"parameter", parameter})
        .contiguous({{"master", *muon.master}})
        .dtype({"master", *muon.master}, DType::Fp32);
  if (muon.factor)
    checks.shape({"factor", *muon.factor}, {1}).dtype({"factor", *muon.factor}, DType::Fp32);
  if (checks.failed())
    return checks.error();
  Result<Tensor> direction =
      detail::orthogonalDirection(gradient, momentum, muon.factor, muon.beta, muon.nesterov,
                                  muon.work.value_or(gradient.dtype()), muon.newtonSchulz, options);
  if (!direction)
    return direction.error();
  const Shape &shape = parameter.shape();
  double ratio = static_cast<double>(shape[shape.size() - 2]) / static_cast<double>(std::max<int64_t>(1, shape.back()));
  double scale = muon.scale != 0 ? muon.scale : std::sqrt(std::max(1.0, ratio));
  return detail::launch(
      detail::find("muon", "muon_update"), {detail::cdiv(parameter.count(), detail::kMuonBlock)}, options,
      {parameter, detail::optionalArgument(muon.master), *direction, detail::optionalArgument(muon.factor),
       parameter.count(), muon.rate * scale, muon.rate * muon.decay, detail::kMuonBlock});
}

} // namespace nereid::kernels
