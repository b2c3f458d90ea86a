// Linear.cpp: products with weights, and how weights become 8 or 4 bits: for each group of inputs and each output (fp8: for each
// output) the largest magnitude is the largest number.
#include "Linear.h"

#include <nereid/kernels/configuration.hpp>
#include <nereid/kernels/matmul.hpp>
#include <nereid/kernels/quantized_matmul.hpp>
#include <nereid/kernels/split_k_matmul.hpp>
#include <nereid/kernels/swiglu.hpp>
#include <nereid/registry.hpp>

#include <atomic>
#include <bit>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>

namespace llama {

namespace {

// {name, text} of the files of `kernels`; written by the build.
constexpr std::pair<std::string_view, std::string_view> kKernels[] = {
#include "llama_kernels.inc"
};
constexpr std::string_view kConfigurations =
#include "llama_configurations.inc"
    ;

struct Asked {
  std::mutex mutex;
  std::set<TunableProblem> problems;
};
Asked &asked() {
  static Asked all;
  return all;
}

float halfToFloat(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude = exponent ? std::ldexp(static_cast<float>(fraction + 1024), exponent - 25)
                             : std::ldexp(static_cast<float>(fraction), -24);
  return bits & 0x8000 ? -magnitude : magnitude;
}

float elementOf(const Tensor &tensor, int64_t i) {
  if (tensor.dtype() == DType::Fp32) {
    float value = 0;
    std::memcpy(&value, tensor.data() + i * 4, 4);
    return value;
  }
  uint16_t bits = 0;
  std::memcpy(&bits, tensor.data() + i * 2, 2);
  return tensor.dtype() == DType::Bf16 ? std::bit_cast<float>(static_cast<uint32_t>(bits) << 16) : halfToFloat(bits);
}

// The nearest number of fp8 e4m3, even ones where two are as near, for a magnitude of at most 448.
std::byte toFp8(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint8_t>(bits >> 24 & 0x80);
  float magnitude = std::fabs(value);
  int exponent = std::max(-6, magnitude > 0 ? std::ilogb(magnitude) : -6);
  // In steps of the last of three bits behind the leading one.
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(magnitude, 3 - exponent)));
  if (steps == 16)
    steps = 8, ++exponent;
  int code = steps < 8 ? steps : (exponent + 7) << 3 | (steps - 8);
  return static_cast<std::byte>(sign | std::min(code, 0x7E));
}

// How many inputs share a scale.
int64_t groupOf(int64_t inputs) {
  for (int64_t group : {128, 64, 32})
    if (inputs % group == 0)
      return group;
  return 0;
}

// The outputs of a matrix, shared out among threads.
template <class F> void forEachOutput(int64_t outputs, F &&work) {
  std::atomic<int64_t> next = 0;
  auto some = [&] {
    for (int64_t out = next++; out < outputs; out = next++)
      work(out);
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < std::min(16u, std::thread::hardware_concurrency()); ++i)
    threads.emplace_back(some);
  some();
  for (std::thread &thread : threads)
    thread.join();
}

Result<std::pair<Tensor, Tensor>> roundedToFp8(const Tensor &weight) {
  int64_t outputs = weight.shape()[0], inputs = weight.shape()[1];
  Result<Tensor> numbers = Tensor::empty(DType::Fp8E4NV, weight.shape()), scale = Tensor::empty(DType::Fp32, {outputs});
  if (!numbers || !scale)
    return (numbers ? scale : numbers).error();
  forEachOutput(outputs, [&](int64_t out) {
    float largest = 0;
    for (int64_t in = 0; in < inputs; ++in)
      largest = std::max(largest, std::fabs(elementOf(weight, out * inputs + in)));
    float step = largest / 448;
    scale->values<float>()[static_cast<size_t>(out)] = step;
    for (int64_t in = 0; in < inputs; ++in)
      numbers->data()[out * inputs + in] = step > 0 ? toFp8(elementOf(weight, out * inputs + in) / step) : std::byte(0);
  });
  return std::pair{*numbers, *scale};
}

