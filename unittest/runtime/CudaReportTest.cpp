// What a kernel prints and how it fails, read back from its report.
#include "FakeDriver.h"

#include "runtime/cuda/Launch.h"
#include "runtime/profile/Recorder.h"
#include "runtime/profile/Summary.h"

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

class CudaScopes : public CudaReport {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    Artifact artifact = artifactWith({".u64 report"});
    artifact.parameters = {{Parameter::Kind::Report}};
    artifact.threads = 64; // two warps
    artifact.sites = {{.kind = Site::Kind::Scope, .text = "outer"}, {.kind = Site::Kind::Scope, .text = "inner"}};
    kernel = load(artifact);
  }
  // The first thread of a warp comes to the begin (0) or the end (1) of a scope, as the kernel's code does it.
  void mark(const Report &report, uint32_t site, uint32_t isEnd, uint64_t program, uint64_t warp, uint64_t time,
            uint64_t cycles) {
    uint64_t number = program * report.warps + warp, &used = marks[number];
    if (number < report.markedWarps && used < report.marks)
      reinterpret_cast<Mark *>(report.markData)[number * report.marks + used++] = {2 * (site + 1) + isEnd, time,
                                                                                   cycles};
  }
  std::map<uint64_t, uint64_t> marks; // of each warp
};

TEST_F(CudaScopes, WarpsSayWhenTheyWereInside) {
  size_t session = profile::begin();
  Result<LaunchReport> report = run([&](Report &report) {
    // Two multiprocessors, each with a clock of its own: half a nanosecond is a cycle.
    mark(report, 0, 0, 1, 1, 1000, 50);
    mark(report, 1, 0, 1, 1, 1064, 250); // the clock of nanoseconds is coarse
    mark(report, 1, 0, 0, 0, 1160, 7000);
    mark(report, 1, 1, 1, 1, 1192, 450);
    mark(report, 0, 1, 1, 1, 1300, 650);
    mark(report, 1, 1, 0, 0, 1160, 7100);
    mark(report, 0, 1, 0, 0, 1500, 7200); // of one that has not begun
    mark(report, 0, 0, 0, 0, 1160, 7300); // of one that does not end
  });
  std::vector<profile::Record> records = profile::recordsOf(profile::end(session));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->output, "");
  ASSERT_EQ(report->scopes.size(), 3u);
  std::vector<std::string> found;
  for (const WarpScope &scope : report->scopes)
    found.push_back(scope.site->text + " " + std::to_string(scope.program) + "." + std::to_string(scope.warp) + " " +
                    std::to_string(scope.begin) + "-" + std::to_string(scope.end) + " " + std::to_string(scope.cycles));
  EXPECT_EQ(found, (std::vector<std::string>{"inner 0.0 160-210 100", "inner 1.1 100-200 200", "outer 1.1 0-300 600"}));
  std::vector<profile::Record> inner, kernels;
  for (const profile::Record &record : records)
    (record.kind == profile::Record::Kind::Inner ? inner : kernels).push_back(record);
  ASSERT_EQ(inner.size(), 3u);
  EXPECT_EQ(inner[2].name + " " + inner[2].detail, "outer warp 1");
  EXPECT_EQ(inner[2].programs, 1u);
  EXPECT_EQ(inner[2].duration(), 300);
  EXPECT_EQ(inner[2].metrics, (profile::Metrics{{"cycles", 600}}));
  for (const profile::Record &record : kernels)
    if (record.kind == profile::Record::Kind::Device)
      EXPECT_EQ(inner[2].end, record.end); // the last one ends with the kernel
}

TEST_F(CudaScopes, OfALargeGridTheFirstProgramsAreMarked) {
  size_t session = profile::begin();
  fake.run = [&](const fake::Launch &launch) {
    const Report &report = *launch.parameter<Report *>(0);
    EXPECT_EQ(report.warps, 2u);
    EXPECT_EQ(size_t(report.marks) * report.markedWarps, LoadedKernel::kMostMarks);
    for (uint64_t program = 0; program < 2100; ++program) // half of the first 4096 warps are theirs
      for (uint64_t i = 0; i < 100; ++i) {                // more than a warp has room for
        mark(report, 0, 0, program, 0, 10 * i, 10 * i);
        mark(report, 0, 1, program, 0, 10 * i + 1, 10 * i + 1);
      }
  };
  Result<LaunchReport> report = launchAndReport(*kernel, {}, {100000, 1, 1});
  (void)profile::end(session);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->scopes.size(), LoadedKernel::kMostMarks / 2 / 2); // every second warp has written none
  EXPECT_EQ(report->scopes.back().program, 2047u);
}

TEST_F(CudaScopes, NobodyIsAskedWhereNobodyProfiles) {
  EXPECT_EQ(kernel->report(), nullptr);
  Report *seen = nullptr;
  fake.run = [&](const fake::Launch &launch) { seen = launch.parameter<Report *>(0); };
  ASSERT_TRUE(launchAndReport(*kernel, {}, {2, 1, 1}));
  EXPECT_EQ(seen, nullptr);
  EXPECT_EQ(fake.calls["cuStreamSynchronize"], 0);
  size_t session = profile::begin();
  ASSERT_TRUE(launch(*kernel, {}, {2, 1, 1})); // nobody reads what this one marks
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->markedWarps, 0u);
  (void)profile::end(session);
}

} // namespace nereid::cuda
