// nereid.hpp: Triton kernels from C++. Standard library only; link with libnereid.
//
//   auto module = nereid::Module::load("softmax.py");
//   auto kernel = module->kernel("softmax");
//   auto done = kernel->launch({.grid = {rows}}, {{"out", out}, {"in", in}, {"n", 1000}, {"BLOCK", 1024}});
//   if (!done)
//     std::cerr << done.error().message;
//
// The same without allocating, for launches by the thousand:
//
//   (*kernel)(rows, out, in, 1000, nereid::named("BLOCK", 1024));
#pragma once

#include "nereid/argument.hpp"
#include "nereid/call.hpp"

#include <array>
#include <memory>

namespace nereid {

namespace detail {
inline Error lastError(nereid_status status) { return {static_cast<Status>(status), nereid_last_error()}; }

// A launch with these words: `start` is nereid_launch or one of its kin, which takes arguments, their number and options.
template <class Start>
Result<void> launchBy(Start start, const LaunchOptions &options, const std::vector<Argument> &arguments) {
  if (options.grid.size() > 3)
    return Error{Status::BadInput,
                 "error: a grid has one to three extents, not " + std::to_string(options.grid.size()) + "\n"};
  ArgumentList list(arguments);
  std::vector<nereid_tensor> reachable;
  nereid_launch_options c = convert(options, reachable);
  nereid_status status = start(list.data(), list.size(), &c);
  return status == NEREID_OK ? Result<void>() : lastError(status);
}
} // namespace detail

// Ends all launches that run in this process now, on the CPU and on the interpreter: they fail with Status::Interrupted. For
// other threads and for signal handlers.
inline void interrupt() { nereid_interrupt(); }

// What Kernel::count gives: all of it as JSON, and the totals by their names, as in counted["bytes_read"].
struct Counted {
  std::string json;
  std::vector<uint64_t> totals;

  // 0 for a name that there is not.
  uint64_t operator[](const std::string &name) const {
    for (size_t i = 0; i < totals.size(); ++i)
      if (name == nereid_counter_name(i))
        return totals[i];
    return 0;
  }
};

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
    auto start = [&](auto... words) { return nereid_launch(handle.get(), words...); };
    return detail::launchBy(start, options, arguments);
  }
  // Where the calls below run; without it, on the default device.
  Kernel &on(const Device &where) {
    device = where.name;
    return *this;
  }
  // For GPUs: the calls below only go into this CUDA stream (null: the default one) and do not wait. A kernel's failure
  // shows in a later call, or in synchronize().
  Kernel &into(void *cudaStream) {
    stream = cudaStream, isAsynchronous = true;
    return *this;
  }
  // The same by a call: the grid, then the arguments by position, then those by name (`named`). Allocates nothing, and
  // a call like an earlier one takes well under a microsecond on top of the kernel itself.
  template <class... T> Result<void> operator()(Grid grid, const T &...arguments) const {
    nereid_argument list[sizeof...(T) + 1] = {detail::quickArgument(arguments)...};
    nereid_launch_options options{};
    options.size = sizeof options;
    detail::setGrid(options.grid, grid.x, grid.y, grid.z);
    options.device = device.empty() ? nullptr : device.c_str();
    options.stream = stream, options.asynchronous = isAsynchronous;
    nereid_status status = nereid_launch(handle.get(), list, sizeof...(T), &options);
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

  // Runs the kernel on the interpreter and counts what it does for a target ("sm_90a", "cpu") and a device ("H200").
  Result<Counted> count(const LaunchOptions &options, const std::vector<Argument> &arguments,
                        const std::string &target = "", const std::string &deviceRow = "") const {
    detail::ArgumentList list(arguments);
    std::vector<nereid_tensor> reachable;
    nereid_launch_options c = detail::convert(options, reachable);
    char *text = nullptr;
    std::vector<uint64_t> totals(nereid_counter_count());
    nereid_status status = nereid_count(handle.get(), list.data(), list.size(), &c, target.c_str(), deviceRow.c_str(),
                                        totals.data(), &text);
    if (status != NEREID_OK)
      return detail::lastError(status);
    std::unique_ptr<char, decltype(&nereid_string_free)> owner(text, nereid_string_free);
    return Counted{text, std::move(totals)};
  }

private:
  friend class Module;
  Kernel(nereid_kernel *kernel, std::shared_ptr<nereid_module> module)
      : module(std::move(module)), handle(kernel, nereid_kernel_free) {}
  std::shared_ptr<nereid_module> module; // a kernel keeps its module alive
  std::string device;
  void *stream = nullptr;
  bool isAsynchronous = false;
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
