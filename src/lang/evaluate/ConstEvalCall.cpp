// ConstEvalCall.cpp: calls in compile-time Python: arguments, functions of the source, functions of the library.
#include "lang/DeferredDelete.h"
#include "lang/Foreign.h"
#include "lang/Loader.h"
#include "lang/Suggest.h"
#include "lang/SyntaxWalk.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"
#include "lang/semantic/Semantic.h"

#include <algorithm>

namespace nereid::lang {

using namespace syntax;

namespace {

// What a call of something unknown gives. A jit function that goes through an unknown wrapper stays itself.
Value callOpaque(const Opaque &callee, const std::vector<CallArgument> &arguments) {
  if (arguments.size() == 1)
    if (auto *function = arguments[0].value.object<Function>(); function && function->kind == Function::Kind::Jit)
      return arguments[0].value;
  return makeOpaque(callee.path + "()");
}

const Parameter *findParameter(const Function &function, std::string_view name) {
  for (const Parameter &parameter : function.parameters)
    if (parameter.name == name &&
        (parameter.kind == Parameter::Kind::Positional || parameter.kind == Parameter::Kind::KeywordOnly))
      return &parameter;
  return nullptr;
}

// Binds the arguments of a call to the parameters of a function of the source.
class Binder {
public:
  Binder(Session &session, const Function &function, Scope &scope)
      : session(session), function(function), scope(scope) {}

  void bind(const std::vector<CallArgument> &arguments) {
    for (const CallArgument &argument : arguments)
      argument.keyword.empty() ? bindPositional(argument) : bindKeyword(argument);
    for (const Parameter &parameter : function.parameters)
      finish(parameter);
  }

private:
  void bindPositional(const CallArgument &argument) {
    while (next < function.parameters.size() && function.parameters[next].kind != Parameter::Kind::Positional &&
           function.parameters[next].kind != Parameter::Kind::VarArgs)
      ++next;
    if (next == function.parameters.size())
      session.fail("`" + function.name + "` takes fewer arguments than are given here", {}, "TypeError");
    if (function.parameters[next].kind == Parameter::Kind::VarArgs)
      rest.push_back(argument.value);
    else
      scope.names[function.parameters[next++].name] = argument.value;
  }

  void bindKeyword(const CallArgument &argument) {
    if (const Parameter *parameter = findParameter(function, argument.keyword)) {
      if (scope.names.contains(parameter->name))
        session.fail("`" + function.name + "` got two values for `" + parameter->name + "`", {}, "TypeError");
      scope.names[parameter->name] = argument.value;
      return;
    }
    bool takesMore =
        std::ranges::any_of(function.parameters, [](auto &p) { return p.kind == Parameter::Kind::KeywordArgs; });
    if (!takesMore)
      session.fail("`" + function.name + "` has no parameter `" + argument.keyword + "`", {}, "TypeError");
    setItem(*options, Value(argument.keyword), argument.value);
  }

  void finish(const Parameter &parameter) {
    if (parameter.kind == Parameter::Kind::VarArgs)
      scope.names[parameter.name] = Value::tuple(rest);
    else if (parameter.kind == Parameter::Kind::KeywordArgs)
      scope.names[parameter.name] = options;
    else if (scope.names.contains(parameter.name))
      return;
    else if (parameter.defaultValue)
      scope.names[parameter.name] = parameter.defaultValue;
    else
      session.fail("`" + function.name + "` needs an argument for `" + parameter.name + "`", {}, "TypeError");
  }