Result<std::pair<Tensor, Tensor>> roundedToIntegers(const Tensor &weight, bool isNarrow) {
  int64_t outputs = weight.shape()[0], inputs = weight.shape()[1], group = groupOf(inputs);
  if (group == 0)
    return Error{Status::BadInput, "error: a matrix has " + std::to_string(inputs) +
                                       " inputs, but a multiple of 32 is needed for 8 or 4 bits\n"};
  float most = isNarrow ? 7 : 127;
  Result<Tensor> numbers = Tensor::zeros(isNarrow ? DType::UInt8 : DType::Int8, {inputs, outputs});
  Result<Tensor> scale = Tensor::zeros(DType::Fp32, {inputs / group, outputs});
  if (!numbers || !scale)
    return (numbers ? scale : numbers).error();
  forEachOutput(outputs, [&](int64_t out) {
    for (int64_t first = 0; first < inputs; first += group) {
      float largest = 0;
      for (int64_t in = first; in < first + group; ++in)
        largest = std::max(largest, std::fabs(elementOf(weight, out * inputs + in)));
      float step = largest / most;
      scale->values<float>()[static_cast<size_t>(first / group * outputs + out)] = step;
      for (int64_t in = first; in < first + group; ++in) {
        auto number = static_cast<int>(step > 0 ? std::nearbyint(elementOf(weight, out * inputs + in) / step) : 0);
        numbers->data()[in * outputs + out] = static_cast<std::byte>(isNarrow ? number + 8 : number);
      }
    }
  });
  Result<Tensor> packed = isNarrow ? nereid::kernels::packInt4(*numbers, group) : numbers;
  if (!packed)
    return packed.error();
  return std::pair{*packed, *scale};
}

nereid::Argument orNone(const std::optional<Tensor> &tensor) {
  return tensor ? nereid::Argument(*tensor) : nereid::Argument(nullptr);
}

} // namespace

std::optional<WeightKind> weightKindOf(std::string_view name) {
  for (auto [known, kind] : {std::pair{"fp8", WeightKind::Fp8}, {"int8", WeightKind::Int8}, {"int4", WeightKind::Int4}})
    if (name == known)
      return kind;
  return std::nullopt;
}

Result<void> registerOwnKernels() {
  static std::once_flag once;
  static Result<void> registered;
  std::call_once(once, [] {
    for (auto [name, text] : kKernels)
      if (registered)
        registered = nereid::registerText("llama/" + std::string(name), text);
    if (registered && nereid_configurations_add(kConfigurations.data(), kConfigurations.size()) != NEREID_OK)
      registered = nereid::detail::lastError(NEREID_BAD_INPUT);
  });
  return registered;
}

Result<Linear> Linear::make(const Tensor &weight, WeightKind kind, const Place &place) {
  if (Result<void> known = registerOwnKernels(); !known)
    return known.error();
  int64_t outputs = weight.shape()[0];
  if (kind == WeightKind::AsStored) {
    Result<Tensor> matrix = place.bring(weight);
    return matrix ? Result<Linear>(Linear(kind, *matrix, {}, outputs)) : matrix.error();
  }
  Result<std::pair<Tensor, Tensor>> rounded =
      kind == WeightKind::Fp8 ? roundedToFp8(weight) : roundedToIntegers(weight, kind == WeightKind::Int4);
  if (!rounded)
    return rounded.error();
  Result<Tensor> matrix = place.bring(rounded->first), scale = place.bring(rounded->second);
  if (!matrix || !scale)
    return (matrix ? scale : matrix).error();
  return Linear(kind, *matrix, *scale, outputs);
}

nereid::kernels::detail::Configuration configurationFor(const std::string &kernel, const std::string &problem,
                                                        const nereid::LaunchOptions &options) {
  {
    std::lock_guard lock(asked().mutex);
    asked().problems.insert({kernel, problem});
  }
  bool isKept = false;
  return nereid::kernels::detail::configurationFor(kernel, problem, options, isKept);
}

std::set<TunableProblem> askedProblems() {
  std::lock_guard lock(asked().mutex);
  return asked().problems;
}

