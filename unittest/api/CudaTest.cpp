// GPUs through the public interface, over the fake driver: repeated launches must pass what the first one passes, and the
// kernels here run on the host, from the parameters that the driver got.
#include "nereid/cuda.hpp"
#include "nereid/dlpack.hpp"
#include "nereid/kernels/add_rms_norm.hpp"
#include "nereid/kernels/persistent_matmul.hpp"

#include "FakeCuda.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

namespace nereid {

namespace {

constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, by, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) * by, i < n)
)";

// Before the library looks for a driver or an assembler, which it does once.
class FakeEnvironment : public ::testing::Environment {
  void SetUp() override {
    setenv("NEREID_LIBCUDA", NEREID_FAKE_CUDA, 1);
    setenv("NEREID_PTXAS", NEREID_TEST_DIR "/../../test/cuda/Inputs/fake-ptxas", 1);
  }
};
const auto *environment = ::testing::AddGlobalTestEnvironment(new FakeEnvironment);

class Cuda : public ::testing::Test {
protected:
  void SetUp() override {
    void *library = dlopen(NEREID_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
    fake = reinterpret_cast<fake::Control *(*)()>(dlsym(library, "nereidFakeCuda"))();
    fake->reset();
    fake->run = [](const fake::Launch &launch) {
      auto *x = launch.parameter<const float *>(0);
      auto *y = launch.parameter<float *>(1);
      for (uint32_t i = 0; i < launch.parameter<uint32_t>(2); ++i)
        y[i] = x[i] * launch.parameter<float>(3);
    };
    Result<Module> loaded = Module::parse("scale.py", kText);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module.emplace(std::move(*loaded));
    Result<Kernel> found = module->kernel("scale");
    ASSERT_TRUE(found) << found.error().message;
    kernel.emplace(std::move(*found));
    kernel->on(Device::cuda());
  }
  void TearDown() override { fake->reset(); }

  fake::Control *fake = nullptr;
  std::optional<Module> module;
  std::optional<Kernel> kernel;
};

std::vector<float> read(const Tensor &tensor) {
  Result<Tensor> host = toHost(tensor);
  EXPECT_TRUE(host);
  return {host->values<float>().begin(), host->values<float>().end()};
}

} // namespace

TEST_F(Cuda, Devices) {
  EXPECT_EQ(*deviceCount(), 2);
  Result<nereid_device_properties> properties = queryDevice(Device::cuda(1));
  ASSERT_TRUE(properties) << properties.error().message;
  EXPECT_STREQ(properties->name, "Fake GPU");
  EXPECT_EQ(properties->ordinal, 1);
  EXPECT_EQ(properties->capability, 90);
  EXPECT_FALSE(queryDevice(Device::cuda(9)));
  EXPECT_FALSE(queryDevice(Device::cpu()));
  EXPECT_NE(std::string(nereid_last_error()).find("`cpu` is no GPU"), std::string::npos);
}

TEST_F(Cuda, TensorsOfTheHost) {
  std::vector<float> values{1, 2, 3, 4};
  Tensor x = *Tensor::from(values), y = *Tensor::zeros(DType::Fp32, {4});
  for (float by : {2.0f, 3.0f}) {
    Result<void> done = (*kernel)(1, x, y, 4, by, named("BLOCK", 16));
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(y.values<float>()[3], 4 * by);
  }
}

TEST_F(Cuda, LaunchesIntoAStreamDoNotWaitAndPassTheirOwnValues) {
  std::vector<float> values{1, 2, 3, 4};
  Result<Tensor> x = toDevice(*Tensor::from(values)), y = emptyOnDevice(DType::Fp32, {4});
  ASSERT_TRUE(x && y);
  EXPECT_FALSE(x->isOnHost());
  EXPECT_TRUE(x->values<float>().empty());
  Result<DeviceStream> stream = DeviceStream::create();
  ASSERT_TRUE(stream);
  kernel->into(stream->handle());
  int synchronized = fake->calls["cuStreamSynchronize"];
  for (int n : {2, 3, 4})
    for (double by : {0.5, 1.5, 2.5}) {
      ASSERT_TRUE((*kernel)(Grid(2), *x, *y, n, by, named("BLOCK", 16)));
      const fake::Launch &launch = fake->launches.back();
      EXPECT_EQ(launch.stream, stream->handle());
      EXPECT_EQ(launch.grid[0], 2u);
      EXPECT_EQ(launch.parameter<void *>(0), x->data());
      EXPECT_EQ(launch.parameter<uint32_t>(2), uint32_t(n));
      EXPECT_EQ(launch.parameter<float>(3), float(by));
    }
  EXPECT_EQ(fake->calls["cuStreamSynchronize"], synchronized);
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(read(*y), (std::vector<float>{2.5, 5, 7.5, 10}));
}

