// Interp.h: run a kernel of tile IR. The interpreter is the definition of every op: the oracle of the back ends, and
// the sanitizer behind `nereid check`.
//
//   Failure failure;
//   std::shared_ptr<const Program> program = translate(function, failure);
//   LaunchOptions options{.grid = {4, 1, 1}};
//   options.allocations.push_back({"x", data, bytes, 4, {n}, {1}});
//   LaunchResult result = run(*program, {Argument::pointer(data), Argument::bits(n)}, options);
#pragma once

#include "runtime/Argument.h"
#include "runtime/Failure.h"
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
class Observer;

using runtime::Allocation;
using runtime::Argument;
using runtime::CheckKind;
using runtime::CheckReport;
using runtime::Failure;
using runtime::Padding;
using runtime::Place;

// What the checker looks for.
struct CheckOptions {
  bool outOfBounds = true, misaligned = true, undefinedLanes = true, races = true, addressOverflow = true,
       asserts = true;
  // Many correct kernels make infinities on purpose, or write a part of a tensor, so these are asked for.
  bool notFinite = false, unwritten = false;
};

struct LaunchOptions {
  std::array<uint32_t, 3> grid{1, 1, 1};
  // 0: all cores, but one where the order of programs could show in the result (float atomics, prints, …).
  unsigned threads = 0;
  // Run programs in a random order that this number decides; without it in the order of the grid (x fastest).
  std::optional<uint64_t> shuffleSeed;
  // Run these programs and no others, in this order: their numbers, x fastest. Empty: all.
  std::vector<uint32_t> programs;
  std::vector<Allocation> allocations;
  // Gets what tl.device_print writes, whole lines at a time, from one thread at a time. Without it: standard output.
  std::function<void(std::string_view)> output;
  // Run under the checker, which does not stop at a finding. One thread, slower.
  std::optional<CheckOptions> check;
  // Without the checker: somebody else who watches (Observer.h), in one thread too.
  Observer *observer = nullptr;
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