  Session &session;
  const Function &function;
  Scope &scope;
  size_t next = 0;
  Values rest;
  std::shared_ptr<DictObject> options = std::make_shared<DictObject>();
};

// One name of a library function's parameter list.
struct LibraryParameter {
  std::string_view name;
  bool isOptional, isRest, isOptions;
};

std::vector<LibraryParameter> libraryParameters(std::string_view text) {
  std::vector<LibraryParameter> result;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view name = text.substr(begin, end - begin);
    bool isOptions = name.starts_with("**"), isRest = !isOptions && name.starts_with("*"),
         isOptional = name.ends_with("?");
    name.remove_prefix(isOptions ? 2 : isRest ? 1 : 0);
    name.remove_suffix(isOptional ? 1 : 0);
    result.push_back({name, isOptional, isRest, isOptions});
    begin = end + 1;
  }
  return result;
}

Values bindLibrary(Session &session, const LibraryFunction &function, std::vector<CallArgument> &arguments) {
  std::vector<LibraryParameter> parameters = libraryParameters(function.parameters);
  Values bound(parameters.size()), rest;
  auto options = std::make_shared<DictObject>();
  std::string name(function.name);
  size_t next = 0;
  for (CallArgument &argument : arguments) {
    if (argument.keyword.empty()) {
      if (next < parameters.size() && parameters[next].isRest)
        rest.push_back(std::move(argument.value));
      else if (next < parameters.size() && !parameters[next].isOptions)
        bound[next++] = std::move(argument.value);
      else
        session.fail("`" + name + "` takes at most " + std::to_string(next) + " arguments, but " +
                         std::to_string(arguments.size()) + " are given",
                     {}, "TypeError");
      continue;
    }
    auto found = std::ranges::find_if(parameters,
                                      [&](auto &p) { return p.name == argument.keyword && !p.isRest && !p.isOptions; });
    if (found != parameters.end())
      bound[found - parameters.begin()] = std::move(argument.value);
    else if (!parameters.empty() && parameters.back().isOptions)
      setItem(*options, Value(argument.keyword), argument.value);
    else
      session.fail("`" + name + "` has no parameter `" + argument.keyword + "`", {}, "TypeError");
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].isRest)
      bound[i] = Value::tuple(rest);
    else if (parameters[i].isOptions)
      bound[i] = options;
    else if (!bound[i] && !parameters[i].isOptional)
      session.fail("`" + name + "` needs an argument for `" + std::string(parameters[i].name) + "`", {}, "TypeError");
  }
  return bound;
}

} // namespace

Value ConstEval::evaluateCall(const Call &expression, const std::shared_ptr<Scope> &scope) {
  if (auto *name = dynCast<Name>(expression.func); name && name->id == "super" && !scope->names.contains("super"))
    return evaluateSuper(scope);
  Value callee = evaluate(expression.func, scope);
  std::vector<CallArgument> arguments;
  for (const Expr *argument : expression.args) {
    if (auto *starred = dynCast<Starred>(argument)) {
      Value spread = evaluate(starred->value, scope);
      if (spread.constant<Opaque>())
        return makeOpaque("a call with *" + toString(spread));
      session.step(2 * sizeOf(spread));
      for (Value &item : iterate(spread))
        arguments.push_back({std::move(item), "", argument->range});
    } else {
      arguments.push_back({evaluate(argument, scope), "", argument->range});
    }
  }
  for (const Keyword *keyword : expression.keywords) {
    Value value = evaluate(keyword->value, scope);
    if (!keyword->arg.empty()) {
      arguments.push_back({std::move(value), std::string(keyword->arg), keyword->range});
    } else if (auto *dict = value.object<DictObject>()) {
      for (auto &[key, item] : dict->items)
        arguments.push_back({item, toString(key), keyword->range});
    } else if (!value.constant<Opaque>()) {
      session.fail("`**` needs a dict, not `" + typeName(value) + "`", {}, "TypeError");
    } else {
      return makeOpaque("a call with **" + toString(value));
    }
  }
  return call(callee, std::move(arguments));
}

// super(): the class of the running method is not recorded in its frame; `self`'s bases are looked through instead,
// which is the same for one level of inheritance.
Value ConstEval::evaluateSuper(const std::shared_ptr<Scope> &scope) {
  Value *self = scope->find("self");
  if (!self || !self->object<Instance>())
    return makeOpaque("super()");
  auto proxy = makeInstance("super");
  proxy->fields["self"] = *self;
  return proxy;
}

Value ConstEval::call(const Value &callee, Values values) {
  std::vector<CallArgument> arguments;
  for (Value &value : values)
    arguments.push_back({std::move(value), "", session.place()});
  return call(callee, std::move(arguments));
}

