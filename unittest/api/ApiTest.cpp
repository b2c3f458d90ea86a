// ApiTest.cpp: the C++ interface as a user sees it: results, errors, every kind of argument.
#include "nereid/nereid.hpp"

#include <gtest/gtest.h>

#include <cstring>

using namespace nereid;

static constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x_ptr, out_ptr, n, factor, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i, mask=i < n) * factor, mask=i < n)

@triton.jit
def strided(x_ptr, out_ptr, stride, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, tl.load(x_ptr + i * stride))

@triton.jit
def described(desc, out_ptr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    tl.store(out_ptr + i, desc.load([4]))

@triton.jit
def follow(address_ptr, out_ptr):
    tl.store(out_ptr, tl.load(tl.load(address_ptr).to(tl.pointer_type(tl.float32))))

@triton.jit
def pair(out_ptr, items):
    tl.store(out_ptr, items[0] + items[1])
)";

static Module load() {
  auto module = Module::parse("api.py", kText);
  EXPECT_TRUE(module) << module.error().message;
  return *module;
}
static Tensor floats(std::vector<float> values) { return *Tensor::from<float>(values); }
static std::vector<float> valuesOf(const Tensor &tensor) {
  auto span = tensor.values<float>();
  return {span.begin(), span.end()};
}

TEST(Api, LaunchesByPositionAndByName) {
  Module module = load();
  auto kernel = module.kernel("scale");
  ASSERT_TRUE(kernel) << kernel.error().message;
  EXPECT_EQ(kernel->parameters(), (std::vector<std::string>{"x_ptr", "out_ptr", "n", "factor", "BLOCK"}));
  Tensor x = floats({1, 2, 3, 4, 5}), out = floats({0, 0, 0, 0, 0});
  auto done = kernel->launch({.grid = {2}}, {x, out, 5, 2.0f, 4});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(valuesOf(out), (std::vector<float>{2, 4, 6, 8, 10}));
  done = kernel->launch({.gridExpression = "cdiv(n, BLOCK)"}, {x, out, {"factor", -1}, {"n", 4}, {"BLOCK", 4}});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(valuesOf(out), (std::vector<float>{-1, -2, -3, -4, 10}));
}

TEST(Api, BorrowsStridedMemory) {
  Module module = load();
  float memory[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  Tensor column = Tensor::borrow(memory, DType::Fp32, {4}, {2}), out = floats({0, 0, 0, 0});
  auto done = module.kernel("strided")->launch({.grid = {1}}, {column, out, 2, 4});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(valuesOf(out), (std::vector<float>{0, 2, 4, 6}));
}

TEST(Api, PassesDescriptorsAndTuples) {
  Module module = load();
  Tensor x = floats({0, 1, 2, 3, 4, 5}), out = floats({9, 9, 9, 9});
  auto done = module.kernel("described")->launch({.grid = {1}}, {Descriptor{x, {4}}, out, 4});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(valuesOf(out), (std::vector<float>{4, 5, 0, 0})); // beyond its end a descriptor reads zeros
  done = module.kernel("pair")->launch({.grid = {1}}, {out, std::vector<Argument>{2.5, 4}});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(valuesOf(out)[0], 6.5f);
}

TEST(Api, FollowsStoredAddresses) {
  Module module = load();
  Tensor target = floats({42}), out = floats({0});
  Tensor address = *Tensor::from<int64_t>(std::vector<int64_t>{reinterpret_cast<int64_t>(target.data())});
  auto kernel = module.kernel("follow");
  // The interpreter holds every access against the tensors: nobody said that this memory may be read.
  EXPECT_FALSE(kernel->launch({.grid = {1}, .device = Device::interpreter()}, {address, out}));
  auto done = kernel->launch({.grid = {1}, .device = Device::interpreter(), .reachable = {target}}, {address, out});
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(valuesOf(out)[0], 42);
}

TEST(Api, ErrorsAreResults) {
  auto missing = Module::load("/no/such.py");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().status, Status::BadInput);
  auto wrong = Module::parse("wrong.py", "def f(:\n");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("wrong.py:1:"), std::string::npos);
  Module module = load();
  EXPECT_NE(module.kernel("scael").error().message.find("did you mean `scale`"), std::string::npos);
  auto kernel = module.kernel("scale");
  Tensor x = floats({1});
  EXPECT_NE(
      kernel->launch({}, {x}).error().message.find("no values are given for `out_ptr`, `n`, `factor` and `BLOCK`"),
      std::string::npos);
  EXPECT_NE(kernel->launch({.grid = {-1}}, {x, x, 1, 1.0, 4}).error().message.find("must not be negative"),
            std::string::npos);
  auto outside = kernel->launch({.grid = {1}, .device = Device::interpreter()}, {x, x, 3, 1.0, 4});
  ASSERT_FALSE(outside);
  EXPECT_EQ(outside.error().status, Status::CheckFailed);
  EXPECT_NE(outside.error().message.find("api.py:8:"), std::string::npos) << outside.error().message;
  EXPECT_EQ(kernel->launch({.grid = {1}, .device = {"rocm"}}, {x, x, 1, 1.0, 4}).error().status, Status::Environment);
}

