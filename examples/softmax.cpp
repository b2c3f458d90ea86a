// softmax.cpp: a Triton kernel from C++: load the file, make tensors, launch, compare with plain C++ in double
// precision.
#include <nereid/nereid.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>

// The largest difference from softmax computed row by row in double precision.
static double largestError(std::span<const float> in, std::span<const float> out, int64_t rows, int64_t columns) {
  double largest = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const float *x = in.data() + row * columns;
    double top = *std::max_element(x, x + columns), sum = 0;
    for (int64_t i = 0; i < columns; ++i)
      sum += std::exp(x[i] - top);
    for (int64_t i = 0; i < columns; ++i)
      largest = std::max(largest, std::fabs(out[row * columns + i] - std::exp(x[i] - top) / sum));
  }
  return largest;
}

int main(int argc, char **argv) {
  const int64_t rows = 256, columns = 781;
  std::vector<float> values(rows * columns);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i) * 12.9898f) * 4;
  auto in = nereid::Tensor::from<float>(values, {rows, columns});
  auto out = nereid::Tensor::zeros(nereid::DType::Fp32, {rows, columns});

  auto module = nereid::Module::load(argc > 1 ? argv[1] : "examples/softmax.py");
  if (!module)
    return std::fputs(module.error().message.c_str(), stderr), 2;
  auto kernel = module->kernel("softmax");
  if (!kernel)
    return std::fputs(kernel.error().message.c_str(), stderr), 2;
  auto done = kernel->launch({.grid = {rows}}, {*out, *in, columns, columns, {"BLOCK", 1024}});
  if (!done)
    return std::fputs(done.error().message.c_str(), stderr), 2;

  double error = largestError(in->values<float>(), out->values<float>(), rows, columns);
  std::printf("softmax of %lld x %lld from C++: largest difference from double precision %.2e: %s\n",
              static_cast<long long>(rows), static_cast<long long>(columns), error, error < 1e-6 ? "right" : "WRONG");
  return error < 1e-6 ? 0 : 1;
}
