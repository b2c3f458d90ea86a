// KernelModule.h: a kernel file, loaded: its jit functions, and what was compiled from them so far.
#pragma once

#include "compiler/Compiler.h"
#include "jit/cache/SourceClosure.h"
#include "nereid/result.hpp"
#include "runtime/LoadedCode.h"

#include <functional>
#include <map>

namespace nereid::jit {

struct PendingCudaCode;

class KernelModule {
public:
  static Result<std::shared_ptr<KernelModule>> load(const std::string &path, compiler::CompilerOptions options = {});
  // From text; `name` stands in messages.
  static Result<std::shared_ptr<KernelModule>> parse(const std::string &name, std::string text,
                                                     compiler::CompilerOptions options = {});

  // A function of the embedding process: `define` puts it into the compiler, and gives the module that it stands in.
  using Define = std::function<std::shared_ptr<lang::Module>(compiler::Compiler &)>;
  static Result<std::shared_ptr<KernelModule>> embed(const Define &define, compiler::CompilerOptions options = {});

  // The jit functions in source order; those that others call are among them.
  std::vector<lang::Loader::JitEntry> kernels() { return compiler.loader().jitFunctions(*loaded); }
  // By name; an empty name is the only kernel of the file.
  Result<std::shared_ptr<lang::Function>> find(const std::string &name);

  const lang::Module &module() const { return *loaded; }
  // The source that a place names: this file, or a file that it imports. Null when it cannot be read.
  SourceRef sourceOf(const std::string &file);
  // What was reported since the last call, as an error; and as it was reported.
  Error takeError();
  const Diagnostics &lastReported() const { return reported; }

  compiler::Compiler compiler;
  const compiler::CompilerOptions &options() const { return compilerOptions; }
  // What of the disk was seen by loading it.
  const SourceClosure &closure() const { return sourceClosure; }
  // The same file or text loaded again: a compiler of its own, for another thread.
  Result<std::shared_ptr<KernelModule>> again() const;

  // Compiled kernels by the device and what they were compiled for.
  std::map<std::string, std::shared_ptr<const runtime::LoadedCode>> compiledKernels;
  std::map<std::string, std::shared_ptr<PendingCudaCode>> pendingCudaCode; // being compiled by other threads
  // Keeps alive what expressions of the command line (grids, arguments) were parsed into: their lambdas point there.
  std::vector<std::shared_ptr<syntax::ParsedFile>> expressionTrees;

private:
  explicit KernelModule(compiler::CompilerOptions options) : compiler(options), compilerOptions(std::move(options)) {}
  static Result<std::shared_ptr<KernelModule>> finish(std::shared_ptr<KernelModule> self,
                                                      std::shared_ptr<lang::Module> loaded);

  compiler::CompilerOptions compilerOptions;
  std::string path; // empty: it was made from text
  std::shared_ptr<lang::Module> loaded;
  SourceClosure sourceClosure;
  std::map<std::string, SourceRef> sources;
  Diagnostics reported;
};

} // namespace nereid::jit
