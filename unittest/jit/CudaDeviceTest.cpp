// Launches on a GPU from the arguments of a call, over the fake driver: what is copied, what the kernel gets, what is
// kept on disk, what is said when it fails. The code generator is a stand-in; the kernels run on the host.
#include "jit/CudaDevice.h"
#include "jit/Evaluate.h"
#include "jit/cache/CudaArtifactCodec.h"

#include "FakeCuda.h"

#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>

namespace nereid::jit {

namespace {

constexpr const char *kDeviceText = R"(
import triton
import triton.language as tl

@triton.jit
def kernel(x, y, n, scale, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, i < n) * scale, i < n)

@triton.jit
def described(x, BLOCK: tl.constexpr):
    x.store([0, 0], tl.zeros([16, 16], tl.float32))
)";

void expectContains(const std::string &text, const std::string &part) {
  EXPECT_NE(text.find(part), std::string::npos) << "no `" << part << "` in: " << text;
}

} // namespace

class CudaDeviceTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    // Before anything asks for the driver or the cache of this process.
    setenv("NEREID_LIBCUDA", NEREID_FAKE_CUDA, 1);
    cacheFolder = std::filesystem::temp_directory_path() / "nereid-cuda-XXXXXX";
    ASSERT_NE(mkdtemp(cacheFolder.data()), nullptr);
    setenv("NEREID_CACHE_DIR", cacheFolder.c_str(), 1);
  }
  static void TearDownTestSuite() { std::filesystem::remove_all(cacheFolder); }
  void SetUp() override {
    void *library = dlopen(NEREID_FAKE_CUDA, RTLD_NOW | RTLD_GLOBAL);
    fake = reinterpret_cast<fake::Control *(*)()>(dlsym(library, "nereidFakeCuda"))();
    fake->reset();
    Result<cuda::Device *> found = findCudaDevice("cuda:0");
    ASSERT_TRUE(found) << found.error().message;
    device = *found;
    loadModule();
  }
  void TearDown() override { fake->reset(); }
  void loadModule() {
    auto loaded = KernelModule::parse("kernel.py", kDeviceText);
    ASSERT_TRUE(loaded) << loaded.error().message;
    module = *loaded;
  }

  // One word for each argument of the compiled function, as the code generator makes them.
  CudaCode canned(const CodeRequest &request) {
    ++compilations;
    CudaCode code;
    cuda::Artifact &artifact = code.artifact;
    artifact.name = request.binding.kernel->name;
    artifact.target = request.target;
    std::string list;
    for (uint32_t i = 0; i < request.specialization.arguments.size(); ++i) {
      artifact.parameters.push_back({cuda::Parameter::Kind::Word, i, 8});
      list += (i ? ", .param .u64 p" : ".param .u64 p") + std::to_string(i);
      artifact.wordNames.push_back("p" + std::to_string(i));
    }
    artifact.ptx = ".version 8.0\n.visible .entry " + artifact.name + "(" + list + ")\n{ ret; }\n";
    std::string image = "FAKECUBIN" + artifact.ptx;
    auto *bytes = reinterpret_cast<const std::byte *>(image.c_str());
    artifact.image.assign(bytes, bytes + image.size() + 1);
    return code;
  }

  Result<Launched> run(const char *name, std::vector<Argument> arguments, Settings settings = {}) {
    auto kernel = module->find(name);
    EXPECT_TRUE(kernel) << kernel.error().message;
    auto values = hostValues(*module, arguments);
    auto binding = jit::bind(*module, *kernel, std::move(*values), settings);
    if (!binding)
      return binding.error();
    auto specialization = specialize(*binding);
    if (!specialization)
      return specialization.error();
    CodeRequest request{*binding, *specialization, "sm_90a"};
    Result<CudaKernel> found =
        obtainCudaKernel(*module, request, *device,
                         [&](KernelModule &, const CodeRequest &asked) -> Result<CudaCode> { return canned(asked); });
    if (!found)
      return found.error();
    isCached = found->isCached;
    return runOnCuda(*module, *found->kernel, *specialization, {1, 1, 1}, settings);
  }

  static inline std::string cacheFolder;
  fake::Control *fake = nullptr;
  cuda::Device *device = nullptr;
  std::shared_ptr<KernelModule> module;
  int compilations = 0;
  bool isCached = false;
};

static Tensor floats(std::vector<float> values) { return *Tensor::from<float>(values); }