Value ConstEval::call(const Value &callee, std::vector<CallArgument> arguments) {
  session.step();
  // partial(partial(…)) and __call__ chains have no function of the source in between that would count.
  if (nesting >= kMaxNesting)
    session.fail("compile-time code is nested more than " + std::to_string(kMaxNesting) + " deep", {},
                 "RecursionError");
  struct Nested {
    int &depth;
    ~Nested() { --depth; }
  } nested{++nesting};
  if (auto *opaque = callee.constant<Opaque>(); opaque && opaque->foreign && opaque->foreign->isCallable(true)) {
    if (Value result = opaque->foreign->call(*this, std::move(arguments)))
      return result;
    session.fail("`" + pathOf(*opaque) + "` calls functions of the language: it can be called only in a jit function");
  }
  if (auto *opaque = callee.constant<Opaque>())
    return callOpaque(*opaque, arguments);
  if (auto *function = callee.get<const LibraryFunction *>())
    return callLibrary(**function, std::move(arguments));
  if (auto *function = callee.get<std::shared_ptr<Function>>())
    return callFunction(*function, std::move(arguments));
  if (auto *cls = callee.get<std::shared_ptr<Class>>())
    return instantiate(*cls, std::move(arguments));
  if (auto *method = callee.constant<BoundMethod>()) {
    // A question to a dtype (`dtype.is_floating()`) needs no kernel.
    if (auto *builtin = method->function.get<const Builtin *>(); builtin && method->self.is<Type>())
      if (Value answer = callTypeMethod(*method->self.get<Type>(), (*builtin)->name()))
        return answer;
    arguments.insert(arguments.begin(), {method->self, "", session.place()});
    return call(method->function, std::move(arguments));
  }
  if (callee.object<Instance>()) {
    if (Value function = attribute(callee, "__call__"))
      return call(function, std::move(arguments));
    if (Value wrapped = attribute(callee, "__func__")) // staticmethod(f)(x)
      return call(wrapped, std::move(arguments));
  }
  if (auto *builtin = callee.get<const Builtin *>(); builtin && (*builtin)->name() == "cdiv") // host code uses it too
    return call(attribute(builtinModule("triton", session), "cdiv"), std::move(arguments));
  if (auto *builtin = callee.get<const Builtin *>())
    session.fail("`tl." + std::string((*builtin)->name()) + "` can be called only in a jit function");
  session.fail("`" + typeName(callee) + "` is not callable", {}, "TypeError");
}

// Whether a value exists only at run time. Only tuples hold such values; a long one is full of constants.
static bool isRunTime(const Value &value) {
  constexpr size_t kMaxLooked = 64;
  if (auto *tuple = value.asTuple())
    return tuple->items.size() <= kMaxLooked && !value.isConstant();
  return !value.object<ListObject>() && !value.object<DictObject>() && !value.object<SetObject>() &&
         !value.isConstant();
}

// The language's own function of the same name, for `math.exp(x)`.
static std::vector<std::string> helpForRunTime(std::string_view function) {
  std::string ours = functionFor(function.substr(function.rfind('.') + 1));
  return ours.empty() ? std::vector<std::string>{} : std::vector<std::string>{std::move(ours)};
}

Value ConstEval::callLibrary(const LibraryFunction &function, std::vector<CallArgument> arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Value &value = arguments[i].value;
    if (function.takes == LibraryFunction::Constants && value.constant<Opaque>() && !value.constant<Opaque>()->isKnown)
      return makeOpaque(std::string(function.name) + "(" + toString(value) + ")");
    if (function.cost == LibraryFunction::PerItem || value.str())
      session.step(value.str() ? sizeOf(value) : sizeOf(value) / 4);
    if (function.takes != LibraryFunction::Anything && isRunTime(value))
      session.failAt(arguments[i].range,
                     "`" + std::string(function.name) + "` works on values that are known at compile time, not on `" +
                         typeName(value) + "`",
                     helpForRunTime(function.name), "TypeError");
  }
  session.step(4);
  LibraryCall bound{*this, function, bindLibrary(session, function, arguments)};
  Value result = function.call(bound);
  if (function.cost == LibraryFunction::PerItem) {
    session.step(sizeOf(result));
    session.make(result.str() ? result.str()->size() : sizeOf(result) * sizeof(Value));
  }
  return result;
}

