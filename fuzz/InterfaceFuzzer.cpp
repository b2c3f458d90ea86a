// InterfaceFuzzer.cpp: bytes as calls of the C interface, in any order, with any numbers: handles that are made, used and freed,
// arguments of every kind, counts and sizes that are too large, tuples in tuples. Every call gives one of its four statuses, and
// a text where it failed. Memory that a launch gets is as large as it says: only compilations get tensors that lie.
// libraries: nereidJit
// sources: src/api/CInterface.cpp src/api/ReadArguments.cpp src/api/DescribeArguments.cpp src/api/DeviceInterface.cpp
#include "nereid/nereid.h"

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

namespace {

constexpr const char *kTexts[] = {
    R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, factor, B: tl.constexpr = 16):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)

@triton.heuristics({"B": lambda args: 8 if args["n"] < 8 else 16})
@triton.jit
def chosen(x, n: tl.int16, t, B: tl.constexpr):
    tl.store(x + tl.arange(0, B), t[0] + n)

@triton.jit
def described(d, x, *rest):
    tl.store(x + tl.arange(0, 8), d.load([0]))
)",
    "def f(:\n", "", "import triton\n@triton.jit\ndef f(x): pass\n"};
constexpr const char *kNames[] = {"scale",  "chosen",    "described", "f", "x", "n",   "B",
                                  "factor", "num_warps", "y",         "t", "",  "\xff"};
constexpr const char *kExpressions[] = {"tl.float16", "1 + 1",     "(1, 2)", "[",       "x",
                                        "10**100",    "lambda: 1", "",       "'a' * 10"};
constexpr int64_t kIntegers[] = {0,     1,         2,         3,         4,         8,         16,        32,
                                 -1,    100,       INT32_MAX, INT32_MIN, 1ll << 31, INT64_MAX, INT64_MIN, 65536,
                                 65535, 1ll << 40, 7,         1000,      64,        1ll << 56, 12};

class Calls {
public:
  Calls(const uint8_t *data, size_t size) : bytes(data, size) {}
  ~Calls() {
    for (Kernel &kernel : kernels)
      nereid_kernel_free(kernel.handle);
    for (nereid_module *module : modules)
      nereid_module_free(module);
  }

  void run() {
    for (int i = 0; i < 24 && bytes.remaining_bytes(); ++i)
      step();
  }

private:
  struct Kernel {
    nereid_kernel *handle;
    nereid_module *module;
  };

  template <class T, size_t N> const T &one(const T (&list)[N]) {
    return list[bytes.ConsumeIntegralInRange<size_t>(0, N - 1)];
  }
  int64_t integer() { return bytes.ConsumeBool() ? one(kIntegers) : bytes.ConsumeIntegral<int64_t>(); }
  bool seldom() { return bytes.ConsumeIntegralInRange<int>(0, 15) == 0; }

  static void expect(nereid_status status) {
    if (status < NEREID_OK || status > NEREID_ENVIRONMENT)
      std::abort();
    const char *text = nereid_last_error();
    if (!text || (status != NEREID_OK && !*text) || std::strstr(text, "internal error in Nereid"))
      std::abort();
  }

  void step() {
    switch (bytes.ConsumeIntegralInRange<int>(0, 9)) {
    case 0: return parse();
    case 1: return find();
    case 2: return release();
    case 3: return look();
    case 4:
    case 5: return compile();
    default: return launch();
    }
  }

  void parse() {
    const char *text = one(kTexts);
    size_t length = seldom() ? size_t(integer()) | size_t(1) << 30 : std::strlen(text);
    nereid_module *module = nullptr;
    expect(nereid_module_parse(seldom() ? nullptr : "f.py", text, length, seldom() ? nullptr : &module));
    if (module)
      modules.push_back(module);
    if (seldom())
      expect(nereid_module_load(one(kNames), &module));
  }

  void find() {
    nereid_module *module = someModule();
    nereid_kernel *kernel = nullptr;
    expect(nereid_module_kernel(module, seldom() ? nullptr : one(kNames), seldom() ? nullptr : &kernel));
    if (kernel)
      kernels.push_back({kernel, module});
  }

  // A kernel, or a module with its kernels.
  void release() {
    if (bytes.ConsumeBool() && !kernels.empty()) {
      nereid_kernel_free(kernels.back().handle);
      kernels.pop_back();
    } else if (!modules.empty()) {
      nereid_module *module = modules.back();
      modules.pop_back();
      std::erase_if(kernels, [&](Kernel &kernel) {
        bool isOfIt = kernel.module == module;
        if (isOfIt)
          nereid_kernel_free(kernel.handle);
        return isOfIt;
      });
      nereid_module_free(module);
    }
  }