void forgetAskedProblems() {
  std::lock_guard lock(asked().mutex);
  asked().problems.clear();
}

// Up to some rows products are limited by the bytes of the weights alone; up to many, tiles of all rows do not fill a GPU.
static constexpr int64_t kSome = 16, kMany = 256;

// A program for each block of outputs; some rows at a time share what is read of the matrix.
Result<void> Linear::some(const Tensor &out, const Tensor &x, bool isSwiglu,
                          const nereid::LaunchOptions &options) const {
  namespace detail = nereid::kernels::detail;
  int64_t rows = x.shape()[0], inputs = x.shape()[1], columns = out.shape()[1];
  auto bytes = static_cast<int64_t>(nereid::bytesOf(matrix.dtype()));
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(rows), 16, 64);
  detail::Configuration configuration = configurationFor(
      "llama/linear_rows",
      detail::textOf({{"bytes", bytes}, {"m", blockM}, {"n", columns}, {"k", inputs}, {"swiglu", isSwiglu}}), options);
  int64_t blockN = configuration.get("BLOCK_N", 64),
          blockK = std::clamp<int64_t>(detail::powerOfTwo(inputs), 16, configuration.get("BLOCK_K", 128));
  nereid::LaunchOptions tuned = configuration.applied(options);
  tuned.grid = {detail::cdiv(columns, blockN), detail::cdiv(rows, blockM)};
  return nereid::call("llama/decode:linear_rows", tuned,
                      {x, matrix, orNone(scale), out, rows, columns, x.strides()[0], out.strides()[0], inputs, isSwiglu,
                       blockM, blockN, blockK, "ieee"});
}

Result<void> Linear::row(const Tensor &out, const Tensor &x, const RowOptions &row,
                         const nereid::LaunchOptions &options) const {
  namespace detail = nereid::kernels::detail;
  int64_t inputs = x.shape()[1], columns = out.shape()[1];
  auto bytes = static_cast<int64_t>(nereid::bytesOf(matrix.dtype()));
  detail::Configuration configuration = configurationFor(
      "llama/linear_row", detail::textOf({{"bytes", bytes}, {"n", columns}, {"k", inputs}, {"swiglu", row.isSwiglu}}),
      options);
  int64_t blockN = configuration.get("BLOCK_N", 16),
          blockK = std::min<int64_t>(detail::powerOfTwo(inputs), configuration.get("BLOCK_K", 256));
  nereid::LaunchOptions tuned = configuration.applied(options);
  tuned.grid = {detail::cdiv(columns, blockN)};
  return nereid::call("llama/decode:linear_row", tuned,
                      {x, orNone(row.gain), matrix, orNone(scale), orNone(row.residual), out, columns, row.eps, inputs,
                       row.isSwiglu, blockN, blockK});
}

int64_t Linear::sharesFor(int64_t rows, const nereid::LaunchOptions &options) const {
  namespace detail = nereid::kernels::detail;
  if (kind != WeightKind::AsStored || !detail::isGpu(options) || rows <= kSome || rows > kMany)
    return 0;
  int64_t inputs = matrix.shape()[1];
  int64_t splits =
      configurationFor("llama/split_product",
                       detail::textOf({{"m", detail::powerOfTwo(rows)}, {"n", outputs}, {"k", inputs}}), options)
          .get("SPLITS", 0);
  if (splits == 0) {
    int64_t tiles = std::max<int64_t>(1, detail::cdiv(rows, 128) * detail::cdiv(outputs, 64));
    splits = std::min(detail::multiprocessors(options) / tiles, inputs / 512);
  }
  return splits;
}

// As the file has it, more than some rows at a time: where there are fewer tiles than multiprocessors, they share the depth.
Result<void> Linear::shared(const Tensor &out, const Tensor &x, const nereid::LaunchOptions &options) const {
  if (int64_t splits = sharesFor(x.shape()[0], options); splits > 1)
    return nereid::kernels::splitKMatmul(out, x, matrix.transposed(), splits, "ieee", options);
  return nereid::kernels::matmul(out, x, matrix.transposed(), {}, options);
}

