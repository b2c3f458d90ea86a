// Function.h: functions and modules of kernel files, as the loader makes them and the emitter calls them.
#pragma once

#include "lang/Value.h"
#include "support/ProgramShape.h"
#include "syntax/Ast.h"

namespace nereid::syntax {
struct ParsedFile;
}

namespace nereid::lang {

class Loader;

struct Parameter {
  enum class Kind { Positional, VarArgs, KeywordOnly, KeywordArgs } kind = Kind::Positional;
  std::string name;
  const syntax::Expr *annotation = nullptr;
  bool isConstexpr = false; // annotated `tl.constexpr`, in any spelling
  std::optional<Type> type; // annotated with a dtype: tl.int64, "fp16", tl.const …
  bool isConst = false;     // annotated `tl.const`: a pointer that is only read
  bool doNotSpecialize = false;
  bool doNotSpecializeOnAlignment = false;
  Value defaultValue; // no value: required
  SourceRange range;
};

// One way to compile a kernel: values for some constexprs and launch options.
struct Config {
  std::vector<std::pair<std::string, Value>> values; // kwargs, in order
  ProgramShape shape;
  std::optional<int> maxRegisters;
  Value preHook;
  Value object; // the `triton.Config` itself, for functions that choose among configs
};
// @triton.heuristics: a value for a parameter, computed from the other arguments by a function of a dict.
struct Heuristic {
  std::string parameter;
  Value function;
};
struct Autotune {
  std::vector<Config> configs;
  std::vector<std::string> key, resetToZero, restoreValue;
  Value pruneConfigsBy;
  std::string problem; // why the config list could not be evaluated; empty when it could
};

struct Function {
  enum class Kind { Plain, Jit, Constexpr }; // Constexpr: @triton.constexpr_function
  Kind kind = Kind::Plain;
  std::string name;
  const syntax::FunctionDef *definition = nullptr; // or
  const syntax::Lambda *lambda = nullptr;
  std::vector<Parameter> parameters;
  std::shared_ptr<Module> module;  // its globals; also keeps the syntax tree alive
  std::shared_ptr<Scope> closure;  // scopes of enclosing functions; null at top level
  std::weak_ptr<Class> owner;      // the class it is a method of
  std::optional<bool> isGenerator; // whether its body has a `yield`; known after the first call

  // For kind Jit.
  bool noinline = false;
  bool isExtern = false; // @core.extern or @core.builtin: emitted in place too; its body is Python, with dicts
  std::shared_ptr<const Foreign> foreign; // what it is in the process that embeds the compiler, or null
  Value mustUseResult;                    // @must_use_result: True, or the text to say when a result is dropped
  std::optional<Autotune> autotune;
  std::vector<Heuristic> heuristics;

  SourceRange nameRange() const;
};

struct Module {
  std::string name; // dotted: `triton.language`, or the file's module name
  SourceRef source; // null for built-in modules
  std::shared_ptr<syntax::ParsedFile> file;
  std::shared_ptr<Scope> globals;
  std::string fingerprint; // of a text whose names the embedding process resolved: what they stand for
  bool isOpaque = false;   // torch, numpy …: every attribute that is not in `globals` is an opaque value

  // Built-in modules of the language: the tables of builtins whose rows are attributes, and the embedded files.
  std::vector<std::string_view> spaces, preludes;

  Loader *loader = nullptr; // what its imports go through; null for built-in modules
  // A file is executed when a name of it is first needed.
  enum class State { Fresh, Running, Loaded } state = State::Loaded;
  std::vector<std::shared_ptr<Function>> jitFunctions; // as they came into being, wrapped ones again
  // Scopes that its functions captured: they form cycles with the functions, which the loader breaks at its end.
  std::vector<std::weak_ptr<Scope>> captured;
};

} // namespace nereid::lang
