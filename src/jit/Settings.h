// Settings.h: how a kernel is compiled and launched.
#pragma once

#include "gpu/CodeChoices.h"
#include "jit/Grid.h"
#include "nereid/nereid.hpp"
#include "runtime/cpu/Watch.h"
#include "support/ProgramShape.h"

#include <functional>
#include <optional>

namespace nereid::interp {
class Observer;
}

namespace nereid::jit {

// `interp`, `cpu`, `cuda` or `cuda:1`: what is asked for, else NEREID_DEVICE, else the default. Fails for a device that
// there is not; whether there is a GPU shows when it is used.
Result<std::string> chooseDevice(const std::string &asked);

// The error for a device that there is not.
Error noDevice(const std::string &name);

// NEREID_CHECK=1: every launch on the CPU runs under the checker. NEREID_GUARD=1: on copies of its tensors in guarded
// memory. Asked once.
bool checksEveryLaunch();
bool guardsEveryLaunch();

// How products of f32 are rounded where the kernel does not say it: as Triton does on a GPU (`tf32`), not at all elsewhere
// (`ieee`).
std::string usualDotPrecision(const std::string &device);

struct Settings {
  std::string device;                  // empty: the default one
  std::vector<int64_t> grid;           // one to three extents, or
  std::string gridExpression;          // Python over the arguments
  std::vector<Argument> names;         // numbers that expressions may use besides the arguments
  int64_t programLimit = kMaxPrograms; // a grid with more programs is an error
  ProgramShape shape = kNoShape;       // 0: the default, or what the kernel's configuration says
  gpu::CodeChoices choices;            // about code for a GPU
  bool remarks = false;                // tell why code for a GPU is not faster
  // Which of the kernel's autotune configurations fills the parameters that are not given. Without one: the fastest,
  // where that can be found out (the CPU), else the first.
  std::optional<unsigned> config;
  // Hears how far tuning has come.
  std::function<void(const std::string &what, size_t done, size_t total)> progress;
  std::string dotPrecision;              // of products of f32 that name none; empty: the device's usual one
  bool debug = false;                    // device_assert is on
  bool strictExtents = false;            // tiles have powers of two of elements along each axis, as in Triton
  bool check = false;                    // run under the checker
  bool checkFinite = false;              // the checker also reports the first NaN or infinity
  bool checkUnwritten = false;           // and elements that nobody writes
  interp::Observer *observer = nullptr;  // watches the launch, on the interpreter; not together with `check`
  std::vector<std::string> empty;        // tensors that hold nothing yet, by the names of their parameters
  unsigned threads = 0;                  // 0: all cores
  cpu::Limits limits;                    // on the CPU and the interpreter
  std::optional<uint64_t> shuffleSeed;   // run programs in a random order
  void *stream = nullptr;                // CUDA: where the launch goes; null: the default stream
  bool isAsynchronous = false;           // CUDA: do not wait; all tensors are on the GPU
  std::vector<nereid::Tensor> reachable; // memory that the kernel reaches through addresses stored in its tensors
};

} // namespace nereid::jit
