#include "jit/Bind.h"

#include "jit/Evaluate.h"

#include <bit>

namespace nereid::jit {

using lang::Function;
using lang::Parameter;

namespace {

Error bad(const Function &kernel, std::string message, std::string note = "") {
  std::string text = "error: `" + kernel.name + "`: " + std::move(message) + "\n";
  return {Status::BadInput, note.empty() ? text : text + "note: " + note + "\n"};
}

class Binder {
public:
  Binder(KernelModule &module, const std::shared_ptr<Function> &kernel, const Settings &settings)
      : module(module), kernel(*kernel), settings(settings), given(kernel->parameters.size()) {
    binding.kernel = kernel;
  }

  Result<Binding> bind(std::vector<NamedHostValue> arguments) {
    if (auto done = takeArguments(std::move(arguments)); !done)
      return done.error();
    if (auto done = takeConfig(); !done)
      return done.error();
    if (auto done = takeHeuristics(); !done)
      return done.error();
    if (auto done = takeDefaults(); !done)
      return done.error();
    for (std::optional<HostValue> &value : given)
      binding.values.push_back(std::move(*value));
    return takeOptions();
  }

private:
  Result<void> takeArguments(std::vector<NamedHostValue> arguments) {
    size_t position = 0;
    for (NamedHostValue &argument : arguments) {
      Result<void> done = argument.name.empty() ? takePositional(position, std::move(argument.value))
                                                : takeNamed(argument.name, std::move(argument.value));
      if (!done)
        return done;
    }
    return {};
  }

  Result<void> takePositional(size_t &position, HostValue value) {
    size_t count = kernel.parameters.size();
    while (position < count && kernel.parameters[position].kind == Parameter::Kind::KeywordOnly)
      ++position;
    if (position == count)
      return bad(kernel, "takes " + std::to_string(count) + " arguments, but more are given");
    if (kernel.parameters[position].kind != Parameter::Kind::VarArgs) {
      given[position++] = std::move(value);
      return {};
    }
    std::optional<HostValue> &rest = given[position];
    if (!rest)
      rest = HostValue{.kind = HostValue::Kind::Tuple};
    rest->items.push_back(std::move(value));
    return {};
  }

  Result<void> takeNamed(const std::string &name, HostValue value) {
    std::vector<std::string> names;
    for (size_t i = 0; i < kernel.parameters.size(); ++i) {
      names.push_back(kernel.parameters[i].name);
      if (names.back() != name)
        continue;
      if (given[i])
        return bad(kernel, "`" + name + "` is given twice");
      given[i] = std::move(value);
      return {};
    }
    if (int *option = optionNamed(name)) {
      std::optional<lang::Integer> number = value.asValue().integer();
      if (!number || *number < 1 || *number > 1024)
        return bad(kernel, "`" + name + "` takes a whole number from 1 to 1024");
      *option = static_cast<int>(*number);
      return {};
    }
    std::string nearest = name.size() < 200 ? nearestName(name, names) : "";
    return bad(kernel, "has no parameter `" + name.substr(0, 80) + "`",
               nearest.empty() ? "its parameters are " + listOf(names) : "did you mean `" + nearest + "`?");
  }

  int *optionNamed(const std::string &name) {
    return name == "num_warps"    ? &shape.numWarps
           : name == "num_stages" ? &shape.numStages
           : name == "num_ctas"   ? &shape.numCtas
                                  : nullptr;
  }

  // The configuration fills what is not given. Who gives all of its values needs none.
  Result<void> takeConfig() {
    if (!kernel.autotune && settings.config)
      return bad(kernel, "has no `@triton.autotune`, so there is no configuration " + std::to_string(*settings.config));
    if (!kernel.autotune)
      return {};
    const lang::Autotune &autotune = *kernel.autotune;
    if (autotune.configs.empty()) {
      configProblem = autotune.problem;
      return settings.config ? bad(kernel, "its configurations could not be evaluated: " + configProblem)
                             : Result<void>();
    }
    unsigned index = settings.config.value_or(0);
    if (index >= autotune.configs.size())
      return bad(kernel, "has " + std::to_string(autotune.configs.size()) +
                             " configurations, numbered from 0; there is no number " + std::to_string(index));
    const lang::Config &config = autotune.configs[index];
    bool isUsed = false;
    for (const auto &[name, value] : config.values)
      for (size_t i = 0; i < given.size(); ++i)
        if (kernel.parameters[i].name == name && !given[i]) {
          given[i] = HostValue{.constant = value};
          isUsed = true;
        }
    binding.usesConfig = isUsed || config.values.empty();
    if (binding.usesConfig) {
      shape = shape.orElse(config.shape);
      registers = config.maxRegisters.value_or(0);
    }
    return {};
  }

