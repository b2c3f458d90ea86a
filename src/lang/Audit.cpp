#include "lang/Audit.h"

#include "lang/AuditTiles.h"
#include "lang/Constructs.h"
#include "lang/JitSearch.h"
#include "lang/SyntaxWalk.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"

#include <algorithm>

using namespace nereid::syntax;

namespace nereid::lang {

namespace {

class Auditor {
public:
  Auditor(Session &session, const Function &function) : session(session), eval(session), function(function) {}

  std::vector<AuditProblem> run() {
    for (const Parameter &parameter : function.parameters)
      locals.insert(parameter.name);
    if (!function.definition) {
      problem(function.nameRange(), "a lambda cannot be a kernel");
      return std::move(problems);
    }
    for (const Parameter &parameter : function.parameters)
      if (parameter.kind == Parameter::Kind::KeywordArgs)
        problem(parameter.range, "`**" + parameter.name + "` is not supported in a kernel");
    collectAssigned(function.definition->body, locals);
    tiles.emplace(function, [this](const Expr *callee) { return builtinName(callee); });
    for (const Stmt *statement : function.definition->body)
      visit(statement);
    return std::move(problems);
  }

private:
  void problem(SourceRange range, std::string reason) { problems.push_back({range, std::move(reason)}); }

  void checkTarget(const Expr *target) {
    if (target->kind == ExprKind::Subscript)
      problem(target->range, "assignment to an element is not supported in a kernel");
    if (target->kind == ExprKind::Attribute && function.name != "__init__") // which gives an aggregate its fields
      problem(target->range, "assignment to an attribute is not supported in a kernel");
  }

  void visit(const Stmt *statement) {
    // A `raise` in a branch that the arguments never choose is how kernels refuse them; only a reached one is an error.
    if (statement->kind == StmtKind::Raise && branchDepth > 0)
      return;
    if (std::string reason = unsupportedStatement(statement->kind); !reason.empty())
      return problem(statement->range, std::move(reason));
    switch (statement->kind) {
    case StmtKind::If: return visitIf(*dynCast<If>(statement));
    case StmtKind::Assign:
      for (const Expr *target : dynCast<Assign>(statement)->targets)
        checkTarget(target);
      break;
    case StmtKind::AugAssign: checkTarget(dynCast<AugAssign>(statement)->target); break;
    case StmtKind::AnnAssign: // the annotation is not evaluated
      if (const Expr *value = dynCast<AnnAssign>(statement)->value)
        visit(value);
      return;
    case StmtKind::Return:
      if (loopDepth > 0)
        problem(statement->range, "cannot have `return` statements inside `while` or `for` statements in triton");
      break;
    case StmtKind::For:
    case StmtKind::While: {
      Body orelse = statement->kind == StmtKind::For ? static_cast<const For *>(statement)->orelse
                                                     : dynCast<While>(statement)->orelse;
      if (!orelse.empty())
        problem(statement->range, statement->kind == StmtKind::For ? "`for … else` is not supported in a kernel"
                                                                   : "`while … else` is not supported in a kernel");
      ++loopDepth;
      visitParts(statement, visitor);
      --loopDepth;
      return;
    }
    default: break;
    }
    visitParts(statement, visitor);
  }

  // A test over module-level values is decided here, as it will be when the kernel is compiled.
  void visitIf(const If &statement) {
    std::optional<bool> taken = decide(statement.test);
    if (!taken)
      visit(statement.test);
    branchDepth += !taken;
    if (taken.value_or(true))
      visitBranch(statement.body);
    if (!taken.value_or(false))
      visitBranch(statement.orelse);
    branchDepth -= !taken;
  }

  // A branch that refuses its arguments (`raise`, `static_assert(False)`) is never compiled to the end.
  void visitBranch(Body body) {
    if (branchDepth > 0 && std::ranges::any_of(body, refuses))
      return;
    for (const Stmt *inner : body)
      visit(inner);
  }
  static bool refuses(const Stmt *statement) {
    if (statement->kind == StmtKind::Raise)
      return true;
    auto *expression = dynCast<ExprStmt>(statement);
    auto *call = expression ? dynCast<Call>(expression->value) : nullptr;
    auto *callee = call ? dynCast<Attribute>(call->func) : nullptr;
    if (!callee || callee->attr != "static_assert" || call->args.empty())
      return false;
    auto *condition = dynCast<Constant>(call->args[0]);
    return condition && condition->constantKind == ConstantKind::False;
  }

