// EmitCalls.cpp: calls in a kernel: builtins of the language, jit functions (emitted in place), compile-time functions,
// classes, and Python's own names.
#include "lang/Foreign.h"
#include "lang/Loader.h"
#include "lang/Suggest.h"
#include "lang/emit/KernelEmitter.h"
#include "lang/evaluate/ConstEval.h"
#include "lang/evaluate/LibraryFunction.h"
#include "lang/semantic/Semantic.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <cmath>

using namespace nereid::syntax;

namespace nereid::lang {

static constexpr std::string_view kPythonNames[] = {"len",     "list",    "range", "float", "int", "isinstance",
                                                    "getattr", "hasattr", "print", "min",   "max"};

Value pythonName(std::string_view name, Session &session) {
  if (std::find(std::begin(kPythonNames), std::end(kPythonNames), name) == std::end(kPythonNames))
    return {};
  Value *found = builtinModule("builtins", session)->globals->find(name);
  return found ? *found : Value();
}

std::vector<std::string> pythonNameHelp(std::string_view name) {
  static constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"abs", "write `tl.abs(x)`"},
      {"all", "write `tl.min(x.to(tl.int32), axis) != 0` for the elements of a block"},
      {"any", "write `tl.max(x.to(tl.int32), axis) != 0` for the elements of a block"},
      {"reversed", "count down: `range(n - 1, -1, -1)`"},
      {"sorted", "write `tl.sort(x)` for the elements of a block"},
      {"sum", "write `tl.sum(x, axis)` for the elements of a block"},
      {"round", "write `libdevice.round(x)`, after `from triton.language.extra import libdevice`"},
      {"pow", "write `x * x`, or `libdevice.pow(x, y)`, after `from triton.language.extra import libdevice`"},
      {"bool", "write `x != 0`"},
      {"enumerate", "loop over `range(n)` or `tl.static_range(n)`, and index the tuple"},
      {"zip", "loop over `tl.static_range(n)`, and index both tuples"},
      {"map", "write a comprehension: `[f(x) for x in items]`"},
      {"tuple", "write `(a, b)`"},
      {"str", "write an f-string: `f\"{x}\"`"},
  };
  for (const auto &[word, help] : kWords)
    if (word == name)
      return {std::string(help)};
  return {"move this to the host, or to a `@triton.constexpr_function`"};
}

Value KernelEmitter::evaluateCall(const Call &expression) {
  const Expr *unused = std::exchange(unusedCall, nullptr);
  Value callee = evaluate(expression.func);
  if (Function *function = callee.object<Function>(); function && function->mustUseResult && unused == &expression) {
    const std::string *why = function->mustUseResult.str();
    fail("the result of " + function->name + " is not being used." + (why ? " " + *why : ""));
  }
  std::vector<CallArgument> arguments = evaluateArguments(expression);
  if (auto *method = callee.constant<BoundMethod>(); method && mayChange(method->self, method->function))
    return callChanging(*method, std::move(arguments), expression.func->range);
  return call(callee, std::move(arguments));
}

bool takesSemantic(const Function &function) {
  return std::ranges::any_of(function.parameters, [](const Parameter &parameter) {
    return parameter.name == "_semantic" || parameter.name == "_generator";
  });
}

static bool isOfAggregate(const Function &function) {
  std::shared_ptr<Class> owner = function.owner.lock();
  return owner && owner->kind == Class::Kind::Aggregate;
}

bool isCallableAsIs(const Function &function) { return takesSemantic(function) || isOfAggregate(function); }

bool mayChange(const Value &self, const Value &method) {
  Function *function = method.object<Function>();
  return self.object<Instance>() && function && function->kind == Function::Kind::Plain && isOfAggregate(*function);
}

