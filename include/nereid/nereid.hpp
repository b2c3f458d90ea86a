// nereid.hpp: Triton kernels from C++. Standard library only; link with libnereid.
//
//   auto module = nereid::Module::load("softmax.py");
//   auto kernel = module->kernel("softmax");
//   auto done = kernel->launch({.grid = {rows}}, {{"out", out}, {"in", in}, {"n", 1000}, {"BLOCK", 1024}});
//   if (!done)
//     std::cerr << done.error().message;
#pragma once

#include "nereid/nereid.h"
#include "nereid/tensor.hpp"

#include <array>
#include <deque>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace nereid {

// Where a kernel runs.
struct Device {
  std::string name = "interp";
  static Device interpreter() { return {}; }
};

// A Python expression over the names of the kernel's module, for what C++ has no value for: `tl.float16`, a function.
struct Expression {
  std::string text;
};
// A tensor descriptor, as the host makes one: the tensor and the block that one access moves.
struct Descriptor {
  Tensor tensor;
  Shape block;
};

// One argument of a launch, by position or by name.
class Argument {
public:
  using Value = std::variant<std::monostate, bool, int64_t, uint64_t, double, std::string, Tensor, Descriptor,
                             Expression, std::vector<Argument>>;

  template <class T>
    requires(!std::is_same_v<std::remove_cvref_t<T>, Argument>)
  Argument(T &&value) : value(convert(std::forward<T>(value))) {}
  template <class T>
  Argument(std::string name, T &&value) : name(std::move(name)), value(convert(std::forward<T>(value))) {}

  std::string name; // empty: by position
  Value value;

private:
  template <class T> static Value convert(T &&value) {
    using U = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<U, std::nullptr_t>)
      return std::monostate{};
    else if constexpr (std::is_same_v<U, bool>)
      return value;
    else if constexpr (std::is_integral_v<U> && std::is_unsigned_v<U>)
      return static_cast<uint64_t>(value);
    else if constexpr (std::is_integral_v<U>)
      return static_cast<int64_t>(value);
    else if constexpr (std::is_floating_point_v<U>)
      return static_cast<double>(value);
    else if constexpr (std::is_convertible_v<T, std::string>)
      return std::string(std::forward<T>(value));
    else
      return Value(std::forward<T>(value));
  }
};

struct LaunchOptions {
  std::vector<int64_t> grid{1};    // one to three extents
  std::string gridExpression = {}; // instead: `cdiv(n, BLOCK)`, or a lambda over the arguments
  Device device = {};
  bool check = false;                           // run under the checker: findings are an error with Status::CheckFailed
  bool debug = false;                           // device_assert is on
  int numWarps = 0, numStages = 0, numCtas = 0; // 0: the default, or what the kernel's configuration says
  std::vector<Tensor> reachable = {}; // memory that the kernel reaches through addresses stored in its tensors
  int threads = 0;                    // 0: all cores
};

namespace detail {
inline Error lastError(nereid_status status) { return {static_cast<Status>(status), nereid_last_error()}; }

inline nereid_tensor convert(const Tensor &tensor) {
  return {tensor.data(), static_cast<int32_t>(tensor.dtype()), static_cast<int32_t>(tensor.rank()),
          tensor.shape().data(), tensor.strides().data()};
}

// The C form of a list of arguments. It points into the arguments, which must outlive it.
class ArgumentList {
public:
  explicit ArgumentList(const std::vector<Argument> &arguments) {
    for (const Argument &argument : arguments)
      list.push_back(convert(argument));
  }
  const nereid_argument *data() const { return list.data(); }
  size_t size() const { return list.size(); }

private:
  nereid_argument convert(const Argument &argument) {
    nereid_argument c{};
    c.name = argument.name.empty() ? nullptr : argument.name.c_str();
    std::visit([&](const auto &value) { fill(c, value); }, argument.value);
    return c;
  }
  void fill(nereid_argument &c, std::monostate) { c.kind = NEREID_NONE; }
  void fill(nereid_argument &c, bool value) { c.kind = NEREID_BOOL, c.integer = value; }
  void fill(nereid_argument &c, int64_t value) { c.kind = NEREID_INT, c.integer = value; }
  void fill(nereid_argument &c, uint64_t value) { c.kind = NEREID_UINT, c.integer = static_cast<int64_t>(value); }
  void fill(nereid_argument &c, double value) { c.kind = NEREID_FLOAT, c.number = value; }
  void fill(nereid_argument &c, const std::string &value) { c.kind = NEREID_STRING, c.string = value.c_str(); }
  void fill(nereid_argument &c, const Expression &value) { c.kind = NEREID_EXPRESSION, c.string = value.text.c_str(); }
  void fill(nereid_argument &c, const Tensor &value) { c.kind = NEREID_TENSOR, c.tensor = detail::convert(value); }
  void fill(nereid_argument &c, const Descriptor &value) {
    c.kind = NEREID_DESCRIPTOR, c.tensor = detail::convert(value.tensor);
    std::vector<Argument> block(value.block.begin(), value.block.end());
    items(c, block);
  }
  void fill(nereid_argument &c, const std::vector<Argument> &value) { c.kind = NEREID_TUPLE, items(c, value); }
  void items(nereid_argument &c, const std::vector<Argument> &value) {
    std::vector<nereid_argument> &out = nested.emplace_back(); // a deque: earlier lists stay where they are
    for (const Argument &item : value)
      out.push_back(convert(item));
    c.items = out.data(), c.item_count = static_cast<int32_t>(out.size());
  }