TEST_F(CudaDeviceTest, TensorsOfTheHostAreCopiedThereAndBack) {
  Tensor x = floats({1, 2, 3, 4}), y = floats({9, 9, 9, 9});
  fake->run = [](const fake::Launch &launch) {
    auto *from = launch.parameter<float *>(0), *to = launch.parameter<float *>(1);
    for (uint64_t i = 0; i < launch.parameter<uint32_t>(2); ++i)
      to[i] = from[i] * launch.parameter<float>(3);
  };
  Result<Launched> launched = run("kernel", {{"x", x}, {"y", y}, {"n", 3}, {"scale", 2.5}, {"BLOCK", 16}});
  ASSERT_TRUE(launched) << launched.error().message;
  EXPECT_EQ((std::vector<float>(y.values<float>().begin(), y.values<float>().end())),
            (std::vector<float>{2.5, 5, 7.5, 9}));
  ASSERT_EQ(fake->launches.size(), 1u);
  EXPECT_NE(fake->launches[0].parameter<void *>(0), x.data());
  EXPECT_EQ(fake->allocated, 0u);
  ASSERT_TRUE(launched->resources);
  EXPECT_EQ(launched->resources->registers, 32u);
}

TEST_F(CudaDeviceTest, TensorsThatOverlapOnTheHostOverlapOnTheDevice) {
  Tensor whole = floats(std::vector<float>(64, 1));
  Tensor part = Tensor::borrow(whole.data() + 20, DType::Fp32, {4});
  ASSERT_TRUE(run("kernel", {{"x", whole}, {"y", part}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 16}}));
  const fake::Launch &launch = fake->launches.at(0);
  EXPECT_EQ(launch.parameter<uint64_t>(1) - launch.parameter<uint64_t>(0), 20u);
  EXPECT_EQ(fake->calls["cuMemcpyHtoDAsync_v2"], 1);
}

TEST_F(CudaDeviceTest, AlignmentIsKept) {
  Tensor whole = floats(std::vector<float>(64, 1));
  Tensor odd = Tensor::borrow(whole.data() + 4, DType::Fp32, {4}),
         even = Tensor::borrow(whole.data() + 64, DType::Fp32, {4});
  ASSERT_TRUE(run("kernel", {{"x", odd}, {"y", even}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 16}}));
  EXPECT_EQ(fake->launches[0].parameter<uint64_t>(0) % 64, 4u);
  EXPECT_EQ(fake->launches[0].parameter<uint64_t>(1) % 64, 0u);
}

TEST_F(CudaDeviceTest, MemoryOfTheDeviceIsPassedAsItIs) {
  Result<cuda::Buffer> memory = cuda::Buffer::allocate(*device, 64);
  Tensor x = Tensor::borrow(reinterpret_cast<void *>(memory->address()), DType::Fp32, {16}).onGpu(0);
  Settings settings;
  settings.isAsynchronous = true;
  ASSERT_TRUE(run("kernel", {{"x", x}, {"y", x}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 16}}, settings));
  EXPECT_EQ(fake->launches[0].parameter<uint64_t>(0), memory->address());
  EXPECT_EQ(fake->calls["cuMemcpyHtoDAsync_v2"], 0);
  EXPECT_EQ(fake->calls["cuStreamSynchronize"], 0);
}

TEST_F(CudaDeviceTest, MemoryOfTheHostInAStreamIsAMistake) {
  Tensor x = floats({1, 2, 3, 4});
  Settings settings;
  settings.isAsynchronous = true;
  Result<Launched> launched = run("kernel", {{"x", x}, {"y", x}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 16}}, settings);
  ASSERT_FALSE(launched);
  expectContains(launched.error().message, "argument `x` is in the memory of the host, which the GPU cannot read");
}

TEST_F(CudaDeviceTest, TheBaseOfADescriptorIsTranslated) {
  Tensor x = *Tensor::zeros(DType::Fp32, {32, 16});
  ASSERT_TRUE(run("described", {{"x", Descriptor{x, {16, 16}}}, {"BLOCK", 16}}));
  const fake::Launch &launch = fake->launches.at(0);
  EXPECT_NE(launch.parameter<void *>(0), x.data());
  EXPECT_EQ(launch.parameter<uint64_t>(1), 32u);
  EXPECT_EQ(launch.parameter<uint64_t>(3), 16u);
}

TEST_F(CudaDeviceTest, MemoryReachedByAddressKeepsItsAddress) {
  Tensor x = floats({1, 2, 3, 4}), other = floats({5});
  Settings settings;
  settings.reachable = {other};
  ASSERT_TRUE(run("kernel", {{"x", x}, {"y", x}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 16}}, settings));
  EXPECT_EQ(fake->launches[0].parameter<void *>(0), x.data());
  EXPECT_GE(fake->calls["cuMemHostRegister_v2"], 1);
  EXPECT_EQ(fake->calls["cuMemHostRegister_v2"], fake->calls["cuMemHostUnregister"]);
}

TEST_F(CudaDeviceTest, AFailedKernelIsNamed) {
  Tensor x = floats({1, 2, 3, 4});
  fake->kernelFails = cuda::driver::kIllegalAddress;
  Result<Launched> launched = run("kernel", {{"x", x}, {"y", x}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 16}});
  ASSERT_FALSE(launched);
  EXPECT_EQ(launched.error().status, Status::CheckFailed);
  expectContains(launched.error().message, "`kernel` failed on the GPU: an illegal memory access");
}

