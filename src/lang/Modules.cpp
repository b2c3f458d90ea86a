// Modules.cpp: the built-in modules, and how attributes of modules are found.
#include "lang/Modules.h"

#include "lang/Loader.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>
#include <mutex>

namespace nereid::lang {

namespace {

// The modules of the language, whose functions are rows of builtin tables or stand in embedded files.
struct LanguageModule {
  std::string_view name;
  std::vector<std::string_view> spaces, preludes;
  bool isOpaque = false; // it has library functions too, which are not known
};

const std::vector<LanguageModule> &languageModules() {
  static const std::vector<LanguageModule> modules = {
      {"triton.language", {"tl"}, {"core", "standard", "random"}},
      {"triton.language.core", {"tl"}, {"core", "standard", "random"}},
      {"triton.language.standard", {"tl"}, {"standard", "core"}},
      {"triton.language.random", {"tl"}, {"random"}},
      {"triton.language.math", {"tl.math", "tl.extra.libdevice"}, {}},
      {"triton.language.extra", {}, {}},
      {"triton.language.extra.cuda", {"tl.extra.cuda"}, {}},
      {"triton.language.extra.hip", {}, {}},
      {"triton.language.extra.intel", {}, {}},
      {"triton.language.extra.xpu", {}, {}},
      {"triton.language.target_info", {}, {}},
      {"triton.profiler", {}, {}, true},
      {"triton.profiler.language", {"triton.profiler.language"}, {}, true},
      {"triton.tools.ragged_tma", {}, {"ragged_tma"}, true},
  };
  return modules;
}

// libdevice has been reachable under many paths.
bool isLibdevice(std::string_view name) {
  return name.starts_with("triton.language.") &&
         (name.ends_with(".libdevice") || name == "triton.language.extra.cuda._libdevice");
}

std::shared_ptr<Module> makeModule(const std::string &name) {
  auto module = std::make_shared<Module>();
  module->name = name;
  module->globals = std::make_shared<Scope>();
  bool isKnown = false;
  // triton.language.core has all of triton.language, and more.
  std::string_view tableName =
      name == "triton.language.core" || name == "triton.language.standard" ? "triton.language" : std::string_view(name);
  for (const LibraryModule *library : libraryModules()) {
    if (library->name != tableName)
      continue;
    isKnown = true;
    module->isOpaque = library->isOpaque;
    for (const LibraryFunction &function : library->functions)
      module->globals->names[std::string(function.name.substr(function.name.rfind('.') + 1))] = &function;
    if (library->populate)
      library->populate(*module->globals);
  }
  for (const LanguageModule &language : languageModules())
    if (language.name == name) {
      isKnown = true;
      module->isOpaque = module->isOpaque || language.isOpaque;
      module->spaces = language.spaces;
      module->preludes = language.preludes;
    }
  if (isLibdevice(name)) {
    isKnown = true;
    module->spaces = {"tl.extra.libdevice", "tl.math"};
  }
  return isKnown ? module : nullptr;
}

Value preludeAttribute(const Module &module, const std::string &name) {
  for (std::string_view prelude : module.preludes)
    if (auto source = preludeModule(prelude))
      if (auto found = source->globals->names.find(name);
          found != source->globals->names.end() && !found->second.object<Module>())
        return found->second;
  return {};
}

Value subModule(ConstEval &eval, Module &module, const std::string &name) {
  std::string path = module.name + "." + name;
  if (auto found = builtinModule(path, eval.session))
    return found;
  if (module.loader)
    if (auto found = module.loader->subModule(module, name))
      return found;
  return {};
}

} // namespace

std::shared_ptr<Module> builtinModule(const std::string &dottedName, Session &) {
  // Made once and never changed, so that all sessions can share them. What depends on the target is asked for by call.
  static std::recursive_mutex mutex;
  static auto &modules = *new std::map<std::string, std::shared_ptr<Module>>;
  std::lock_guard lock(mutex);
  auto [entry, isNew] = modules.try_emplace(dottedName);
  if (isNew)
    entry->second = makeModule(dottedName);
  std::shared_ptr<Module> module = entry->second;
  if (!module)
    modules.erase(entry); // unknown names come from files: they must not pile up
  return module;
}

const std::shared_ptr<Scope> &builtinScope() {
  static auto &scope = *new std::shared_ptr<Scope>(makeModule("builtins")->globals);
  return scope;
}

Value moduleAttribute(ConstEval &eval, Module &module, const std::string &name) {
  if (module.state == Module::State::Fresh && module.loader)
    module.loader->execute(module);
  if (auto found = module.globals->names.find(name); found != module.globals->names.end())
    return found->second;
  if (name == "__version__" && module.name == "triton")
    return eval.session.target.tritonVersion;
  if (name == "__name__")
    return module.name;
  for (std::string_view space : module.spaces)
    if (const Builtin *builtin = findBuiltin(space, name))
      return builtin;
  if (Value found = preludeAttribute(module, name))
    return found;
  if (Value found = subModule(eval, module, name))
    return found;
  if (module.isOpaque)
    return makeOpaque(module.name + "." + name);
  if (auto fallback = module.globals->names.find("__getattr__");
      fallback != module.globals->names.end() && fallback->second.object<Function>())
    return eval.call(fallback->second, Values{Value(name)});
  return {};
}

std::vector<std::string> publicNames(ConstEval &eval, Module &module) {
  if (module.state == Module::State::Fresh && module.loader)
    module.loader->execute(module);
  std::vector<std::string> names;
  if (auto all = module.globals->names.find("__all__");
      all != module.globals->names.end() && !all->second.constant<Opaque>()) {
    for (const Value &name : eval.iterate(all->second))
      names.push_back(toString(name));
    return names;
  }
  auto add = [&](const std::string &name) {
    if (!name.starts_with("_"))
      names.push_back(name);
  };
  for (auto &entry : module.globals->names)
    add(entry.first);
  for (const BuiltinTable &table : builtinTables())
    if (std::ranges::find(module.spaces, table.space) != module.spaces.end())
      for (const Builtin &row : table.rows)
        add(std::string(row.name()));
  for (std::string_view prelude : module.preludes)
    if (auto source = preludeModule(prelude))
      for (auto &entry : source->globals->names)
        if (!entry.second.object<Module>())
          add(entry.first);
  return names;
}

} // namespace nereid::lang
