#include "lang/JitSearch.h"

#include "lang/SyntaxWalk.h"
#include "lang/evaluate/LibraryFunction.h"
#include "syntax/Parser.h"

#include <algorithm>

namespace nereid::lang {

using namespace syntax;

namespace {

constexpr std::string_view kParameterOf = "parameter of ";

class Search {
public:
  Search(Session &session, const std::shared_ptr<Module> &module) : eval(session), module(module) {
    for (auto &function : module->jitFunctions)
      known.insert(function->definition);
  }

  void run() {
    Session::Enter enter(eval.session, module->source, module->name, {});
    search(module->file->body, module->globals);
  }

private:
  void search(Body body, const std::shared_ptr<Scope> &scope) {
    for (const Stmt *statement : body)
      search(statement, scope);
  }

  void search(const Stmt *statement, const std::shared_ptr<Scope> &scope) {
    switch (statement->kind) {
    case StmtKind::FunctionDef: {
      auto &definition = *static_cast<const FunctionDef *>(statement);
      if (!known.contains(&definition) && isJit(definition, scope))
        make(definition, scope);
      else if (!known.contains(&definition) && containsJit(definition.body))
        enter(definition, scope);
      return;
    }
    case StmtKind::ClassDef: return search(static_cast<const ClassDef *>(statement)->body, scope);
    case StmtKind::If:
      // Kernels for other vendors are not ours, wherever they stand.
      if (isForOtherVendor(cast<If>(statement).test))
        return search(cast<If>(statement).orelse, scope);
      [[fallthrough]];
    default: visitParts(statement, {{}, [&](const Stmt *part) { search(part, scope); }});
    }
  }

  bool isForOtherVendor(const Expr *test) const {
    std::string_view text = module->source->slice(test->range);
    if (text.starts_with("not "))
      return false;
    return text.find("hip") != std::string_view::npos || text.find("rocm") != std::string_view::npos ||
           text.find("amd") != std::string_view::npos;
  }

  // A decorator that could be one: only those are worth evaluating.
  static bool mayBeJit(const Expr *decorator) {
    if (auto *call = dynCast<Call>(decorator))
      decorator = call->func;
    if (auto *attribute = dynCast<Attribute>(decorator))
      return attribute->attr.find("jit") != std::string_view::npos;
    auto *name = dynCast<Name>(decorator);
    return name && name->id.find("jit") != std::string_view::npos;
  }

  // Whether a body has jit functions in it that were not made yet.
  bool containsJit(Body body) const {
    return std::ranges::any_of(body, [&](const Stmt *statement) { return containsJit(statement); });
  }
  bool containsJit(const Stmt *statement) const {
    if (statement->kind == StmtKind::FunctionDef) {
      auto *definition = static_cast<const FunctionDef *>(statement);
      if (!known.contains(definition) && std::ranges::any_of(definition->decorators, mayBeJit))
        return true;
    }
    bool found = false;
    visitParts(statement, {{}, [&](const Stmt *part) { found = found || containsJit(part); }});
    return found;
  }

  bool isJit(const FunctionDef &definition, const std::shared_ptr<Scope> &scope) {
    for (const Expr *decorator : definition.decorators) {
      if (!mayBeJit(decorator))
        continue;
      if (auto *call = dynCast<Call>(decorator))
        decorator = call->func;
      try {
        if (libraryName(eval.evaluate(decorator, scope)) == "triton.jit")
          return true;
      } catch (const CompileError &) { // not a name that is known here
      }
    }
    return false;
  }

  Activation activationIn(const std::shared_ptr<Scope> &scope) {
    Activation activation;
    activation.module = module;
    activation.scope = scope;
    activation.isLenient = true;
    return activation;
  }

  // Decorators around jit may not be known here; jit itself is.
  void make(const FunctionDef &definition, const std::shared_ptr<Scope> &scope) {
    Activation activation = activationIn(scope);
    eval.activation = &activation;
    try {
      eval.define(definition, scope);
    } catch (const CompileError &) { // no function comes of it
    }
    eval.activation = nullptr;
  }

  // Runs the body of an enclosing function as far as it can be known, and looks again at what is left.
  void enter(const FunctionDef &definition, const std::shared_ptr<Scope> &outer) {
    auto scope = std::make_shared<Scope>();
    scope->parent = outer;
    module->captured.push_back(scope);
    Activation activation = activationIn(scope);
    eval.activation = &activation;
    size_t before = module->jitFunctions.size();
    std::optional<Session::Share> share(std::in_place, eval.session); // an endless function leaves room for the others
    try {
      auto function = eval.makeFunction(definition, outer);
      for (const Parameter &parameter : function->parameters)
        scope->names[parameter.name] =
            parameter.defaultValue && !parameter.defaultValue.isNone()
                ? parameter.defaultValue
                : makeOpaque(std::string(kParameterOf) + function->name + ": " + parameter.name);
      eval.execute(definition.body);
    } catch (const CompileError &) { // what was made before it failed is there
    }
    share.reset();
    eval.activation = nullptr;
    for (size_t i = before; i < module->jitFunctions.size(); ++i)
      known.insert(module->jitFunctions[i]->definition);
    search(definition.body, scope);
  }

  ConstEval eval;
  std::shared_ptr<Module> module;
  std::set<const FunctionDef *> known;
};

} // namespace

void findHiddenJitFunctions(Session &session, const std::shared_ptr<Module> &module) { Search(session, module).run(); }

bool isEnclosingParameter(const Value &value) {
  auto *opaque = value.constant<Opaque>();
  return opaque && opaque->path.find(kParameterOf) != std::string::npos;
}

std::vector<Loader::JitEntry> listJitFunctions(const Module &module) {
  std::map<const FunctionDef *, std::shared_ptr<Function>> latest;
  for (const std::shared_ptr<Function> &function : module.jitFunctions)
    latest[function->definition] = function;
  std::vector<Loader::JitEntry> entries;
  for (auto &[definition, function] : latest) {
    auto owner = function->owner.lock();
    entries.push_back({owner ? owner->name + "." + function->name : function->name, function});
  }
  std::ranges::sort(entries, {}, [](auto &entry) { return entry.function->definition->range.begin; });
  return entries;
}

} // namespace nereid::lang
