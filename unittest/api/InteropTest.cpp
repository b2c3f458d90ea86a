// InteropTest.cpp: tensors by DLPack, and streams with events.
#include "nereid/dlpack.hpp"
#include "nereid/stream.hpp"

#include <gtest/gtest.h>

using namespace nereid;

// A tensor of another library, which counts how often it is deleted.
namespace {
struct Foreign {
  float memory[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  int64_t shape[2] = {2, 3}, strides[2] = {1, 2};
  int deleted = 0;
  dlpack::ManagedTensor managed{{memory, {dlpack::kCpu, 0}, 2, {dlpack::kFloat, 32, 1}, shape, nullptr, 4},
                                this,
                                [](dlpack::ManagedTensor *self) { ++static_cast<Foreign *>(self->context)->deleted; }};
};
// As DLPack's own header declares it.
struct DLManagedTensor {
  char bytes[64];
};
} // namespace

TEST(Dlpack, TakesOverATensor) {
  Foreign foreign;
  {
    auto tensor = fromDlpack(&foreign.managed);
    ASSERT_TRUE(tensor) << tensor.error().message;
    EXPECT_EQ(tensor->dtype(), DType::Fp32);
    EXPECT_EQ(tensor->shape(), (Shape{2, 3}));
    EXPECT_EQ(tensor->strides(), (Shape{3, 1}));
    EXPECT_EQ(tensor->values<float>()[0], 1); // after the offset of four bytes
    Tensor copy = *tensor, view = copy.transposed();
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
  foreign.managed.tensor.strides = foreign.strides;
  EXPECT_EQ(fromDlpack(reinterpret_cast<DLManagedTensor *>(&foreign.managed))->strides(), (Shape{1, 2}));
  EXPECT_EQ(foreign.deleted, 2);
}

TEST(Dlpack, RefusesWhatItCannotUse) {
  auto refused = [](auto change) {
    Foreign foreign;
    change(foreign.managed.tensor, foreign);
    auto tensor = fromDlpack(&foreign.managed);
    EXPECT_EQ(foreign.deleted, 1); // it was handed over all the same
    return !tensor && tensor.error().status == Status::BadInput;
  };
  EXPECT_TRUE(refused([](auto &view, auto &) { view.device.type = 10; }));
  EXPECT_TRUE(refused([](auto &view, auto &) { view.dtype.bits = 24; }));
  EXPECT_TRUE(refused([](auto &view, auto &) { view.dtype.lanes = 4; }));
  EXPECT_TRUE(refused([](auto &view, auto &) { view.dtype.code = 5; }));
  EXPECT_TRUE(refused([](auto &view, auto &) { view.rank = -1; }));
  EXPECT_TRUE(refused([](auto &view, auto &) { view.shape = nullptr; }));
  EXPECT_TRUE(refused([](auto &, auto &foreign) { foreign.shape[0] = -2; }));
  EXPECT_TRUE(refused([](auto &view, auto &foreign) { foreign.strides[0] = -1, view.strides = foreign.strides; }));
  EXPECT_FALSE(fromDlpack(static_cast<dlpack::ManagedTensor *>(nullptr)));
}

TEST(Dlpack, ThereAndBackForEveryType) {
  for (int i = 0; i < kDTypeCount; ++i) {
    auto dtype = static_cast<DType>(i);
    dlpack::ManagedTensor *managed = nullptr;
    const void *memory = nullptr;
    {
      Tensor tensor = *Tensor::zeros(dtype, {4, 5});
      memory = tensor.data();
      managed = toDlpack(tensor.transposed());
    }
    if (dtype == DType::Fp8E4B15) {
      EXPECT_EQ(managed, nullptr);
      continue;
    }
    ASSERT_NE(managed, nullptr) << nameOf(dtype);
    auto back = fromDlpack(managed);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->dtype(), dtype);
    EXPECT_EQ(back->data(), memory);
    EXPECT_EQ(back->shape(), (Shape{5, 4}));
    EXPECT_EQ(back->strides(), (Shape{1, 5}));
  }
}

static constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def step(x, factor, plus):
    tl.store(x, tl.load(x) * factor + plus)
)";

TEST(Stream, RunsInOrderAndStopsAtAFailure) {
  auto module = Module::parse("stream.py", kText);
  auto kernel = module->kernel("step");
  ASSERT_TRUE(kernel) << kernel.error().message;
  Tensor x = *Tensor::zeros(DType::Int32, {1});
  Stream stream;
  for (int i = 1; i <= 5; ++i)
    stream.launch(*kernel, {.grid = {1}}, {x, 10, i});
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(x.values<int32_t>()[0], 12345);
  stream.launch(*kernel, {.grid = {1}}, {x, 0, 1});
  stream.launch(*kernel, {.grid = {1}}, {x}); // too few arguments
  stream.launch(*kernel, {.grid = {1}}, {x, 0, 99});
  Result<void> failed = stream.synchronize();
  ASSERT_FALSE(failed);
  EXPECT_NE(failed.error().message.find("no values are given"), std::string::npos) << failed.error().message;
  EXPECT_EQ(x.values<int32_t>()[0], 1);
  EXPECT_TRUE(stream.synchronize()); // it was said once
  stream.launch(*kernel, {.grid = {1}}, {x, 0, 7});
  ASSERT_TRUE(stream.synchronize());
  EXPECT_EQ(x.values<int32_t>()[0], 7);
}

TEST(Stream, EventsOrderTwoStreams) {
  std::vector<int> order;
  std::mutex mutex;
  auto note = [&](int number) {
    return [&, number] {
      std::lock_guard lock(mutex);
      order.push_back(number);
      return Result<void>();
    };
  };
  for (int round = 0; round < 50; ++round) {
    order.clear();
    Stream first, second;
    Event never;
    EXPECT_FALSE(never.isDone());
    first.add(note(1));
    Event done = first.record();
    second.wait(done);
    second.add(note(2));
    Event after = second.record();
    first.wait(after);
    first.add(note(3));
    ASSERT_TRUE(first.synchronize());
    EXPECT_TRUE(after.isDone());
    EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
  }
}
