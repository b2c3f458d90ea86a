// Compiler.h: kernel files to tile IR: what the command line, the APIs and the tests call.
#pragma once

#include "lang/emit/EmitIR.h"
#include "support/Diagnostic.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mlir::func {
class FuncOp;
}

namespace nereid::compiler {

struct CompilerOptions {
  lang::TargetDescription target;
  lang::LoaderOptions loader;
};

// A compiled kernel: its module in the context of the Compiler that made it.
struct TileModule {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp kernel() const;
  std::string text(bool withLocations = false) const;
};

// Loads files and compiles their kernels. Not thread-safe; the modules it makes must not outlive it.
class Compiler {
public:
  explicit Compiler(CompilerOptions options = {});
  ~Compiler();

  // What went wrong (and warnings) since the last call of takeDiagnostics.
  Diagnostics &diagnostics();
  Diagnostics takeDiagnostics();

  lang::Session &session();
  lang::Loader &loader();
  mlir::MLIRContext &context();

  // Null after reporting.
  std::shared_ptr<lang::Module> loadFile(const std::string &path);
  std::shared_ptr<lang::Module> loadText(const std::string &name, std::string text);
  // The kernel of that name; without a name the only one, or the only one that no other kernel calls. Reports an
  // unknown name with the nearest known one.
  std::shared_ptr<lang::Function> findKernel(const lang::Module &module, const std::string &name);

  // Whether the last compilation failed by our own mistake; says so once.
  bool takeBug();

  // Emits, cleans up and verifies. No module after reporting.
  TileModule compile(const lang::Function &kernel, const std::vector<lang::ArgumentSpec> &arguments,
                     const lang::EmitOptions &options = {});
  // Emits and verifies one operation on tiles; `result` is what it gives. No module after reporting.
  TileModule compileOperation(const lang::Function &function, const std::vector<lang::ArgumentSpec> &arguments,
                              const lang::EmitOptions &options, lang::Value &result);

private:
  TileModule finish(const lang::Function &kernel, bool isSimplified,
                    const std::function<mlir::OwningOpRef<mlir::ModuleOp>()> &emit);

  struct State;
  std::unique_ptr<State> state;
};

} // namespace nereid::compiler
