// FaultsTest.cpp: kernels that touch what they may not, and memory that shows it. The kernels here are C++ functions with
// the signature of compiled ones.
#include "runtime/GuardedMemory.h"
#include "runtime/cpu/Launch.h"

#include <gtest/gtest.h>

#include <signal.h>
#include <unistd.h>

#include <cstring>

namespace nereid::cpu {

using Arguments = std::vector<uint64_t>;

static std::shared_ptr<const LoadedKernel> link(Entry entry, uint32_t arguments) {
  Artifact artifact;
  artifact.name = "kernel";
  artifact.argumentCount = arguments;
  artifact.sites.push_back({.kind = Site::Kind::Print});
  Result<std::shared_ptr<const LoadedKernel>> kernel = LoadedKernel::link(entry, std::move(artifact));
  EXPECT_TRUE(kernel) << kernel.error().message;
  return *kernel;
}

template <class T> static uint64_t bitsOf(T *pointer) { return reinterpret_cast<uintptr_t>(pointer); }

// Every program reads the element of its number and writes it to the second array.
static void copyElements(const uint64_t *arguments, LaunchState *, uint64_t first, uint64_t last, std::byte *scratch) {
  auto *from = reinterpret_cast<volatile int *>(arguments[0]), *to = reinterpret_cast<volatile int *>(arguments[1]);
  for (uint64_t i = first; i < last; ++i) {
    std::memcpy(scratch - 8, &i, 8);
    to[i] = from[i];
  }
  std::memcpy(scratch - 8, &last, 8);
}

TEST(Faults, AnIllegalAccessEndsTheLaunchAlone) {
  std::shared_ptr<const LoadedKernel> kernel = link(copyElements, 2);
  Result<Tensor> large = runtime::guardedTensor(DType::Int32, {4096}),
                 small = runtime::guardedTensor(DType::Int32, {60});
  ASSERT_TRUE(large && small);
  for (unsigned threads : {1u, 4u}) {
    for (bool writes : {false, true}) {
      Tensor &from = writes ? *large : *small, &to = writes ? *small : *large;
      Result<LaunchReport> report =
          launch(*kernel, Arguments{bitsOf(from.data()), bitsOf(to.data())}, {64, 1, 1}, {.threads = threads});
      ASSERT_TRUE(report && report->failure);
      const LaunchFailure &failure = *report->failure;
      EXPECT_EQ(failure.kind, LaunchFailure::Kind::Fault);
      ASSERT_TRUE(failure.program);
      EXPECT_GE((*failure.program)[0], 60u);
      ASSERT_TRUE(failure.fault.hasAddress);
      EXPECT_EQ(failure.fault.address, bitsOf(small->data()) + 4 * (*failure.program)[0]);
      EXPECT_EQ(failure.fault.isWrite, writes);
    }
    Result<LaunchReport> report =
        launch(*kernel, Arguments{bitsOf(large->data()), bitsOf(small->data())}, {60, 1, 1}, {.threads = threads});
    ASSERT_TRUE(report);
    EXPECT_FALSE(report->failure);
  }
}

TEST(Faults, AnAddressThatNobodyCanHaveIsNoAddress) {
  std::shared_ptr<const LoadedKernel> kernel = link(copyElements, 2);
  Result<LaunchReport> report = launch(*kernel, Arguments{uint64_t(0x1234) << 48, 0}, {1, 1, 1});
  ASSERT_TRUE(report && report->failure);
  EXPECT_EQ(report->failure->kind, LaunchFailure::Kind::Fault);
}

// Outside of kernels faults go to whoever handled them before.
static void printBadly(const uint64_t *, LaunchState *state, uint64_t, uint64_t, std::byte *) {
  uint32_t program[3] = {};
  state->print(state, 0, program, nullptr);
}

TEST(Faults, AreNotTheKernelsInACallback) {
  EXPECT_EXIT(
      {
        std::shared_ptr<const LoadedKernel> kernel = link(printBadly, 0);
        volatile int *nowhere = reinterpret_cast<volatile int *>(16);
        (void)launch(*kernel, Arguments{}, {1, 1, 1}, {.output = [=](std::string_view) { *nowhere = 1; }});
      },
      testing::KilledBySignal(SIGSEGV), "");
}

static void exitQuietly(int) { _exit(7); }

TEST(Faults, HandlersAreChainedAndGivenBack) {
  EXPECT_EXIT(
      {
        signal(SIGSEGV, exitQuietly);
        std::shared_ptr<const LoadedKernel> kernel = link(copyElements, 2);
        Result<LaunchReport> report = launch(*kernel, Arguments{16, 16}, {1, 1, 1});
        if (!report || !report->failure)
          _exit(1);
        *reinterpret_cast<volatile int *>(16) = 1;
      },
      testing::ExitedWithCode(7), "");
  struct sigaction before = {}, during = {}, after = {};
  sigaction(SIGSEGV, nullptr, &before);
  {
    std::shared_ptr<const LoadedKernel> first = link(copyElements, 2), second = link(copyElements, 2);
    sigaction(SIGSEGV, nullptr, &during);
  }
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_NE(before.sa_sigaction, during.sa_sigaction);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
}

TEST(GuardedMemory, EndsAtItsGuard) {
  for (int64_t count : {0, 1, 3, 4, 1000, 1024, 4096, 5001}) {
    Result<Tensor> tensor = runtime::guardedTensor(DType::Int32, {count});
    ASSERT_TRUE(tensor);
    EXPECT_EQ(bitsOf(tensor->data()) % 16, 0u);
    for (int32_t value : tensor->values<int32_t>())
      ASSERT_EQ(value, 0);
    // The first byte that a kernel may not write, counted from the end.
    std::shared_ptr<const LoadedKernel> kernel = link(copyElements, 2);
    Result<Tensor> source = runtime::guardedTensor(DType::Int32, {8});
    uint64_t end = bitsOf(tensor->data()) + 4 * uint64_t(count);
    Result<LaunchReport> report = launch(*kernel, Arguments{bitsOf(source->data()), end}, {8, 1, 1}, {.threads = 1});
    ASSERT_TRUE(report && report->failure);
    EXPECT_EQ((*report->failure->program)[0], uint32_t((4 - count % 4) % 4));
    // And the one before the first page of its memory.
    report = launch(*kernel, Arguments{bitsOf(source->data()), bitsOf(tensor->data()) / 4096 * 4096 - 4}, {1, 1, 1});
    EXPECT_TRUE(report && report->failure);
  }
}

} // namespace nereid::cpu