// A method of Python may store to its object. Paths of control flow share objects, so it works on a copy, which all names of
// the object then stand for: loops and branches see that these are assigned.
Value KernelEmitter::callChanging(const BoundMethod &method, std::vector<CallArgument> arguments, SourceRange at) {
  Instance *before = method.self.object<Instance>();
  auto copy = std::make_shared<Instance>(*before);
  arguments.insert(arguments.begin(), CallArgument{copy, "", session.place()});
  Value result = call(method.function, std::move(arguments));
  if (sameValue(method.self, Value(copy)))
    return result.object<Instance>() == copy.get() ? method.self : result;
  std::vector<std::string> names;
  for (const auto &[name, value] : frame().locals)
    if (value.object<Instance>() == before)
      names.push_back(name);
  if (names.empty())
    failAt(at, "this method changes an aggregate that has no name here", {"give it a name first: `x = …`"},
           "TypeError");
  refuseOtherNames(before, at);
  aliases.add(copy, method.self);
  ++changes;
  for (const std::string &name : names)
    assignName(name, copy, at);
  return result;
}

// A change reaches the names that stand for the object here, and nothing else that may be it.
void KernelEmitter::refuseOtherNames(const Instance *changed, SourceRange at) {
  for (const auto &[name, value] : frame().locals)
    visitAggregates(value, [&](const Instance *other, bool isPart) {
      if ((other != changed || isPart) && aliases.mayBeOne(other, changed))
        failAt(at,
               isPart ? "this method changes an aggregate that is a part of `" + name + "`, too"
                      : "this method changes an aggregate that may be `" + name + "`, too",
               {"give it one name"}, "TypeError");
    });
}

std::vector<CallArgument> KernelEmitter::evaluateArguments(const Call &expression) {
  std::vector<CallArgument> arguments;
  for (const Expr *argument : expression.args) {
    auto *starred = dynCast<Starred>(argument);
    Value value = evaluate(starred ? starred->value : argument);
    if (!starred) {
      arguments.push_back({std::move(value), "", argument->range});
      continue;
    }
    const Tuple *tuple = value.asTuple();
    if (!tuple)
      failAt(argument->range, "only a tuple can be unpacked with `*`, not " + describe(value), {}, "TypeError");
    for (const Value &item : tuple->items)
      arguments.push_back({item, "", argument->range});
  }
  for (const Keyword *keyword : expression.keywords) {
    if (keyword->arg.empty())
      failAt(keyword->range, "`**` in a call is not supported in a kernel", {}, "UnsupportedLanguageConstruct");
    arguments.push_back({evaluate(keyword->value), std::string(keyword->arg), keyword->range});
  }
  return arguments;
}

// What to write instead of calling a function of the library.
static std::vector<std::string> helpForCall(const Opaque &function) {
  std::string path = pathOf(function);
  if (constexpr std::string_view kLaunch = "a launch of "; path.starts_with(kLaunch))
    return {"a kernel cannot launch another; call it without a grid: `" + path.substr(kLaunch.size()) + "(…)`"};
  if (path != function.path)
    return {originOf(function)};
  std::vector<std::string> notes;
  std::string name = path.substr(path.rfind('.') + 1);
  if (Type::parse(name)) // np.float32(x)
    notes.push_back("write `x.to(tl." + name + ")`, or `tl.full([], value, tl." + name + ")`");
  else if (std::string ours = functionFor(name); !ours.empty())
    notes.push_back(std::move(ours));
  notes.push_back("only functions of the language and `@triton.jit` functions can");
  return notes;
}

