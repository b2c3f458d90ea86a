// The quick key of a call against the definition, Specialize.cpp: over many random calls, two calls have equal quick
// keys exactly when their specializations are equal and their tensors overlap alike. Also the table, under many
// threads.
#include "jit/Evaluate.h"
#include "jit/Specialize.h"
#include "jit/call/CallShape.h"
#include "jit/call/CallTable.h"
#include "jit/call/TensorSpan.h"

#include <gtest/gtest.h>
#include <random>
#include <thread>

namespace nereid::jit {

namespace {

constexpr const char *kText = R"(
import triton
import triton.language as tl

@triton.jit(do_not_specialize=["plain"], do_not_specialize_on_alignment=["loose"])
def kernel(x, y, n, plain, loose, small: tl.int8, big: tl.uint64, scale, flag, BLOCK: tl.constexpr, MODE: tl.constexpr, opt=None):
    tl.store(x, n)
)";

alignas(64) std::byte gMemory[4096];

struct Call {
  std::vector<Argument> arguments;
  std::vector<nereid_argument> c;
  std::vector<int64_t> extent = {8}, stride = {1};
};

class CallMaker {
public:
  explicit CallMaker(unsigned seed) : random(seed) {}

  std::unique_ptr<Call> make() {
    auto call = std::make_unique<Call>();
    tensor(*call), tensor(*call);
    for (int i = 0; i < 3; ++i)
      integer(*call, pick<int64_t>({0, 1, 3, 16, 17, 32, -16, int64_t(1) << 31, -(int64_t(1) << 31), int64_t(1) << 40,
                                    (int64_t(1) << 40) + 1}));
    integer(*call, pick<int64_t>({0, 1, 16, 127, -128}));
    integer(*call, pick<int64_t>({0, 1, 16, 17}));
    number(*call);
    flag(*call, pick<bool>({false, true}));
    integer(*call, pick<int64_t>({16, 32}));
    text(*call);
    return call;
  }

private:
  template <class T> T pick(std::vector<T> from) { return from[random() % from.size()]; }
  nereid_argument &add(Call &call, int32_t kind) {
    nereid_argument c{};
    c.kind = kind;
    return call.c.emplace_back(c);
  }
  void tensor(Call &call) {
    std::byte *data = gMemory + pick<int>({0, 8, 16, 1024, 2048});
    DType dtype = pick<DType>({DType::Fp32, DType::Fp16});
    call.arguments.emplace_back(Tensor::borrow(data, dtype, call.extent));
    add(call, NEREID_TENSOR).tensor = {data, static_cast<int32_t>(dtype), 1, call.extent.data(),
                                       pick<int>({0, 1}) ? call.stride.data() : nullptr};
  }
  void integer(Call &call, int64_t value) {
    // The same number may come as a signed or an unsigned one; the kinds are part of the shape.
    call.arguments.emplace_back(value);
    add(call, NEREID_INT).integer = value;
  }
  void number(Call &call) {
    double value = pick<double>({0.5, 1.0, 2.0});
    call.arguments.emplace_back(value);
    add(call, NEREID_FLOAT).number = value;
  }
  void flag(Call &call, bool value) {
    call.arguments.emplace_back(value);
    add(call, NEREID_BOOL).integer = value ? 7 : 0;
  }
  void text(Call &call) {
    const char *value = pick<const char *>({"relu", "gelu", ""});
    call.arguments.emplace_back(std::string(value));
    add(call, NEREID_STRING).string = value;
  }
  std::mt19937 random;
};

} // namespace