TEST_F(Cuda, NothingGoesIntoAStreamThatWasFreed) {
  Result<Tensor> x = emptyOnDevice(DType::Fp32, {4});
  void *stream = DeviceStream::create()->handle(); // freed at once
  kernel->into(stream);
  Result<void> launched = (*kernel)(1, *x, *x, 4, 2.0, named("BLOCK", 16));
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().message, "error: `scale` cannot be launched: the stream was freed\n");
  void *memory = nullptr;
  for (nereid_status status :
       {nereid_memory_alloc("cuda", 16, stream, &memory), nereid_stream_synchronize("cuda", stream),
        nereid_memory_copy("cuda", x->data(), x->data(), 16, stream, 1)}) {
    EXPECT_EQ(status, NEREID_BAD_INPUT);
    EXPECT_STREQ(nereid_last_error(), "error: the stream was freed\n");
  }
}

TEST_F(Cuda, ALaunchLikeAnEarlierOneAsksTheDriverForNothingElse) {
  Result<Tensor> x = emptyOnDevice(DType::Fp32, {4});
  kernel->into(nullptr);
  ASSERT_TRUE((*kernel)(1, *x, *x, 4, 2.0, named("BLOCK", 16)));
  ASSERT_TRUE((*kernel)(1, *x, *x, 3, 4.0, named("BLOCK", 16)));
  auto before = fake->calls;
  ASSERT_TRUE((*kernel)(1, *x, *x, 3, 5.0, named("BLOCK", 16)));
  for (const auto &[function, count] : fake->calls) {
    int more = count - before[function];
    EXPECT_LE(more, function == "cuCtxGetCurrent" ? 2 : function == "cuLaunchKernel" ? 1 : 0) << function;
  }
}

TEST_F(Cuda, TensorsOfTheHostInAStreamAreAMistake) {
  Tensor x = *Tensor::zeros(DType::Fp32, {4});
  kernel->into(nullptr);
  Result<void> done = (*kernel)(1, x, x, 4, 2.0, named("BLOCK", 16));
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("argument `x` is in the memory of the host"), std::string::npos)
      << done.error().message;
}

TEST_F(Cuda, AFailureShowsLaterAndNamesTheKernel) {
  Result<Tensor> x = emptyOnDevice(DType::Fp32, {4}, Device::cuda(1));
  ASSERT_TRUE(x);
  kernel->on(Device::cuda(1)).into(nullptr);
  ASSERT_TRUE((*kernel)(1, *x, *x, 4, 2.0, named("BLOCK", 16)));
  fake->kernelFails = cuda::driver::kIllegalAddress;
  ASSERT_TRUE((*kernel)(1, *x, *x, 4, 2.0, named("BLOCK", 16)));
  Result<void> done = synchronize(Device::cuda(1));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().status, Status::CheckFailed);
  EXPECT_NE(done.error().message.find("`scale` failed on the GPU"), std::string::npos) << done.error().message;
}

TEST_F(Cuda, LibraryKernelsAskTheGpuForItsMultiprocessors) {
  fake->run = {};
  LaunchOptions options{.device = Device::cuda()};
  Result<nereid_device_properties> facts = queryDevice();
  ASSERT_TRUE(facts) << facts.error().message;
  int64_t n = 2048; // more tiles than multiprocessors
  Result<Tensor> a = emptyOnDevice(DType::Fp16, {n, n});
  ASSERT_TRUE(a) << a.error().message;
  Result<void> done = kernels::persistentMatmul(*a, *a, *a, 0, "ieee", options);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(fake->launches.back().grid[0], static_cast<uint32_t>(facts->multiprocessors));
  done = kernels::matmul(*a, *a, *a, {}, options);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(fake->launches.back().grid[0], static_cast<uint32_t>(facts->multiprocessors));
}