  // Each heuristic sees the arguments so far, in the order of the decorators.
  Result<void> takeHeuristics() {
    for (const lang::Heuristic &heuristic : kernel.heuristics) {
      size_t index = 0;
      while (index < given.size() && kernel.parameters[index].name != heuristic.parameter)
        ++index;
      int *option = optionNamed(heuristic.parameter);
      if (index == given.size() ? !option || *option : given[index].has_value())
        continue;
      Result<lang::Value> value = callFunction(module, heuristic.function, {argumentDictionary()});
      if (!value)
        return Error{value.error().status, value.error().message + "note: while computing `" + heuristic.parameter +
                                               "` of `" + kernel.name + "`\n"};
      if (index < given.size())
        given[index] = HostValue{.constant = *value};
      else if (std::optional<lang::Integer> number = value->integer(); number && *number >= 1 && *number <= 1024)
        *option = static_cast<int>(*number);
      else
        return bad(kernel, "the heuristic of `" + heuristic.parameter + "` gives " + lang::repr(*value).substr(0, 80) +
                               "; it must give a whole number from 1 to 1024");
    }
    return {};
  }

  Result<void> takeDefaults() {
    std::vector<std::string> missing;
    for (size_t i = 0; i < given.size(); ++i) {
      const Parameter &parameter = kernel.parameters[i];
      if (given[i])
        continue;
      if (parameter.kind == Parameter::Kind::VarArgs)
        given[i] = HostValue{.kind = HostValue::Kind::Tuple};
      else if (parameter.defaultValue)
        given[i] = HostValue{.constant = parameter.defaultValue};
      else
        missing.push_back(parameter.name);
    }
    if (missing.empty())
      return {};
    return bad(kernel, (missing.size() == 1 ? "no value is given for " : "no values are given for ") + listOf(missing),
               configProblem.empty() ? "" : "its configurations could not be evaluated: " + configProblem);
  }

  Result<Binding> takeOptions() {
    const ProgramShape &chosen = binding.options.shape = settings.shape.orElse(shape).orElse({});
    for (auto [name, number] : {std::pair("num_warps", chosen.numWarps), {"num_ctas", chosen.numCtas}})
      if (number < 1 || !std::has_single_bit(static_cast<unsigned>(number)))
        return bad(kernel, "`" + std::string(name) + "` is " + std::to_string(number) + "; it must be a power of two");
    if (chosen.numStages < 0)
      return bad(kernel, "`num_stages` is " + std::to_string(chosen.numStages) + "; it must not be negative");
    binding.choices = settings.choices;
    binding.choices.maxRegisters = settings.choices.maxRegisters ? settings.choices.maxRegisters : registers;
    binding.options.defaultDotPrecision =
        settings.dotPrecision.empty() ? usualDotPrecision(settings.device) : settings.dotPrecision;
    binding.options.debug = settings.debug || settings.check;
    binding.options.strictExtents = settings.strictExtents;
    binding.options.sanitizeOverflow = settings.debug; // the checker watches addresses itself; data may wrap around
    return std::move(binding);
  }

  lang::Value argumentDictionary() const {
    auto dictionary = std::make_shared<lang::DictObject>();
    for (size_t i = 0; i < given.size(); ++i)
      if (given[i] || kernel.parameters[i].defaultValue)
        dictionary->items.emplace_back(lang::Value(kernel.parameters[i].name),
                                       given[i] ? given[i]->asValue() : kernel.parameters[i].defaultValue);
    return dictionary;
  }

  static std::string listOf(const std::vector<std::string> &names) {
    std::string text;
    for (size_t i = 0; i < names.size(); ++i)
      text += (i == 0 ? "`" : i + 1 == names.size() ? " and `" : ", `") + names[i] + "`";
    return text;
  }

  KernelModule &module;
  const Function &kernel;
  const Settings &settings;
  std::vector<std::optional<HostValue>> given;
  ProgramShape shape = kNoShape;
  int registers = 0;
  std::string configProblem;
  Binding binding;
};

} // namespace

lang::Value Binding::dictionary() const {
  auto dictionary = std::make_shared<lang::DictObject>();
  for (size_t i = 0; i < values.size(); ++i)
    dictionary->items.emplace_back(lang::Value(kernel->parameters[i].name), values[i].asValue());
  auto add = [&](const char *name, int value) {
    dictionary->items.emplace_back(lang::Value(name), lang::Value(value));
  };
  add("num_warps", options.shape.numWarps);
  add("num_stages", options.shape.numStages);
  add("num_ctas", options.shape.numCtas);
  return dictionary;
}

Result<Binding> bind(KernelModule &module, const std::shared_ptr<Function> &kernel,
                     std::vector<NamedHostValue> arguments, const Settings &settings) {
  return Binder(module, kernel, settings).bind(std::move(arguments));
}

} // namespace nereid::jit
