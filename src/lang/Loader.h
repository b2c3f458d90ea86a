// Loader.h: files to modules: reads a kernel file, follows its imports between kernel files, and evaluates the
// module-level code that kernels depend on. Host code is parsed and left alone.
#pragma once

#include "lang/evaluate/ConstEval.h"

#include <filesystem>

namespace nereid::lang {

struct LoaderOptions {
  std::vector<std::string> importPaths; // searched after the file's own source root; nothing else is ever read
};

// The functions and modules that a Loader made are valid as long as it lives.
class Loader {
public:
  Loader(Session &session, LoaderOptions options = {});
  ~Loader();

  // Loads a file (once). Null after reporting.
  std::shared_ptr<Module> loadFile(const std::string &path);
  // Source text under a made-up name: for the API, tests and embedded modules.
  std::shared_ptr<Module> loadText(const std::string &name, std::string text);
  // The same, parsed only: its body runs when `execute` is called or a name of it is needed.
  std::shared_ptr<Module> openText(const std::string &name, std::string text);
  // Resolves `import a.b` for the module `from`: built-in (triton, triton.language, math …), a file on the import
  // path, or an opaque module. Null for a part of the language that does not exist.
  std::shared_ptr<Module> import(const std::string &dottedName, int level, const Module &from);
  // The file `name` inside a package, or null.
  std::shared_ptr<Module> subModule(const Module &package, const std::string &name);
  // Runs the body of a module that was only parsed so far.
  void execute(Module &module);

  // The jit functions of a module in source order: top level, under `if`, in classes and in functions. `name` may be
  // `Class.method`.
  struct JitEntry {
    std::string name;
    std::shared_ptr<Function> function;
  };
  std::vector<JitEntry> jitFunctions(const Module &module);

  // What the disk was asked so far, and what it answered: the file or folder of a module, or "". With an empty name: the
  // folders that imports of files below `root` are looked up in. A file that the answers lead to is read at most once.
  struct Lookup {
    std::string root, name, found;
  };
  const std::vector<Lookup> &lookups() const;
  // The answer that the disk gives now.
  static std::string lookUp(const std::string &root, const std::string &name);
  // The text of a file that was read, or null.
  SourceRef sourceOf(const std::string &path) const;
  // The paths of all files that were read, in order.
  std::vector<std::string> files() const;

private:
  std::shared_ptr<Module> importFrom(const std::filesystem::path &root, const std::string &dottedName);
  std::shared_ptr<Module> opaqueModule(const std::string &name);

  struct State;
  std::unique_ptr<State> state;
};

// The built-in module of that dotted name (triton, triton.language, triton.language.extra.libdevice, math …) or null.
std::shared_ptr<Module> builtinModule(const std::string &dottedName, Session &session);

} // namespace nereid::lang
