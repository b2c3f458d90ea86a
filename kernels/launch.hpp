// launch.hpp: what the wrappers of the library kernels share: the kernel files, which stand in the program as text, and
// checks of shapes and types whose first failure is the wrapper's result.
#pragma once

#include "nereid/cuda.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <mutex>
#include <optional>
#include <string_view>

namespace nereid::kernels::detail {

// {name, text} of every kernel file; written by the build from kernels/*/*.py. Plain pointers: to find the lengths of a megabyte of text is more than a compiler
// does in a constant expression.
inline constexpr std::pair<const char *, const char *> kSources[] = {
#include "nereid/kernels/sources.inc"
};

// The text of a kernel file as a module, with more text of the user behind it; each is parsed once in a process.
inline Result<Module> module(const std::string &file, const std::string &more) {
  static auto &modules = *new std::map<std::string, Module>; // under the lock of `find`; never freed, see there
  if (auto known = modules.find(file + ":" + more); known != modules.end())
    return known->second;
  auto source = std::find_if(std::begin(kSources), std::end(kSources), [&](auto &each) { return each.first == file; });
  if (source == std::end(kSources))
    return Error{Status::Environment, "error: there is no library kernel `" + file + "`\n"};
  Result<Module> parsed = Module::parse(file + ".py", std::string(source->second) + more);
  if (parsed)
    modules.emplace(file + ":" + more, *parsed);
  return parsed;
}

// A kernel of a library file; `more` are functions that it is given by name. It lives as long as the process: it remembers what it was compiled for. It is not freed when
// the process ends, since the GPU's driver may be gone by then.
inline Result<const Kernel *> find(const std::string &file, const std::string &kernel, const std::string &more = {}) {
  static std::mutex mutex;
  static auto &kernels = *new std::map<std::string, Kernel>;
  std::lock_guard lock(mutex);
  std::string key = file + ":" + kernel + ":" + more;
  if (auto known = kernels.find(key); known != kernels.end())
    return &known->second;
  Result<Module> parsed = module(file, more);
  if (!parsed)
    return parsed.error();
  Result<Kernel> found = parsed->kernel(kernel);
  if (!found)
    return found.error();
  return &kernels.emplace(key, std::move(*found)).first->second;
}

// Launches; an empty grid is no work. `options` says where, its grid does not count.
inline Result<void> launch(const Result<const Kernel *> &kernel, std::vector<int64_t> grid, LaunchOptions options,
                           const std::vector<Argument> &arguments) {
  if (!kernel)
    return kernel.error();
  if (std::find(grid.begin(), grid.end(), 0) != grid.end())
    return {};
  options.grid = std::move(grid);
  options.gridExpression.clear();
  return (*kernel)->launch(options, arguments);
}

inline int64_t cdiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t powerOfTwo(int64_t n) {
  int64_t result = 1;
  while (result < n)
    result *= 2;
  return result;
}

// Where a launch with these options goes; "" is the default device.
inline std::string_view deviceName(const LaunchOptions &options) {
  const char *chosen = options.device.name.empty() ? std::getenv("NEREID_DEVICE") : options.device.name.c_str();
  return chosen ? chosen : "";
}
inline bool isGpu(const LaunchOptions &options) { return deviceName(options).substr(0, 4) == "cuda"; }

// How many multiprocessors the GPU has that a launch goes to; 1 where there is none, and the launch says so.
inline int64_t multiprocessors(const LaunchOptions &options) {
  nereid_device_properties facts{};
  facts.size = sizeof facts;
  return nereid_device_query(std::string(deviceName(options)).c_str(), &facts) == NEREID_OK ? facts.multiprocessors : 1;
}

// How many programs share out the rows of a kernel that sums over them: two for each multiprocessor.
inline int64_t rowPrograms(const LaunchOptions &options) { return isGpu(options) ? 2 * multiprocessors(options) : 32; }

// The warps and stages of a launch on a GPU where the caller has named none; 0: as the kernel says.
inline LaunchOptions withDefaults(LaunchOptions options, int warps, int stages = 0) {
  if (isGpu(options) && options.numWarps == 0)
    options.numWarps = warps;
  if (isGpu(options) && options.numStages == 0)
    options.numStages = stages;
  return options;
}

// On a GPU, as many warps as a block of so many elements keeps busy, if nobody has said how many.
inline LaunchOptions withWarps(const LaunchOptions &options, int64_t block) {
  return withDefaults(options, static_cast<int>(std::clamp<int64_t>(block >= 16384 ? 16 : block / 512, 4, 16)));
}

// Rows up to this length are one block; longer ones are read in blocks of kLongBlock.
inline constexpr int64_t kLongestRow = 16384, kLongBlock = 4096;
// Elements whose places 32 bits count, with room for the last programs, which end behind the tensor.
inline constexpr int64_t kMostPlaces = (int64_t(1) << 31) - (int64_t(1) << 21);
// What one program of an elementwise kernel takes.
inline constexpr int64_t kVectorBlock = 4096;

// Memory for what lies between two kernels, or goes back to the caller: where `beside` is, with what it happens to hold. On a
// GPU it comes and goes in the order of the launch's stream, or comes from the arena of the options.
inline Result<Tensor> scratch(const Tensor &beside, DType dtype, Shape shape, const LaunchOptions &options) {
  if (beside.isOnHost())
    return Tensor::empty(dtype, std::move(shape));
  return options.arena ? options.arena->take(dtype, shape)
                       : emptyOnDevice(dtype, std::move(shape), Device::cuda(beside.gpuOrdinal()), options.stream);
}

// A few numbers of the host where `beside` is.
template <size_t N>
Result<Tensor> constants(const Tensor &beside, const std::array<float, N> &values, const LaunchOptions &options) {
  Result<Tensor> made = scratch(beside, DType::Fp32, {N}, options);
  if (!made)
    return made;
  if (beside.isOnHost()) {
    std::copy(values.begin(), values.end(), made->values<float>().begin());
    return made;
  }
  nereid_status status = nereid_memory_copy(Device::cuda(beside.gpuOrdinal()).name.c_str(), made->data(), values.data(),
                                            sizeof values, options.stream, 0);
  return status == NEREID_OK ? made : Result<Tensor>(nereid::detail::lastError(status));
}

// Results that no cache can hold go past it, which saves reading what is overwritten.
inline std::string cacheModifier(const Tensor &out) { return out.spanBytes() > (16 << 20) ? ".cs" : ""; }

// A tensor that may be missing: None in the kernel.
inline Argument optionalArgument(const std::optional<Tensor> &tensor) {
  return tensor ? Argument(*tensor) : Argument(nullptr);
}

struct Named {
  const char *name;
  const Tensor &tensor;
};

// What is wrong with the arguments of a function: the first failed check stays.
class Checks {
public:
  explicit Checks(std::string function) : function(std::move(function)) {}

