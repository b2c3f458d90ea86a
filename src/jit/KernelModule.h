// KernelModule.h: a kernel file, loaded: its jit functions, and what was compiled from them so far.
#pragma once

#include "interp/Interp.h"
#include "lang/Loader.h"
#include "nereid/result.hpp"

#include "mlir/IR/MLIRContext.h"

namespace nereid::jit {

class KernelModule {
public:
  static Result<std::shared_ptr<KernelModule>> load(const std::string &path);
  // From text; `name` stands in messages.
  static Result<std::shared_ptr<KernelModule>> parse(const std::string &name, std::string text);

  // The jit functions in source order; those that others call are among them.
  const std::vector<lang::Loader::JitEntry> &kernels() const { return entries; }
  // By name; an empty name is the only kernel of the file.
  Result<std::shared_ptr<lang::Function>> find(const std::string &name) const;

  const std::shared_ptr<lang::Module> &module() const { return loaded; }
  // What loading had to say besides errors.
  const std::string &warnings() const { return warningText; }
  // The source that a place names: this file, or a file that it imports. Null when it cannot be read.
  SourceRef sourceOf(const std::string &file);

  mlir::MLIRContext &context();
  // Compiled kernels by what they were compiled for.
  std::map<std::string, std::shared_ptr<const interp::Program>> programs;
  // Keeps alive what expressions of the command line (grids, arguments) were parsed into: their lambdas point there.
  std::vector<std::shared_ptr<syntax::ParsedFile>> expressionTrees;

private:
  KernelModule() : session(diagnostics), loader(session) {}
  Result<std::shared_ptr<KernelModule>> finish(std::shared_ptr<KernelModule> self, std::shared_ptr<lang::Module> module);

  Diagnostics diagnostics;
  lang::Session session;
  lang::Loader loader;
  std::shared_ptr<lang::Module> loaded;
  std::vector<lang::Loader::JitEntry> entries;
  std::string warningText;
  std::map<std::string, SourceRef> sources;
  std::unique_ptr<mlir::MLIRContext> ownContext;
};

} // namespace nereid::jit
