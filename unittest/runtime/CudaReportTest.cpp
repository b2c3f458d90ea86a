// What a kernel prints and how it fails, read back from its report.
#include "FakeDriver.h"

#include "runtime/cuda/Launch.h"

#include <cstring>

namespace nereid::cuda {

namespace {

struct Entry {
  uint32_t value, index;
  uint64_t bits;
};

// Writes one record as a thread of a kernel does.
void print(Report &report, uint32_t site, std::array<uint32_t, 3> program, uint32_t thread,
           const std::vector<Entry> &entries) {
  uint32_t size = static_cast<uint32_t>(32 + 16 * entries.size()), at = report.used;
  report.used += size;
  if (report.used > report.capacity)
    return;
  uint32_t header[8] = {size, site, program[0], program[1], program[2], thread, 0, 0};
  auto *to = reinterpret_cast<std::byte *>(report.data) + at;
  std::memcpy(to, header, sizeof header);
  std::memcpy(to + sizeof header, entries.data(), 16 * entries.size());
}

} // namespace

class CudaReport : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    Artifact artifact = artifactWith({".u64 report"});
    artifact.parameters = {{Parameter::Kind::Report}};
    artifact.sites = {{.kind = Site::Kind::Print, .text = "x", .values = {{"i32", {4}}}},
                      {.kind = Site::Kind::Print, .text = "done"},
                      {.kind = Site::Kind::Assert, .text = "n is even", .file = "k.py", .line = 3}};
    kernel = load(artifact);
  }
  Result<LaunchReport> run(std::function<void(Report &)> body) {
    fake.run = [body](const fake::Launch &launch) { body(*launch.parameter<Report *>(0)); };
    return launchAndReport(*kernel, {}, {2, 1, 1});
  }
  std::shared_ptr<const LoadedKernel> kernel;
};

TEST_F(CudaReport, PrintsAreInTheOrderOfProgramsAndElements) {
  Result<LaunchReport> report = run([](Report &report) {
    print(report, 0, {1, 0, 0}, 1, {{0, 2, 12}, {0, 3, uint64_t(uint32_t(-1))}});
    print(report, 0, {0, 0, 0}, 0, {{0, 0, 1}, {0, 1, 2}});
    print(report, 0, {1, 0, 0}, 0, {{0, 0, 10}, {0, 1, 11}});
    print(report, 0, {0, 0, 0}, 1, {{0, 2, 3}, {0, 3, 4}, {0xffffffff, 0, 0}});
    print(report, 1, {0, 0, 0}, 0, {});
    print(report, 0, {0, 0, 0}, 0, {{0, 0, 5}, {0, 1, 6}}); // the second time
    print(report, 0, {0, 0, 0}, 1, {{0, 2, 7}, {0, 3, 8}});
  });
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->output, "pid (0, 0, 0) idx (0) x: 1\npid (0, 0, 0) idx (1) x: 2\npid (0, 0, 0) idx (2) x: 3\n"
                            "pid (0, 0, 0) idx (3) x: 4\npid (0, 0, 0) done\n"
                            "pid (0, 0, 0) idx (0) x: 5\npid (0, 0, 0) idx (1) x: 6\npid (0, 0, 0) idx (2) x: 7\n"
                            "pid (0, 0, 0) idx (3) x: 8\n"
                            "pid (1, 0, 0) idx (0) x: 10\npid (1, 0, 0) idx (1) x: 11\npid (1, 0, 0) idx (2) x: 12\n"
                            "pid (1, 0, 0) idx (3) x: -1\n");
  EXPECT_EQ(report->failure, nullptr);
}

TEST_F(CudaReport, AFailedAssertionIsNamedThoughTheGpuIsLost) {
  fake.kernelFails = driver::kLaunchFailed; // the trap
  Result<LaunchReport> report = run([](Report &report) { report.failed = 3, report.program[0] = 1; });
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_NE(report->failure, nullptr);
  EXPECT_EQ(describeFailure(*report->failure), "assertion failed: n is even");
  EXPECT_EQ(report->program[0], 1u);
  expectContains(Buffer::allocate(*device, 8).error().message, "GPU 0 is lost to this process");
}

TEST_F(CudaReport, ALostGpuWithoutAFailedAssertionIsAnError) {
  fake.kernelFails = driver::kIllegalAddress;
  Result<LaunchReport> report = run([](Report &) {});
  ASSERT_FALSE(report);
  expectContains(report.error().message, "`kernel` failed on the GPU");
}

TEST_F(CudaReport, TooMuchIsCutAndSaid) {
  Result<LaunchReport> report = run([](Report &report) {
    for (uint32_t i = 0; i < 200000; ++i)
      print(report, 1, {i, 0, 0}, 0, {});
  });
  ASSERT_TRUE(report);
  expectContains(report->output, "(more was printed than the 3 MiB that are kept)");
  expectContains(report->output, "pid (1000, 0, 0) done\n");
}

TEST_F(CudaReport, DamagedRecordsAreNotRead) {
  Result<LaunchReport> report = run([](Report &report) {
    print(report, 0, {0, 0, 0}, 0, {{0, 77, 1}, {9, 0, 1}}); // outside of the value; no such value
    print(report, 99, {0, 0, 0}, 0, {});                     // no such place
  });
  ASSERT_TRUE(report);
  EXPECT_EQ(report->output, "pid (0, 0, 0) idx (0) x: 0\npid (0, 0, 0) idx (1) x: 0\npid (0, 0, 0) idx (2) x: 0\npid "
                            "(0, 0, 0) idx (3) x: 0\n");
}

} // namespace nereid::cuda