  bool failed() const { return !message.empty(); }
  Error error() const { return {Status::BadInput, "error: " + function + ": " + message + "\n"}; }

  Checks &that(bool condition, const std::string &otherwise) {
    if (!condition && message.empty())
      message = otherwise;
    return *this;
  }
  Checks &rank(Named a, int64_t rank) {
    return that(a.tensor.rank() == rank, quoted(a) + " has shape " + text(a.tensor.shape()) + ", but " +
                                             std::to_string(rank) + " axes are expected");
  }
  // For kernels that count so many of its places in 32 bits.
  Checks &places(Named a, int64_t count) {
    return that(count <= kMostPlaces, quoted(a) + " has " + std::to_string(count) + " elements, but at most " +
                                          std::to_string(kMostPlaces) + " can be counted");
  }
  Checks &shape(Named a, const Shape &expected) {
    return that(a.tensor.shape() == expected,
                quoted(a) + " has shape " + text(a.tensor.shape()) + ", but " + text(expected) + " is expected");
  }
  Checks &sameShape(Named a, Named b) {
    return that(a.tensor.shape() == b.tensor.shape(), quoted(a) + " has shape " + text(a.tensor.shape()) + ", but " +
                                                          quoted(b) + " has " + text(b.tensor.shape()));
  }
  Checks &dtype(Named a, DType expected) {
    return that(a.tensor.dtype() == expected,
                quoted(a) + " has type " + name(a.tensor.dtype()) + ", but " + name(expected) + " is expected");
  }
  Checks &sameType(Named a, Named b) {
    return that(a.tensor.dtype() == b.tensor.dtype(), quoted(a) + " has type " + name(a.tensor.dtype()) + ", but " +
                                                          quoted(b) + " has " + name(b.tensor.dtype()));
  }
  // fp32, fp16 or bf16: what the kernels compute in fp32.
  Checks &floats(std::initializer_list<Named> tensors) {
    for (Named a : tensors) {
      DType type = a.tensor.dtype();
      that(type == DType::Fp32 || type == DType::Fp16 || type == DType::Bf16,
           quoted(a) + " has type " + name(type) + ", but f32, f16 or bf16 is expected");
    }
    return *this;
  }
  Checks &contiguous(std::initializer_list<Named> tensors) {
    for (Named a : tensors)
      that(a.tensor.strides() == Tensor::contiguousStrides(a.tensor.shape()) || a.tensor.count() == 0,
           quoted(a) + " has strides " + text(a.tensor.strides()) +
               ", but must be contiguous: " + text(Tensor::contiguousStrides(a.tensor.shape())));
    return *this;
  }
  // The last axis is contiguous; the others may have any strides.
  Checks &contiguousRows(std::initializer_list<Named> tensors) {
    for (Named a : tensors)
      that(a.tensor.rank() > 0 && (a.tensor.strides().back() == 1 || a.tensor.shape().back() <= 1),
           quoted(a) + " has strides " + text(a.tensor.strides()) + ", but the last one must be 1");
    return *this;
  }

  static std::string text(const Shape &shape) {
    std::string result = "[";
    for (size_t i = 0; i < shape.size(); ++i)
      result += (i ? ", " : "") + std::to_string(shape[i]);
    return result + "]";
  }
  static std::string name(DType type) { return std::string(nameOf(type)); }

private:
  static std::string quoted(Named a) { return std::string("`") + a.name + "`"; }

  std::string function, message;
};

} // namespace nereid::kernels::detail
