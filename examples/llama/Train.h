// Train.h: the training of such a model: forward and backward pass in the library's kernels, and AdamW.
#pragma once

#include "Weights.h"

namespace llama {

struct TrainOptions {
  int64_t batch = 8, length = 64; // sequences of a step, and their tokens
  DType dtype =
      DType::Fp32; // of products and of what lies between them; Bf16: sums, moments and master weights stay fp32
  double rate = 3e-3, decay = 0.01, largestNorm = 1;
  int64_t warmup = 10;
};

class Trainer {
public:
  // fp32 weights at `place`; they are changed.
  static Result<Trainer> make(const Weights &weights, const Place &place, const TrainOptions &options);

  // tokens: [batch * length] with what follows each of them; gives the mean loss before the step.
  Result<double> step(const std::vector<int64_t> &tokens, const std::vector<int64_t> &next);
  const Weights &weights() const { return master; }
  // The gradient of the weight of that number (Weights::all) after the last step.
  const Tensor &gradient(size_t which) const { return moments[which].gradient; }

private:
  struct Moments {
    Tensor gradient, mean, square;
  };
  struct Saved; // what the backward pass needs of a layer
  Trainer(const Weights &weights, const Place &place, const TrainOptions &options)
      : master(weights), model(weights), place(&place), options(options), work(place), cosines(weights.norm),
        sines(weights.norm), zero(weights.norm) {}

  Saved forward(Steps &steps, size_t number, const Tensor &h, const Tensor &x);
  void backward(Steps &steps, size_t number, const Saved &saved, const Tensor &grad);
  void productGradients(Steps &steps, const Tensor &gradX, const Tensor &gradWeight, const Tensor &gradOut,
                        const Tensor &x, const Tensor &weight);
  Result<void> makeModel();
  Result<void> clear(const Tensor &tensor);
  Tensor headsOf(const Tensor &qkv, int64_t first, int64_t heads) const;
  void update(Steps &steps);

  Weights master, model; // fp32, and what products read: the same memory where that is fp32
  const Place *place;
  TrainOptions options;
  Workspace work;
  Tensor cosines, sines, zero;
  std::vector<Moments> moments; // in the order of Weights::all
  int64_t count = 0;
};

} // namespace llama
