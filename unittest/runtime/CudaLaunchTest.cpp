// Loading kernels and launching them: what the driver gets, and what is said when it refuses.
#include "FakeDriver.h"

#include "runtime/cuda/Launch.h"
#include "runtime/cuda/Stream.h"
#include "runtime/cuda/TensorMaps.h"

#include <thread>

namespace nereid::cuda {

class CudaLaunch : public FakeDriverTest {
protected:
  using Kind = Parameter::Kind;

  std::string loadProblem(Artifact artifact) {
    Result<std::shared_ptr<const LoadedKernel>> loaded = LoadedKernel::load(*device, std::move(artifact));
    return loaded ? "" : loaded.error().message;
  }
  static Artifact plain() {
    Artifact artifact = artifactWith({".u64 x", ".u32 n", ".f16 h"});
    artifact.parameters = {{Kind::Word, 0, 8}, {Kind::Word, 2, 4}, {Kind::Word, 3, 2}};
    artifact.wordNames = {"x", "unused", "n", "h"};
    return artifact;
  }
  static constexpr uint64_t kWords[] = {0x7f0011223344, 99, 0xfffffffe, 0x3c00};
};

TEST_F(CudaLaunch, ParametersAreTheWords) {
  auto kernel = load(plain());
  ASSERT_TRUE(launch(*kernel, kWords, {3, 4, 5}));
  ASSERT_EQ(fake.launches.size(), 1u);
  const fake::Launch &got = fake.launches[0];
  EXPECT_EQ(got.kernel, "kernel");
  EXPECT_EQ((std::vector{got.grid[0], got.grid[1], got.grid[2], got.block[0], got.block[1]}),
            (std::vector<uint32_t>{3, 4, 5, 128, 1}));
  EXPECT_EQ(got.parameter<uint64_t>(0), 0x7f0011223344u);
  EXPECT_EQ(got.parameter<uint32_t>(1), 0xfffffffeu);
  EXPECT_EQ(got.parameter<uint16_t>(2), 0x3c00);
  EXPECT_TRUE(got.attributes.empty());
}

TEST_F(CudaLaunch, AnEmptyGridRunsNothing) {
  auto kernel = load(plain());
  EXPECT_TRUE(launch(*kernel, kWords, {3, 0, 5}));
  EXPECT_TRUE(fake.launches.empty());
}

TEST_F(CudaLaunch, Attributes) {
  Artifact artifact = plain();
  artifact.isCooperative = true, artifact.launchesDependents = true, artifact.sharedBytes = 100000;
  auto kernel = load(artifact);
  ASSERT_TRUE(launch(*kernel, kWords, {8, 1, 1}));
  const fake::Launch &got = fake.launches.at(0);
  EXPECT_EQ(got.grid[0], 8u);
  EXPECT_EQ(got.sharedBytes, 100000u);
  EXPECT_EQ(got.attributes.at(driver::kLaunchCooperative)[0], 1u);
  EXPECT_EQ(got.attributes.at(driver::kLaunchProgrammaticSerialization)[0], 1u);
}

TEST_F(CudaLaunch, FlagsOfOneLaunch) {
  auto kernel = load(plain());
  ASSERT_TRUE(launch(*kernel, kWords, {8, 1, 1}, nullptr, {.launchesDependents = true}));
  ASSERT_TRUE(launch(*kernel, kWords, {8, 1, 1}));
  EXPECT_EQ(fake.launches.at(0).attributes.count(driver::kLaunchProgrammaticSerialization), 1u);
  EXPECT_EQ(fake.launches.at(0).attributes.count(driver::kLaunchCooperative), 0u);
  EXPECT_TRUE(fake.launches.at(1).attributes.empty());
}

TEST_F(CudaLaunch, FromManyThreads) {
  auto kernel = load(plain());
  std::vector<std::thread> threads;
  for (uint64_t thread = 0; thread < 8; ++thread)
    threads.emplace_back([&, thread] {
      for (uint64_t i = 0; i < 200; ++i) {
        uint64_t words[] = {thread << 32 | i, 0, i, 0};
        ASSERT_TRUE(launch(*kernel, words, {1, 1, 1}));
        ASSERT_TRUE(Buffer::allocate(*device, 64 + i));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_EQ(fake.launches.size(), 1600u);
  for (const fake::Launch &got : fake.launches)
    EXPECT_EQ(got.parameter<uint32_t>(0), got.parameter<uint32_t>(1));
}

TEST_F(CudaLaunch, ScratchIsNullAndSoIsAReportThatNobodyReads) {
  Artifact artifact = artifactWith({".u64 x", ".u64 scratch", ".u64 report"});
  artifact.parameters = {{Kind::Word, 0, 8}, {Kind::Scratch}, {Kind::Report}};
  auto kernel = load(artifact);
  ASSERT_TRUE(launch(*kernel, kWords, {1, 1, 1}));
  EXPECT_EQ(fake.launches[0].parameter<uint64_t>(1), 0u);
  EXPECT_EQ(fake.launches[0].parameter<uint64_t>(2), 0u);
  EXPECT_EQ(fake.allocated, 0u);
}

// A tensor of f16 with two axes: its extents are words 2 and 3 (32 bits), its row has word 4 * word 5 elements.
static Artifact withMap() {
  Artifact artifact = FakeDriverTest::artifactWith({".align 64 .b8 map[128]", ".u32 n"});
  artifact.parameters = {{Parameter::Kind::TensorMap, 0}, {Parameter::Kind::Word, 0, 4}};
  TensorMap map{.word = 1,
                .element = TensorMap::Element::F16,
                .elementBytes = 2,
                .rank = 2,
                .box = {64, 32},
                .swizzle = TensorMap::Swizzle::Bytes64,
                .fillsNan = true};
  map.extents[0] = {.count = 1, .words = {2}, .bytes = {4}};
  map.extents[1] = {.factor = 4, .count = 1, .words = {3}, .bytes = {4}};
  map.strides[0] = {.factor = 2, .count = 2, .words = {4, 5}, .bytes = {8, 4}};
  artifact.tensorMaps = {map};
  return artifact;
}

TEST_F(CudaLaunch, TensorMapsCountAxesFromTheFastest) {
  auto kernel = load(withMap());
  EXPECT_EQ(kernel->wordCount(), 6u);
  // The upper half of a word of 32 bits is not looked at.
  uint64_t words[] = {7, 0x7f0000000100, 0xdead000003e8, 128, 130, 4};
  ASSERT_TRUE(acceptsTensorMaps(*kernel, words));
  ASSERT_TRUE(launch(*kernel, words, {1, 1, 1}));
  ASSERT_EQ(fake.tensorMaps.size(), 1u);
  const fake::TensorMapCall &got = fake.tensorMaps[0];
  EXPECT_EQ(got.base, 0x7f0000000100u);
  EXPECT_EQ(got.element, 6);
  EXPECT_EQ(got.swizzle, 2);
  EXPECT_EQ(got.outside, 1);
  EXPECT_EQ(got.extents, (std::vector<uint64_t>{512, 1000}));
  EXPECT_EQ(got.strideBytes, (std::vector<uint64_t>{2080}));
  EXPECT_EQ(got.box, (std::vector<uint32_t>{32, 64}));
  EXPECT_EQ(fake.launches[0].parameter<uint64_t>(0), fake::kFirstTensorMap);
  EXPECT_EQ(fake.launches[0].parameter<uint32_t>(1), 7u);
}

// The bit that drivers up to 13.3 must not set for a tensor of less than 128 KiB.
TEST_F(CudaLaunch, AMapOfASmallTensorIsMendedForOlderDrivers) {
  auto kernel = load(withMap());
  auto mapFor = [&](int version, uint64_t rows) {
    fake.version = version;
    uint64_t words[] = {7, 0x7f0000000100, rows, 128, 130, 4};
    EXPECT_TRUE(launch(*kernel, words, {1, 1, 1}));
    return fake.launches.back().parameter<std::array<uint64_t, 2>>(0);
  };
  for (auto [version, rows, isMended] : {std::tuple{13030, 63, true}, {13030, 64, false}, {13040, 63, false}}) {
    auto [first, second] = mapFor(version, uint64_t(rows));
    EXPECT_EQ(second, isMended ? first & ~(uint64_t(1) << 21) : first) << version << ' ' << rows;
  }
}

TEST_F(CudaLaunch, TensorsThatTheCopyEngineCannotRead) {
  auto kernel = load(withMap());
  auto accepts = [&](size_t word, uint64_t value) {
    uint64_t words[] = {7, 0x7f0000000100, 1000, 128, 130, 4};
    words[word] = value;
    bool isAccepted = acceptsTensorMaps(*kernel, words);
    EXPECT_EQ(isAccepted, bool(launch(*kernel, words, {1, 1, 1})));
    return isAccepted;
  };
  EXPECT_FALSE(accepts(1, 0x7f0000000108)); // the address
  EXPECT_FALSE(accepts(2, 0));              // an extent
  EXPECT_FALSE(accepts(2, 0xffffffff));     // -1
  EXPECT_TRUE(accepts(3, 0x40000000 - 1));
  EXPECT_FALSE(accepts(5, 3)); // rows of 1560 bytes
  EXPECT_FALSE(accepts(4, 0));
  EXPECT_FALSE(accepts(4, uint64_t(1) << 36));
  EXPECT_FALSE(accepts(5, 0xfffffffc)); // a stride below 0
  EXPECT_EQ(fake.launches.size(), 1u);
  uint64_t words[] = {7, 0x7f0000000100, 0, 128, 130, 4};
  expectContains(launch(*kernel, words, {1, 1, 1}).error().message,
                 "TMA cannot read a tensor of 0 in boxes of 64 (stride 2080 bytes) x 512 in boxes of 32");
}

TEST_F(CudaLaunch, AProductOf32BitsWrapsAsTheKernelsDoes) {
  Artifact artifact = withMap();
  artifact.tensorMaps[0].extents[0] = {.count = 2, .words = {2, 3}, .bytes = {4, 4}, .isNarrow = true};
  auto kernel = load(artifact);
  uint64_t words[] = {7, 0x7f0000000100, 0x10001, 0x10000, 130, 4};
  ASSERT_TRUE(launch(*kernel, words, {1, 1, 1}));
  EXPECT_EQ(fake.tensorMaps.at(0).extents[1], 0x10000u);
}

TEST_F(CudaLaunch, TooFewWords) {
  auto kernel = load(plain());
  Result<void> refused = launch(*kernel, std::span(kWords).first(2), {1, 1, 1});
  ASSERT_FALSE(refused);
  expectContains(refused.error().message, "`kernel` takes 4 words, but 2 are given");
}

TEST_F(CudaLaunch, TooMuchIsSaidInFigures) {
  Artifact artifact = plain();
  artifact.sharedBytes = 300000;
  expectContains(loadProblem(artifact), "`kernel` needs 300000 bytes of shared memory for each program; Fake GPU has "
                                        "232448\nnote: make its blocks smaller, or `num_stages`");
  artifact = plain();
  artifact.threads = 2048;
  expectContains(loadProblem(artifact),
                 "needs 2048 threads for each program; Fake GPU has 1024\nnote: make `num_warps` smaller");
  artifact = plain();
  artifact.threads = 1024, fake.registers = 255, fake.functionMaxThreads = 256;
  expectContains(loadProblem(artifact),
                 "needs 1024 threads for each program, and with 255 registers for each there is room for 256");
  auto kernel = load(plain());
  Result<void> refused = launch(*kernel, kWords, {1, 70000, 1});
  ASSERT_FALSE(refused);
  expectContains(refused.error().message, "has 1 x 70000 x 1 blocks");
}

TEST_F(CudaLaunch, RefusedLaunches) {
  auto kernel = load(plain());
  auto problem = [&](driver::Status status) {
    fake.failures["cuLaunchKernel"] = {0, status};
    Result<void> refused = launch(*kernel, kWords, {1, 1, 1});
    fake.failures.clear();
    EXPECT_FALSE(refused);
    return refused.error().message;
  };
  expectContains(problem(driver::kLaunchOutOfResources),
                 "a program needs 128 threads with 32 registers and 0 bytes of shared memory; Fake GPU has 1024 "
                 "threads, 65536 registers and 232448 bytes");
  expectContains(problem(driver::kCooperativeLaunchTooLarge), "100 programs always fit");
  expectContains(problem(driver::kInvalidContext), "the stream is of another device, or was freed");
  EXPECT_TRUE(launch(*kernel, kWords, {1, 1, 1})); // the process goes on
}

TEST_F(CudaLaunch, AFreedStream) {
  auto kernel = load(plain());
  driver::Stream handle = Stream::create(*device)->handle(); // freed at once
  Result<void> refused = launch(*kernel, kWords, {1, 1, 1}, handle);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "error: `kernel` cannot be launched: the stream was freed\n");
}

TEST_F(CudaLaunch, AnIllegalAddressNamesKernelAndArguments) {
  auto kernel = load(plain());
  fake.kernelFails = driver::kIllegalAddress;
  ASSERT_TRUE(launch(*kernel, kWords, {3, 1, 1})); // as on a real GPU, it shows later
  Result<void> done = device->synchronize();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status, Status::CheckFailed);
  const std::string &text = done.error().message;
  expectContains(
      text, "error: `kernel` failed on the GPU: an illegal memory access was encountered (CUDA_ERROR_ILLEGAL_ADDRESS)");
  expectContains(text, "note: 3 x 1 x 1 programs ran with x=0x7f0011223344, unused=99, n=4294967294, h=15360");
  expectContains(text, "`nereid check` with the same arguments");
  // The context is gone: what comes later says why.
  Result<Buffer> later = Buffer::allocate(*device, 8);
  ASSERT_FALSE(later);
  expectContains(later.error().message, "GPU 0 is lost to this process");
  expectContains(later.error().message, "`kernel` failed on the GPU");
}

TEST_F(CudaLaunch, CodeThatCannotBeLoaded) {
  Artifact artifact = plain();
  artifact.name = "other";
  expectContains(loadProblem(artifact), "the code has no kernel `other`");
  artifact = plain();
  artifact.image.assign(16, std::byte(0));
  expectContains(loadProblem(artifact), "the code of `kernel` cannot be loaded");
  fake.failures["cuModuleLoadDataEx"] = {0, driver::kNoBinaryForGpu};
  expectContains(loadProblem(plain()), "note: the code was compiled for another kind of GPU");
}

TEST_F(CudaLaunch, PtxThatTheDriverRefuses) {
  fake.ptxLog = "ptxas application ptx input, line 4; error   : Not a name of any known instruction: 'rett'\nptxas "
                "fatal   : aborted\n";
  std::optional<PtxProblem> problem;
  auto loaded = LoadedKernel::load(*device, plain(), &problem);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().status, Status::BadInput);
  expectContains(loaded.error().message,
                 "the PTX of `kernel` cannot be assembled: Not a name of any known instruction: 'rett'");
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->ptxLine, 4u);
}

TEST_F(CudaLaunch, ALaunchIsRecordedIntoAGraph) {
  auto kernel = load(plain());
  Result<Stream> stream = Stream::create(*device);
  Result<Graph> graph =
      Graph::record(*device, stream->handle(), [&] { return launch(*kernel, kWords, {2, 1, 1}, stream->handle()); });
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(fake.launches.size(), 0u);
  ASSERT_TRUE(graph->launch(stream->handle()));
  ASSERT_TRUE(graph->launch(stream->handle()));
  ASSERT_EQ(fake.launches.size(), 2u);
  EXPECT_EQ(fake.launches[1].parameter<uint32_t>(1), 0xfffffffeu); // the words were copied
}

} // namespace nereid::cuda