  void look() {
    nereid_module *module = someModule();
    nereid_kernel *kernel = someKernel();
    size_t index = size_t(integer());
    if (nereid_module_kernel_name(module, index) && index >= nereid_module_kernel_count(module))
      std::abort();
    if (nereid_kernel_parameter_name(kernel, index) && index >= nereid_kernel_parameter_count(kernel))
      std::abort();
    nereid_kernel_name(kernel);
    nereid_last_output();
    nereid_device_properties properties{.size = uint32_t(integer())};
    if (properties.size <= sizeof properties)
      expect(nereid_device_query("cuda:7", &properties));
  }

  nereid_module *someModule() {
    return modules.empty() || seldom() ? nullptr : modules[bytes.ConsumeIntegralInRange<size_t>(0, modules.size() - 1)];
  }
  nereid_kernel *someKernel() {
    return kernels.empty() || seldom() ? nullptr
                                       : kernels[bytes.ConsumeIntegralInRange<size_t>(0, kernels.size() - 1)].handle;
  }

  nereid_tensor tensor(bool mayLie) {
    nereid_tensor result{memory, int32_t(bytes.ConsumeIntegralInRange<int>(-1, 18)), 1, extents.data(), nullptr};
    extents[0] = bytes.ConsumeIntegralInRange<int>(0, int(sizeof memory / 8));
    if (!mayLie)
      return result;
    result.rank = seldom() ? int32_t(integer()) : bytes.ConsumeIntegralInRange<int>(-1, 4);
    if (result.rank > 32 || result.rank < 0)
      return result;
    for (int64_t &extent : extents)
      extent = integer();
    for (int64_t &stride : strides)
      stride = integer();
    result.strides = bytes.ConsumeBool() ? strides.data() : nullptr;
    result.data = seldom() ? nullptr : memory;
    return result;
  }

  nereid_argument argument(bool mayLie, int depth) {
    nereid_argument result{};
    result.name = bytes.ConsumeBool() ? nullptr : one(kNames);
    result.kind = bytes.ConsumeIntegralInRange<int>(-1, 10);
    result.integer = integer();
    result.number = seldom() ? bytes.ConsumeFloatingPoint<double>() : double(bytes.ConsumeIntegral<int8_t>());
    result.string = seldom() ? nullptr : result.kind == NEREID_EXPRESSION ? one(kExpressions) : one(kNames);
    result.tensor = tensor(mayLie);
    if (depth < 3 && (result.kind == NEREID_TUPLE || result.kind == NEREID_DESCRIPTOR)) {
      std::vector<nereid_argument> &items = lists.emplace_back();
      for (int i = 0, count = bytes.ConsumeIntegralInRange<int>(0, 4); i < count; ++i)
        items.push_back(argument(mayLie, depth + 1));
      result.items = seldom() ? nullptr : items.data();
      result.item_count = int32_t(items.size());
      if (seldom())
        result.item_count = result.items ? -5 : int32_t(integer());
    }
    return result;
  }

  nereid_launch_options options() {
    nereid_launch_options result{.size = sizeof result, .grid = {1, 1, 1}};
    for (int64_t &extent : result.grid)
      extent = seldom() ? -1 : bytes.ConsumeIntegralInRange<int>(0, 3);
    result.device = "interp";
    if (seldom())
      result.device = "somewhere";
    if (seldom())
      result.grid_expression = one(kExpressions);
    if (seldom())
      result.size = uint32_t(bytes.ConsumeIntegralInRange<int>(0, int(sizeof result)));
    result.check = bytes.ConsumeBool();
    result.num_warps = seldom() ? int32_t(integer()) : 0;
    result.threads = 1;
    result.shuffle = bytes.ConsumeBool();
    if (seldom())
      result.reachable_count = int32_t(integer());
    return result;
  }

  void call(bool mayLie, const auto &function) {
    extents.assign(33, 1), strides.assign(33, 1);
    lists.clear();
    std::vector<nereid_argument> arguments;
    for (int i = 0, count = bytes.ConsumeIntegralInRange<int>(0, 6); i < count; ++i)
      arguments.push_back(argument(mayLie, 0));
    size_t count = seldom() ? SIZE_MAX - arguments.size() : arguments.size();
    nereid_launch_options given = options();
    nereid_kernel *kernel = someKernel();
    expect(function(kernel, arguments.data(), count, seldom() ? nullptr : &given));
  }
  void launch() {
    call(false, [](auto... given) { return nereid_launch(given...); });
  }
  void compile() {
    call(true, [](auto... given) {
      char *text = nullptr;
      nereid_status status = nereid_compile(given..., "tile", &text);
      if ((status == NEREID_OK) != (text != nullptr))
        std::abort();
      nereid_string_free(text);
      return status;
    });
  }

  FuzzedDataProvider bytes;
  std::vector<nereid_module *> modules;
  std::vector<Kernel> kernels;
  std::vector<int64_t> extents, strides;
  std::deque<std::vector<nereid_argument>> lists;
  alignas(16) char memory[1024] = {};
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  setenv("NEREID_CACHE_DIR", "", 1);
  Calls(data, size).run();
  return 0;
}