TEST_F(Cuda, ARecordedGraphRunsItsLaunchesAgain) {
  std::vector<float> values{1, 2, 3, 4};
  Result<Tensor> x = toDevice(*Tensor::from(values)), y = emptyOnDevice(DType::Fp32, {4});
  Result<DeviceStream> stream = DeviceStream::create();
  ASSERT_TRUE(x && y && stream);
  kernel->into(stream->handle());
  auto twice = [&]() -> Result<void> {
    Result<void> done = (*kernel)(1, *x, *y, 4, 2.0, named("BLOCK", 16));
    return done ? (*kernel)(1, *y, *x, 4, 1.0, named("BLOCK", 16)) : done;
  };
  ASSERT_TRUE(twice()); // compiled
  size_t before = fake->launches.size();
  Result<DeviceGraph> graph = DeviceGraph::record(Device::cuda(), *stream, twice);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(read(*x), (std::vector<float>{2, 4, 6, 8})); // recorded, not run
  for (int i = 0; i < 3; ++i)
    ASSERT_TRUE(graph->launch(*stream));
  ASSERT_TRUE(stream->synchronize());
  EXPECT_EQ(read(*x), (std::vector<float>{16, 32, 48, 64}));
  EXPECT_GE(fake->launches.size(), before + 2);
  Result<DeviceGraph> failed = DeviceGraph::record(
      Device::cuda(), *stream, []() -> Result<void> { return Error{Status::BadInput, "not so\n"}; });
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "not so\n");
  ASSERT_TRUE(twice()) << "the stream records no more";
  EXPECT_EQ(nereid_graph_begin("cuda", nullptr), NEREID_BAD_INPUT);
  EXPECT_EQ(nereid_graph_launch(nullptr, nullptr), NEREID_BAD_INPUT);
  void *freed = DeviceStream::create()->handle();
  EXPECT_EQ(nereid_graph_begin("cuda", freed), NEREID_BAD_INPUT);
}

TEST_F(Cuda, AnArenaAllocatesInTheFirstRoundOnly) {
  fake->run = {};
  Arena arena;
  LaunchOptions options{.device = Device::cuda(), .isAsynchronous = true, .arena = &arena};
  Result<Tensor> x = emptyOnDevice(DType::Fp32, {8, 64}), weight = emptyOnDevice(DType::Fp32, {64});
  ASSERT_TRUE(x && weight);
  for (int round = 0; round < 3; ++round) {
    int allocations = fake->calls["cuMemAllocFromPoolAsync"];
    ASSERT_TRUE(arena.reset());
    Result<Tensor> first = kernels::addRmsNorm(*x, *x, *x, *x, *weight, 1e-6, options),
                   second = kernels::addRmsNorm(*x, *x, *x, *x, *weight, 1e-6, options);
    ASSERT_TRUE(first && second) << first.error().message;
    EXPECT_GE(second->data() >= first->data() ? second->data() - first->data() : first->data() - second->data(), 32);
    // The first round takes each piece by itself, the second begins with one for all.
    EXPECT_EQ(fake->calls["cuMemAllocFromPoolAsync"] - allocations, round == 0 ? 2 : round == 1 ? 1 : 0);
  }
}

TEST_F(Cuda, ConfigurationsComeFromTheTableByFactsOfTheDevice) {
  LaunchOptions options{.device = Device::cuda()};
  auto plan = kernels::detail::productPlan({8192, 8192, 8192}, 2, options);
  EXPECT_EQ(std::tuple(plan.blockM, plan.blockN, plan.blockK), std::tuple(128, 256, 64));
  EXPECT_EQ(plan.options.numWarps, 8);
  EXPECT_EQ(kernels::detail::productPlan({128, 128, 8192}, 2, options).blockN, 64);
  EXPECT_EQ(kernels::detail::rowPrograms(options), 2 * queryDevice()->multiprocessors);
}

TEST_F(Cuda, DlpackTensorsOfAGpu) {
  Result<Tensor> x = emptyOnDevice(DType::Fp32, {4});
  dlpack::ManagedTensor *managed = toDlpack(*x);
  ASSERT_NE(managed, nullptr);
  EXPECT_EQ(managed->tensor.device.type, dlpack::kCuda);
  Result<Tensor> back = fromDlpack(managed);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->data(), x->data());
  EXPECT_EQ(back->gpuOrdinal(), 0);
  EXPECT_FALSE(back->clone());
  kernel->into(nullptr);
  EXPECT_TRUE((*kernel)(1, *back, *back, 4, 2.0, named("BLOCK", 16)));
}

} // namespace nereid