  std::optional<bool> decide(const Expr *test) {
    if (readsLocal(test))
      return std::nullopt;
    Value value = quietly([&] { return eval.evaluate(test, scope()); });
    if (!value || value.constant<Opaque>() || !value.isConstant())
      return std::nullopt;
    Value truth = quietly([&] { return Value(eval.truth(value)); });
    return truth ? std::optional<bool>(*truth.get<bool>()) : std::nullopt;
  }

  void visit(const Expr *expression) {
    if (std::string reason = unsupportedExpression(expression->kind); !reason.empty())
      return problem(expression->range, std::move(reason));
    switch (expression->kind) {
    case ExprKind::Call: return visitCall(cast<Call>(expression));
    case ExprKind::Name:
    case ExprKind::Attribute: visitReference(expression); return;
    case ExprKind::Compare:
      if (cast<Compare>(expression).ops.size() != 1)
        problem(expression->range, "a chained comparison is not supported in a kernel");
      break;
    case ExprKind::ListComp: return visitComprehension(cast<ListComp>(expression));
    case ExprKind::Subscript: checkSubscript(cast<Subscript>(expression)); break;
    case ExprKind::BinOp:
      if (cast<BinOp>(expression).op == BinaryOperator::MatMult)
        problem(expression->range, "`@` is not supported in a kernel");
      break;
    case ExprKind::IfExp: {
      auto &conditional = cast<IfExp>(expression);
      if (std::optional<bool> taken = decide(conditional.test))
        return visit(*taken ? conditional.body : conditional.orelse);
      break;
    }
    default: break;
    }
    visitParts(expression, visitor);
  }

  void visitComprehension(const ListComp &comprehension) {
    if (comprehension.generators.size() != 1)
      return problem(comprehension.range, "nested comprehensions are not supported in a kernel");
    collectNames(comprehension.generators[0]->target);
    visitParts(&comprehension, visitor);
  }
  void collectNames(const Expr *target) {
    if (auto *name = dynCast<Name>(target))
      locals.insert(std::string(name->id));
    else
      visitParts(target, {[&](const Expr *part) { collectNames(part); }, [](const Stmt *) {}});
  }

  // A name or a chain of attributes: `tl.float32`, `x.dtype`. What hangs on a local is decided when types are known.
  Value visitReference(const Expr *expression) {
    if (auto *name = dynCast<Name>(expression)) {
      if (name->ctx != ExprContext::Load || isLocal(name->id))
        return {};
      return resolveGlobal(*name);
    }
    auto *attribute = dynCast<Attribute>(expression);
    if (!attribute) {
      visit(expression);
      return {};
    }
    Value object = visitReference(attribute->value);
    if (!object || object.isTensor())
      return {};
    std::string attributeName(attribute->attr);
    Value value = quietly([&] { return eval.attribute(object, attributeName); });
    if (!value)
      problem(attribute->attrRange, "`" + textOf(attribute) + "` is not known");
    else if (auto *opaque = value.constant<Opaque>(); opaque && !opaque->isKnown)
      problem(attribute->attrRange,
              "`" + textOf(attribute) + "` is not known at compile time: it comes from `" + opaque->path + "`");
    else
      return value;
    return {};
  }

  Value resolveGlobal(const Name &name) {
    Value *found = nullptr;
    if (function.closure)
      found = function.closure->find(name.id);
    if (!found && function.module && function.module->globals)
      found = function.module->globals->find(name.id);
    if (!found) {
      if (Value builtin = pythonName(name.id, session))
        return builtin;
      problem(name.range, "`" + std::string(name.id) + "` is not defined");
      return {};
    }
    if (isEnclosingParameter(*found)) // known once the enclosing function is called
      return {};
    if (GlobalProblem wrong = globalProblem(name.id, *found, false); !wrong.message.empty()) {
      problem(name.range, std::move(wrong.message) + (found->constant<Opaque>() ? ": " + wrong.help : ""));
      return {};
    }
    return *found;
  }

  void visitCall(const Call &call) {
    Value callee;
    if (call.func->kind == ExprKind::Name || call.func->kind == ExprKind::Attribute)
      callee = visitReference(call.func);
    else
      visit(call.func);
    for (const Expr *argument : call.args) {
      auto *starred = dynCast<Starred>(argument);
      visit(starred ? starred->value : argument);
    }
    for (const Keyword *keyword : call.keywords) {
      if (keyword->arg.empty())
        problem(keyword->range, "`**` in a call is not supported in a kernel");
      visit(keyword->value);
    }
    if (callee)
      checkCall(call, callee);
    else if (auto *attribute = dynCast<Attribute>(call.func))
      checkMember(call, *attribute);
  }