TEST(CallKey, agreesWithTheSpecialization) {
  auto module = KernelModule::parse("kernel.py", kText);
  ASSERT_TRUE(module) << module.error().message;
  auto kernel = (*module)->find("kernel");
  ASSERT_TRUE(kernel);
  CallShapes shapes(**kernel);
  std::map<std::string, std::string> quickOf, slowOf;
  CallMaker maker(1);
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 3000; ++i) {
    Call &call = *calls.emplace_back(maker.make());
    auto values = hostValues(**module, call.arguments);
    ASSERT_TRUE(values);
    auto binding = jit::bind(**module, *kernel, std::move(*values), {});
    ASSERT_TRUE(binding) << binding.error().message;
    auto specialization = specialize(*binding);
    ASSERT_TRUE(specialization) << specialization.error().message;
    bool overlap = byteRange(call.c[0].tensor)->overlaps(*byteRange(call.c[1].tensor));
    std::string slow = specialization->key + (overlap ? "overlap" : "");

    const CallShape &shape = shapes.of(call.c.data(), call.c.size());
    ASSERT_TRUE(shape.isSimple);
    CallKey key;
    ASSERT_TRUE(shape.addTo(key, call.c.data(), false));
    std::string quick(key.bytes());
    EXPECT_EQ(quickOf.try_emplace(slow, quick).first->second, quick) << slow;
    EXPECT_EQ(slowOf.try_emplace(quick, slow).first->second, slow);
    ASSERT_EQ(specialization->sources.size(), specialization->arguments.size());
  }
  EXPECT_GT(quickOf.size(), 1000u);
  EXPECT_EQ(quickOf.size(), slowOf.size());
}

TEST(CallShape, unusualCallsGoTheLongWay) {
  auto module = KernelModule::parse("kernel.py", kText);
  auto kernel = (*module)->find("kernel");
  CallShapes shapes(**kernel);
  auto isSimple = [&](std::vector<nereid_argument> arguments) {
    return shapes.of(arguments.data(), arguments.size()).isSimple;
  };
  nereid_argument whole{}, tuple{}, named{}, wrong{}, again{}, real{};
  whole.kind = NEREID_INT, tuple.kind = NEREID_TUPLE;
  named.kind = NEREID_INT, named.name = "n";
  wrong.kind = NEREID_INT, wrong.name = "m";
  again = named, real.kind = NEREID_FLOAT, real.name = "small";
  EXPECT_TRUE(isSimple({whole}));
  EXPECT_TRUE(isSimple({whole, named}));
  EXPECT_FALSE(isSimple({tuple}));
  EXPECT_FALSE(isSimple({wrong}));
  EXPECT_FALSE(isSimple({named, again}));
  EXPECT_FALSE(isSimple({real})); // a float for an integer parameter
  EXPECT_FALSE(isSimple(std::vector<nereid_argument>(20, whole)));
  nereid_argument small{};
  small.kind = NEREID_INT, small.name = "small", small.integer = 128; // does not fit int8
  CallKey key;
  EXPECT_FALSE(shapes.of(&small, 1).addTo(key, &small, false));
}

TEST(TensorSpan, wrongTensorsHaveNone) {
  int64_t shape[] = {4, 8}, strides[] = {8, 1}, negative[] = {-1, 8}, huge[] = {int64_t(1) << 40, int64_t(1) << 40};
  nereid_tensor good{gMemory, NEREID_FP32, 2, shape, strides};
  EXPECT_EQ(byteRange(good)->end - byteRange(good)->begin, 128u);
  auto with = [&](auto change) {
    nereid_tensor tensor = good;
    change(tensor);
    return byteRange(tensor).has_value();
  };
  EXPECT_TRUE(with([&](nereid_tensor &t) { t.strides = nullptr; }));
  EXPECT_TRUE(with([&](nereid_tensor &t) { t.rank = 0; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.data = nullptr; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.dtype = 99; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.rank = 33; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.shape = nullptr; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.shape = negative; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.strides = negative; }));
  EXPECT_FALSE(with([&](nereid_tensor &t) { t.shape = huge; }));
  // Rows of 8 elements, 16 apart: the last element counts, not the gap after it.
  int64_t wide[] = {16, 1};
  nereid_tensor padded{gMemory, NEREID_FP32, 2, shape, wide};
  EXPECT_EQ(byteRange(padded)->end - byteRange(padded)->begin, (3 * 16 + 8) * 4u);
}

TEST(CallTable, manyThreadsFindWhatWasAdded) {
  CallTable<int> table;
  std::atomic<int> wrong{0};
  auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int i = 0; i < 20000; ++i) {
      int number = static_cast<int>(random() % 500);
      CallKey key;
      key.add(number);
      const int *found = table.find(key);
      if (!found)
        found = table.add(key, number * 3);
      wrong += *found != number * 3;
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back(work, i);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST(CallTable, longKeysAreRefused) {
  CallTable<int> table;
  CallKey key;
  key.text(std::string(2000, 'x'));
  EXPECT_TRUE(key.isTooLong());
  EXPECT_EQ(table.add(key, 1), nullptr);
}

} // namespace nereid::jit