Value KernelEmitter::call(const Value &callee, std::vector<CallArgument> arguments) {
  if (auto *builtin = callee.get<const Builtin *>()) {
    BoundArguments bound = bindArguments(*this, **builtin, arguments);
    llvm::SaveAndRestore<const BoundArguments *> current(this->arguments, &bound);
    Session::Calling calling(session);
    return (*builtin)->emit(*this, bound);
  }
  if (auto *function = callee.get<std::shared_ptr<Function>>()) {
    if (callee.isConstexpr && (*function)->kind == Function::Kind::Plain) // @tl.constexpr: it runs at compile time
      return constEval.call(callee, std::move(arguments));
    return callFunction(*function, std::move(arguments));
  }
  if (auto *method = callee.constant<BoundMethod>()) {
    if (method->function.get<const LibraryFunction *>()) // str.startswith, dict.get …
      return constEval.call(callee, std::move(arguments));
    arguments.insert(arguments.begin(), CallArgument{method->self, "", session.place()});
    return call(method->function, std::move(arguments));
  }
  if (std::string_view name = libraryName(callee); !name.empty())
    return callPythonName(name, callee, arguments);
  if (auto *cls = callee.get<std::shared_ptr<Class>>())
    return callClass(*cls, std::move(arguments));
  if (Instance *instance = callee.object<Instance>())
    if (Value method = instance->cls->lookup("__call__")) {
      arguments.insert(arguments.begin(), CallArgument{callee, "", session.place()});
      return call(method, std::move(arguments));
    }
  bool withConstants = std::ranges::all_of(arguments, [](const CallArgument &each) { return each.value.isConstant(); });
  if (auto *opaque = callee.constant<Opaque>();
      opaque && opaque->foreign && opaque->foreign->isCallable(withConstants)) {
    session.step();
    if (Value result = withConstants ? opaque->foreign->call(constEval, arguments) : Value())
      return result;
    if (Value function = opaque->foreign->asFunction())
      return call(function, std::move(arguments));
    return constEval.call(callee, std::move(arguments));
  }
  if (auto *opaque = callee.constant<Opaque>())
    fail("`" + pathOf(*opaque) + "` cannot be called in a kernel", helpForCall(*opaque),
         "UnsupportedLanguageConstruct");
  if (auto *type = callee.get<Type>())
    fail("the type " + type->shortName() + " cannot be called",
         {"convert with `x.to(tl." + languageName(type->scalar()) + ")`, or `tl.cast`"}, "TypeError");
  bool isProperty = callee.integer() || callee.asTuple(); // x.numel(), x.shape()
  fail("a value of type " + describe(callee) + " cannot be called",
       isProperty ? std::vector<std::string>{"leave out the `()`: `x.numel` and `x.shape` are values"}
                  : std::vector<std::string>{},
       "TypeError");
}

Value KernelEmitter::callFunction(const std::shared_ptr<Function> &function, std::vector<CallArgument> arguments) {
  if (function->kind == Function::Kind::Constexpr)
    return constEval.call(function, std::move(arguments));
  if (function->kind == Function::Kind::Plain && !isCallableAsIs(*function))
    fail("`" + function->name + "` is a plain Python function, which a kernel cannot call",
         {"decorate it with `@triton.jit`, or with `@triton.constexpr_function` if it runs at compile time"},
         "UnsupportedLanguageConstruct");
  if (function->kind == Function::Kind::Plain && !takesSemantic(*function))
    return constEval.call(function, std::move(arguments));
  std::map<std::string, Value> bound = bindParameters(*function, arguments);
  if (function->noinline)
    return callOutOfLine(function, std::move(bound));
  return emitFunction(*function, std::move(bound));
}

// Whether a function of the language is written in the language itself (prelude/).
static bool isOfLanguage(const Function &function) {
  return function.module && function.module->source && function.module->source->name().starts_with("triton/language/");
}

Value KernelEmitter::emitFunction(const Function &function, std::map<std::string, Value> arguments) {
  // The kernel itself was entered by whoever emits it; what it calls is entered here.
  std::optional<Session::Enter> enter;
  if (current)
    enter.emplace(session, function.module ? function.module->source : session.source(), function.name,
                  function.nameRange());
  Frame inner{&function, {}, {}, {}, {}};
  inner.isQuiet = (current && current->isQuiet) || this->arguments || isOfLanguage(function);
  for (auto &[name, value] : arguments)
    inner.locals.emplace(name, std::move(value));
  Frame *outer = std::exchange(current, &inner);
  struct Restore {
    Frame *&current;
    Frame *outer;
    ~Restore() { current = outer; }
  } restore{current, outer};
  if (!function.definition)
    fail("a lambda cannot be called in a kernel", {}, "UnsupportedLanguageConstruct");
  noteArguments();
  Outcome outcome = emitStatements(function.definition->body, nullptr);
  return outcome.returned ? outcome.result : Value(None{});
}

