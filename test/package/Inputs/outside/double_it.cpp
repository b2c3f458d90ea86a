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

int main() {
  auto module = nereid::Module::parse("double_it.py", kText);
  if (!module)
    return std::fputs(module.error().message.c_str(), stderr), 1;
  return 0;
}
