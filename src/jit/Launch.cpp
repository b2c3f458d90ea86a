#include "jit/Launch.h"

#include "jit/Grid.h"
#include "jit/Specialize.h"
#include "lang/ConstEval.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace nereid::jit {

using lang::Value;

namespace {

// Fills the parameters of a kernel from what the caller gave, step by step.
class Binder {
public:
  Binder(lang::Session &session, const lang::Function &kernel) : session(session), kernel(kernel) {}

  void bindGiven(std::vector<LaunchArgument> given) {
    size_t position = 0;
    for (LaunchArgument &argument : given) {
      if (argument.name.empty()) {
        bindPositional(std::move(argument), position);
        continue;
      }
      const lang::Parameter *parameter = find(argument.name);
      if (!parameter)
        failUnknown(argument.name);
      if (bound.count(argument.name))
        session.fail("`" + kernel.name + "` got two values for `" + argument.name + "`", {}, "TypeError");
      bound[argument.name] = std::move(argument);
    }
  }

  // The first configuration gives the values that the caller left out.
  void applyConfig(lang::EmitOptions &emit) {
    if (!kernel.autotune)
      return;
    if (!kernel.autotune->problem.empty() || kernel.autotune->configs.empty())
      return;
    const lang::Config &config = kernel.autotune->configs.front();
    for (const auto &[name, value] : config.values)
      if (find(name) && !bound.count(name))
        bindConstant(name, value);
    emit.numWarps = config.numWarps;
    emit.numStages = config.numStages;
    emit.numCtas = config.numCtas;
  }

  void applyHeuristics(lang::ConstEval &eval, lang::EmitOptions &emit) {
    for (const lang::Heuristic &heuristic : kernel.heuristics) {
      if (bound.count(heuristic.parameter))
        continue;
      Value result = eval.call(heuristic.function, std::vector<lang::CallArgument>{{argumentsDict(emit), "", {}}});
      if (auto number = result.integer()) {
        if (heuristic.parameter == "num_warps")
          emit.numWarps = int(*number);
        if (heuristic.parameter == "num_stages")
          emit.numStages = int(*number);
      }
      if (find(heuristic.parameter))
        bindConstant(heuristic.parameter, result);
    }
  }

  std::vector<LaunchArgument> finish() {
    std::vector<LaunchArgument> result;
    std::string missing;
    for (const lang::Parameter &parameter : kernel.parameters) {
      auto it = bound.find(parameter.name);
      if (it != bound.end()) {
        result.push_back(std::move(it->second));
        continue;
      }
      LaunchArgument argument;
      argument.name = parameter.name;
      if (parameter.kind == lang::Parameter::Kind::VarArgs)
        argument.kind = LaunchArgument::Kind::Tuple;
      else if (parameter.defaultValue)
        argument.constant = parameter.defaultValue;
      else
        missing += (missing.empty() ? "`" : ", `") + parameter.name + "`";
      result.push_back(std::move(argument));
    }
    if (!missing.empty())
      session.fail("`" + kernel.name + "` needs a value for " + missing, {}, "TypeError");
    return result;
  }

  // What grids and heuristics see: name to value. A tensor is known only by its name.
  Value argumentsDict(const lang::EmitOptions &emit) const {
    auto dict = std::make_shared<lang::DictObject>();
    for (const auto &[name, argument] : bound)
      dict->items.emplace_back(Value(name), valueOf(argument));
    for (const lang::Parameter &parameter : kernel.parameters)
      if (!bound.count(parameter.name) && parameter.defaultValue)
        dict->items.emplace_back(Value(parameter.name), parameter.defaultValue);
    dict->items.emplace_back(Value("num_warps"), Value(emit.numWarps));
    dict->items.emplace_back(Value("num_stages"), Value(emit.numStages));
    return dict;
  }

private:
  const lang::Parameter *find(const std::string &name) const {
    for (const lang::Parameter &parameter : kernel.parameters)
      if (parameter.name == name)
        return &parameter;
    return nullptr;
  }

  void bindConstant(const std::string &name, const Value &value) {
    LaunchArgument argument;
    argument.name = name;
    argument.constant = value;
    bound[name] = std::move(argument);
  }

  void bindPositional(LaunchArgument argument, size_t &position) {
    if (position >= kernel.parameters.size())
      session.fail("`" + kernel.name + "` has " + std::to_string(kernel.parameters.size()) + " parameters, but more arguments are given", {}, "TypeError");
    const lang::Parameter &parameter = kernel.parameters[position];
    argument.name = parameter.name;
    if (parameter.kind == lang::Parameter::Kind::VarArgs) {
      LaunchArgument &rest = bound[parameter.name];
      rest.name = parameter.name;
      rest.kind = LaunchArgument::Kind::Tuple;
      rest.items.push_back(std::move(argument));
      return;
    }
    bound[parameter.name] = std::move(argument);
    ++position;
  }

