// OutOfMemoryTest.cpp: a compilation that gets no memory is an error, and the process lives: the library's and MLIR's and LLVM's
// own requests may fail at any place.
#include "nereid/nereid.h"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace {

constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def long(x_ptr, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + i)
    for k in tl.static_range(100):
        x = tl.where(x > k, tl.exp(x) + k, x * x)
        tl.store(out_ptr + i + k * BLOCK, x)
)";

constexpr int kValues = 64;

// Takes all memory but this much.
void leaveOnly(size_t bytes) {
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit limit{};
  limit.rlim_cur = limit.rlim_max = rlim_t(pages) * rlim_t(sysconf(_SC_PAGE_SIZE)) + bytes;
  setrlimit(RLIMIT_AS, &limit);
  constexpr size_t kBlock = 16 << 10;
  struct Block {
    Block *next;
  } *blocks = nullptr;
  while (auto *block = static_cast<Block *>(std::malloc(kBlock)))
    *block = {blocks}, blocks = block;
  for (size_t freed = 0; freed < bytes && blocks; freed += kBlock)
    std::free(std::exchange(blocks, blocks->next));
}

nereid_status launchWithin(size_t bytes) {
  static float x[kValues], out[100 * kValues];
  nereid_module *module = nullptr;
  nereid_kernel *kernel = nullptr;
  std::string text = kText;
  text += "# " + std::to_string(getpid()) + "\n"; // no cache has it
  leaveOnly(bytes);
  if (nereid_status status = nereid_module_parse("long.py", text.data(), text.size(), &module))
    return status;
  if (nereid_status status = nereid_module_kernel(module, "long", &kernel))
    return status;
  int64_t shape = kValues, all = 100 * kValues;
  nereid_argument arguments[3] = {};
  arguments[0] = {.kind = NEREID_TENSOR, .tensor = {x, NEREID_FP32, 1, &shape, nullptr}};
  arguments[1] = {.kind = NEREID_TENSOR, .tensor = {out, NEREID_FP32, 1, &all, nullptr}};
  arguments[2] = {.kind = NEREID_INT, .integer = kValues};
  nereid_launch_options options{.size = sizeof options, .grid = {1, 1, 1}, .device = "cpu"};
  return nereid_launch(kernel, arguments, 3, &options);
}

} // namespace

TEST(OutOfMemory, CompilingFailsAndTheProcessLives) {
  int failures = 0, successes = 0;
  for (size_t mebibytes = 0; mebibytes <= 64; mebibytes += 4) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      nereid_status status = launchWithin(mebibytes << 20);
      bool isSaid =
          status == NEREID_OK || std::string_view(nereid_last_error()).find("memory") != std::string_view::npos;
      _exit(isSaid ? status : 99);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status) << " within " << mebibytes << " MiB";
    if (!WIFEXITED(status))
      continue;
    EXPECT_TRUE(WEXITSTATUS(status) == NEREID_OK || WEXITSTATUS(status) == NEREID_ENVIRONMENT) << WEXITSTATUS(status);
    ++(WEXITSTATUS(status) == NEREID_OK ? successes : failures);
  }
  EXPECT_GT(failures, 2); // else nothing was tested
  EXPECT_GT(successes, 0);
}