  std::vector<nereid_argument> list;
  std::deque<std::vector<nereid_argument>> nested;
};

// The C form of the options; `reachable` holds what it points to.
inline nereid_launch_options convert(const LaunchOptions &options, std::vector<nereid_tensor> &reachable) {
  nereid_launch_options c{};
  c.size = sizeof c;
  for (const Tensor &tensor : options.reachable)
    reachable.push_back(convert(tensor));
  c.reachable = reachable.data(), c.reachable_count = static_cast<int32_t>(reachable.size());
  for (size_t i = 0; i < 3; ++i)
    c.grid[i] = i < options.grid.size() ? options.grid[i] : 1;
  c.grid_expression = options.gridExpression.empty() ? nullptr : options.gridExpression.c_str();
  c.device = options.device.name.c_str();
  c.check = options.check, c.debug = options.debug, c.threads = options.threads;
  c.num_warps = options.numWarps, c.num_stages = options.numStages, c.num_ctas = options.numCtas;
  return c;
}
} // namespace detail

// A kernel of a module. Compiled on its first launch for each new kind of arguments.
class Kernel {
public:
  std::string name() const { return nereid_kernel_name(handle.get()); }
  std::vector<std::string> parameters() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < nereid_kernel_parameter_count(handle.get()); ++i)
      names.emplace_back(nereid_kernel_parameter_name(handle.get(), i));
    return names;
  }

  // Runs the kernel and waits for it. Positional arguments stand before named ones.
  Result<void> launch(const LaunchOptions &options, const std::vector<Argument> &arguments) const {
    detail::ArgumentList list(arguments);
    std::vector<nereid_tensor> reachable;
    nereid_launch_options c = detail::convert(options, reachable);
    nereid_status status = nereid_launch(handle.get(), list.data(), list.size(), &c);
    return status == NEREID_OK ? Result<void>() : detail::lastError(status);
  }
  // The verified tile IR for these arguments.
  Result<std::string> compile(const LaunchOptions &options, const std::vector<Argument> &arguments) const {
    detail::ArgumentList list(arguments);
    std::vector<nereid_tensor> reachable;
    nereid_launch_options c = detail::convert(options, reachable);
    char *text = nullptr;
    nereid_status status = nereid_compile(handle.get(), list.data(), list.size(), &c, "tile", &text);
    if (status != NEREID_OK)
      return detail::lastError(status);
    std::unique_ptr<char, decltype(&nereid_string_free)> owner(text, nereid_string_free);
    return std::string(text);
  }

private:
  friend class Module;
  Kernel(nereid_kernel *kernel, std::shared_ptr<nereid_module> module)
      : module(std::move(module)), handle(kernel, nereid_kernel_free) {}
  std::shared_ptr<nereid_module> module; // a kernel keeps its module alive
  std::unique_ptr<nereid_kernel, void (*)(nereid_kernel *)> handle;
};

// A kernel file.
class Module {
public:
  static Result<Module> load(const std::string &path) {
    nereid_module *module = nullptr;
    nereid_status status = nereid_module_load(path.c_str(), &module);
    return status == NEREID_OK ? Result<Module>(Module(module)) : detail::lastError(status);
  }
  // From text; `name` stands in messages.
  static Result<Module> parse(const std::string &name, std::string_view text) {
    nereid_module *module = nullptr;
    nereid_status status = nereid_module_parse(name.c_str(), text.data(), text.size(), &module);
    return status == NEREID_OK ? Result<Module>(Module(module)) : detail::lastError(status);
  }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < nereid_module_kernel_count(handle.get()); ++i)
      names.emplace_back(nereid_module_kernel_name(handle.get(), i));
    return names;
  }
  Result<Kernel> kernel(const std::string &name) const {
    nereid_kernel *kernel = nullptr;
    nereid_status status = nereid_module_kernel(handle.get(), name.c_str(), &kernel);
    return status == NEREID_OK ? Result<Kernel>(Kernel(kernel, handle)) : detail::lastError(status);
  }

private:
  explicit Module(nereid_module *module) : handle(module, nereid_module_free) {}
  std::shared_ptr<nereid_module> handle;
};

} // namespace nereid