Value ConstEval::callFunction(const std::shared_ptr<Function> &function, std::vector<CallArgument> arguments) {
  if (function->kind == Function::Kind::Jit)
    session.fail("jit function `" + function->name + "` is called outside of a kernel");
  if (function->definition && function->definition->kind == StmtKind::AsyncFunctionDef)
    return makeOpaque("the coroutine " + function->name);
  Activation inner;
  inner.module = function->module;
  inner.scope = std::make_shared<Scope>();
  inner.scope->parent = function->closure ? function->closure : function->module->globals;
  Binder(session, *function, *inner.scope).bind(arguments);
  // A lambda of the command line has no module.
  Session::Enter enter(session, function->module ? function->module->source : session.source(), function->name,
                       function->nameRange());
  Activation *outer = std::exchange(activation, &inner);
  struct Restore {
    Activation *&slot, *saved;
    ~Restore() { slot = saved; }
  } restore{activation, outer};
  if (function->lambda)
    return evaluate(function->lambda->body, inner.scope);
  if (!function->isGenerator)
    function->isGenerator = containsYield(function->definition->body);
  if (*function->isGenerator)
    return makeIterator([&](Values &items) {
      inner.yielded = &items;
      execute(function->definition->body);
    });
  Flow flow = execute(function->definition->body);
  return flow == Flow::Return ? inner.result : Value(None{});
}

std::vector<Parameter> ConstEval::makeParameters(const Arguments &arguments, const std::shared_ptr<Scope> &scope) {
  std::vector<Parameter> result;
  auto add = [&](const Arg *argument, Parameter::Kind kind, const Expr *defaultValue) {
    Parameter parameter;
    parameter.kind = kind;
    parameter.name = argument->arg;
    parameter.annotation = argument->annotation;
    parameter.range = argument->range;
    if (defaultValue)
      try {
        parameter.defaultValue = evaluate(defaultValue, scope);
      } catch (const CompileError &error) { // a default that no call needs does no harm
        if (error.isFinal || error.pythonType == "RecursionError")
          throw;
        parameter.defaultValue = makeOpaque("the default of " + parameter.name + " (" + error.diagnostic.message + ")");
      }
    result.push_back(std::move(parameter));
  };
  size_t positional = arguments.posonlyargs.size() + arguments.args.size(), index = 0;
  for (List<Arg> group : {arguments.posonlyargs, arguments.args})
    for (const Arg *argument : group) {
      size_t fromEnd = positional - index++;
      bool hasDefault = fromEnd <= arguments.defaults.size();
      add(argument, Parameter::Kind::Positional,
          hasDefault ? arguments.defaults[arguments.defaults.size() - fromEnd] : nullptr);
    }
  if (arguments.vararg)
    add(arguments.vararg, Parameter::Kind::VarArgs, nullptr);
  for (size_t i = 0; i < arguments.kwonlyargs.size(); ++i)
    add(arguments.kwonlyargs[i], Parameter::Kind::KeywordOnly,
        i < arguments.kwDefaults.size() ? arguments.kwDefaults[i] : nullptr);
  if (arguments.kwarg)
    add(arguments.kwarg, Parameter::Kind::KeywordArgs, nullptr);
  return result;
}

void ConstEval::capture(Function &function, std::shared_ptr<Scope> scope) {
  while (scope->isClass && scope->parent)
    scope = scope->parent;
  function.module = activation ? activation->module : nullptr;
  if (function.module && scope == function.module->globals)
    return;
  function.closure = scope;
  if (function.module)
    function.module->captured.push_back(scope);
}

std::shared_ptr<Function> ConstEval::makeFunction(const FunctionDef &definition, const std::shared_ptr<Scope> &scope) {
  std::shared_ptr<Function> function = makeNested(Function{});
  function->name = definition.name;
  function->definition = &definition;
  function->parameters = makeParameters(*definition.args, scope);
  capture(*function, scope);
  return function;
}

Value ConstEval::define(const FunctionDef &definition, const std::shared_ptr<Scope> &scope) {
  Value value = makeFunction(definition, scope);
  for (size_t i = definition.decorators.size(); i-- > 0;) {
    bool isJit = value.object<Function>() && value.object<Function>()->kind == Function::Kind::Jit;
    // A decorator that fails, is unknown, or returns something else than a function leaves the function as it is.
    try {
      Value decorator = evaluate(definition.decorators[i], scope);
      if (decorator.constant<Opaque>())
        continue;
      Session::At at(session, definition.decorators[i]->range);
      Value wrapped = call(decorator, Values{value});
      auto *function = wrapped.object<Function>();
      bool keepsJit = !isJit || (function && function->kind == Function::Kind::Jit) || wrapped.object<Instance>();
      if (keepsJit && !wrapped.constant<Opaque>())
        value = wrapped;
    } catch (const CompileError &error) {
      if (error.isFinal || error.pythonType == "RecursionError")
        throw;
    }
  }
  return value;
}

} // namespace nereid::lang
