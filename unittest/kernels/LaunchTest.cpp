// LaunchTest.cpp: what the wrappers share: each file is parsed and each kernel compiled once, from any thread.
#include "nereid/kernels/elementwise.hpp"
#include "nereid/kernels/softmax.hpp"

#include "Reference.h"

#include <thread>

using namespace nereid;
using namespace nereid::test;

TEST(Launch, FindsAKernelOnce) {
  auto first = kernels::detail::find("softmax", "softmax"), second = kernels::detail::find("softmax", "softmax");
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(*first, *second);
  EXPECT_FALSE(kernels::detail::find("softmax", "no_such_kernel"));
  auto missing = kernels::detail::find("no_such_file", "softmax");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "error: there is no library kernel `no_such_file`\n");
}

TEST(Launch, RunsFromManyThreads) {
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) // the function `add` is an expression that each launch evaluates
    threads.emplace_back([t] {
      for (int64_t n : {10, 1000, 5000}) {
        Tensor x = random({n}, t), out = zeros({n});
        expectDone(kernels::add(out, x, x, options()));
        expectValues(out, [&](int64_t i) { return 2.0 * x.values<float>()[i]; });
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(Launch, EveryFileParses) {
  for (auto &[name, text] : kernels::detail::kSources) {
    auto module = Module::parse(std::string(name), text);
    ASSERT_TRUE(module) << module.error().message;
    EXPECT_FALSE(module->kernels().empty()) << name;
  }
}
