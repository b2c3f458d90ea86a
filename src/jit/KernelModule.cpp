#include "jit/KernelModule.h"

#include "dialect/Tile.h"
#include "syntax/Parser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

#include <set>

namespace nereid::jit {

Result<std::shared_ptr<KernelModule>> KernelModule::load(const std::string &path) {
  std::shared_ptr<KernelModule> self(new KernelModule);
  return self->finish(self, self->loader.loadFile(path));
}

Result<std::shared_ptr<KernelModule>> KernelModule::parse(const std::string &name, std::string text) {
  std::shared_ptr<KernelModule> self(new KernelModule);
  return self->finish(self, self->loader.loadText(name, std::move(text)));
}

Result<std::shared_ptr<KernelModule>> KernelModule::finish(std::shared_ptr<KernelModule> self, std::shared_ptr<lang::Module> module) {
  if (!module || diagnostics.hasErrors())
    return Error{Status::BadInput, diagnostics.render()};
  warningText = diagnostics.render();
  loaded = std::move(module);
  entries = loader.jitFunctions(*loaded);
  if (loaded->source)
    sources[loaded->source->name()] = loaded->source;
  return self;
}

static std::string listed(const std::vector<std::string> &names) {
  constexpr size_t kShown = 12;
  std::string text;
  for (size_t i = 0; i < names.size() && i < kShown; ++i)
    text += (i ? ", `" : "`") + names[i] + "`";
  return names.size() > kShown ? text + " and " + std::to_string(names.size() - kShown) + " more" : text;
}

Result<std::shared_ptr<lang::Function>> KernelModule::find(const std::string &name) const {
  std::vector<std::string> names;
  for (const auto &entry : entries) {
    if (entry.name == name)
      return entry.function;
    names.push_back(entry.name);
  }
  std::string file = loaded->source ? loaded->source->name() : loaded->name;
  if (entries.empty())
    return Error{Status::BadInput, "error: `" + file + "` has no kernel: no function marked `@triton.jit`\n"};
  if (name.empty() && entries.size() == 1)
    return entries[0].function;
  if (name.empty())
    return Error{Status::BadInput, "error: `" + file + "` has " + std::to_string(names.size()) + " kernels; say which one: " + listed(names) + "\n"};
  std::string nearest = name.size() < 200 ? nearestName(name, names) : "";
  std::string note = nearest.empty() ? "note: it has " + listed(names) : "note: did you mean `" + nearest + "`?";
  return Error{Status::BadInput, "error: `" + file + "` has no kernel `" + name.substr(0, 80) + "`\n" + note + "\n"};
}

SourceRef KernelModule::sourceOf(const std::string &file) {
  auto found = sources.find(file);
  if (found != sources.end())
    return found->second;
  Diagnostics quiet;
  return sources[file] = syntax::readSource(file, quiet);
}

mlir::MLIRContext &KernelModule::context() {
  if (!ownContext) {
    // One kernel at a time: a pool of threads would cost more than it gives.
    ownContext = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
    ownContext->loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                            mlir::func::FuncDialect, mlir::ub::UBDialect>();
  }
  return *ownContext;
}

} // namespace nereid::jit