std::map<std::string, Value> KernelEmitter::bindParameters(const Function &function,
                                                           std::vector<CallArgument> &arguments) {
  std::map<std::string, Value> bound;
  Values surplus;
  size_t position = 0;
  std::vector<const Parameter *> positional;
  const Parameter *rest = nullptr;
  for (const Parameter &parameter : function.parameters) {
    if (parameter.kind == Parameter::Kind::Positional)
      positional.push_back(&parameter);
    if (parameter.kind == Parameter::Kind::VarArgs)
      rest = &parameter;
    if (parameter.kind == Parameter::Kind::KeywordArgs)
      fail("`" + function.name + "` has a parameter `**" + parameter.name + "`, which is not supported in a kernel",
           {"list its parameters one by one"}, "UnsupportedLanguageConstruct");
  }
  auto bind = [&](const Parameter &parameter, const CallArgument &argument) {
    if (bound.count(parameter.name))
      failAt(argument.range, "`" + function.name + "` got two values for `" + parameter.name + "`", {}, "TypeError");
    // A value of the run time may go to a parameter that says `tl.constexpr`: between functions of a kernel the annotation
    // binds nothing (Triton's own attention passes tiles so), and a use that needs a constant complains itself.
    bound[parameter.name] = argument.value;
  };
  for (const CallArgument &argument : arguments) {
    if (argument.keyword.empty()) {
      if (position < positional.size())
        bind(*positional[position++], argument);
      else if (rest)
        surplus.push_back(argument.value);
      else
        failAt(argument.range,
               "too many arguments for `" + function.name + "`, which takes " + std::to_string(positional.size()), {},
               "TypeError");
      continue;
    }
    auto known = std::find_if(function.parameters.begin(), function.parameters.end(), [&](const Parameter &p) {
      return p.name == argument.keyword && p.kind != Parameter::Kind::VarArgs;
    });
    if (known == function.parameters.end()) {
      std::vector<std::string> names;
      for (const Parameter &parameter : function.parameters)
        names.push_back(parameter.name);
      failAt(argument.range, "`" + function.name + "` has no parameter `" + argument.keyword + "`",
             didYouMean(argument.keyword, names), "TypeError");
    }
    bind(*known, argument);
  }
  for (const Parameter &parameter : function.parameters) {
    if (bound.count(parameter.name) || &parameter == rest)
      continue;
    if (!parameter.defaultValue)
      fail("`" + function.name + "` needs a value for `" + parameter.name + "`", {}, "TypeError");
    bound[parameter.name] = parameter.defaultValue;
  }
  if (rest)
    bound[rest->name] = Value::tuple(std::move(surplus));
  return bound;
}

Value KernelEmitter::callClass(const std::shared_ptr<Class> &cls, std::vector<CallArgument> arguments) {
  if (cls->kind == Class::Kind::NamedTuple || cls->kind == Class::Kind::Enum)
    return constEval.call(cls, std::move(arguments));
  if (cls->name == "tensor" && cls->kind != Class::Kind::Aggregate)
    fail("a kernel cannot make a tile of Python's values", {recipeFor("array")}, "TypeError");
  if (cls->kind != Class::Kind::Aggregate)
    fail("a kernel cannot make a `" + cls->name + "`",
         {"only `@triton.aggregate` classes and named tuples can be made in a kernel"}, "UnsupportedLanguageConstruct");
  Value init = cls->lookup("__init__");
  Function *function = init ? init.object<Function>() : nullptr;
  if (!function || (function->kind != Function::Kind::Jit && !takesSemantic(*function)))
    return constEval.call(cls, std::move(arguments));
  Value self = std::make_shared<Instance>(Instance{cls, {}});
  arguments.insert(arguments.begin(), CallArgument{self, "", session.place()});
  call(init, std::move(arguments));
  return self;
}

static RangeObject pythonRange(const std::vector<CallArgument> &arguments) {
  RangeObject range;
  range.start = arguments.size() > 1 ? arguments[0].value : Value(0);
  range.stop = arguments[arguments.size() > 1 ? 1 : 0].value;
  range.step = arguments.size() > 2 ? arguments[2].value : Value(1);
  return range;
}

