#include "jit/KernelModule.h"

#include "syntax/Parser.h"

namespace nereid::jit {

Result<std::shared_ptr<KernelModule>> KernelModule::finish(std::shared_ptr<KernelModule> self,
                                                           std::shared_ptr<lang::Module> loaded) {
  self->loaded = std::move(loaded);
  if (!self->loaded || self->compiler.diagnostics().hasErrors())
    return self->takeError();
  self->sourceClosure = SourceClosure(self->compiler.loader(), *self->loaded);
  return self;
}

Result<std::shared_ptr<KernelModule>> KernelModule::load(const std::string &path, compiler::CompilerOptions options) {
  std::shared_ptr<KernelModule> self(new KernelModule(std::move(options)));
  self->path = path;
  return finish(self, self->compiler.loadFile(path));
}

Result<std::shared_ptr<KernelModule>> KernelModule::parse(const std::string &name, std::string text,
                                                          compiler::CompilerOptions options) {
  std::shared_ptr<KernelModule> self(new KernelModule(std::move(options)));
  return finish(self, self->compiler.loadText(name, std::move(text)));
}

Result<std::shared_ptr<KernelModule>> KernelModule::embed(const Define &define, compiler::CompilerOptions options) {
  std::shared_ptr<KernelModule> self(new KernelModule(std::move(options)));
  return finish(self, define(self->compiler));
}

Result<std::shared_ptr<KernelModule>> KernelModule::again() const {
  if (!path.empty())
    return load(path, compilerOptions);
  return parse(loaded->source->name(), std::string(loaded->source->text()), compilerOptions);
}

Error KernelModule::takeError() {
  reported = compiler.takeDiagnostics();
  return {compiler.takeBug() ? Status::Internal : Status::BadInput, reported.render()};
}

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