  // Pointers and tiles are no arrays: `p[i]` is a load, `x[i]` is nothing.
  void checkSubscript(const Subscript &subscript) {
    if (subscript.ctx != ExprContext::Load)
      return;
    if (tiles->isPointer(subscript.value))
      return problem(subscript.range, "a pointer is no array: write `tl.load(pointer + offsets)`");
    auto *items = dynCast<TupleExpr>(subscript.slice);
    auto isAbsent = [](const Expr *bound) {
      auto *constant = bound ? dynCast<Constant>(bound) : nullptr;
      return !bound || (constant && constant->constantKind == ConstantKind::None);
    };
    auto isWhole = [&](const Expr *index) { // a name may stand for None
      auto *slice = dynCast<Slice>(index);
      return slice ? isAbsent(slice->lower) && isAbsent(slice->upper) && isAbsent(slice->step)
                   : index->kind != ExprKind::Constant || isAbsent(index);
    };
    bool isFine = items ? std::ranges::all_of(items->elts, isWhole) : isWhole(subscript.slice);
    if (!isFine && tiles->isTile(subscript.value))
      problem(subscript.slice->range, "a tile is indexed by `:` and `None` alone");
  }

  // The name of the function of the language that a callee is.
  std::string builtinName(const Expr *callee) {
    auto *attribute = dynCast<Attribute>(callee);
    auto *name = dynCast<Name>(attribute ? attribute->value : callee);
    if (!name || isLocal(name->id) || !scope())
      return {};
    Value *global = scope()->find(name->id);
    if (!global)
      return {};
    Value value = attribute ? quietly([&] { return eval.attribute(*global, std::string(attribute->attr)); }) : *global;
    auto *builtin = value ? value.get<const Builtin *>() : nullptr;
    return builtin ? std::string((*builtin)->name()) : std::string();
  }

  // Functions of the library (`math.exp`) work on constants.
  void checkLibraryCall(const Call &call, std::string_view name) {
    if (!name.starts_with("math."))
      return;
    for (const Expr *argument : call.args)
      if (tiles->isTile(argument))
        return problem(argument->range, "`" + std::string(name) + "` works on values that are known at compile time");
  }

  void checkCall(const Call &call, const Value &callee) {
    if (std::string_view name = libraryName(callee); !name.empty())
      return checkLibraryCall(call, name);
    if (auto *builtin = callee.get<const Builtin *>())
      return checkBuiltin(call, **builtin, 0);
    if (callee.is<Type>())
      return problem(call.range, "a dtype cannot be called: write `tl.full([], value, dtype)`, or `.to(dtype)`");
    const Function *target = callee.object<Function>();
    if (!target)
      return;
    if (target->kind == Function::Kind::Plain && isCallableAsIs(*target))
      return;
    if (target->kind == Function::Kind::Plain)
      return problem(call.func->range, "`" + target->name + "` is a plain Python function, which a kernel cannot call");
    checkFunction(call, *target);
  }

  void checkFunction(const Call &call, const Function &target) {
    auto has = [&](Parameter::Kind kind) {
      return std::ranges::any_of(target.parameters, [&](auto &p) { return p.kind == kind; });
    };
    for (const Keyword *keyword : call.keywords)
      if (!keyword->arg.empty() && !has(Parameter::Kind::KeywordArgs) &&
          std::ranges::none_of(target.parameters, [&](auto &p) { return p.name == keyword->arg; }))
        problem(keyword->range, "`" + target.name + "` has no parameter `" + std::string(keyword->arg) + "`");
    if (isSpread(call))
      return;
    size_t position = 0;
    for (const Parameter &parameter : target.parameters) {
      bool isPositional = parameter.kind == Parameter::Kind::Positional;
      if (parameter.kind == Parameter::Kind::VarArgs || parameter.kind == Parameter::Kind::KeywordArgs)
        continue;
      bool isGiven = (isPositional && position++ < call.args.size()) || isNamed(call, parameter.name);
      if (!isGiven && !parameter.defaultValue)
        problem(call.range, "`" + target.name + "` needs a value for `" + parameter.name + "`");
    }
    if (call.args.size() > position && !has(Parameter::Kind::VarArgs))
      problem(call.range, "`" + target.name + "` takes " + std::to_string(position) + " arguments, not " +
                              std::to_string(call.args.size()));
  }

  static bool isSpread(const Call &call) {
    return std::ranges::any_of(call.args, [](const Expr *e) { return e->kind == ExprKind::Starred; });
  }
  static bool isNamed(const Call &call, std::string_view name) {
    return std::ranges::any_of(call.keywords, [&](auto *keyword) { return keyword->arg == name; });
  }

