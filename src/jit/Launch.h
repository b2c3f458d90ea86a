// Launch.h: a kernel and the caller's arguments: bind them to parameters, specialize, compile on the first call of each
// kind, and run.
#pragma once

#include "compiler/Compiler.h"
#include "interp/Interp.h"

#include <array>
#include <unordered_map>

namespace nereid::jit {

// A tensor of the caller: borrowed memory. Strides count elements.
struct TensorRef {
  void *data = nullptr;
  lang::Type element;
  std::vector<int64_t> shape, strides;
};

struct LaunchArgument {
  enum class Kind { Constant, Tensor, Descriptor, Tuple } kind = Kind::Constant;
  std::string name;     // of the parameter; empty: by position
  lang::Value constant; // Constant: None, bool, int, float, str, dtype, function
  TensorRef tensor;     // Tensor, Descriptor
  lang::Shape block;    // Descriptor: what one access moves
  bool nanPadding = false;
  std::vector<LaunchArgument> items; // Tuple
};

struct LaunchOptions {
  std::vector<int64_t> grid{1};
  std::string gridExpression; // instead of `grid`: a Python expression over the arguments, or a lambda of them
  std::optional<int> numWarps, numStages, numCtas;
  bool debug = false;
  unsigned threads = 0;
  std::optional<uint64_t> shuffleSeed;
  std::optional<interp::CheckOptions> check;
  std::function<void(std::string_view)> output;
  const std::atomic<bool> *cancel = nullptr;
};

// The arguments of one launch, in the order of the kernel's parameters, with defaults, the first autotune
// configuration and heuristics filled in.
struct BoundLaunch {
  std::vector<LaunchArgument> arguments;
  std::vector<lang::ArgumentSpec> specs;
  lang::EmitOptions emit;
  std::array<uint32_t, 3> grid{1, 1, 1};
};

class Launcher {
public:
  explicit Launcher(compiler::Compiler &compiler) : compiler(compiler) {}

  // These report into the compiler's diagnostics and then give nothing.
  std::optional<BoundLaunch> bind(const lang::Function &kernel, std::vector<LaunchArgument> arguments, const LaunchOptions &options);
  compiler::TileModule compile(const lang::Function &kernel, const BoundLaunch &launch);
  std::optional<interp::LaunchResult> launch(const lang::Function &kernel, std::vector<LaunchArgument> arguments, const LaunchOptions &options);

private:
  std::shared_ptr<const interp::Program> program(const lang::Function &kernel, const BoundLaunch &launch);

  compiler::Compiler &compiler;
  std::unordered_map<std::string, std::shared_ptr<const interp::Program>> programs;
};

} // namespace nereid::jit
