#include "jit/tune/Prune.h"

#include "lang/evaluate/Evaluate.h"

#include <algorithm>
#include <numeric>

namespace nereid::jit {

namespace {

lang::Value itemOf(const lang::Value &dictionary, std::string_view name) {
  if (auto *dict = dictionary.object<lang::DictObject>())
    for (const auto &[key, value] : dict->items)
      if (key.str() && *key.str() == name && !value.isNone())
        return value;
  return {};
}

class Pruner {
public:
  Pruner(KernelModule &module, const Binding &binding)
      : module(module), binding(binding), tuning(*binding.kernel->autotune) {}

  Pruned run() {
    result.configs.resize(tuning.configs.size());
    std::iota(result.configs.begin(), result.configs.end(), 0u);
    if (lang::Value function = itemOf(tuning.pruneConfigsBy, "early_config_prune"))
      pruneEarly(function);
    if (lang::Value model = itemOf(tuning.pruneConfigsBy, "perf_model"))
      pruneByModel(model);
    return std::move(result);
  }

private:
  lang::Session &session() { return module.compiler.session(); }

  // The arguments of the launch without those that a configuration gives, as Triton passes them.
  std::shared_ptr<lang::DictObject> givenArguments(bool constantsOnly) const {
    auto given = std::make_shared<lang::DictObject>();
    for (size_t i = 0; i < binding.values.size(); ++i) {
      const lang::Parameter &parameter = binding.kernel->parameters[i];
      bool isFromConfig =
          std::ranges::any_of(tuning.configs[0].values, [&](const auto &item) { return item.first == parameter.name; });
      if (!isFromConfig && (parameter.isConstexpr || !constantsOnly))
        given->items.emplace_back(lang::Value(parameter.name), binding.values[i].asValue());
    }
    return given;
  }

  // A `triton.Config` with these values, as the file wrote it.
  lang::Value objectOf(const lang::Config &config) {
    auto values = std::make_shared<lang::DictObject>();
    for (const auto &[name, value] : config.values)
      values->items.emplace_back(lang::Value(name), value);
    lang::Value maker = lang::attributeOf(session(), lang::Value(lang::builtinModule("triton", session())), "Config");
    return lang::callReporting(session(), maker,
                               std::vector<lang::CallArgument>{{lang::Value(values), "", {}},
                                                               {lang::Value(config.shape.numWarps), "num_warps", {}},
                                                               {lang::Value(config.shape.numStages), "num_stages", {}},
                                                               {lang::Value(config.shape.numCtas), "num_ctas", {}}})
        .value_or(lang::Value());
  }

  void giveUp(const std::string &what) {
    std::string problem = module.takeError().message;
    problem = problem.substr(0, problem.find('\n'));
    result.notes.push_back("`" + what + "` could not be evaluated at compile time, so it left nothing out" +
                           (problem.empty() ? "" : ": " + problem));
  }

  void pruneEarly(const lang::Value &function) {
    auto list = std::make_shared<lang::ListObject>();
    for (const lang::Config &config : tuning.configs)
      list->items.push_back(objectOf(config));
    lang::Values objects = list->items; // the function may change its list
    std::vector<lang::CallArgument> arguments{{lang::Value(list), "", {}},
                                              {lang::Value(givenArguments(false)), "", {}}};
    for (const auto &[name, value] : givenArguments(true)->items)
      arguments.push_back({value, *name.str(), {}});
    std::optional<lang::Value> kept = lang::callReporting(session(), function, std::move(arguments));
    const lang::Values *items = !kept                              ? nullptr
                                : kept->object<lang::ListObject>() ? &kept->object<lang::ListObject>()->items
                                : kept->asTuple()                  ? &kept->asTuple()->items
                                                                   : nullptr;
    if (!items)
      return giveUp("early_config_prune");
    std::vector<unsigned> places;
    for (const lang::Value &item : *items)
      for (unsigned i = 0; i < tuning.configs.size(); ++i)
        if (item.object<lang::Instance>() && item.object<lang::Instance>() == objects[i].object<lang::Instance>())
          places.push_back(i);
    if (places.size() != items->size())
      result.notes.push_back("`early_config_prune` made configurations of its own; those are not tried");
    if (places.empty())
      result.notes.push_back("`early_config_prune` left no configuration; all are tried");
    else
      result.configs = std::move(places);
  }

  void pruneByModel(const lang::Value &model) {
    size_t keep = topCount(itemOf(tuning.pruneConfigsBy, "top_k"));
    if (result.configs.size() <= keep)
      return;
    std::vector<std::pair<double, unsigned>> estimates;
    for (unsigned place : result.configs) {
      std::vector<lang::CallArgument> arguments;
      for (const auto &[name, value] : givenArguments(false)->items)
        arguments.push_back({value, *name.str(), {}});
      const lang::Config &config = tuning.configs[place];
      for (const auto &[name, value] : config.values)
        arguments.push_back({value, name, {}});
      arguments.push_back({lang::Value(config.shape.numWarps), "num_warps", {}});
      arguments.push_back({lang::Value(config.shape.numCtas), "num_ctas", {}});
      arguments.push_back({lang::Value(config.shape.numStages), "num_stages", {}});
      std::optional<lang::Value> estimate = lang::callReporting(session(), model, std::move(arguments));
      std::optional<double> number = estimate ? estimate->number() : std::nullopt;
      if (!number)
        return giveUp("perf_model");
      estimates.emplace_back(*number, place);
    }
    std::ranges::stable_sort(estimates, {}, &std::pair<double, unsigned>::first);
    result.configs.clear();
    for (size_t i = 0; i < keep; ++i)
      result.configs.push_back(estimates[i].second);
    std::ranges::sort(result.configs);
  }

  // A number, or a share of all configurations; without one all stay.
  size_t topCount(const lang::Value &value) const {
    size_t all = tuning.configs.size();
    if (const double *share = value.get<double>(); share && *share <= 1.0)
      return std::max<size_t>(1, static_cast<size_t>(static_cast<double>(all) * std::max(*share, 0.0)));
    if (std::optional<lang::Integer> count = value.integer(); count && *count > 0 && *count < lang::Integer(all))
      return static_cast<size_t>(*count);
    return all;
  }

  KernelModule &module;
  const Binding &binding;
  const lang::Autotune &tuning;
  Pruned result;
};

} // namespace

Pruned pruneConfigs(KernelModule &module, const Binding &binding) { return Pruner(module, binding).run(); }

} // namespace nereid::jit
