// Backend.h: one kind of device: how a kernel becomes code for it, and how that code runs. The table in Backend.cpp has a row
// for each; launches, the command line and the languages' interfaces ask through here.
#pragma once

#include "compiler/Compile.h"
#include "jit/Launch.h"

namespace nereid::jit {

// A kernel for a program or for people: from a signature, without arguments, and without the device.
struct EmitRequest {
  KernelModule &module;
  const std::shared_ptr<lang::Function> &kernel;
  const std::vector<NamedHostValue> &signature;
  const Settings &settings;
  compiler::Target target;
  compiler::Stage stage;
  std::string name;                // of the function in the header; empty: the kernel's
  std::array<std::string, 3> grid; // of that function: C expressions; all empty: the grid is passed
};

// Arguments that are bound already, and the grid.
struct LaunchRequest {
  KernelModule &module;
  const Binding &binding;
  Specialization specialization;
  const std::string &device;
  const std::array<uint32_t, 3> &grid;
  const Settings &settings;
};

class Backend {
public:
  virtual ~Backend() = default;
  virtual std::string_view name() const = 0;        // `cuda`, of the device
  virtual std::string_view description() const = 0; // in words
  virtual compiler::Target::Kind kind() const = 0;
  // Whether a device of this name is one of them: `cuda:1`.
  virtual bool isNamed(std::string_view device) const { return device == name(); }
  // Its code works on the memory of this process.
  virtual bool sharesMemory() const { return true; }
  // How products of f32 are rounded where the kernel does not say it.
  virtual const char *dotPrecision() const { return "ieee"; }

  // The text, or the bytes, of a stage. What there is to say of it besides goes to `remarks`.
  virtual Result<std::string> emit(const EmitRequest &request, std::string &remarks) const = 0;
  // Compiles on the first call, loads, runs and waits. `code`, if asked for, is what a next call like this one needs.
  virtual Result<Launched> launch(LaunchRequest request, LaunchedCode *code) const = 0;
};

// One for each.
std::span<const Backend *const> backends();
const Backend *findBackend(std::string_view device); // null: there is none
// That makes code for a target; null: nobody does.
const Backend *findBackend(const compiler::Target &target);

// The rows.
const Backend &interpreterBackend();
inline constexpr std::string_view kCpuName = "cpu";
const Backend &cpuBackend();
const Backend &cudaBackend();

} // namespace nereid::jit
