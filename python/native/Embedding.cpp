#include "Embedding.h"

#include "lang/Foreign.h"
#include "lang/Modules.h"
#include "lang/SyntaxWalk.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/LibraryFunction.h"
#include "support/Sha256.h"
#include "syntax/Parser.h"

#include <functional>

namespace nereid::python {

using lang::CompileError;
using lang::ConstEval;
using lang::Value;

PythonTypes &pythonTypes() {
  static PythonTypes types;
  return types;
}

std::shared_ptr<lang::Module> Embedding::openText(const std::string &file, long line, const std::string &text) {
  // The lines before it are empty, so that messages and line tables name the lines of the file.
  std::string padded(static_cast<size_t>(std::clamp<long>(line - 1, 0, 1 << 20)), '\n');
  std::shared_ptr<lang::Module> module = compiler.loader().openText(file, padded + text);
  if (module)
    module->state = lang::Module::State::Loaded;
  return module;
}

namespace {

// The text of a jit function is its definition alone.
const syntax::FunctionDef *functionIn(const syntax::ParsedFile &file) {
  bool isFunction = file.body.size() == 1 && file.body.front()->kind == syntax::StmtKind::FunctionDef;
  return isFunction ? static_cast<const syntax::FunctionDef *>(file.body.front()) : nullptr;
}

// Every name that is read, and every `a.b.c` that begins with one, in order of appearance.
class UsedNames {
public:
  explicit UsedNames(const syntax::ParsedFile &file) {
    if (const syntax::FunctionDef *function = functionIn(file))
      findLocals(*function);
    visitor.expression = [this](const syntax::Expr *expression) { visit(expression); };
    visitor.statement = [this](const syntax::Stmt *statement) { lang::visitParts(statement, visitor); };
    for (const syntax::Stmt *statement : file.body)
      lang::visitParts(statement, visitor);
  }
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> paths;
  // Whether the body of a function reads a name that is not its own: a default or an annotation counts only once.
  bool isWatched(const std::string &name) const {
    return inBody.contains(name) && (!locals.contains(name) || readFirst.contains(name));
  }
  // A parameter hides what the process has under its name; a variable may hide it only later.
  bool isParameter(const std::string &name) const { return parameters.contains(name); }
  bool isLocal(const std::string &name) const { return locals.contains(name); }

private:
  void findLocals(const syntax::FunctionDef &function) {
    lang::SyntaxVisitor body;
    body.expression = [&](const syntax::Expr *expression) {
      if (auto *name = syntax::dynCast<syntax::Name>(expression))
        inBody.emplace(name->id);
      lang::visitParts(expression, body);
    };
    body.statement = [&](const syntax::Stmt *statement) { lang::visitParts(statement, body); };
    for (size_t i = 0; i < function.body.size(); ++i) {
      std::set<std::string> before = std::exchange(inBody, {});
      lang::visitParts(function.body[i], body);
      lang::collectAssigned(function.body.subspan(i, 1), locals);
      // Read in a statement before one that assigns it: what the process has under the name.
      std::ranges::copy_if(inBody, std::inserter(readFirst, readFirst.end()),
                           [&](const std::string &name) { return !locals.contains(name); });
      inBody.merge(before);
    }
    for (auto group : {function.args->posonlyargs, function.args->args, function.args->kwonlyargs})
      for (const syntax::Arg *argument : group)
        locals.emplace(argument->arg), parameters.emplace(argument->arg);
  }
  void visit(const syntax::Expr *expression) {
    if (auto *name = syntax::dynCast<syntax::Name>(expression); name && known.insert(std::string(name->id)).second)
      names.emplace_back(name->id);
    std::vector<std::string> path;
    const syntax::Expr *part = expression;
    while (auto *attribute = syntax::dynCast<syntax::Attribute>(part)) {
      path.insert(path.begin(), std::string(attribute->attr));
      part = attribute->value;
    }
    if (auto *name = syntax::dynCast<syntax::Name>(part); name && !path.empty()) {
      path.insert(path.begin(), std::string(name->id));
      paths.push_back(std::move(path));
    }
    lang::visitParts(expression, visitor);
  }
  lang::SyntaxVisitor visitor;
  std::set<std::string> known, inBody, locals, parameters, readFirst;
};

bool holdsOthers(const Value &value) {
  return value.asTuple() || value.object<lang::ListObject>() || value.object<lang::DictObject>();
}

bool isPlainConstant(const Value &value) {
  return value.is<bool>() || value.integer() || value.is<double>() || value.str() || holdsOthers(value) ||
         value.is<lang::Type>();
}

// An equal copy; nothing where there is none, or where nothing in the object can change.
Reference deepCopy(PyObject *object) {
  Reference copy = Reference::take(PyImport_ImportModule("copy"));
  Reference made = copy ? Reference::take(PyObject_CallMethod(copy.get(), "deepcopy", "(O)", object)) : Reference();
  bool isCopy = made && made.get() != object && PyObject_RichCompareBool(made.get(), object, Py_EQ) == 1;
  PyErr_Clear();
  return isCopy ? made : Reference();
}

} // namespace

// Attributes that are another object each time (methods, what a property makes) say nothing; numbers do.
void Embedding::noteRead(PyObject *object, const char *name, const Reference &value) {
  bool isPlain = value && (PyLong_Check(value.get()) || PyFloat_Check(value.get()) || PyUnicode_Check(value.get()));
  if (!value || !(isPlain || attributeOf(object, name).get() == value.get()))
    return;
  for (const ReadAttribute &earlier : reads)
    if (earlier.object.get() == object && PyUnicode_CompareWithASCIIString(earlier.name.get(), name) == 0)
      return;
  reads.push_back({Reference::share(object), Reference::take(PyUnicode_InternFromString(name)), value});
}

bool areUnchanged(const std::vector<ReadAttribute> &reads) {
  for (const ReadAttribute &read : reads) {
    Reference now = attributeOf(read.object.get(), read.name.get());
    if (now.get() == read.value.get())
      continue;
    bool isEqual = now && Py_TYPE(now.get()) == Py_TYPE(read.value.get()) &&
                   PyObject_RichCompareBool(now.get(), read.value.get(), Py_EQ) == 1;
    PyErr_Clear();
    if (!isEqual)
      return false;
  }
  return true;
}

void Embedding::resolveNames(lang::Module &module, const Scopes &scopes) {
  UsedNames used(*module.file);
  std::string print;
  for (const std::string &name : used.names) {
    if (used.isParameter(name))
      continue;
    Reference key = Reference::take(PyUnicode_FromStringAndSize(name.data(), static_cast<Py_ssize_t>(name.size())));
    PyObject *found = scopes.closure ? PyDict_GetItemWithError(scopes.closure.get(), key.get()) : nullptr;
    bool isGlobal = !found && scopes.globals;
    if (isGlobal)
      found = PyDict_GetItemWithError(scopes.globals.get(), key.get());
    if (!found || module.globals->names.contains(name))
      continue;
    if (auto waiting = building.find(found); waiting != building.end()) {
      waiting->second.emplace_back(&module, name);
      continue;
    }
    Value value = toValue(found);
    // A tensor that the process happens to have under the name of a variable is no part of the kernel.
    if (auto *opaque = value.constant<lang::Opaque>(); opaque && opaque->foreign && used.isLocal(name))
      continue;
    if (isPlainConstant(value) && used.isWatched(name)) {
      bool isConstexpr = PyObject_IsInstance(found, pythonTypes().constexprType) == 1;
      Reference inner = isConstexpr ? attributeOf(found, "value") : Reference();
      Reference copy = holdsOthers(value) ? deepCopy(inner ? inner.get() : found) : Reference();
      watched.push_back(
          {isGlobal ? scopes.globals : scopes.closure, key, Reference::share(found), inner, std::move(copy)});
    }
    print += name + "=" + fingerprint(value) + "\n";
    module.globals->names[name] = std::move(value);
  }
  // What is reached through foreign modules and classes counts too.
  ConstEval eval(session);
  std::set<std::vector<std::string>> seen;
  for (const std::vector<std::string> &path : used.paths) {
    auto found = module.globals->names.find(path.front());
    if (found == module.globals->names.end() || !seen.insert(path).second)
      continue;
    Value value = found->second;
    for (size_t i = 1; i < path.size() && value; ++i) {
      auto *opaque = value.constant<lang::Opaque>();
      value = opaque && opaque->foreign ? opaque->foreign->attribute(eval, path[i]) : Value();
      if (value)
        print += path[i] + "=" + fingerprint(value) + "\n";
    }
  }
  module.fingerprint = hexText(sha256(print));
}

// Equal texts mean equal meaning in every process; a text with an address in it is equal to none of another process.
std::string Embedding::fingerprint(const Value &value) {
  if (auto *function = value.object<lang::Function>())
    return "function " + hexText(sha256(std::string(function->module ? function->module->source->text() : ""))) +
           (function->module ? function->module->fingerprint : "");
  if (auto *cls = value.object<lang::Class>())
    return "class " + cls->name +
           (cls->module && cls->module->source ? std::string(cls->module->source->text()) + cls->module->fingerprint
                                               : "");
  if (auto *module = value.object<lang::Module>())
    return "module " + module->name;
  if (auto *builtin = value.get<const lang::Builtin *>())
    return "builtin " + std::string((*builtin)->signature);
  if (auto *tuple = value.asTuple()) {
    std::string text = "(";
    for (const Value &item : tuple->items)
      text += fingerprint(item) + ",";
    return text + ")";
  }
  if (auto *opaque = value.constant<lang::Opaque>(); opaque && opaque->foreign) {
    if (auto found = stableTexts.find(opaque->foreign.get()); found != stableTexts.end())
      return "constexpr function " + hexText(sha256(found->second));
    if (opaque->foreign->isCallable(true)) // what it gives may depend on the process
      return opaque->path + std::to_string(reinterpret_cast<uintptr_t>(opaque->foreign.get()));
  }
  return lang::typeName(value) + " " + lang::repr(value) + (value.isConstexpr ? "c" : "");
}

void Embedding::setDefaults(lang::Function &function, PyObject *python) {
  Reference defaults = Reference::take(PyObject_CallMethod(python, "_defaults", nullptr));
  if (!defaults)
    failWithPython();
  for (lang::Parameter &parameter : function.parameters) {
    PyObject *value = PyDict_GetItemString(defaults.get(), parameter.name.c_str());
    parameter.defaultValue = value ? toValue(value) : Value();
  }
}

// Annotations that another decorator has set: the text does not show them. A string may name a type as `tl.int8`.
void Embedding::applyAnnotations(lang::Function &function, PyObject *python) {
  Reference annotations = attributeOf(attributeOf(python, "fn").get(), "__annotations__");
  if (!annotations || !PyDict_Check(annotations.get()))
    return PyErr_Clear();
  for (lang::Parameter &parameter : function.parameters) {
    PyObject *given = PyDict_GetItemString(annotations.get(), parameter.name.c_str());
    if (!given || parameter.annotation)
      continue;
    if (PyUnicode_Check(given)) {
      std::string text = textOf(given);
      std::string name = text.substr(text.rfind('.') + 1);
      parameter.type = lang::Type::parse(name == "uint1" ? "int1" : name); // one bit has no sign
    } else if (Value value = toValue(given); auto *type = value.get<lang::Type>()) {
      parameter.type = *type;
    }
  }
}

// The options of the decorator; the annotations are read by the compiler's own `triton.jit`.
void Embedding::applyJit(const std::shared_ptr<lang::Function> &shell, PyObject *python) {
  ConstEval eval(session);
  std::vector<lang::CallArgument> arguments = {{Value(shell), "", {}}};
  // The interpreter calls no functions: what is not inlined elsewhere is so there.
  bool isInterpreted = attributeOf(python, "_interpret").get() == Py_True;
  for (const char *option : {"do_not_specialize", "do_not_specialize_on_alignment", "noinline"})
    if (Reference value = attributeOf(python, option);
        value && value.get() != Py_None && !(isInterpreted && option == std::string_view("noinline")))
      arguments.push_back({toValue(value.get()), option, {}});
  Value jit = eval.attribute(lang::builtinModule("triton", session), "jit");
  Value made = eval.call(jit, std::move(arguments));
  auto module = shell->module;
  *shell = *made.object<lang::Function>();
  applyAnnotations(*shell, python);
  if (Reference why = attributeOf(python, "_must_use_result"); why && why.get() != Py_None)
    shell->mustUseResult = toValue(why.get());
  module->jitFunctions = {shell};
}

lang::Value Embedding::ofFunction(PyObject *python) {
  Reference text = attributeOf(python, "src"), line = attributeOf(python, "_first_line");
  Reference file = attributeOf(python, "_file_name");
  Reference scopes = Reference::take(PyObject_CallMethod(python, "_scopes", nullptr));
  if (!scopes)
    failWithPython();
  std::shared_ptr<lang::Module> module =
      openText(textOf(file.get()), line ? PyLong_AsLong(line.get()) : 1, textOf(text.get()));
  PyErr_Clear();
  const syntax::FunctionDef *definition = module ? functionIn(*module->file) : nullptr;
  if (!definition)
    session.fail("the source of `" + described(attributeOf(python, "__name__").get()) + "` is not one function", {},
                 "SyntaxError");
  ConstEval eval(session);
  lang::Activation activation{.module = module, .scope = module->globals};
  eval.activation = &activation;
  std::shared_ptr<lang::Function> shell = eval.makeFunction(*definition, module->globals);
  // It may call itself: the shell stands for it before it is complete.
  known[python] = shell;
  origins[shell.get()] = python; // toValue keeps it alive, except for the kernel that owns all this
  module->globals->names[shell->name] = shell;
  setDefaults(*shell, python);
  resolveNames(*module, {Reference::share(PyTuple_GetItem(scopes.get(), 0)),
                         Reference::share(PyTuple_GetItem(scopes.get(), 1))});
  Reference cells = attributeOf(attributeOf(python, "fn").get(), "__closure__");
  for (Py_ssize_t i = 0; cells && PyTuple_Check(cells.get()) && i < PyTuple_Size(cells.get()); ++i) {
    PyObject *cell = PyTuple_GetItem(cells.get(), i);
    noteRead(cell, "cell_contents", attributeOf(cell, "cell_contents"));
  }
  applyJit(shell, python);
  return shell;
}

std::shared_ptr<lang::Module> Embedding::defineKernel(PyObject *function) {
  try {
    Value value = ofFunction(function);
    entry = *value.get<std::shared_ptr<lang::Function>>();
    return entry->module;
  } catch (CompileError &error) {
    session.report(std::move(error));
    return nullptr;
  }
}

void Embedding::failWithPython() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Reference ownedType = Reference::take(type), ownedTrace = Reference::take(trace);
  pythonError = Reference::take(value);
  std::string typeName = textOf(attributeOf(type, "__name__").get());
  session.fail(described(value), {}, typeName.empty() ? "RuntimeError" : typeName);
}

} // namespace nereid::python
