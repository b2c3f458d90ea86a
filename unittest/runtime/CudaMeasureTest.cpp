// Timing on a GPU: what is launched how often, and what the numbers are made of.
#include "FakeDriver.h"

#include "runtime/cuda/Launch.h"
#include "runtime/cuda/Measure.h"

namespace nereid::cuda {

class CudaMeasure : public FakeDriverTest {};

TEST_F(CudaMeasure, WithoutFlushAGraphIsRun) {
  auto kernel = load(artifactWith({}));
  auto timings = measureLaunches(*device, [&](driver::Stream stream) { return launch(*kernel, {}, {1, 1, 1}, stream); },
                                 {.seconds = 0.001, .minRuns = 3, .maxRuns = 10});
  ASSERT_TRUE(timings) << timings.error().message;
  EXPECT_GE(timings->runs, 3u);
  EXPECT_LE(timings->best, timings->median);
  EXPECT_GT(fake.calls["cuGraphLaunch"], 3);
  EXPECT_EQ(fake.calls["cuMemsetD8Async"], 0);
}

TEST_F(CudaMeasure, WithFlushTheCacheIsOverwrittenBeforeEachRun) {
  auto kernel = load(artifactWith({}));
  auto timings = measureLaunches(*device, [&](driver::Stream stream) { return launch(*kernel, {}, {1, 1, 1}, stream); },
                                 {.seconds = 1e-6, .minRuns = 4, .maxRuns = 4, .flush = true});
  ASSERT_TRUE(timings) << timings.error().message;
  EXPECT_EQ(timings->runs, 4u);
  EXPECT_EQ(fake.calls["cuMemsetD8Async"], 4);
  EXPECT_EQ(fake.launches.size(), 6u); // two before
}

TEST_F(CudaMeasure, AFailureIsGiven) {
  auto timings =
      measureLaunches(*device, [](driver::Stream) { return Result<void>(Error{Status::BadInput, "no\n"}); }, {});
  ASSERT_FALSE(timings);
  EXPECT_EQ(timings.error().message, "no\n");
}

TEST_F(CudaMeasure, Limits) {
  fake.memoryBytes = size_t(16) << 20;
  auto other = Driver::load(NEREID_FAKE_CUDA); // a smaller device
  auto limits = measureLimits(**(*other)->device(0));
  ASSERT_TRUE(limits) << limits.error().message;
  EXPECT_GT(limits->copyBytes, 1e6);
  EXPECT_NEAR(limits->fmaFlops, 4096.0 * 100 * 1.98e9, 1e9);
}

} // namespace nereid::cuda