TEST(Api, ChecksOnRequest) {
  Module module = load();
  Tensor x = floats({1, 2}), out = floats({0, 0});
  auto kernel = module.kernel("scale");
  EXPECT_TRUE(kernel->launch({.grid = {1}, .check = true}, {x, out, 2, 3.0, 2}));
  auto race = kernel->launch({.grid = {2}, .check = true}, {x, out, 2, 3.0, 2});
  EXPECT_TRUE(race) << race.error().message; // the second program is masked out
  auto found = kernel->launch({.grid = {1}, .check = true}, {x, out, 4, 3.0, 4});
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().status, Status::CheckFailed);
}

TEST(Api, CompilesToText) {
  Module module = load();
  Tensor x = floats({1, 2});
  auto text = module.kernel("scale")->compile({}, {x, x, 2, 3.0, 2});
  ASSERT_TRUE(text) << text.error().message;
  EXPECT_NE(text->find("func.func @scale"), std::string::npos);
}

TEST(Api, CountsWhatALaunchDoes) {
  Module module = load();
  Tensor x = floats({1, 2, 3}), out = floats({0, 0, 0});
  auto kernel = module.kernel("scale");
  auto counted = kernel->count({.grid = {2}}, {x, out, 3, 3.0, 2});
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ((*counted)["bytes_read"], 12u);
  EXPECT_EQ((*counted)["masked_elements"], 2u);
  EXPECT_EQ((*counted)["fp32_flops"], 4u);
  EXPECT_EQ((*counted)["bytes"], 0u); // there is no such name
  EXPECT_NE(counted->json.find("\"device\": \"H200\""), std::string::npos);
  EXPECT_EQ(valuesOf(out)[2], 9);
  auto bad = kernel->count({.grid = {2}}, {x, out, 3, 3.0, 2}, "sm_80", "H9000");
  ASSERT_FALSE(bad);
  EXPECT_NE(bad.error().message.find("there is no row for a device `H9000`"), std::string::npos);
}

TEST(CApi, SizesThatCannotBeRightAreNotBelieved) {
  nereid_module *module = nullptr;
  for (size_t length : {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2, size_t(1) << 40}) {
    EXPECT_EQ(nereid_module_parse("text", kText, length, &module), NEREID_BAD_INPUT);
    EXPECT_NE(std::string(nereid_last_error()).find("the limit for a source file is 16 MiB"), std::string::npos);
    EXPECT_EQ(nereid_register_text("text", kText, length), NEREID_BAD_INPUT);
    EXPECT_EQ(nereid_configurations_add(kText, length), NEREID_BAD_INPUT);
    EXPECT_NE(std::string(nereid_last_error()).find("the limit for a table is 16 MiB"), std::string::npos);
  }
  ASSERT_EQ(nereid_module_parse("text", kText, std::strlen(kText), &module), NEREID_OK);
  nereid_kernel *kernel = nullptr;
  ASSERT_EQ(nereid_module_kernel(module, "pair", &kernel), NEREID_OK);
  nereid_launch_options options{.size = sizeof options, .grid = {1, 1, 1}};
  // What lies behind the only argument is not there to be read.
  std::unique_ptr<nereid_argument[]> one(new nereid_argument[1]{});
  char *text = nullptr;
  for (size_t count : {SIZE_MAX, SIZE_MAX / sizeof(nereid_argument), size_t(1) << 16, size_t(6)}) {
    EXPECT_EQ(nereid_launch(kernel, one.get(), count, &options), NEREID_BAD_INPUT);
    EXPECT_NE(std::string(nereid_last_error()).find("`pair` takes 2 arguments, but"), std::string::npos);
    EXPECT_EQ(nereid_compile(kernel, one.get(), count, &options, "tile", &text), NEREID_BAD_INPUT);
    EXPECT_EQ(nereid_count(kernel, one.get(), count, &options, nullptr, nullptr, nullptr, &text), NEREID_BAD_INPUT);
  }
  EXPECT_EQ(nereid_count(kernel, one.get(), 1, &options, nullptr, nullptr, nullptr, nullptr), NEREID_BAD_INPUT);
  one[0].kind = NEREID_TUPLE;
  for (int32_t count : {INT32_MAX, INT32_MIN, -1, (1 << 16) + 1}) {
    one[0].item_count = count;
    one[0].items = one.get();
    EXPECT_EQ(nereid_launch(kernel, one.get(), 1, &options), NEREID_BAD_INPUT) << count;
  }
  options.reachable_count = 3; // with no tensors
  EXPECT_EQ(nereid_launch(kernel, one.get(), 0, &options), NEREID_BAD_INPUT);
  nereid_kernel_free(kernel);
  nereid_module_free(module);
}