TEST_F(CudaDeviceTest, CodeIsKeptOnDisk) {
  Tensor x = floats({1, 2, 3, 4});
  std::vector<Argument> arguments{{"x", x}, {"y", x}, {"n", 3}, {"scale", 2.0}, {"BLOCK", 256}};
  ASSERT_TRUE(run("kernel", arguments));
  EXPECT_FALSE(isCached);
  loadModule(); // as another process would
  ASSERT_TRUE(run("kernel", arguments));
  EXPECT_TRUE(isCached);
  EXPECT_EQ(compilations, 1);
  // What the GPU refuses to load is compiled anew.
  loadModule();
  fake->failures["cuModuleLoadDataEx"] = {0, cuda::driver::kNoBinaryForGpu};
  Result<Launched> refused = run("kernel", arguments);
  ASSERT_FALSE(refused);
  EXPECT_EQ(compilations, 2);
  expectContains(refused.error().message, "the code of `kernel` cannot be loaded");
}

TEST_F(CudaDeviceTest, AnAssemblersComplaintStandsAtItsLine) {
  cuda::PtxProblem problem{.message = "no such instruction",
                           .ptxLine = 77,
                           .ptxText = "foo.b32;",
                           .file = "kernel.py",
                           .line = 8,
                           .column = 5};
  std::string text = renderPtxProblem(*module, "kernel", problem).message;
  expectContains(text, "kernel.py:8:5: error: the PTX for this line cannot be assembled: no such instruction");
  expectContains(text, "tl.store(y + i");
  expectContains(text, "note: line 77 of the PTX: `foo.b32;`");
}

TEST(CudaArtifact, SurvivesTheCache) {
  cuda::Artifact artifact;
  artifact.name = "k", artifact.target = "sm_90a", artifact.ptx = ".version", artifact.remarks = "spills";
  artifact.threads = 384, artifact.sharedBytes = 1;
  artifact.isCooperative = artifact.launchesDependents = true;
  artifact.parameters = {
      {cuda::Parameter::Kind::Word, 3, 4}, {cuda::Parameter::Kind::TensorMap, 0}, {cuda::Parameter::Kind::Report}};
  artifact.tensorMaps = {{.word = 5,
                          .element = cuda::TensorMap::Element::BF16,
                          .elementBytes = 2,
                          .rank = 3,
                          .box = {1, 64, 32},
                          .swizzle = cuda::TensorMap::Swizzle::Bytes128,
                          .fillsNan = true}};
  artifact.tensorMaps[0].strides[1] = {.factor = -3, .count = 2, .words = {300, 2}, .bytes = {4, 8}, .isNarrow = true};
  artifact.sites = {{.kind = cuda::Site::Kind::Print,
                     .text = "x",
                     .file = "f.py",
                     .line = 1,
                     .column = 2,
                     .endColumn = 3,
                     .isHex = true,
                     .values = {{"f16", {4, 8}}}}};
  artifact.wordNames = {"a", "b"};
  artifact.image = {std::byte(1), std::byte(2)};
  artifact.resources = {1, 2, 3, 4};
  std::string bytes = encode(artifact);
  std::optional<cuda::Artifact> back = decodeCudaArtifact(bytes);
  ASSERT_TRUE(back);
  EXPECT_EQ(encode(*back), bytes);
  EXPECT_EQ(back->tensorMaps[0].box, artifact.tensorMaps[0].box);
  EXPECT_EQ(back->tensorMaps[0].strides[1].words, (std::array<uint16_t, 3>{300, 2, 0}));
  EXPECT_EQ(back->tensorMaps[0].strides[1].factor, -3);
  EXPECT_EQ(back->sites[0].values[0].shape, (std::vector<int64_t>{4, 8}));
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decodeCudaArtifact(bytes.substr(0, length))) << length;
  artifact.parameters[1].index = 9; // a tensor map that there is not
  EXPECT_FALSE(decodeCudaArtifact(encode(artifact)));
  artifact.parameters[1].index = 0;
  auto isRefused = [&](auto change) {
    cuda::Artifact changed = artifact;
    change(changed.tensorMaps[0]);
    return !decodeCudaArtifact(encode(changed));
  };
  EXPECT_FALSE(isRefused([](cuda::TensorMap &) {}));
  EXPECT_TRUE(isRefused([](cuda::TensorMap &map) { map.rank = 6; }));
  EXPECT_TRUE(isRefused([](cuda::TensorMap &map) { map.box[1] = 512; }));
  EXPECT_TRUE(isRefused([](cuda::TensorMap &map) { map.extents[0].count = 4; }));
  EXPECT_TRUE(isRefused([](cuda::TensorMap &map) { map.strides[1].bytes[0] = 3; }));
}

} // namespace nereid::jit