namespace {

// Blocks of products of many rows, and how they are launched.
struct BlockPlan {
  int64_t m, n, k;
  nereid::LaunchOptions options;
};

BlockPlan blockPlan(const char *kernel, int64_t rows, int64_t outputs, int64_t inputs,
                    const nereid::LaunchOptions &options) {
  namespace detail = nereid::kernels::detail;
  int64_t blockM = std::clamp<int64_t>(detail::powerOfTwo(rows), 64, 128);
  detail::Configuration configuration =
      configurationFor(kernel, detail::textOf({{"m", blockM}, {"n", outputs}, {"k", inputs}}), options);
  return {blockM, configuration.get("BLOCK_N", 64), configuration.get("BLOCK_K", 64), configuration.applied(options)};
}

} // namespace

bool Linear::takesBlocks(const Tensor &x, const nereid::LaunchOptions &options) const {
  int64_t rows = x.shape()[0];
  return kind == WeightKind::AsStored && nereid::kernels::detail::isGpu(options) && rows > kSome && rows <= kMany &&
         nereid::bytesOf(matrix.dtype()) == 2;
}

Result<void> Linear::gated(const Tensor &out, const Tensor &x, const nereid::LaunchOptions &options) const {
  namespace detail = nereid::kernels::detail;
  int64_t rows = x.shape()[0], inputs = x.shape()[1], columns = out.shape()[1];
  BlockPlan plan = blockPlan("llama/gated_rows", rows, columns, inputs, options);
  plan.options.grid = {detail::cdiv(rows, plan.m) * detail::cdiv(columns, plan.n)};
  return nereid::call("llama/batch:gated_rows", plan.options,
                      {x, matrix, out, rows, columns, inputs, plan.m, plan.n, plan.k, "ieee"});
}

Result<void> Linear::share(const Tensor &sums, const Tensor &x, const nereid::LaunchOptions &options) const {
  namespace detail = nereid::kernels::detail;
  int64_t rows = x.shape()[0], inputs = x.shape()[1], shares = sums.shape()[0];
  BlockPlan plan = blockPlan("llama/shares_of_rows", rows, outputs, inputs, options);
  plan.options.grid = {detail::cdiv(rows, plan.m) * detail::cdiv(outputs, plan.n), shares};
  int64_t depth = detail::cdiv(detail::cdiv(inputs, plan.k), shares) * plan.k;
  return nereid::call("llama/batch:shares_of_rows", plan.options,
                      {x, matrix, sums, rows, outputs, inputs, depth, plan.m, plan.n, plan.k, "ieee"});
}

Result<void> Linear::operator()(const Tensor &out, const Tensor &x, const nereid::LaunchOptions &options) const {
  switch (kind) {
  case WeightKind::AsStored: return x.shape()[0] <= kSome ? some(out, x, false, options) : shared(out, x, options);
  case WeightKind::Fp8: return some(out, x, false, options);
  case WeightKind::Int8: return nereid::kernels::int8WeightMatmul(out, x, matrix, *scale, "ieee", options);
  case WeightKind::Int4: return nereid::kernels::int4WeightMatmul(out, x, matrix, *scale, {}, "ieee", options);
  }
  return {};
}

Result<void> Linear::swiglu(const Tensor &out, const Tensor &both, const Tensor &x,
                            const nereid::LaunchOptions &options) const {
  if (hasRows() && x.shape()[0] <= kSome)
    return some(out, x, true, options);
  if (takesBlocks(x, options))
    return gated(out, x, options);
  if (Result<void> done = (*this)(both, x, options); !done)
    return done;
  auto half = [&](int64_t which) {
    int64_t offset = which * out.shape()[1] * static_cast<int64_t>(nereid::bytesOf(both.dtype()));
    return Tensor::borrow(both.data() + offset, both.dtype(), out.shape(), both.strides()).onGpu(both.gpuOrdinal());
  };
  return nereid::kernels::swiglu(out, half(0), half(1), options);
}

} // namespace llama
