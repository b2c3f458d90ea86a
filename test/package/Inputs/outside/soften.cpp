// A library kernel from an installed header.
#include <nereid/kernels/softmax.hpp>

#include <cstdio>

int main() {
  auto x = nereid::Tensor::zeros(nereid::DType::Fp32, {1, 4}), out = nereid::Tensor::zeros(nereid::DType::Fp32, {1, 4});
  auto done = nereid::kernels::softmax(*out, *x);
  if (!done)
    return std::fputs(done.error().message.c_str(), stderr), 1;
  auto values = out->values<float>();
  std::printf("%g %g %g %g\n", values[0], values[1], values[2], values[3]);
  return 0;
}
