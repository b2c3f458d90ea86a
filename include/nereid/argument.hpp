// argument.hpp: the arguments and the options of a launch, and their form in the C interface.
#pragma once

#include "nereid/nereid.h"
#include "nereid/tensor.hpp"

#include <deque>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

namespace nereid {

// Where a kernel runs. Without a name: what NEREID_DEVICE says, or the default.
struct Device {
  std::string name = {};
  static Device cpu() { return {"cpu"}; }            // compiled for this machine's processor
  static Device interpreter() { return {"interp"}; } // the reference meaning of every operation
  static Device cuda() { return {"cuda"}; }          // the NVIDIA GPU that is current in this thread
  static Device cuda(int ordinal) { return {"cuda:" + std::to_string(ordinal)}; }
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

class Arena; // cuda.hpp

struct LaunchOptions {
  std::vector<int64_t> grid = {};  // one to three extents
  std::string gridExpression = {}; // instead: `cdiv(n, BLOCK)`, or a lambda over the arguments
  Device device = {};
  bool check = false;                           // run under the checker: findings are an error with Status::CheckFailed
  bool debug = false;                           // device_assert is on
  int numWarps = 0, numStages = 0, numCtas = 0; // 0: the default, or what the kernel's configuration says
  std::vector<Tensor> reachable = {}; // memory that the kernel reaches through addresses stored in its tensors
  int threads = 0;                    // 0: all cores
  void *stream = nullptr;             // cuda: a CUstream; null: the default stream
  bool isAsynchronous = false;        // cuda: only put the kernel into the stream; all tensors are on the GPU
  double timeout = 0;        // seconds after which a launch on the CPU ends, with Status::Interrupted; 0: never
  bool strictTriton = false; // extents of tiles that are no powers of two are errors, as in Triton
  Arena *arena = nullptr;    // where functions of the kernel library take memory for what lies between their kernels
  bool tune =
      false; // functions of the kernel library that have several configurations try them once, and keep the fastest
};

namespace detail {
inline nereid_tensor convert(const Tensor &tensor) {
  return {tensor.data(), static_cast<int32_t>(tensor.dtype()), static_cast<int32_t>(tensor.rank()),
          tensor.shape().data(), tensor.strides().data()};
}

// The C form of a list of arguments. It points into the arguments, which must outlive it.
class ArgumentList {
public:
  explicit ArgumentList(const std::vector<Argument> &arguments) {
    list.reserve(arguments.size());
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

// The C form of a grid, where no last extent is 0: one without programs has the 0 before it.
inline void setGrid(int64_t (&grid)[3], int64_t x, int64_t y, int64_t z) {
  grid[0] = x, grid[1] = z || y < 0 ? y : 0, grid[2] = z ? z : 1;
}

// The C form of the options; `reachable` holds what it points to.
inline nereid_launch_options convert(const LaunchOptions &options, std::vector<nereid_tensor> &reachable) {
  nereid_launch_options c{};
  c.size = sizeof c;
  for (const Tensor &tensor : options.reachable)
    reachable.push_back(convert(tensor));
  c.reachable = reachable.data(), c.reachable_count = static_cast<int32_t>(reachable.size());
  if (const std::vector<int64_t> &grid = options.grid; !grid.empty())
    setGrid(c.grid, grid[0], grid.size() > 1 ? grid[1] : 1, grid.size() > 2 ? grid[2] : 1);
  c.grid_expression = options.gridExpression.empty() ? nullptr : options.gridExpression.c_str();
  c.device = options.device.name.empty() ? nullptr : options.device.name.c_str();
  c.check = options.check, c.debug = options.debug, c.threads = options.threads;
  c.stream = options.stream, c.asynchronous = options.isAsynchronous;
  c.timeout = options.timeout;
  c.strict_triton = options.strictTriton;
  c.num_warps = options.numWarps, c.num_stages = options.numStages, c.num_ctas = options.numCtas;
  return c;
}
} // namespace detail

} // namespace nereid
