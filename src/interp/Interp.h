// Interp.h: run a kernel of tile IR. The interpreter is the definition of every op: the oracle of the back ends, and
// the sanitizer behind `nereid check`.
//
//   Failure failure;
//   std::shared_ptr<const Program> program = translate(function, failure);
//   LaunchOptions options{.grid = {4, 1, 1}};
//   options.allocations.push_back({"x", data, bytes, 4, {n}, {1}});
//   LaunchResult result = run(*program, {Argument::pointer(data), Argument::bits(n)}, options);
#pragma once

#include "runtime/cpu/Watch.h"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mlir::func {
class FuncOp;
}

namespace nereid::interp {

// A kernel made ready to run; immutable, shared by any number of launches and threads, and free of MLIR.
class Program;

// A range in a source file, lines and columns from 1 (a line of 0: unknown), and the calls that led there, innermost
// first.
struct Place {
  std::string file;
  unsigned line = 0, column = 0, endColumn = 0;
  std::vector<Place> callers;
};

// Why a kernel cannot be translated, or why a launch stopped.
struct Failure {
  enum class Kind { None, Unsupported, BadLaunch, BadAccess, Arithmetic, Assert, Deadlock, StepLimit, Cancelled };
  Kind kind = Kind::None;
  std::string message;
  Place place;
  // The program instance that failed, where one did.
  std::array<uint32_t, 3> program{};

  explicit operator bool() const { return kind != Kind::None; }
};

// What reads outside a described tensor give.
enum class Padding : uint8_t { Zero, NaN };

// One argument of the kernel's function. Integers and floats are the bits of their own type (an f16 in the low 16
// bits). A descriptor argument is followed by its extents and strides as ordinary arguments, as the function's type
// says.
struct Argument {
  uint64_t value = 0;
  // Descriptors only: extents and strides in elements of the tensor that `value` points to.
  std::vector<int64_t> shape, strides;
  Padding padding = Padding::Zero;

  static Argument pointer(const void *address) { return {reinterpret_cast<uint64_t>(address), {}, {}}; }
  static Argument bits(uint64_t value) { return {value, {}, {}}; }
  static Argument f32(float value);
  static Argument f64(double value);
  static Argument descriptor(const void *base, std::vector<int64_t> shape, std::vector<int64_t> strides,
                             Padding padding = Padding::Zero) {
    return {reinterpret_cast<uint64_t>(base), std::move(shape), std::move(strides), padding};
  }
};

// A piece of memory that the kernel may touch. With at least one, every access is held against them; with none, nothing
// is.
struct Allocation {
  std::string name;
  void *data = nullptr;
  size_t bytes = 0;
  unsigned elementBytes = 1;
  // Extents, and strides in elements (both may be empty): for messages, and for what of it is never written.
  std::vector<int64_t> shape, strides;
  bool isEmpty = false; // nobody has written it before the launch
};

// "element [3, 7] of `x`, which has the shape [4, 4]", for messages; `offset` in bytes from its first element.
std::string describeElement(const Allocation &tensor, int64_t offset);

// What the checker looks for.
enum class CheckKind : uint8_t {
  OutOfBounds,
  Misaligned,
  UndefinedLane,
  Race,
  AddressOverflow,
  NotFinite,
  Assert,
  Unwritten
};

// "out-of-bounds", "misaligned", "undefined-lane", "race", "address-overflow", "not-finite", "assert", "unwritten".
std::string_view name(CheckKind kind);

struct CheckOptions {
  bool outOfBounds = true, misaligned = true, undefinedLanes = true, races = true, addressOverflow = true,
       asserts = true;
  // Many correct kernels make infinities on purpose, or write a part of a tensor, so these are asked for.
  bool notFinite = false, unwritten = false;
};

// One finding: a class of error at a source line, where it happened first, and how often.
struct CheckReport {
  CheckKind kind;
  Place place;
  std::string message;
  // Facts about the first occurrence, each a line, and the other place that takes part (a race).
  std::vector<std::string> notes;
  std::optional<Place> other;
  std::array<uint32_t, 3> program{};
  uint64_t count = 0;
  bool isOfLaunch = false; // and of no program
  bool isWarning = false;  // it may be meant so
};

struct LaunchOptions {
  std::array<uint32_t, 3> grid{1, 1, 1};
  // 0: all cores, but one where the order of programs could show in the result (float atomics, prints, …).
  unsigned threads = 0;
  // Run programs in a random order that this number decides; without it in the order of the grid (x fastest).
  std::optional<uint64_t> shuffleSeed;
  std::vector<Allocation> allocations;
  // Gets what tl.device_print writes, whole lines at a time, from one thread at a time. Without it: standard output.
  std::function<void(std::string_view)> output;
  // Run under the checker, which does not stop at a finding. One thread, slower.
  std::optional<CheckOptions> check;
  // Stop when a program has gone round loops this many times (0: no limit), or when somebody ends the launch.
  uint64_t stepLimit = 0;
  cpu::Limits limits;
};

struct LaunchResult {
  Failure failure;
  std::vector<CheckReport> reports;
  uint64_t programsRun = 0;
};

// Null, with `failure` set, when the function holds something that only a GPU can do.
std::shared_ptr<const Program> translate(mlir::func::FuncOp function, Failure &failure);

LaunchResult run(const Program &program, const std::vector<Argument> &arguments, const LaunchOptions &options);

// How many values an operation takes and gives, and the bytes of each one.
std::vector<size_t> parameterBytes(const Program &program);
std::vector<size_t> resultBytes(const Program &program);

// Computes one operation on values that lie in memory, as the program `index` of a grid: tiles are arrays, a scalar is an
// array of one element, a bool a byte.
Failure evaluate(const Program &program, std::span<const void *const> inputs, std::span<void *const> outputs,
                 const std::array<uint32_t, 3> &index, const LaunchOptions &options);

} // namespace nereid::interp