// min and max of constants are Python's; with a run-time operand they are tl.minimum and tl.maximum.
Value KernelEmitter::callExtremum(std::string_view name, const Value &callee, std::vector<CallArgument> &arguments) {
  bool allConstant =
      std::all_of(arguments.begin(), arguments.end(), [](const CallArgument &a) { return a.value.isConstant(); });
  for (const CallArgument &argument : arguments)
    if (const double *number = allConstant ? argument.value.get<double>() : nullptr;
        number && (std::isnan(*number) || (*number == 0 && std::signbit(*number))))
      failAt(argument.range,
             "`" + std::string(name) + "` of " + repr(argument.value) + " depends on the order of its arguments",
             {"write `tl." + std::string(name) + "imum`, which says what NaN and -0.0 give"}, "ValueError");
  if (allConstant || arguments.empty())
    return constEval.call(callee, std::move(arguments));
  if (arguments.size() == 1 && arguments[0].value.isTensor())
    fail("`" + std::string(name) + "` of one value",
         {"the largest or smallest element of a block is `tl." + std::string(name) + "(x, axis)`"}, "TypeError");
  std::vector<CallArgument> operands = arguments;
  if (const Tuple *tuple = arguments[0].value.asTuple(); tuple && arguments.size() == 1) {
    operands.clear();
    for (const Value &item : tuple->items)
      operands.push_back({item, "", arguments[0].range});
  }
  const Builtin *builtin = findBuiltin("tl", name == "min" ? "minimum" : "maximum");
  Value result = operands[0].value;
  for (size_t i = 1; i < operands.size(); ++i)
    result = call(builtin, {{result, "", operands[0].range}, operands[i]});
  return result;
}

Value KernelEmitter::callPythonName(std::string_view name, const Value &callee, std::vector<CallArgument> &arguments) {
  if (name == "print" && !arguments.empty() && !arguments[0].value.str())
    failAt(arguments[0].range, "`print` starts with a text, got " + describe(arguments[0].value),
           {"write `print(\"x\", x)`"}, "TypeError");
  if (name == "print")
    return call(findBuiltin("tl", "device_print"), std::move(arguments));
  if (name == "min" || name == "max")
    return callExtremum(name, callee, arguments);
  if (name == "range") {
    if (arguments.empty() || arguments.size() > 3)
      fail("`range` takes one to three arguments, but " + std::to_string(arguments.size()) + " are given", {},
           "TypeError");
    return std::make_shared<const RangeObject>(pythonRange(arguments));
  }
  if (name == "len" && arguments.size() == 1)
    if (const Tuple *tuple = arguments[0].value.asTuple())
      return int64_t(tuple->items.size());
  if (name == "len" && arguments.size() == 1 && arguments[0].value.isTensor())
    failAt(arguments[0].range, "`len` counts the items of a tuple, got " + describe(arguments[0].value),
           {arguments[0].value.tensor().type.isPointer()
                ? "a pointer has no length: pass the number of elements as a parameter"
                : "the extents of a block are `x.shape`"},
           "TypeError");
  if ((name == "list" || name == "tuple") && arguments.size() == 1)
    if (const Tuple *tuple = arguments[0].value.asTuple())
      return Value::tuple(tuple->items);
  if ((name == "getattr" || name == "hasattr") && arguments.size() >= 2)
    if (const std::string *attribute = arguments[1].value.str()) {
      Value found = attributeOf(arguments[0].value, *attribute);
      if (name == "hasattr")
        return bool(found);
      if (!found && arguments.size() < 3)
        fail(missingAttribute(arguments[0].value, *attribute), attributeHelp(arguments[0].value, *attribute),
             "AttributeError");
      return found ? found : arguments[2].value;
    }
  if ((name == "int" || name == "float") && !arguments.empty() && arguments[0].value.isTensor())
    failAt(arguments[0].range, "`" + std::string(name) + "` converts only values known at compile time",
           {"convert a run-time value with `.to(tl." + std::string(name) + "32)`"}, "TypeError");
  return constEval.call(callee, std::move(arguments));
}

} // namespace nereid::lang