  void checkBuiltin(const Call &call, const Builtin &builtin, size_t given) {
    const Signature &signature = signatureOf(builtin);
    bool hasRest = std::ranges::any_of(signature.parameters, [](auto &p) { return p.isRest; });
    if (!hasRest && !isSpread(call) && call.args.size() + given > signature.parameters.size())
      problem(call.range, "`" + std::string(builtin.name()) + "` takes " + std::to_string(signature.parameters.size()) +
                              " arguments, not " + std::to_string(call.args.size() + given));
    for (const Keyword *keyword : call.keywords)
      if (!keyword->arg.empty() &&
          std::ranges::none_of(signature.parameters, [&](auto &p) { return p.name == keyword->arg; }))
        problem(keyword->range,
                "`" + std::string(builtin.name()) + "` has no parameter `" + std::string(keyword->arg) + "`");
    for (size_t i = call.args.size() + given; i < signature.parameters.size() && !isSpread(call); ++i) {
      const Signature::Parameter &parameter = signature.parameters[i];
      if (!parameter.isRest && !parameter.defaultValue && !isNamed(call, parameter.name))
        problem(call.range, "`" + std::string(builtin.name()) + "` needs the argument `" + parameter.name + "`");
    }
  }

  // A method of a local: arguments are checked where only tensors have a method of that name.
  void checkMember(const Call &call, const Attribute &attribute) {
    const Builtin *member = findMember(attribute.attr);
    if (member && !findBuiltin("descriptor", attribute.attr) && !isMemberOfClass(attribute.attr))
      checkBuiltin(call, *member, 1);
    else if (!member && !isParameter(attribute.value) && !isKnownMember(attribute.attr))
      problem(attribute.attrRange, "no value of a kernel has a method `" + std::string(attribute.attr) + "`");
  }

  // The host may pass a named tuple or an aggregate of any class.
  bool isParameter(const Expr *expression) const {
    auto *name = dynCast<Name>(expression);
    return name && std::ranges::any_of(function.parameters, [&](auto &p) { return p.name == name->id; });
  }
  bool isKnownMember(std::string_view name) const {
    if (findBuiltin("descriptor", name) || findBuiltin("dtype", name) || isMemberOfClass(name))
      return true;
    return std::ranges::any_of(
        std::initializer_list<const char *>{"str", "int", "float", "tuple", "dict", "NamedTuple"},
        [&](const char *type) { return bool(libraryClass(type)->lookup(std::string(name))); });
  }
  // Whether a class that this module sees (an aggregate, a named tuple) has a member of that name.
  bool isMemberOfClass(std::string_view name) const {
    if (!function.owner.expired())
      return true; // a method: `self` may be of any derived class
    for (const Scope *s = scope().get(); s; s = s->parent.get())
      for (auto &entry : s->names)
        if (auto *cls = entry.second.object<Class>(); cls && cls->module)
          if (cls->isOpaque || cls->lookup(std::string(name)) ||
              std::ranges::find(cls->fields, name) != cls->fields.end())
            return true;
    return false;
  }

  bool isLocal(std::string_view name) const { return locals.contains(std::string(name)); }
  bool readsLocal(const Expr *expression) {
    if (auto *name = dynCast<Name>(expression))
      return isLocal(name->id);
    bool found = false;
    visitParts(expression, {[&](const Expr *part) { found = found || readsLocal(part); }, [](const Stmt *) {}});
    return found;
  }

  std::shared_ptr<Scope> scope() const {
    return function.closure ? function.closure : function.module ? function.module->globals : nullptr;
  }

  template <class Work> Value quietly(Work work) {
    Session::Enter enter(session, function.module ? function.module->source : nullptr, function.name,
                         function.nameRange());
    try {
      return work();
    } catch (CompileError &error) {
      if (error.isFinal)
        throw;
      return {};
    }
  }

  static std::string textOf(const Expr *expression) {
    if (auto *name = dynCast<Name>(expression))
      return std::string(name->id);
    auto *attribute = dynCast<Attribute>(expression);
    return attribute ? textOf(attribute->value) + "." + std::string(attribute->attr) : "…";
  }

  Session &session;
  ConstEval eval;
  const Function &function;
  std::set<std::string> locals;
  std::optional<AuditTiles> tiles;
  std::vector<AuditProblem> problems;
  int loopDepth = 0;
  int branchDepth = 0; // of branches whose condition is decided by the arguments
  SyntaxVisitor visitor{[this](const Expr *e) { visit(e); }, [this](const Stmt *s) { visit(s); }};
};

} // namespace

std::vector<AuditProblem> auditFunction(Session &session, const Function &function) {
  try {
    return Auditor(session, function).run();
  } catch (const CompileError &error) { // a budget is spent
    return {{function.nameRange(), error.diagnostic.message}};
  }
}

} // namespace nereid::lang
