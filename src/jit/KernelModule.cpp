#include "jit/KernelModule.h"

#include "syntax/Parser.h"

namespace nereid::jit {

Result<std::shared_ptr<KernelModule>> KernelModule::load(const std::string &path, compiler::CompilerOptions options) {
  std::shared_ptr<KernelModule> self(new KernelModule(std::move(options)));
  self->loaded = self->compiler.loadFile(path);
  if (!self->loaded || self->compiler.diagnostics().hasErrors())
    return self->takeError();
  return self;
}

Result<std::shared_ptr<KernelModule>> KernelModule::parse(const std::string &name, std::string text,
                                                          compiler::CompilerOptions options) {
  std::shared_ptr<KernelModule> self(new KernelModule(std::move(options)));
  self->loaded = self->compiler.loadText(name, std::move(text));
  if (!self->loaded || self->compiler.diagnostics().hasErrors())
    return self->takeError();
  return self;
}

Error KernelModule::takeError() { return {Status::BadInput, compiler.takeDiagnostics().render()}; }

Result<std::shared_ptr<lang::Function>> KernelModule::find(const std::string &name) {
  if (auto kernel = compiler.findKernel(*loaded, name))
    return kernel;
  return takeError();
}

SourceRef KernelModule::sourceOf(const std::string &file) {
  if (loaded->source && loaded->source->name() == file)
    return loaded->source;
  auto found = sources.find(file);
  if (found != sources.end())
    return found->second;
  Diagnostics quiet;
  return sources[file] = syntax::readSource(file, quiet);
}

} // namespace nereid::jit
