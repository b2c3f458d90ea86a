// LaunchWords.h: what `run` and `check` have in common: a kernel, its arguments in words, a grid, a device.
#pragma once

#include "Command.h"

#include "compiler/Target.h"
#include "jit/ArgumentWords.h"
#include "jit/Bind.h"

namespace nereid::tool {

using jit::NamedTensor;

struct LaunchWords {
  std::shared_ptr<jit::KernelModule> module;
  std::shared_ptr<lang::Function> kernel;
  std::vector<Argument> arguments;
  std::vector<NamedTensor> tensors; // those among the arguments
  jit::Settings settings;
};

// FILE.py:KERNEL in its two parts.
struct KernelName {
  std::string file, kernel;
};
KernelName splitKernelName(const std::string &word);

// The target and the import paths that the words ask for; nothing after printing why not. `usualTarget`: where the
// words name none.
std::optional<compiler::Target> readTarget(const Words &words, Console &console, const std::string &usual);
std::optional<compiler::CompilerOptions> readCompilerOptions(const Words &words, Console &console,
                                                             const std::string &usualTarget = "interp");

// Reads everything that a launch needs; on failure prints it and gives the exit status.
std::optional<LaunchWords> readLaunch(const Words &words, Console &console, int &status);
// `--maxnreg`, `--no-fp-fusion`. False after a message.
bool readCodeChoices(const Words &words, Console &console, gpu::CodeChoices &choices);
// Prints an error of the library and gives the exit status for it.
int report(Console &console, const Error &error);

// The options that `run` and `check` share.
inline constexpr Option kGridOption{
    "--grid", "EXPR", "how many programs: Python over the arguments, `cdiv(n, BLOCK)`, a tuple, or a lambda"};
inline constexpr Option kLetOption{
    "--let", "NAME=EXPR",
    "a name for a number that arguments, extents and the grid may use; may be given several times"};
inline constexpr Option kTimeoutOption{"--timeout", "SECONDS",
                                       "end a launch on the cpu or on interp after so long, with exit status 1"};
inline constexpr Option kSeedOption{"--seed", "N", "decides the random tensors (0)"};
inline constexpr Option kWarpsOption{"--num-warps", "N", "compile for N warps"};
inline constexpr Option kStagesOption{"--num-stages", "N", "compile for N pipeline stages"};
inline constexpr Option kRegistersOption{"--maxnreg", "N", "on a GPU: at most N registers for a thread"};
inline constexpr Option kFusionOption{"--no-fp-fusion", "", "on a GPU: a * b + c rounds twice"};
inline constexpr Option kConfigOption{
    "--config", "N", "which autotune configuration fills what is not given (the fastest on cpu, else 0)"};
std::vector<std::string> targetChoices();
inline constexpr Option kTargetOption{
    "--target",
    "NAME",
    "what kernel files see when they ask: interp, cpu, x86-64-v3, sm_80, sm_90a, gfx942 … (interp: as sm_90)",
    {},
    targetChoices};
inline constexpr Option kImportOption{
    "--import-path", "FOLDER", "where imports of kernel files are looked for besides the file's own source root"};
inline constexpr Option kStrictOption{"--strict-triton", "",
                                      "refuse tiles whose extents are no powers of two, as Triton does"};
inline constexpr Option kJsonOption{"--json", "", "print one JSON object instead of text"};

inline constexpr std::string_view kArgumentsHelp =
    "Arguments are NAME=VALUE:\n"
    "  numbers       n=1000  eps=1e-5  causal=true  bias=None\n"
    "  tensors       x=randn:f32[128,64]  rand  zeros  ones  empty  arange  full(2.5):f32[8]  randint(0,10):i32[64]\n"
    "                x=input.npy  x=input.npy:bf16  x=randn:f16[2*M,N] (Python over arguments and --let)  "
    "x=randn:f32[64,128].T\n"
    "                x=randn:f16[128,64]@[32,32] is a tensor descriptor with blocks of 32 by 32\n"
    "  anything else is a Python expression over the names of the file: dtype=tl.float16  activation='\"relu\"'\n"
    "Parameters that are not given come from the kernel's autotune configuration, its heuristics and its defaults.\n";

} // namespace nereid::tool