TEST(CApi, TuplesThatShareTheirItemsEnd) {
  nereid_module *module = nullptr;
  ASSERT_EQ(nereid_module_parse("text", kText, std::strlen(kText), &module), NEREID_OK);
  nereid_kernel *kernel = nullptr;
  ASSERT_EQ(nereid_module_kernel(module, "pair", &kernel), NEREID_OK);
  nereid_launch_options options{.size = sizeof options, .grid = {1, 1, 1}};
  nereid_argument level[12][8] = {}, arguments[2] = {};
  for (int depth = 0; depth < 12; ++depth)
    for (nereid_argument &item : level[depth])
      item = depth ? nereid_argument{.kind = NEREID_TUPLE, .item_count = 8, .items = level[depth - 1]}
                   : nereid_argument{.kind = NEREID_INT, .integer = 1};
  arguments[1] = level[11][0]; // 8^11 values
  EXPECT_EQ(nereid_launch(kernel, arguments, 2, &options), NEREID_BAD_INPUT);
  EXPECT_NE(std::string(nereid_last_error()).find("there are more than 65536 values"), std::string::npos);
  arguments[1].items = arguments; // a tuple in itself
  arguments[1].item_count = 2;
  EXPECT_EQ(nereid_launch(kernel, arguments, 2, &options), NEREID_BAD_INPUT);
  nereid_kernel_free(kernel);
  nereid_module_free(module);
}

TEST(CApi, TensorsThatReachBeyondMemoryAreErrors) {
  Module module = load();
  float value = 0;
  Tensor out = floats({0});
  for (int64_t stride : {INT64_MAX, int64_t(1) << 50}) {
    Tensor far = Tensor::borrow(&value, DType::Fp32, {int64_t(1) << 40}, {stride});
    auto done = module.kernel("strided")->launch({}, {far, out, 2, 1});
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().message.find("reach further than memory does"), std::string::npos);
  }
}

TEST(CApi, BadPointersAndStructsAreErrors) {
  EXPECT_EQ(nereid_abi_version(), NEREID_ABI_VERSION);
  nereid_module *module = nullptr;
  EXPECT_EQ(nereid_module_load(nullptr, &module), NEREID_BAD_INPUT);
  EXPECT_EQ(nereid_module_parse("m.py", kText, strlen(kText), &module), NEREID_OK);
  EXPECT_EQ(nereid_module_kernel_count(module), 5u);
  EXPECT_EQ(nereid_module_kernel_name(module, 99), nullptr);
  nereid_kernel *kernel = nullptr;
  ASSERT_EQ(nereid_module_kernel(module, "pair", &kernel), NEREID_OK);
  EXPECT_EQ(nereid_launch(kernel, nullptr, 2, nullptr), NEREID_BAD_INPUT);
  nereid_launch_options options{};
  EXPECT_EQ(nereid_launch(kernel, nullptr, 0, &options), NEREID_BAD_INPUT); // its size is not set
  options.size = sizeof options;
  nereid_argument arguments[2] = {};
  arguments[0].kind = 77;
  EXPECT_EQ(nereid_launch(kernel, arguments, 2, &options), NEREID_BAD_INPUT);
  EXPECT_NE(std::string(nereid_last_error()).find("kind number 77"), std::string::npos);
  arguments[0].kind = NEREID_TENSOR;
  arguments[0].tensor.dtype = 99;
  EXPECT_EQ(nereid_launch(kernel, arguments, 2, &options), NEREID_BAD_INPUT);
  nereid_kernel_free(kernel);
  nereid_module_free(module);
}
