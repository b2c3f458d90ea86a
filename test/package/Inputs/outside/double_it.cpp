// Compiles and runs a kernel through the installed C++ interface.
#include <nereid/nereid.hpp>

#include <cstdio>

static constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def double_it(x_ptr, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + i, tl.load(x_ptr + i, mask=i < n) * 2, mask=i < n)
)";

static int fail(const nereid::Error &error) {
  std::fputs(error.message.c_str(), stderr);
  return 1;
}

int main() {
  auto module = nereid::Module::parse("double_it.py", kText);
  if (!module)
    return fail(module.error());
  auto kernel = module->kernel("double_it");
  if (!kernel)
    return fail(kernel.error());
  float numbers[5] = {1, 2, 3, 4, 5};
  auto x = nereid::Tensor::borrow(numbers, nereid::DType::Fp32, {5});
  auto done = kernel->launch({.grid = {2}}, {x, 5, 4});
  if (!done)
    return fail(done.error());
  for (float number : numbers)
    std::printf("%g ", number);
  return 0;
}
