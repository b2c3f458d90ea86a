// Linear.h: a matrix that rows are multiplied by, in the type of the file or in 8 or 4 bits.
#pragma once

#include "Place.h"

#include <nereid/kernels/configuration.hpp>

#include <set>

namespace llama {

enum class WeightKind { AsStored, Fp8, Int8, Int4 };
// "fp8", "int8", "int4"; nothing for another name.
std::optional<WeightKind> weightKindOf(std::string_view name);

// The kernels of this example, which stand in the program as text: `llama/decode:linear_row`, …
Result<void> registerOwnKernels();

// How a kernel of the engine runs here: from its table, or as `llama tune` has found.
nereid::kernels::detail::Configuration configurationFor(const std::string &kernel, const std::string &problem,
                                                        const nereid::LaunchOptions &options);
// What was asked for until now.
struct TunableProblem {
  std::string kernel, problem;
  auto operator<=>(const TunableProblem &) const = default;
};
std::set<TunableProblem> askedProblems();
void forgetAskedProblems();

// What a single row is given on its way through a matrix.
struct RowOptions {
  std::optional<Tensor> gain = {}; // of an RMS norm before the product
  double eps = 0;
  std::optional<Tensor> residual = {}; // is added
  bool isSwiglu = false;               // the matrix has the gates above the rest: silu(gate) * up is the result
};

class Linear {
public:
  // `weight` is [out, in], at the place already or on the host.
  static Result<Linear> make(const Tensor &weight, WeightKind kind, const Place &place);

  // out = x @ weight^T
  Result<void> operator()(const Tensor &out, const Tensor &x, const nereid::LaunchOptions &options) const;
  // out = silu(gate) * up of a matrix that has the gates above the rest; `both` is room for x @ weight^T.
  Result<void> swiglu(const Tensor &out, const Tensor &both, const Tensor &x,
                      const nereid::LaunchOptions &options) const;
  // The same for one row x, with what stands before and behind the product in the same launch; for matrices with rows.
  Result<void> row(const Tensor &out, const Tensor &x, const RowOptions &row,
                   const nereid::LaunchOptions &options) const;
  // For many rows on a GPU, how many programs share the depth of a block of outputs: below 2, none do.
  int64_t sharesFor(int64_t rows, const nereid::LaunchOptions &options) const;
  // The sum of each share, fp32 [shares, rows, out]; x is contiguous.
  Result<void> share(const Tensor &sums, const Tensor &x, const nereid::LaunchOptions &options) const;
  bool hasRows() const { return kind == WeightKind::AsStored || kind == WeightKind::Fp8; }
  int64_t rows() const { return outputs; }

private:
  Linear(WeightKind kind, Tensor matrix, std::optional<Tensor> scale, int64_t outputs)
      : kind(kind), matrix(std::move(matrix)), scale(std::move(scale)), outputs(outputs) {}
  Result<void> some(const Tensor &out, const Tensor &x, bool isSwiglu, const nereid::LaunchOptions &options) const;
  Result<void> shared(const Tensor &out, const Tensor &x, const nereid::LaunchOptions &options) const;
  Result<void> gated(const Tensor &out, const Tensor &x, const nereid::LaunchOptions &options) const;
  bool takesBlocks(const Tensor &x, const nereid::LaunchOptions &options) const;

  WeightKind kind;
  Tensor matrix;               // [out, in]; integers: [in, out], of which 4 bits lie two in a byte
  std::optional<Tensor> scale; // fp32: of each row for fp8, else [groups of inputs, out]
  int64_t outputs;
};

} // namespace llama
