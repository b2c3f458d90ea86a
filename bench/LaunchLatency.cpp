// LaunchLatency.cpp: what one launch of a kernel that does nothing costs, one program, from C++ and from C. The first
// launch compiles; what is timed is a launch like an earlier one. Prints nanoseconds: the best of many rounds, and the
// median. Exits 1 when the call form is above the limit.
#include "nereid/nereid.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

constexpr double kLimit = 1000; // nanoseconds
constexpr int kRounds = 200, kLaunches = 1000;

constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def empty(x, y, out, n, stride, scale, BLOCK: tl.constexpr):
    pass
)";

template <class Launch> double report(const char *what, Launch launch) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kLaunches; ++i)
      if (!launch())
        return -1;
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count() /
                    kLaunches);
  }
  std::sort(times.begin(), times.end());
  std::printf("%-28s best %6.0f ns, median %6.0f ns\n", what, times.front(), times[times.size() / 2]);
  return times[times.size() / 2];
}

} // namespace

int main() {
  auto module = nereid::Module::parse("empty.py", kText);
  auto kernel = module ? module->kernel("empty") : nereid::Result<nereid::Kernel>(module.error());
  auto x = nereid::Tensor::zeros(nereid::DType::Fp32, {64, 64}), y = x->clone(), out = x->clone();
  if (!kernel || !x || !y || !out) {
    std::fputs(kernel.error().message.c_str(), stderr);
    return 2;
  }
  kernel->on(nereid::Device::cpu());
  nereid::LaunchOptions options{.grid = {1}, .device = nereid::Device::cpu()};
  auto first = kernel->launch(options, {*x, *y, *out, 4096, 64, 0.5, 128});
  if (!first) {
    std::fputs(first.error().message.c_str(), stderr);
    return static_cast<int>(first.error().status);
  }
  double call = report("call form, 7 arguments", [&] { return bool((*kernel)(1, *x, *y, *out, 4096, 64, 0.5, 128)); });
  report("call form, all by name", [&] {
    using nereid::named;
    return bool((*kernel)(1, named("x", *x), named("y", *y), named("out", *out), named("n", 4096), named("stride", 64),
                          named("scale", 0.5), named("BLOCK", 128)));
  });
  std::vector<nereid::Argument> list{*x, *y, *out, 4096, 64, 0.5, 128};
  report("launch, a list made once", [&] { return bool(kernel->launch(options, list)); });
  report("launch, a new list each time",
         [&] { return bool(kernel->launch(options, {*x, *y, *out, 4096, 64, 0.5, 128})); });
  return call >= 0 && call <= kLimit ? 0 : 1;
}
