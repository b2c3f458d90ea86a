// Compiler.cpp: loading and compiling, with every failure as a diagnostic.
#include "compiler/Compiler.h"

#include "codegen/RunPasses.h"
#include "compiler/OutOfMemory.h"
#include "compiler/Pipeline.h"
#include "dialect/Tile.h"
#include "lang/SyntaxWalk.h"
#include "syntax/Parser.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace nereid::compiler {

struct Compiler::State {
  explicit State(CompilerOptions options)
      : context(mlir::MLIRContext::Threading::DISABLED), session(diagnostics, std::move(options.target)),
        loader(session, std::move(options.loader)) {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                        mlir::func::FuncDialect, mlir::ub::UBDialect>();
  }

  Diagnostics diagnostics;
  bool isBug = false; // the last thing in them
  mlir::MLIRContext context;
  lang::Session session;
  lang::Loader loader;
};

Compiler::Compiler(CompilerOptions options) {
  throwWhereMemoryEnds();
  state = std::make_unique<State>(std::move(options));
}
Compiler::~Compiler() = default;

Diagnostics &Compiler::diagnostics() { return state->diagnostics; }
Diagnostics Compiler::takeDiagnostics() { return std::exchange(state->diagnostics, Diagnostics()); }
lang::Session &Compiler::session() { return state->session; }
lang::Loader &Compiler::loader() { return state->loader; }
mlir::MLIRContext &Compiler::context() { return state->context; }

std::shared_ptr<lang::Module> Compiler::loadFile(const std::string &path) { return state->loader.loadFile(path); }

std::shared_ptr<lang::Module> Compiler::loadText(const std::string &name, std::string text) {
  return state->loader.loadText(name, std::move(text));
}

static std::string quotedList(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "`" : ", `") + name + "`";
  return text;
}

// A function that lacks the decorator: the one of that name; without a name the first that uses the language.
static const syntax::FunctionDef *findPlainFunction(const lang::Module &module, const std::string &name) {
  for (const syntax::Stmt *statement : module.file ? module.file->body : syntax::Body()) {
    auto *function = statement->kind == syntax::StmtKind::FunctionDef
                         ? static_cast<const syntax::FunctionDef *>(statement)
                         : nullptr;
    if (function && name.empty() && module.source->slice(function->range).find("tl.") != std::string_view::npos)
      return function;
    if (function && function->name == name)
      return function;
  }
  return nullptr;
}

static void noteMissingDecorator(const lang::Module &module, const std::string &name, Diagnostic &diagnostic) {
  if (const syntax::FunctionDef *plain = findPlainFunction(module, name))
    diagnostic.notes.push_back({Severity::Note,
                                module.source,
                                plain->nameRange,
                                "write `@triton.jit` above `" + std::string(plain->name) + "` to make it a kernel",
                                {}});
}

// The function that can be launched, where there is one: those that return a value are for others to call.
static std::shared_ptr<lang::Function> onlyKernel(const std::vector<lang::Loader::JitEntry> &entries) {
  std::shared_ptr<lang::Function> only;
  for (const lang::Loader::JitEntry &entry : entries) {
    bool isHelper = entry.function->definition && lang::returnOfValue(entry.function->definition->body);
    if (isHelper && entries.size() > 1)
      continue;
    if (only)
      return nullptr;
    only = entry.function;
  }
  return only;
}

std::shared_ptr<lang::Function> Compiler::findKernel(const lang::Module &module, const std::string &name) {
  std::vector<std::string> names;
  std::vector<lang::Loader::JitEntry> entries = state->loader.jitFunctions(module);
  for (const lang::Loader::JitEntry &entry : entries) {
    if (!name.empty() && entry.name == name)
      return entry.function;
    names.push_back(entry.name);
  }
  std::string file = module.source ? module.source->name() : module.name;
  if (entries.empty()) {
    noteMissingDecorator(module, name, state->diagnostics.error("`" + file + "` has no `@triton.jit` function"));
    return nullptr;
  }
  if (name.empty())
    if (std::shared_ptr<lang::Function> only = onlyKernel(entries))
      return only;
  std::string message = name.empty() ? "`" + file + "` has " + std::to_string(entries.size()) + " kernels: which one?"
                                     : "`" + file + "` has no kernel `" + name + "`";
  Diagnostic &diagnostic = state->diagnostics.error(message);
  if (!name.empty() && findPlainFunction(module, name)) {
    noteMissingDecorator(module, name, diagnostic);
    return nullptr;
  }
  std::string nearest = name.empty() ? "" : nearestName(name, names);
  std::string help = nearest.empty() ? "it has " + quotedList(names) : "did you mean `" + nearest + "`?";
  diagnostic.notes.push_back({Severity::Note, nullptr, {}, help, {}});
  return nullptr;
}

TileModule Compiler::compile(const lang::Function &kernel, const std::vector<lang::ArgumentSpec> &arguments,
                             const lang::EmitOptions &options) {
  return finish(kernel, /*isSimplified=*/true,
                [&] { return lang::emitKernel(state->context, state->session, kernel, arguments, options); });
}

TileModule Compiler::compileOperation(const lang::Function &function, const std::vector<lang::ArgumentSpec> &arguments,
                                      const lang::EmitOptions &options, lang::Value &result) {
  return finish(function, /*isSimplified=*/false, [&] {
    return lang::emitOperation(state->context, state->session, function, arguments, options, result);
  });
}

TileModule Compiler::finish(const lang::Function &kernel, bool isSimplified,
                            const std::function<mlir::OwningOpRef<mlir::ModuleOp>()> &emit) {
  state->isBug = false;
  TileModule result;
  {
    // What MLIR would print about our IR.
    mlir::ScopedDiagnosticHandler quiet(&state->context, [](mlir::Diagnostic &) { return mlir::success(); });
    result.module = emit();
  }
  if (!result.module)
    return {};
  Result<void> made = codegen::verified(*result.module, kernel.name);
  if (made && isSimplified)
    made = runTilePasses(result.kernel());
  if (made)
    return result;
  std::string message = made.error().message;
  message = message.substr(0, message.find_last_not_of('\n') + 1);
  if (message.starts_with("error: "))
    message.erase(0, 7);
  state->diagnostics.error(kernel.module->source, kernel.nameRange(), message);
  state->isBug = true;
  return {};
}

bool Compiler::takeBug() { return std::exchange(state->isBug, false); }

mlir::func::FuncOp TileModule::kernel() const {
  mlir::func::FuncOp found;
  mlir::ModuleOp(*module).walk([&](mlir::func::FuncOp function) {
    if (!function.isPrivate())
      found = function;
  });
  return found;
}

std::string TileModule::text(bool withLocations) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  if (withLocations)
    flags.enableDebugInfo();
  mlir::ModuleOp(*module).print(stream, flags);
  return text;
}

} // namespace nereid::compiler
