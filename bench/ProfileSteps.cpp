// ProfileSteps.cpp: a C++ program to be profiled: steps of three kernels (a sum, a softmax, a product), one behind the other in a
// stream. Prints the microseconds of a step.
//
//   profile-steps cuda|cpu STEPS
#include <nereid/cuda.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

template <class T> T orEnd(nereid::Result<T> result) {
  if (!result) {
    std::fputs(result.error().message.c_str(), stderr);
    std::exit(2);
  }
  return std::move(*result);
}
void orEnd(const nereid::Result<void> &result) {
  if (!result) {
    std::fputs(result.error().message.c_str(), stderr);
    std::exit(2);
  }
}

class Steps {
public:
  explicit Steps(bool isGpu) : isGpu(isGpu) {
    options.device = isGpu ? nereid::Device::cuda() : nereid::Device::cpu();
    options.isAsynchronous = isGpu;
  }

  void run() {
    int64_t n = size * size, block = isGpu ? 128 : 32;
    launch(sum, {n / 1024}, {x, x, y, n, {"BLOCK", 1024}});
    launch(softmax, {size}, {x, y, size, size, {"BLOCK", size}});
    launch(product, {half / block * (half / block)},
           {a,
            b,
            nullptr,
            c,
            half,
            half,
            half,
            half,
            1,
            half,
            1,
            half,
            1,
            {"BLOCK_M", block},
            {"BLOCK_N", block},
            {"BLOCK_K", 32},
            {"GROUP_M", 8}});
  }
  void wait() {
    if (isGpu)
      orEnd(nereid::synchronize());
  }

private:
  nereid::Tensor tensor(nereid::DType type, int64_t extent) {
    nereid::Tensor zeros = orEnd(nereid::Tensor::zeros(type, {extent, extent}));
    return isGpu ? orEnd(nereid::toDevice(zeros)) : zeros;
  }
  nereid::Kernel kernel(const char *file, const char *name) {
    modules.push_back(orEnd(nereid::Module::load(file)));
    return orEnd(modules.back().kernel(name));
  }
  void launch(nereid::Kernel &kernel, std::vector<int64_t> grid, const std::vector<nereid::Argument> &arguments) {
    options.grid = std::move(grid);
    orEnd(kernel.launch(options, arguments));
  }

  bool isGpu;
  int64_t size = isGpu ? 4096 : 128, half = size / 2;
  nereid::Tensor x = tensor(nereid::DType::Fp32, size), y = tensor(nereid::DType::Fp32, size);
  nereid::Tensor a = tensor(nereid::DType::Fp16, half), b = tensor(nereid::DType::Fp16, half),
                 c = tensor(nereid::DType::Fp16, half);
  nereid::LaunchOptions options;
  std::vector<nereid::Module> modules;
  nereid::Kernel sum = kernel("examples/vector_add.py", "vector_add");
  nereid::Kernel softmax = kernel("examples/softmax.py", "softmax");
  nereid::Kernel product = kernel("kernels/matmul/matmul.py", "matmul");
};

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return std::fputs("usage: profile-steps cuda|cpu STEPS\n", stderr), 2;
  Steps steps(std::string(argv[1]) == "cuda");
  int count = std::atoi(argv[2]);
  for (int i = 0; i < count / 10 + 1; ++i)
    steps.run();
  steps.wait();
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; ++i)
    steps.run();
  steps.wait();
  std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
  std::printf("%.2f microseconds a step\n", took.count() / count);
}
