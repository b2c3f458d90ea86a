#include "lang/Loader.h"

#include "lang/ImportPath.h"
#include "lang/JitSearch.h"
#include "lang/Modules.h"
#include "lang/evaluate/LibraryFunction.h"
#include "syntax/Parser.h"

#include <filesystem>
#include <set>

namespace nereid::lang {

namespace fs = std::filesystem;

struct Loader::State {
  Session &session;
  LoaderOptions options;
  std::map<std::string, std::shared_ptr<Module>> files;  // by path
  std::map<std::string, std::shared_ptr<Module>> others; // opaque modules and namespace packages, by name
  std::vector<std::shared_ptr<Module>> texts;
  std::map<const Module *, FilePlace> places;
  std::map<const Module *, std::weak_ptr<Module>> shared; // every module with a file

  std::map<fs::path, std::vector<fs::path>> roots; // importRoots, asked once for each root

  std::vector<Lookup> lookups;
  std::set<std::pair<std::string, std::string>> asked; // their roots and names

  const std::vector<fs::path> &rootsFor(const fs::path &root) {
    auto [entry, isNew] = roots.try_emplace(root);
    if (isNew) {
      entry->second = importRoots(root);
      record(root.string(), "", joined(entry->second));
    }
    return entry->second;
  }
  void record(const std::string &root, const std::string &name, std::string found) {
    if (asked.emplace(root, name).second)
      lookups.push_back({root, name, std::move(found)});
  }
  static std::string joined(const std::vector<fs::path> &paths) {
    std::string text;
    for (const fs::path &path : paths)
      text += path.string() + "\n";
    return text;
  }
  std::vector<std::shared_ptr<Module>> all() const {
    std::vector<std::shared_ptr<Module>> modules = texts;
    for (auto *group : {&files, &others})
      for (auto &entry : *group)
        if (entry.second)
          modules.push_back(entry.second);
    return modules;
  }
};

namespace {

std::shared_ptr<Module> makeModule(Loader &loader, const std::string &name, SourceRef source,
                                   std::shared_ptr<syntax::ParsedFile> file) {
  auto module = std::make_shared<Module>();
  module->name = name;
  module->source = std::move(source);
  module->file = std::move(file);
  module->loader = &loader;
  module->state = Module::State::Fresh;
  module->globals = std::make_shared<Scope>();
  module->globals->parent = builtinScope();
  module->globals->names["__name__"] = name;
  module->globals->names["__file__"] = makeOpaque("__file__");
  return module;
}

// Lists, dicts and objects can hold themselves; a module that goes away empties what it reaches.
void clearValue(const Value &value, int depth) {
  if (depth > 100)
    return;
  if (auto *list = value.object<ListObject>()) {
    for (const Value &item : std::exchange(list->items, {}))
      clearValue(item, depth + 1);
  } else if (auto *dict = value.object<DictObject>()) {
    for (auto &item : std::exchange(dict->items, {}))
      clearValue(item.second, depth + 1);
  } else if (auto *instance = value.object<Instance>(); instance && instance->cls && instance->cls->module) {
    for (auto &field : std::exchange(instance->fields, {}))
      clearValue(field.second, depth + 1);
  } else if (auto *cls = value.object<Class>(); cls && cls->module && cls->module->loader) {
    for (auto &member : std::exchange(cls->attributes, {}))
      clearValue(member.second, depth + 1);
  }
}

void clearScope(Scope &scope) {
  for (auto &name : std::exchange(scope.names, {}))
    clearValue(name.second, 0);
}

} // namespace

Loader::Loader(Session &session, LoaderOptions options)
    : state(new State{session, std::move(options), {}, {}, {}, {}, {}, {}, {}, {}}) {}

// Functions hold their module and their scopes, which hold the functions: the cycles end here.
Loader::~Loader() {
  std::vector<std::shared_ptr<Module>> modules = state->all();
  for (auto &module : modules) {
    // A scope around a captured one may be what holds the function (a comprehension over lambdas).
    for (std::weak_ptr<Scope> &captured : module->captured)
      for (auto scope = captured.lock(); scope && scope != module->globals && scope != builtinScope();
           scope = scope->parent)
        clearScope(*scope);
    module->jitFunctions.clear();
    clearScope(*module->globals);
  }
}

std::shared_ptr<Module> Loader::openText(const std::string &name, std::string text) {
  auto source = std::make_shared<const Source>(name, std::move(text));
  Diagnostics syntaxErrors;
  auto file = std::make_shared<syntax::ParsedFile>(syntax::parseFile(source, syntaxErrors));
  for (const Diagnostic &problem : syntaxErrors.all())
    state->session.diagnostics.report(problem.severity, problem.source, problem.range, problem.message).notes =
        problem.notes;
  if (syntaxErrors.hasErrors())
    return nullptr;
  auto module = makeModule(*this, name, source, std::move(file));
  state->texts.push_back(module);
  state->shared[module.get()] = module;
  return module;
}

std::shared_ptr<Module> Loader::loadText(const std::string &name, std::string text) {
  auto module = openText(name, std::move(text));
  if (!module)
    return nullptr;
  try {
    execute(*module);
  } catch (CompileError &error) {
    state->session.report(std::move(error));
    return nullptr;
  }
  return module;
}

// Parses a file on first use. Null when it cannot be read or has syntax errors, which go to `diagnostics`.
static std::shared_ptr<Module> openFile(Loader &loader, const std::string &path, const FilePlace &place,
                                        Diagnostics &diagnostics) {
  Diagnostics own;
  SourceRef source = syntax::readSource(path, own);
  std::shared_ptr<syntax::ParsedFile> file;
  if (source)
    file = std::make_shared<syntax::ParsedFile>(syntax::parseFile(source, own));
  for (const Diagnostic &problem : own.all())
    diagnostics.report(problem.severity, problem.source, problem.range, problem.message).notes = problem.notes;
  if (!source || own.hasErrors())
    return nullptr;
  return makeModule(loader, place.moduleName, source, std::move(file));
}

std::shared_ptr<Module> Loader::loadFile(const std::string &path) {
  FilePlace place = placeOf(path);
  std::error_code error; // an empty path has no absolute form; reading it says what is wrong
  std::string key = fs::absolute(path, error).lexically_normal().string();
  auto found = state->files.find(key);
  // A file that an import could not parse is opaque to that import; here its errors are reported.
  if (found == state->files.end() || found->second->isOpaque) {
    auto module = openFile(*this, path, place, state->session.diagnostics);
    if (!module)
      return nullptr;
    found = state->files.insert_or_assign(key, module).first;
    state->places[module.get()] = place;
    state->shared[module.get()] = module;
    module->globals->names["__package__"] = place.packageName;
  }
  std::shared_ptr<Module> module = found->second;
  try {
    execute(*module);
  } catch (CompileError &error) {
    state->session.report(std::move(error));
    return nullptr;
  }
  return module;
}

void Loader::execute(Module &module) {
  if (module.state != Module::State::Fresh)
    return;
  module.state = Module::State::Running;
  if (module.file)
    ConstEval(state->session).executeModule(state->shared.at(&module).lock());
  module.state = Module::State::Loaded;
}

std::shared_ptr<Module> Loader::subModule(const Module &package, const std::string &name) {
  auto place = state->places.find(&package);
  bool isPackage = place != state->places.end() && place->second.isPackage;
  return isPackage ? importFrom(place->second.root, package.name + "." + name) : nullptr;
}

std::shared_ptr<Module> Loader::importFrom(const fs::path &root, const std::string &dottedName) {
  auto found = findModule(root, dottedName);
  state->record(root.string(), dottedName, found ? found->path.string() : "");
  if (!found)
    return nullptr;
  std::string key = found->path.lexically_normal().string();
  if (auto known = state->files.find(key); known != state->files.end())
    return known->second;
  FilePlace place = placeOf(found->isFolder ? found->path / "__init__.py" : found->path);
  place.root = root;
  place.moduleName = dottedName;
  place.packageName = found->isFolder || place.isPackage
                          ? dottedName
                          : dottedName.substr(0, std::max(dottedName.rfind('.'), size_t(0)));
  if (!place.isPackage && dottedName.find('.') == std::string::npos)
    place.packageName.clear();
  std::shared_ptr<Module> module;
  if (found->isFolder) {
    module = makeModule(*this, dottedName, nullptr, nullptr);
    module->state = Module::State::Loaded;
  } else {
    Diagnostics syntaxErrors;
    module = openFile(*this, found->path.string(), place, syntaxErrors);
    if (!module) // it may hold no kernel: an error only for who uses it
      module = opaqueModule(dottedName + " (which has syntax errors)");
  }
  module->globals->names["__package__"] = place.packageName;
  state->files[key] = module;
  state->places[module.get()] = place;
  state->shared[module.get()] = module;
  return module;
}

std::shared_ptr<Module> Loader::opaqueModule(const std::string &name) {
  std::shared_ptr<Module> &module = state->others[name];
  if (!module) {
    module = std::make_shared<Module>();
    module->name = name;
    module->isOpaque = true;
    module->loader = this;
    module->globals = std::make_shared<Scope>();
  }
  return module;
}

// A copy of a package inside of another one still has its own name in its imports: `vendor/fla/ops/a.py` says `fla.ops.b`.
static std::optional<fs::path> folderOfCopy(const FilePlace &place, const std::string &package) {
  fs::path folder = place.root;
  for (size_t begin = 0; begin < place.packageName.size();) {
    size_t end = std::min(place.packageName.find('.', begin), place.packageName.size());
    std::string part = place.packageName.substr(begin, end - begin);
    if (part == package)
      return folder;
    folder /= part;
    begin = end + 1;
  }
  return std::nullopt;
}

std::shared_ptr<Module> Loader::import(const std::string &dottedName, int level, const Module &from) {
  auto entry = state->places.find(&from);
  const FilePlace *place = entry == state->places.end() ? nullptr : &entry->second;
  if (level > 0) {
    std::string package = place ? place->packageName : "";
    for (int i = 1; i < level; ++i) {
      size_t dot = package.rfind('.');
      if (package.empty())
        break;
      package = dot == std::string::npos ? "" : package.substr(0, dot);
    }
    std::string name = package.empty() ? dottedName : dottedName.empty() ? package : package + "." + dottedName;
    if (place && !name.empty())
      if (auto module = importFrom(place->root, name))
        return module;
    return opaqueModule(std::string(size_t(std::min(level, 8)), '.') + dottedName);
  }
  if (auto module = builtinModule(dottedName, state->session))
    return module;
  bool isLanguage = dottedName.starts_with("triton.language.");
  if (isLanguage)
    return nullptr;
  std::string root = dottedName.substr(0, dottedName.find('.'));
  bool isBuiltin = builtinModule(root, state->session) != nullptr; // torch.nn: of a module that is known in part
  if (!isBuiltin) {
    // A checkout may be a package of what is around it, and its own modules still import each other from its top.
    for (const fs::path &start : place ? std::vector{place->root, place->project} : std::vector<fs::path>())
      if (!start.empty())
        for (const fs::path &root : state->rootsFor(start))
          if (auto module = importFrom(root, dottedName))
            return module;
    for (const std::string &path : state->options.importPaths)
      if (auto module = importFrom(path, dottedName))
        return module;
    if (std::optional<fs::path> folder = place ? folderOfCopy(*place, root) : std::nullopt)
      if (auto module = importFrom(*folder, dottedName))
        return module;
  }
  return opaqueModule(dottedName);
}

const std::vector<Loader::Lookup> &Loader::lookups() const { return state->lookups; }

std::string Loader::lookUp(const std::string &root, const std::string &name) {
  if (name.empty())
    return State::joined(importRoots(root));
  auto found = findModule(root, name);
  return found ? found->path.string() : "";
}

SourceRef Loader::sourceOf(const std::string &path) const {
  auto found = state->files.find(fs::path(path).lexically_normal().string());
  return found == state->files.end() || !found->second ? nullptr : found->second->source;
}

std::vector<std::string> Loader::files() const {
  std::vector<std::string> paths;
  for (const auto &[path, module] : state->files)
    paths.push_back(path);
  return paths;
}

std::vector<Loader::JitEntry> Loader::jitFunctions(const Module &module) {
  if (module.file)
    findHiddenJitFunctions(state->session, state->shared.at(&module).lock());
  return listJitFunctions(module);
}

} // namespace nereid::lang