  [[noreturn]] void failUnknown(const std::string &name) {
    std::vector<std::string> names;
    for (const lang::Parameter &parameter : kernel.parameters)
      names.push_back(parameter.name);
    std::string nearest = nearestName(name, names);
    session.fail("`" + kernel.name + "` has no parameter `" + name + "`",
                 nearest.empty() ? std::vector<std::string>{} : std::vector<std::string>{"did you mean `" + nearest + "`?"}, "TypeError");
  }

  static Value valueOf(const LaunchArgument &argument) {
    if (argument.kind == LaunchArgument::Kind::Constant)
      return argument.constant;
    if (argument.kind == LaunchArgument::Kind::Tuple) {
      lang::Values items;
      for (const LaunchArgument &item : argument.items)
        items.push_back(valueOf(item));
      return Value::tuple(std::move(items));
    }
    return std::make_shared<const lang::Opaque>(lang::Opaque{argument.name, true});
  }

  lang::Session &session;
  const lang::Function &kernel;
  std::map<std::string, LaunchArgument> bound;
};

} // namespace

std::optional<BoundLaunch> Launcher::bind(const lang::Function &kernel, std::vector<LaunchArgument> arguments, const LaunchOptions &options) {
  lang::Session &session = compiler.session();
  try {
    lang::Session::Enter enter(session, kernel.module->source, kernel.name, kernel.nameRange());
    lang::ConstEval eval(session);
    BoundLaunch launch;
    launch.emit.debug = options.debug || options.check;
    Binder binder(session, kernel);
    binder.bindGiven(std::move(arguments));
    binder.applyConfig(launch.emit);
    binder.applyHeuristics(eval, launch.emit);
    launch.emit.numWarps = options.numWarps.value_or(launch.emit.numWarps);
    launch.emit.numStages = options.numStages.value_or(launch.emit.numStages);
    launch.emit.numCtas = options.numCtas.value_or(launch.emit.numCtas);
    Value known = binder.argumentsDict(launch.emit);
    launch.grid = options.gridExpression.empty() ? checkGrid(session, options.grid)
                                                 : evaluateGrid(eval, kernel, options.gridExpression, known);
    launch.arguments = binder.finish();
    for (size_t i = 0; i < launch.arguments.size(); ++i)
      launch.specs.push_back(specialize(session, kernel.parameters[i], launch.arguments[i]));
    return launch;
  } catch (lang::CompileError &error) {
    Diagnostic &reported = compiler.diagnostics().error(error.diagnostic.source, error.diagnostic.range, error.diagnostic.message);
    reported.notes = std::move(error.diagnostic.notes);
    return std::nullopt;
  }
}

compiler::TileModule Launcher::compile(const lang::Function &kernel, const BoundLaunch &launch) {
  return compiler.compile(kernel, launch.specs, launch.emit);
}

std::shared_ptr<const interp::Program> Launcher::program(const lang::Function &kernel, const BoundLaunch &launch) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(&kernel)) + ";" + keyOf(launch.specs, launch.emit);
  auto known = programs.find(key);
  if (known != programs.end())
    return known->second;
  compiler::TileModule module = compile(kernel, launch);
  if (!module.module)
    return nullptr;
  interp::Failure failure;
  std::shared_ptr<const interp::Program> program = interp::translate(module.kernel(), failure);
  if (!program) {
    compiler.diagnostics().error(failure.message);
    return nullptr;
  }
  return programs.emplace(std::move(key), std::move(program)).first->second;
}

std::optional<interp::LaunchResult> Launcher::launch(const lang::Function &kernel, std::vector<LaunchArgument> arguments, const LaunchOptions &options) {
  std::optional<BoundLaunch> bound = bind(kernel, std::move(arguments), options);
  if (!bound)
    return std::nullopt;
  std::shared_ptr<const interp::Program> compiled = program(kernel, *bound);
  if (!compiled)
    return std::nullopt;
  interp::LaunchOptions run;
  run.grid = bound->grid;
  run.threads = options.threads;
  run.shuffleSeed = options.shuffleSeed;
  run.check = options.check;
  run.output = options.output;
  run.cancel = options.cancel;
  std::vector<interp::Argument> packed;
  for (size_t i = 0; i < bound->arguments.size(); ++i) {
    packArgument(bound->specs[i], bound->arguments[i], packed);
    addAllocations(bound->arguments[i].name, bound->arguments[i], run.allocations);
  }
  return interp::run(*compiled, packed, run);
}

} // namespace nereid::jit
