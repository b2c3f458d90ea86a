#include "jit/Evaluate.h"

#include "jit/Grid.h"
#include "lang/evaluate/Evaluate.h"

#include <algorithm>

namespace nereid::jit {

namespace {

// The names that an expression of the command line may use besides those of the kernel's module.
std::shared_ptr<lang::Scope> expressionScope(KernelModule &module) {
  lang::Session &session = module.compiler.session();
  auto scope = std::make_shared<lang::Scope>();
  scope->parent = module.module().globals;
  if (auto triton = lang::builtinModule("triton", session)) {
    scope->names["triton"] = lang::Value(triton);
    for (const char *name : {"cdiv", "next_power_of_2"})
      if (lang::Value function = lang::attributeOf(session, lang::Value(triton), name))
        scope->names[name] = function;
  }
  if (auto language = lang::builtinModule("triton.language", session))
    scope->names["tl"] = lang::Value(language);
  return scope;
}

void addNames(lang::Scope &scope, const std::vector<Argument> &names) {
  for (const Argument &argument : names)
    if (const int64_t *integer = std::get_if<int64_t>(&argument.value))
      scope.names[argument.name] = *integer;
    else if (const double *number = std::get_if<double>(&argument.value))
      scope.names[argument.name] = *number;
    else if (const bool *flag = std::get_if<bool>(&argument.value))
      scope.names[argument.name] = *flag;
}

Result<HostValue> tensorValue(const std::string &name, const Tensor &tensor, HostValue::Kind kind, Shape block) {
  auto fail = [&](std::string message) {
    return Error{Status::BadInput, "error: tensor `" + name + "`: " + std::move(message) + "\n"};
  };
  Result<int64_t> count = Tensor::countOf(tensor.shape());
  if (!count)
    return fail(count.error().message);
  if (tensor.strides().size() != tensor.shape().size())
    return fail("it has " + std::to_string(tensor.rank()) + " extents, but " + std::to_string(tensor.strides().size()) +
                " strides");
  constexpr int64_t kLargest = int64_t(1) << 56;
  int64_t last = 0;
  for (size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    int64_t stride = tensor.strides()[axis], step = 0;
    if (stride < 0)
      return fail("a stride is " + std::to_string(stride) + "; it must not be negative");
    bool isFar =
        __builtin_mul_overflow(std::max<int64_t>(tensor.shape()[axis] - 1, 0), stride, &step) || step > kLargest;
    if (isFar || (last += step) > kLargest)
      return fail("its extents and strides reach further than memory does");
  }
  if (!tensor.data() && *count > 0)
    return fail("its memory is null");
  if (kind == HostValue::Kind::Descriptor && block.size() != tensor.shape().size())
    return fail("it has " + std::to_string(tensor.rank()) + " axes, but its block has " + std::to_string(block.size()));
  return HostValue{.kind = kind, .tensor = tensor, .block = std::move(block)};
}

Result<HostValue> convert(KernelModule &module, const std::string &name, const Argument::Value &value) {
  auto constant = [](lang::Value value) { return HostValue{.constant = std::move(value)}; };
  if (std::holds_alternative<std::monostate>(value))
    return constant(lang::None{});
  if (auto *v = std::get_if<bool>(&value))
    return constant(*v);
  if (auto *v = std::get_if<int64_t>(&value))
    return constant(*v);
  if (auto *v = std::get_if<uint64_t>(&value))
    return constant(lang::Integer(*v));
  if (auto *v = std::get_if<double>(&value))
    return constant(*v);
  if (auto *v = std::get_if<std::string>(&value))
    return constant(*v);
  if (auto *v = std::get_if<Tensor>(&value))
    return tensorValue(name, *v, HostValue::Kind::Tensor, {});
  if (auto *v = std::get_if<Descriptor>(&value))
    return tensorValue(name, v->tensor, HostValue::Kind::Descriptor, v->block);
  if (auto *v = std::get_if<Expression>(&value)) {
    Result<lang::Value> result = evaluateExpression(module, "argument `" + name + "`", v->text);
    return result ? Result<HostValue>(constant(*result)) : result.error();
  }
  HostValue tuple{.kind = HostValue::Kind::Tuple};
  const auto &items = std::get<std::vector<Argument>>(value);
  for (size_t i = 0; i < items.size(); ++i) {
    Result<HostValue> item = convert(module, name + "[" + std::to_string(i) + "]", items[i].value);
    if (!item)
      return item;
    tuple.items.push_back(std::move(*item));
  }
  return tuple;
}

Error badGrid(const std::string &message) { return {Status::BadInput, "error: " + message + "\n"}; }

Result<std::array<uint32_t, 3>> checkGrid(const std::vector<lang::Integer> &extents, int64_t programLimit) {
  if (extents.empty() || extents.size() > 3)
    return badGrid("a grid has one to three extents, not " + std::to_string(extents.size()));
  std::array<uint32_t, 3> grid{1, 1, 1};
  int64_t programs = 1;
  for (size_t i = 0; i < extents.size(); ++i) {
    std::string which = "extent " + std::to_string(i) + " of the grid is ";
    if (extents[i] < 0)
      return badGrid(which + lang::repr(extents[i]) + "; it must not be negative");
    if (extents[i] > kGridLimits[i])
      return badGrid(which + lang::repr(extents[i]) + "; the largest is " + std::to_string(kGridLimits[i]));
    grid[i] = static_cast<uint32_t>(extents[i]);
    programs *= static_cast<int64_t>(extents[i]);
  }
  if (programs > programLimit)
    return badGrid("the grid has more than " + std::to_string(programLimit) + " programs");
  return grid;
}

} // namespace

Result<lang::Value> evaluateExpression(KernelModule &module, const std::string &what, const std::string &text,
                                       const std::vector<Argument> &names) {
  auto scope = expressionScope(module);
  addNames(*scope, names);
  std::optional<lang::Value> value =
      lang::evaluateText(module.compiler.session(), what, text, scope, module.expressionTrees);
  if (!value)
    return module.takeError();
  if (const auto *opaque = value->constant<lang::Opaque>())
    return Error{Status::BadInput, "error: " + what + ": `" + text.substr(0, 80) + "` is not known at compile time (" +
                                       opaque->path + ")\n"};
  return *value;
}

Result<std::vector<NamedHostValue>> hostValues(KernelModule &module, const std::vector<Argument> &arguments) {
  std::vector<NamedHostValue> values;
  for (const Argument &argument : arguments) {
    std::string name = argument.name.empty() ? std::to_string(values.size()) : argument.name;
    Result<HostValue> value = convert(module, name, argument.value);
    if (!value)
      return value.error();
    values.push_back({argument.name, std::move(*value)});
  }
  return values;
}

Result<lang::Value> callFunction(KernelModule &module, const lang::Value &callee, lang::Values arguments) {
  std::optional<lang::Value> value = lang::callReporting(module.compiler.session(), callee, std::move(arguments));
  if (!value)
    return module.takeError();
  if (const auto *opaque = value->constant<lang::Opaque>())
    return Error{Status::BadInput, "error: its result is not known at compile time (" + opaque->path + ")\n"};
  return *value;
}

Result<lang::Value> evaluateWithArguments(KernelModule &module, const Binding &binding, const std::string &what,
                                          const std::string &text, const std::vector<Argument> &names) {
  return evaluateWithNames(module, binding.dictionary(), what, text, names);
}

// A lambda gets the names as a dict, as Triton's do.
Result<lang::Value> evaluateWithNames(KernelModule &module, const lang::Value &dictionary, const std::string &what,
                                      const std::string &text, const std::vector<Argument> &names) {
  lang::Session &session = module.compiler.session();
  auto scope = expressionScope(module);
  addNames(*scope, names);
  for (const auto &[name, value] : dictionary.object<lang::DictObject>()->items)
    scope->names[*name.str()] = value;
  std::optional<lang::Value> value = lang::evaluateText(session, what, text, scope, module.expressionTrees);
  if (value && value->object<lang::Function>())
    value = lang::callReporting(session, *value, {dictionary});
  if (!value)
    return module.takeError();
  return *value;
}

Result<std::array<uint32_t, 3>> evaluateGrid(KernelModule &module, const Binding &binding, const Settings &settings) {
  std::vector<lang::Integer> extents(settings.grid.begin(), settings.grid.end());
  if (settings.gridExpression.empty() && extents.empty())
    return badGrid("no grid is given: say how many programs run, along one to three axes");
  if (settings.gridExpression.empty())
    return checkGrid(extents, settings.programLimit);
  Result<lang::Value> value = evaluateWithArguments(module, binding, "grid", settings.gridExpression, settings.names);
  if (!value)
    return value.error();
  lang::Values items{*value};
  if (const lang::Tuple *tuple = value->asTuple())
    items = tuple->items;
  else if (auto *list = value->object<lang::ListObject>())
    items = list->items;
  for (const lang::Value &item : items) {
    std::optional<lang::Integer> extent = item.integer();
    if (!extent)
      return badGrid("the grid `" + settings.gridExpression.substr(0, 80) + "` gives " +
                     lang::repr(*value).substr(0, 80) + "; it must give a whole number or a tuple of one to three");
    extents.push_back(*extent);
  }
  return checkGrid(extents, settings.programLimit);
}

} // namespace nereid::jit
