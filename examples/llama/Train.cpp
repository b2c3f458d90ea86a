// Train.cpp: a step of training. x is the sum that runs through all layers, h what a norm makes of it.
#include "Train.h"

#include "Model.h"

#include <nereid/kernels/add_rms_norm.hpp>
#include <nereid/kernels/embedding.hpp>
#include <nereid/kernels/flash_attention.hpp>
#include <nereid/kernels/gradient_clip.hpp>
#include <nereid/kernels/linear_cross_entropy.hpp>
#include <nereid/kernels/matmul.hpp>
#include <nereid/kernels/optimizer.hpp>
#include <nereid/kernels/rms_norm.hpp>
#include <nereid/kernels/rope.hpp>
#include <nereid/kernels/strided_copy.hpp>
#include <nereid/kernels/swiglu.hpp>

#include <numeric>

namespace llama {

namespace kernels = nereid::kernels;

// `x` is the sum before the layer and `h` its norm; `middle` the sum behind attention and `hMiddle` its norm.
struct Trainer::Saved {
  Tensor x, h, scale, qkv, heads, lse, middle, hMiddle, scaleMiddle, gateUp, active;
};

namespace {

// The numbers of a layer's weights in Weights::all: the embedding is the first.
enum Weight : size_t { kAttentionNorm, kQkv, kOut, kMlpNorm, kGateUp, kDown, kWeightsOfLayer };
size_t indexOf(size_t layer, Weight weight) { return 1 + layer * kWeightsOfLayer + weight; }

// The left and the right half of the columns.
Tensor halfOf(const Tensor &matrix, int64_t which) {
  int64_t columns = matrix.shape()[1] / 2;
  return Tensor::borrow(matrix.data() + which * columns * static_cast<int64_t>(nereid::bytesOf(matrix.dtype())),
                        matrix.dtype(), {matrix.shape()[0], columns}, matrix.strides())
      .onGpu(matrix.gpuOrdinal());
}

} // namespace

Result<Trainer> Trainer::make(const Weights &weights, const Place &place, const TrainOptions &options) {
  Trainer trainer(weights, place, options);
  Steps steps;
  if (auto tables = steps.value([&] { return ropeTables(weights.config, place); }))
    std::tie(trainer.cosines, trainer.sines) = *tables;
  for (auto &[name, tensor] : weights.all()) {
    auto zeros = [&] { return steps.value([&] { return place.zeros(DType::Fp32, tensor.shape()); }).value_or(tensor); };
    trainer.moments.push_back({zeros(), zeros(), zeros()});
    if (tensor.dtype() != DType::Fp32)
      return Error{Status::BadInput, "error: the " + name + " has type " + std::string(nereid::nameOf(tensor.dtype())) +
                                         ", but weights are trained in f32\n"};
  }
  if (auto zero = steps.value([&] { return place.zeros(DType::Fp32, {1}); }))
    trainer.zero = *zero;
  steps([&] { return trainer.makeModel(); });
  return steps.failed() ? Result<Trainer>(steps.error()) : Result<Trainer>(std::move(trainer));
}

// The master weights in the type of products.
Result<void> Trainer::makeModel() {
  if (options.dtype == DType::Fp32)
    return {};
  Steps steps;
  model.forEach([&](Tensor &tensor) {
    std::optional<Tensor> narrow = steps.value([&] { return place->empty(options.dtype, tensor.shape()); });
    steps([&] { return kernels::stridedCopy(*narrow, tensor, place->options()); });
    tensor = narrow.value_or(tensor);
  });
  return steps.result();
}

Result<void> Trainer::clear(const Tensor &tensor) {
  return kernels::stridedCopy(tensor, zero.viewed(DType::Fp32, tensor.shape(), Shape(tensor.shape().size(), 0)),
                              work.options());
}

// Columns of qkv as [batch, heads, length, dim].
Tensor Trainer::headsOf(const Tensor &qkv, int64_t first, int64_t heads) const {
  int64_t dim = model.config.dim(), width = qkv.shape()[1];
  return Tensor::borrow(qkv.data() + first * dim * static_cast<int64_t>(nereid::bytesOf(qkv.dtype())), qkv.dtype(),
                        {options.batch, heads, options.length, dim}, {options.length * width, dim, width, 1})
      .onGpu(qkv.gpuOrdinal());
}

Trainer::Saved Trainer::forward(Steps &steps, size_t number, const Tensor &h, const Tensor &x) {
  const Config &config = model.config;
  const Layer &layer = model.layers[number];
  const nereid::LaunchOptions &launch = work.options();
  int64_t tokens = x.shape()[0];
  auto buffer = [&](const char *name, const Shape &shape, std::optional<DType> dtype = {}) {
    return work(steps, std::string(name) + " " + std::to_string(number), dtype.value_or(options.dtype), shape);
  };
  Saved saved{x,
              h,
              buffer("scale", {tokens}, DType::Fp32),
              buffer("qkv", {tokens, config.qkvWidth()}),
              buffer("heads", {tokens, config.width}),
              buffer("lse", {options.batch, config.heads, options.length}, DType::Fp32),
              buffer("middle", {tokens, config.width}),
              buffer("h of middle", {tokens, config.width}),
              buffer("scale of middle", {tokens}, DType::Fp32),
              buffer("gate and up", {tokens, 2 * config.hidden}),
              buffer("active", {tokens, config.hidden})};
  steps([&] { return kernels::matmul(saved.qkv, h, layer.qkv.transposed(), {}, launch); });
  Tensor turned =
      saved.qkv.viewed(options.dtype, {options.batch, options.length, config.heads + config.headsK, config.dim()},
                       {options.length * config.qkvWidth(), config.qkvWidth(), config.dim(), 1});
  steps([&] { return kernels::rope(turned, turned, cosines, sines, {}, launch); });
  Tensor q = headsOf(saved.qkv, 0, config.heads), k = headsOf(saved.qkv, config.heads, config.headsK),
         v = headsOf(saved.qkv, config.heads + config.headsK, config.headsK);
  steps([&] {
    return kernels::attention(headsOf(saved.heads, 0, config.heads), saved.lse, q, k, v, {.causal = true}, launch);
  });
  Tensor change = work(steps, "change", options.dtype, {tokens, config.width});
  steps([&] { return kernels::matmul(change, saved.heads, layer.out.transposed(), {}, launch); });
  if (auto scale = steps.value([&] {
        return kernels::addRmsNorm(saved.hMiddle, saved.middle, change, x, layer.mlpNorm, config.eps, launch);
      }))
    saved.scaleMiddle = *scale;
  steps([&] { return kernels::matmul(saved.gateUp, saved.hMiddle, layer.gateUp.transposed(), {}, launch); });
  steps([&] { return kernels::swiglu(saved.active, halfOf(saved.gateUp, 0), halfOf(saved.gateUp, 1), launch); });
  steps([&] { return kernels::matmul(change, saved.active, layer.down.transposed(), {}, launch); });
  return saved;
}

// Of out = x @ weight^T.
void Trainer::productGradients(Steps &steps, const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradOut,
                               const Tensor &x, const Tensor &weight) {
  steps([&] { return kernels::matmul(gradX, gradOut, weight, {}, work.options()); });
  steps([&] { return kernels::matmul(gradWeight, gradOut.transposed(), x, {}, work.options()); });
}

// `grad` is the gradient of the sum behind the layer, and becomes that of the sum before it.
void Trainer::backward(Steps &steps, size_t number, const Saved &saved, const Tensor &grad) {
  const Config &config = model.config;
  const Layer &layer = model.layers[number];
  const nereid::LaunchOptions &launch = work.options();
  int64_t tokens = grad.shape()[0];
  auto buffer = [&](const char *name, const Shape &shape) { return work(steps, name, options.dtype, shape); };
  auto gradientOf = [&](Weight weight) { return moments[indexOf(number, weight)].gradient; };
  Tensor gradActive = buffer("grad active", saved.active.shape()),
         gradGateUp = buffer("grad gate and up", saved.gateUp.shape()),
         gradH = buffer("grad h", {tokens, config.width}), gradHeads = buffer("grad heads", saved.heads.shape()),
         gradQkv = buffer("grad qkv", saved.qkv.shape()), before = buffer("grad before", {tokens, config.width});
  productGradients(steps, gradActive, gradientOf(kDown), grad, saved.active, layer.down);
  steps([&] {
    return kernels::swigluBackward(halfOf(gradGateUp, 0), halfOf(gradGateUp, 1), gradActive, halfOf(saved.gateUp, 0),
                                   halfOf(saved.gateUp, 1), launch);
  });
  productGradients(steps, gradH, gradientOf(kGateUp), gradGateUp, saved.hMiddle, layer.gateUp);
  steps([&] {
    return kernels::addRmsNormBackward(before, gradientOf(kMlpNorm), gradH, grad, saved.middle, layer.mlpNorm,
                                       saved.scaleMiddle, launch);
  });
  productGradients(steps, gradHeads, gradientOf(kOut), before, saved.heads, layer.out);
  auto q = [&](const Tensor &qkv) { return headsOf(qkv, 0, config.heads); };
  auto k = [&](const Tensor &qkv) { return headsOf(qkv, config.heads, config.headsK); };
  auto v = [&](const Tensor &qkv) { return headsOf(qkv, config.heads + config.headsK, config.headsK); };
  steps([&] {
    return kernels::attentionBackward(q(gradQkv), k(gradQkv), v(gradQkv), headsOf(gradHeads, 0, config.heads),
                                      headsOf(saved.heads, 0, config.heads), saved.lse, q(saved.qkv), k(saved.qkv),
                                      v(saved.qkv), {.causal = true}, launch);
  });
  Tensor turned =
      gradQkv.viewed(options.dtype, {options.batch, options.length, config.heads + config.headsK, config.dim()},
                     {options.length * config.qkvWidth(), config.qkvWidth(), config.dim(), 1});
  steps([&] { return kernels::rope(turned, turned, cosines, sines, {.inverse = true}, launch); });
  productGradients(steps, gradH, gradientOf(kQkv), gradQkv, saved.h, layer.qkv);
  steps([&] {
    return kernels::addRmsNormBackward(grad, gradientOf(kAttentionNorm), gradH, before, saved.x, layer.attentionNorm,
                                       saved.scale, launch);
  });
}

void Trainer::update(Steps &steps) {
  std::vector<Tensor> gradients;
  for (const Moments &each : moments)
    gradients.push_back(each.gradient);
  Tensor norm = work(steps, "norm", DType::Fp32, {1}), factor = work(steps, "factor", DType::Fp32, {1});
  steps([&] { return kernels::gradientNorm(norm, factor, gradients, options.largestNorm, work.options()); });
  ++count;
  double rate = options.rate *
                std::min(1.0, static_cast<double>(count) / static_cast<double>(std::max<int64_t>(1, options.warmup)));
  auto all = model.all(), masters = master.all();
  for (size_t i = 0; i < all.size(); ++i) {
    const Tensor &parameter = all[i].second;
    kernels::OptimizerOptions optimizer{
        .rate = rate, .beta2 = 0.99, .decay = parameter.rank() > 1 ? options.decay : 0, .factor = factor};
    if (options.dtype != DType::Fp32)
      optimizer.master = masters[i].second;
    steps([&] {
      return kernels::adamw(parameter, moments[i].gradient, moments[i].mean, moments[i].square, count, optimizer,
                            work.options());
    });
  }
}

Result<double> Trainer::step(const std::vector<int64_t> &tokens, const std::vector<int64_t> &next) {
  const Config &config = model.config;
  const nereid::LaunchOptions &launch = work.options();
  int64_t rows = options.batch * options.length;
  if (static_cast<int64_t>(tokens.size()) != rows || tokens.size() != next.size() || options.length > config.longest)
    return Error{Status::BadInput, "error: a step takes " + std::to_string(rows) + " tokens, in sequences of at most " +
                                       std::to_string(config.longest) + "\n"};
  Steps steps;
  steps([&] { return work.begin(); });
  auto buffer = [&](const std::string &name, DType dtype, const Shape &shape) {
    return work(steps, name, dtype, shape);
  };
  Tensor ids = buffer("tokens", DType::Int64, {rows}), targets = buffer("next", DType::Int64, {rows});
  steps([&] { return place->overwrite(ids, tokens.data()); });
  steps([&] { return place->overwrite(targets, next.data()); });
  Tensor x = buffer("x", options.dtype, {rows, config.width}), h = buffer("h", options.dtype, {rows, config.width});
  Tensor change = buffer("change", options.dtype, {rows, config.width});
  steps([&] { return kernels::embedding(x, model.embedding, ids, launch); });
  std::optional<Tensor> scale =
      steps.value([&] { return kernels::rmsNorm(h, x, model.layers[0].attentionNorm, config.eps, launch); });
  std::vector<Saved> saved;
  for (size_t i = 0; i < model.layers.size() && !steps.failed(); ++i) {
    saved.push_back(forward(steps, i, h, x));
    saved.back().scale = *scale;
    bool isLast = i + 1 == model.layers.size();
    Tensor sum = buffer("x behind " + std::to_string(i), options.dtype, {rows, config.width}),
           normed = buffer("h behind " + std::to_string(i), options.dtype, {rows, config.width});
    const Tensor &weight = isLast ? model.norm : model.layers[i + 1].attentionNorm;
    scale = steps.value(
        [&] { return kernels::addRmsNorm(normed, sum, change, saved.back().middle, weight, config.eps, launch); });
    x = sum, h = normed;
  }
  // Losses and gradients of the mean over all tokens; what is added to begins at zero.
  for (const Moments *each : {&moments.front(), &moments.back()})
    steps([&] { return clear(each->gradient); });
  float share = 1 / static_cast<float>(rows);
  Tensor factor = buffer("share", DType::Fp32, {1}), loss = buffer("loss", DType::Fp32, {rows});
  Tensor gradH = buffer("grad h", options.dtype, {rows, config.width}),
         grad = buffer("grad", options.dtype, {rows, config.width});
  steps([&] { return place->overwrite(factor, &share); });
  steps([&] {
    return kernels::linearCrossEntropy(loss, gradH, moments.back().gradient, h, model.head, targets, {.scale = factor},
                                       launch);
  });
  Tensor gradNorm = moments[moments.size() - 2].gradient;
  if (scale)
    steps([&] {
      return kernels::addRmsNormBackward(grad, gradNorm, gradH, std::nullopt, x, model.norm, *scale, launch);
    });
  for (size_t i = saved.size(); i-- > 0 && !steps.failed();)
    backward(steps, i, saved[i], grad);
  steps([&] { return kernels::indexAdd(moments.front().gradient, ids, grad, -1, launch); });
  update(steps);
  std::optional<Tensor> host = steps.value([&] { return place->fetch(loss); });
  if (!host)
    return steps.error();
  auto losses = host->values<float>();
  return std::accumulate(losses.begin(), losses.end(), 0.0);
}

} // namespace llama
