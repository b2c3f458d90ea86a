// CudaProfileTest.cpp: the times of kernels on a GPU while somebody profiles: from events, and from CUPTI, which knows kernels of other
// libraries, too. Both are fakes here.
#include "FakeCupti.h"
#include "FakeDriver.h"
#include "runtime/cuda/Cupti.h"
#include "runtime/cuda/HardwareCounters.h"
#include "runtime/cuda/Launch.h"
#include "runtime/cuda/Stream.h"
#include "runtime/profile/Counters.h"
#include "runtime/profile/Recorder.h"
#include "runtime/profile/Summary.h"

namespace nereid::cuda {

using profile::Record;

namespace {

class CudaProfile : public FakeDriverTest {
protected:
  // Launches the kernel with nothing in it.
  void launchKernel(const LoadedKernel &kernel, driver::Stream stream = nullptr) {
    Result<void> done = launch(kernel, std::span<const uint64_t>(), {4, 2, 1}, stream);
    EXPECT_TRUE(done) << done.error().message;
  }
  static std::vector<Record> ofKind(const std::vector<Record> &records, Record::Kind kind) {
    std::vector<Record> result;
    for (const Record &record : records)
      if (record.kind == kind)
        result.push_back(record);
    return result;
  }
};

class CudaProfileEvents : public CudaProfile {
protected:
  void SetUp() override {
    CudaProfile::SetUp();
    ASSERT_FALSE(Cupti::use("/no/such/cupti.so"));
  }
};

class CudaProfileCupti : public CudaProfile {
protected:
  void SetUp() override {
    CudaProfile::SetUp();
    void *library = dlopen(NEREID_FAKE_CUPTI, RTLD_NOW);
    ASSERT_TRUE(library) << dlerror();
    cupti = reinterpret_cast<fake::CuptiControl *(*)()>(dlsym(library, "nereidFakeCupti"))();
    cupti->refusal = 0;
    Result<void> used = Cupti::use(NEREID_FAKE_CUPTI);
    ASSERT_TRUE(used) << used.error().message;
  }
  void TearDown() override {
    (void)Cupti::use("/no/such/cupti.so");
    CudaProfile::TearDown();
  }
  fake::CuptiControl *cupti = nullptr;
};

} // namespace

TEST_F(CudaProfileEvents, EventsTellTheTime) {
  auto kernel = load(artifactWith({}));
  size_t session = profile::begin();
  for (int i = 0; i < 300; ++i) // more than are kept waiting
    launchKernel(*kernel);
  std::vector<Record> records = profile::recordsOf(profile::end(session));
  std::vector<Record> launches = ofKind(records, Record::Kind::Launch), devices = ofKind(records, Record::Kind::Device);
  ASSERT_EQ(launches.size(), 300u);
  ASSERT_EQ(devices.size(), 300u);
  EXPECT_EQ(launches[0].device, "cuda:0");
  EXPECT_EQ(launches[0].programs, 8u);
  EXPECT_EQ(devices[0].detail, "stream 0");
  for (size_t i = 0; i < 300; ++i) {
    EXPECT_EQ(devices[i].id, launches[i].id);
    EXPECT_LE(devices[i].begin, devices[i].end);
  }
  profile::Summary summary = profile::summarize(records);
  ASSERT_EQ(summary.kernels.size(), 1u);
  EXPECT_EQ(summary.kernels[0].timed, 300u);
  size_t made = size_t(fake.calls["cuEventCreate"]);
  launchKernel(*kernel); // nobody profiles
  EXPECT_EQ(size_t(fake.calls["cuEventCreate"]), made);
}

TEST_F(CudaProfileEvents, ALaunchWithoutATimeIsALaunch) {
  auto kernel = load(artifactWith({}));
  Result<Stream> stream = Stream::create(*device);
  ASSERT_TRUE(stream);
  size_t session = profile::begin();
  Result<Graph> graph = Graph::record(*device, stream->handle(), [&] {
    launchKernel(*kernel, stream->handle());
    return Result<void>();
  });
  EXPECT_TRUE(graph);
  fake.failures["cuEventCreate"] = {0, driver::kInvalidValue};
  launchKernel(*kernel);
  std::vector<Record> records = profile::recordsOf(profile::end(session));
  EXPECT_EQ(ofKind(records, Record::Kind::Launch).size(), 2u);
  EXPECT_TRUE(ofKind(records, Record::Kind::Device).empty());
  expectContains(profile::renderTable(profile::summarize(records)),
                 "kernel  cuda:0      2      -     -         -        -      -");
}

TEST_F(CudaProfileCupti, KernelsOfOursAndOfOthers) {
  auto kernel = load(artifactWith({}));
  uint64_t start = Cupti::shared()->now();
  fake.run = [&](const fake::Launch &) { cupti->ran("kernel", start + 1000, start + 3500, 0, 7); };
  size_t session = profile::begin();
  launchKernel(*kernel);
  EXPECT_EQ(cupti->enabled, std::set<uint32_t>{10}); // no records of calls
  profile::enterScope("torch");
  cupti->ran("_ZN2at6native4fillEi", start + 4000, start + 4200, 0, 7);
  launchKernel(*kernel);
  profile::exitScope();
  cupti->ran("plain_name", start + 5000, start + 5100, 1, 9);
  std::vector<Record> records = profile::recordsOf(profile::end(session));
  EXPECT_EQ(fake.calls["cuEventCreate"], 0);
  EXPECT_TRUE(cupti->enabled.empty() && cupti->functions.empty()); // nobody pays for it any more
  EXPECT_EQ(ofKind(records, Record::Kind::Device).size(), 4u);
  profile::Summary summary = profile::summarize(records);
  std::map<std::string, profile::Time> times;
  for (const profile::KernelRow &row : summary.kernels)
    times[row.name + " " + row.device] = row.total;
  EXPECT_EQ(times, (std::map<std::string, profile::Time>{
                       {"kernel cuda:0", 5000}, {"at::native::fill(int) cuda:0", 200}, {"plain_name cuda:1", 100}}));
  for (const profile::ScopeNode &node : summary.root.children)
    if (node.name == "torch") {
      EXPECT_EQ(node.device, 2700);
      EXPECT_EQ(node.children.size(), 2u);
    }
  // CUPTI's clock is a second ahead.
  profile::Time begin = ofKind(records, Record::Kind::Device)[0].begin;
  EXPECT_LT(std::abs(begin - (profile::Time(start) + 1000 - 1'000'000'000)), 100'000'000);
}

// One call launches them, so that all have its number.
TEST_F(CudaProfileCupti, KernelsOfAGraph) {
  auto kernel = load(artifactWith({}));
  size_t session = profile::begin();
  launchKernel(*kernel);
  uint64_t start = Cupti::shared()->now();
  profile::enterScope("replay");
  cupti->ran("node", start, start + 10, 0, 7, 3);
  profile::exitScope();
  std::vector<Record> devices = ofKind(profile::recordsOf(profile::end(session)), Record::Kind::Device);
  ASSERT_EQ(devices.size(), 3u);
  for (const Record &record : devices)
    EXPECT_NE(record.scope, 0u);
}

// What ran before a session is none of it, and what runs between two is not recorded.
TEST_F(CudaProfileCupti, SessionsHaveTheirOwnKernels) {
  auto kernel = load(artifactWith({}));
  uint64_t start = Cupti::shared()->now();
  fake.run = [&](const fake::Launch &) { cupti->ran("kernel", start, start + 1, 0, 7); };
  size_t outer = profile::begin();
  launchKernel(*kernel);
  size_t inner = profile::begin();
  launchKernel(*kernel);
  launchKernel(*kernel);
  EXPECT_EQ(ofKind(profile::recordsOf(profile::end(inner)), Record::Kind::Device).size(), 2u);
  launchKernel(*kernel);
  EXPECT_EQ(ofKind(profile::recordsOf(profile::end(outer)), Record::Kind::Device).size(), 4u);
  launchKernel(*kernel);
  size_t next = profile::begin();
  launchKernel(*kernel);
  EXPECT_EQ(ofKind(profile::recordsOf(profile::end(next)), Record::Kind::Device).size(), 1u);
}

TEST_F(CudaProfileCupti, ARefusalLeavesEvents) {
  auto kernel = load(artifactWith({}));
  Cupti &shared = *Cupti::shared();
  cupti->refusal = 15;
  Result<void> started = shared.start(nullptr);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "CUPTI does not record (status 15)");
  size_t session = profile::begin();
  launchKernel(*kernel);
  EXPECT_EQ(ofKind(profile::recordsOf(profile::end(session)), Record::Kind::Device).size(), 1u);
  EXPECT_GT(fake.calls["cuEventCreate"], 0);
  cupti->refusal = 0;
  ASSERT_TRUE(shared.start(nullptr)); // another profiler
  started = shared.start(nullptr);
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "CUPTI has refused to listen: another profiler may (status 39)");
  shared.stop();
}

TEST_F(CudaProfileCupti, TheHardwareCounts) {
  auto kernel = load(artifactWith({}));
  int runs = 0;
  fake.run = [&](const fake::Launch &) { ++runs; };
  profile::wantCounters(true);
  size_t session = profile::begin();
  launchKernel(*kernel);
  launchKernel(*kernel);
  std::vector<Record> records = profile::recordsOf(profile::end(session));
  profile::wantCounters(false);
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(cupti->enabled.empty()); // records of kernels would say nothing
  std::vector<Record> launches = ofKind(records, Record::Kind::Launch), devices = ofKind(records, Record::Kind::Device);
  ASSERT_EQ(launches.size(), 2u);
  ASSERT_EQ(launches[0].metrics.size(), HardwareCounters::all().size());
  EXPECT_GE(HardwareCounters::all().size(), 10u);
  EXPECT_EQ(launches[0].metrics[0], (std::pair<std::string, double>("counter time ns", 100)));
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[1].duration(), 100);
  expectContains(profile::renderTable(profile::summarize(records)),
                 "kernel  cuda:0                 L2 hit rate %          104\n");
}

TEST_F(CudaProfileCupti, CountersThatCannotBeReadAreARefusalInWords) {
  auto kernel = load(artifactWith({}));
  cupti->rangeRefusal = 35;
  Result<std::unique_ptr<HardwareCounters>> opened = HardwareCounters::open(*device);
  cupti->rangeRefusal = 0;
  ASSERT_FALSE(opened);
  expectContains(opened.error().message, "the driver gives them to administrators only");
  EXPECT_TRUE(HardwareCounters::open(*device));
}

} // namespace nereid::cuda
