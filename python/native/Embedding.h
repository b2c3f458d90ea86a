// Embedding.h: Python functions and objects inside of the compiler. A jit function brings its source text; every name
// that the text uses is looked up in the function's own Python scopes and put into the compiler's module as a value:
// constants by value, functions and classes by their text, what belongs to the language by its name there, and all
// else as a foreign object.
#pragma once

#include "Reference.h"

#include "compiler/Compiler.h"
#include "lang/evaluate/ConstEval.h"

#include <map>
#include <set>
#include <unordered_map>

namespace nereid::python {

// Who may use a Python object.
enum class Use {
  Nobody,   // it can be asked for attributes
  Reader,   // kernels read globals that hold it
  Constant, // kernels call it with constants
  Function, // kernels read globals that hold it, and call it
  Builtin   // likewise; a function that a program made one of the language (`@tl.core.builtin`, `@extern`)
};

// An attribute of an object of the process that compilation has read.
struct ReadAttribute {
  Reference object, name, value;
};
bool areUnchanged(const std::vector<ReadAttribute> &reads);

class Embedding {
public:
  explicit Embedding(compiler::Compiler &compiler) : compiler(compiler), session(compiler.session()) {}

  // The module of a jit function, with the function as its only kernel; null after reporting.
  std::shared_ptr<lang::Module> defineKernel(PyObject *function);
  const std::shared_ptr<lang::Function> &kernel() const { return entry; }

  // May fail as compilation does (CompileError).
  lang::Value toValue(PyObject *object);
  // An object that is being converted, inside of those that hold it. Fails where there are too many: lists may hold themselves, or
  // one another so often that there is no end.
  class Level {
  public:
    explicit Level(Embedding &embedding);
    ~Level() { --embedding.levels; }
    Level(const Level &) = delete;

  private:
    Embedding &embedding;
  };
  // A function that is called while a kernel is compiled.
  lang::Value ofCallable(PyObject *object, Use use);
  // What compile-time Python gets; fails for what exists at run time only.
  Reference toPython(const lang::Value &value);

  // Global variables that were read: they must not change as long as the code is used.
  struct Watched {
    Reference globals, name, value;
    Reference inner; // the value inside of a constexpr, which may be replaced; or nothing
    Reference copy;  // of what may change inside: lists, and what holds them; or nothing
  };
  std::vector<Watched> watched;
  // Attributes that were read: while names were resolved, or by the compilation that is at work.
  std::vector<ReadAttribute> reads;
  void noteRead(PyObject *object, const char *name, const Reference &value);

  // Fails with the Python exception that is set now.
  [[noreturn]] void failWithPython();
  // The exception of the latest failure of called Python code, for `raise … from`.
  Reference pythonError;

private:
  // Where the names of a text are found.
  struct Scopes {
    Reference closure, globals; // dicts; either may be missing
  };
  lang::Value convert(PyObject *object);
  lang::Value ofInteger(PyObject *object);
  lang::Value ofText(PyObject *object);
  lang::Value ofLanguage(const std::string &path);
  lang::Value ofSequence(PyObject *object);
  lang::Value ofDict(PyObject *object);
  lang::Value ofModule(PyObject *object);
  lang::Value ofFunction(PyObject *object);
  lang::Value ofClass(PyObject *object);
  lang::Value ofNamedTuple(PyObject *object);
  lang::Value ofEnumMember(PyObject *object);
  lang::Value ofConstexpr(PyObject *object);
  lang::Value ofObject(PyObject *object);
  std::shared_ptr<lang::Class> namedTupleClass(PyObject *cls);
  std::shared_ptr<lang::Class> classFromText(PyObject *cls);

  std::shared_ptr<lang::Module> openText(const std::string &file, long line, const std::string &text);
  void resolveNames(lang::Module &module, const Scopes &scopes);
  void setDefaults(lang::Function &function, PyObject *python);
  void applyAnnotations(lang::Function &function, PyObject *python);
  void applyJit(const std::shared_ptr<lang::Function> &shell, PyObject *python);
  std::string fingerprint(const lang::Value &value);

  compiler::Compiler &compiler;
  lang::Session &session;
  std::shared_ptr<lang::Function> entry;
  std::unordered_map<PyObject *, lang::Value> known;    // what was made, by object
  std::vector<Reference> alive;                         // the objects of `known`
  std::unordered_map<const void *, PyObject *> origins; // of functions and classes
  // Classes whose text is being read, with the names that wait for them: a class may mention itself.
  std::map<PyObject *, std::vector<std::pair<lang::Module *, std::string>>> building;
  // Of constexpr functions whose result depends on their arguments alone: what stands for them in every process.
  std::unordered_map<const lang::Foreign *, std::string> stableTexts;
  static constexpr int kDeepest = 400;
  static constexpr size_t kMostObjects = 1 << 20;
  int levels = 0;       // objects that are being converted now, each inside of the one before
  size_t converted = 0; // since the outermost of them
};

// What `int`, `str` … of the process are: set once when the module is loaded.
struct PythonTypes {
  PyObject *constexprType = nullptr; // triton.language.constexpr
  PyObject *dtypeType = nullptr;     // triton.language.dtype
  PyObject *kernelType = nullptr;    // the type of jit functions
  PyObject *support = nullptr;       // nereid._support: what is easier said in Python
};
PythonTypes &pythonTypes();

} // namespace nereid::python
