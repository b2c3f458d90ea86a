// ConstEvalImport.cpp: import statements.
#include "lang/Loader.h"
#include "lang/Modules.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

namespace nereid::lang {

using namespace syntax;

namespace {

std::shared_ptr<Module> importModule(ConstEval &eval, const std::string &name, int level) {
  const Module &from = *eval.activation->module;
  eval.session.step(500); // it may look at the disk
  std::shared_ptr<Module> module =
      from.loader ? from.loader->import(name, level, from) : builtinModule(name, eval.session);
  if (!module)
    eval.session.fail("there is no module `" + name + "`", {}, "ModuleNotFoundError");
  return module;
}

// Libraries re-export the language under its usual names, and ask before whether Triton is there: it is. Where their way to
// it cannot be read, or leads to a placeholder for machines without Triton, these names still mean it.
Value wellKnownName(ConstEval &eval, const std::string &name) {
  if (name == "HAS_TRITON")
    return true;
  static const std::pair<const char *, const char *> names[] = {{"triton", "triton"},
                                                                {"tl", "triton.language"},
                                                                {"libdevice", "triton.language.extra.libdevice"},
                                                                {"tldevice", "triton.language.extra.libdevice"},
                                                                {"tl_extra_shim", "triton.language.extra.libdevice"}};
  for (auto [known, module] : names)
    if (name == known)
      return builtinModule(module, eval.session);
  return {};
}

// What such a name may be instead of the language: a value that cannot be read, an answer, an object of a class, nothing
// yet in a module that is being loaded (packages whose files import each other).
bool isStandIn(const Value &value, const Module &module) {
  if (!value)
    return module.state == Module::State::Running;
  if (auto *opaque = value.constant<Opaque>())
    return !opaque->isKnown;
  return value.is<bool>() || value.object<Instance>();
}

// A name that a module does not have. Module-level code goes on without it; in `try` and in functions it is an error.
Value missingName(ConstEval &eval, const Module &module, const Alias &alias) {
  std::string message = "cannot import name `" + std::string(alias.name) + "` from `" + module.name + "`";
  bool isPartial = module.state == Module::State::Running;
  if (eval.activation->isLenient)
    return makeOpaque(std::string(alias.name) + " (" + message +
                      (isPartial ? ", which is only partly loaded: is there a circular import?)" : ")"));
  std::vector<std::string> notes;
  if (isPartial)
    notes.push_back("the module is only partly loaded: is there a circular import?");
  eval.session.failAt(alias.range, std::move(message), std::move(notes), "ImportError");
}

} // namespace

void ConstEval::executeImport(const Import &import) {
  for (const Alias *alias : import.names) {
    std::string name(alias->name);
    if (!alias->asname.empty())
      bind(alias->asname, importModule(*this, name, 0), activation->scope);
    else {
      std::string root = name.substr(0, name.find('.'));
      bind(root, importModule(*this, root, 0), activation->scope);
      if (root != name)
        importModule(*this, name, 0);
    }
  }
}

void ConstEval::executeImportFrom(const ImportFrom &import) {
  if (import.module == "__future__")
    return;
  std::shared_ptr<Module> module = importModule(*this, std::string(import.module), import.level);
  for (const Alias *alias : import.names) {
    std::string name(alias->name);
    if (name == "*") {
      for (const std::string &each : publicNames(*this, *module))
        bind(each, moduleAttribute(*this, *module, each), activation->scope);
      continue;
    }
    Value value = moduleAttribute(*this, *module, name);
    if (isStandIn(value, *module))
      if (Value known = wellKnownName(*this, name))
        value = known;
    if (!value)
      value = missingName(*this, *module, *alias);
    bind(alias->asname.empty() ? alias->name : alias->asname, value, activation->scope);
  }
}

} // namespace nereid::lang
