// tune_library.cpp: the program `tune-library`: times the configurations of the library's kernels on this machine, for problems
// that models have, and writes the fastest ones as a table in the form of configurations.md. What it finds stays in the cache, where
// the library's functions look first.
#include "nereid/kernels/flash_attention.hpp"
#include "nereid/kernels/matmul.hpp"

#include <cstdio>
#include <cstring>

namespace {

using nereid::DType;
using nereid::LaunchOptions;
using nereid::Result;
using nereid::Shape;
using nereid::Tensor;

constexpr const char *kHelp = R"(tune-library: times configurations of the library's kernels here

  tune-library [--device cpu|cuda|cuda:1] [--quick]

Prints the table of all that was ever tuned on this machine, for kernels/configurations.md. `--quick` takes few and small
problems. What is known is not tried again.
)";

int fail(const nereid::Error &error) {
  std::fputs(error.message.c_str(), stderr);
  return static_cast<int>(error.status);
}

// Zeros: times of kernels hardly depend on values, and the fastest stays the fastest.
Result<Tensor> filled(DType dtype, const Shape &shape, const LaunchOptions &options) {
  Result<Tensor> host = Tensor::zeros(dtype, shape);
  if (!host || !nereid::kernels::detail::isGpu(options))
    return host;
  return nereid::toDevice(*host, options.device);
}

Result<void> tuneProduct(DType dtype, int64_t m, int64_t n, int64_t k, const LaunchOptions &options) {
  Result<Tensor> a = filled(dtype, {m, k}, options), b = filled(dtype, {n, k}, options),
                 c = filled(dtype, {m, n}, options);
  for (const Result<Tensor> *each : {&a, &b, &c})
    if (!*each)
      return each->error();
  return nereid::kernels::matmul(*c, *a, b->transposed(), {}, options);
}

Result<void> tuneAttention(DType dtype, int64_t dim, int64_t length, bool isCausal, const LaunchOptions &options) {
  Shape shape{1, 16, length, dim};
  std::vector<Tensor> tensors;
  for (int i = 0; i < 8; ++i) {
    Result<Tensor> made = filled(dtype, shape, options);
    if (!made)
      return made.error();
    tensors.push_back(*made);
  }
  Result<Tensor> lse = filled(DType::Fp32, {1, 16, length}, options);
  if (!lse)
    return lse.error();
  const Tensor &q = tensors[0], &k = tensors[1], &v = tensors[2], &out = tensors[3];
  nereid::kernels::AttentionOptions attention{.causal = isCausal};
  Result<void> done = nereid::kernels::attention(out, *lse, q, k, v, attention, options);
  return done ? nereid::kernels::attentionBackward(tensors[4], tensors[5], tensors[6], tensors[7], out, *lse, q, k, v,
                                                   attention, options)
              : done;
}

} // namespace

int main(int argc, char **argv) {
  LaunchOptions options{.tune = true};
  bool isQuick = false;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--quick"))
      isQuick = true;
    else if (!std::strcmp(argv[i], "--device") && i + 1 < argc)
      options.device.name = argv[++i];
    else
      return std::fputs(kHelp, std::strcmp(argv[i], "--help") ? stderr : stdout),
             std::strcmp(argv[i], "--help") ? 2 : 0;
  }
  bool isGpu = nereid::kernels::detail::isGpu(options);
  std::vector<DType> dtypes = isGpu ? std::vector{DType::Fp16, DType::Bf16} : std::vector{DType::Fp32};
  std::vector<int64_t> sizes =
      isQuick ? std::vector<int64_t>{128} : std::vector<int64_t>{128, 512, 1024, 2048, 4096, 8192};
  for (DType dtype : dtypes)
    for (int64_t m : sizes)
      for (auto [n, k] : isQuick
                             ? std::vector<std::pair<int64_t, int64_t>>{{128, 128}}
                             : std::vector<std::pair<int64_t, int64_t>>{{4096, 4096}, {11008, 4096}, {4096, 11008}}) {
        if (Result<void> done = tuneProduct(dtype, m, n, k, options); !done)
          return fail(done.error());
        std::fprintf(stderr, "product %lld x %lld x %lld\n", static_cast<long long>(m), static_cast<long long>(n),
                     static_cast<long long>(k));
      }
  for (DType dtype : dtypes)
    for (int64_t dim : isQuick ? std::vector<int64_t>{64} : std::vector<int64_t>{64, 128})
      for (int64_t length : isQuick ? std::vector<int64_t>{64} : std::vector<int64_t>{512, 2048, 8192})
        for (bool isCausal : {false, true}) {
          if (Result<void> done = tuneAttention(dtype, dim, length, isCausal, options); !done)
            return fail(done.error());
          std::fprintf(stderr, "attention of %lld keys, %lld wide\n", static_cast<long long>(length),
                       static_cast<long long>(dim));
        }
  Result<std::string> table = nereid::kernels::tunedConfigurations();
  if (!table)
    return fail(table.error());
  std::fputs(table->c_str(), stdout);
  return 0;
}
