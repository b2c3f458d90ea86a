#include "learn/Scene.h"

#include "jit/Evaluate.h"
#include "runtime/Convert.h"
#include "runtime/GuardedMemory.h"

#include <algorithm>

namespace nereid::learn {

namespace {

Error wrongUnit(const std::string &message) { return {Status::BadInput, "error: " + message + "\n"}; }

// What stays a text: types, functions.
std::optional<Argument::Value> asArgument(const lang::Value &value) {
  if (value.isNone())
    return std::monostate{};
  if (const bool *boolean = value.get<bool>())
    return *boolean;
  if (std::optional<lang::Integer> integer = value.integer())
    return static_cast<int64_t>(*integer);
  if (const double *number = value.get<double>())
    return *number;
  if (const std::string *text = value.str())
    return *text;
  return std::nullopt;
}

lang::Value asValue(const Argument::Value &value) {
  if (std::holds_alternative<std::monostate>(value))
    return lang::None{};
  if (auto *v = std::get_if<bool>(&value))
    return *v;
  if (auto *v = std::get_if<int64_t>(&value))
    return *v;
  if (auto *v = std::get_if<uint64_t>(&value))
    return lang::Integer(*v);
  if (auto *v = std::get_if<double>(&value))
    return *v;
  if (auto *v = std::get_if<std::string>(&value))
    return *v;
  if (auto *v = std::get_if<Tensor>(&value))
    return jit::HostValue{.kind = jit::HostValue::Kind::Tensor, .tensor = *v}.asValue();
  return {};
}

// The names of a launch on top of the test's: the last one of a name counts.
class Names {
public:
  void set(const std::string &name, lang::Value value) {
    for (auto &[known, old] : dictionary->items)
      if (*known.str() == name) {
        old = std::move(value);
        return;
      }
    dictionary->items.emplace_back(lang::Value(name), std::move(value));
  }
  lang::Value value() const { return dictionary; }

private:
  std::shared_ptr<lang::DictObject> dictionary = std::make_shared<lang::DictObject>();
};

void scale(const Tensor &tensor, double factor) {
  auto width = static_cast<int64_t>(bytesOf(tensor.dtype()));
  for (int64_t i = 0, count = tensor.span(); i < count; ++i) {
    std::byte *element = tensor.data() + i * width;
    runtime::writeElement(tensor.dtype(), element, factor * runtime::readElement(tensor.dtype(), element));
  }
}

Result<Tensor> doubled(const Tensor &tensor, bool isEmpty) {
  Result<Tensor> memory = runtime::guardedTensor(DType::Fp64, {tensor.span()});
  if (!memory)
    return memory;
  if (isEmpty)
    std::memset(memory->data(), int(runtime::kUndefinedByte), memory->spanBytes());
  auto width = static_cast<int64_t>(bytesOf(tensor.dtype()));
  for (int64_t i = 0, count = isEmpty ? 0 : tensor.span(); i < count; ++i)
    runtime::writeElement(DType::Fp64, memory->data() + i * 8,
                          runtime::readElement(tensor.dtype(), tensor.data() + i * width));
  return memory->viewed(DType::Fp64, tensor.shape(), tensor.strides());
}

bool beginsWithValues(const std::string &text) {
  return std::ranges::any_of(std::initializer_list<const char *>{"rand", "arange"},
                             [&](const char *word) { return text.starts_with(word); });
}

// The learner's file may have a function for it, so its names count too.
Result<std::array<uint32_t, 3>> gridOf(jit::KernelModule &module, const lang::Value &names, const std::string &text) {
  Result<lang::Value> value = jit::evaluateWithNames(module, names, "grid", text);
  if (!value)
    return value.error();
  lang::Values items{*value};
  if (const lang::Tuple *tuple = value->asTuple())
    items = tuple->items;
  std::array<uint32_t, 3> grid{1, 1, 1};
  for (size_t i = 0; i < items.size(); ++i) {
    std::optional<lang::Integer> extent = items[i].integer();
    if (i > 2 || !extent || *extent < 0 || *extent > jit::kGridLimits[i])
      return wrongUnit("the grid `" + text.substr(0, 80) + "` gives " + lang::repr(*value).substr(0, 80) +
                       "; one to three whole numbers are expected");
    grid[i] = static_cast<uint32_t>(*extent);
  }
  return grid;
}

} // namespace

Result<Scene> Scene::make(jit::KernelModule &python, const Test &test) {
  Scene scene(python);
  std::vector<std::string> tensors;
  std::vector<std::pair<std::string, std::string>> scalars;
  for (const std::string &word : test.arguments) {
    Result<std::pair<std::string, std::string>> parts = jit::splitArgumentWord(word);
    if (!parts)
      return wrongUnit(parts.error().message);
    if (!runtime::looksLikeTensor(parts->second)) {
      scalars.push_back(std::move(*parts));
      continue;
    }
    tensors.push_back(word);
    if (beginsWithValues(parts->second))
      scene.inputs.push_back(parts->first);
  }
  // A scalar may be Python over others, which may stand behind it.
  for (size_t left = scalars.size(); left > 0; left = scalars.size()) {
    std::optional<Error> problem;
    std::erase_if(scalars, [&](const auto &scalar) {
      Result<Argument::Value> value = scene.evaluate(scalar.first, scalar.second);
      if (value)
        scene.words.arguments.emplace_back(scalar.first, nullptr).value = *value;
      else
        problem = value.error();
      return static_cast<bool>(value);
    });
    if (scalars.size() == left)
      return *problem;
  }
  lang::Value names = scene.dictionary();
  auto extent = [&](std::string_view text) -> std::optional<int64_t> {
    Result<lang::Value> value = jit::evaluateWithNames(python, names, "extent", std::string(text));
    std::optional<lang::Integer> integer = value ? value->integer() : std::nullopt;
    return integer ? std::optional(static_cast<int64_t>(*integer)) : std::nullopt;
  };
  Result<jit::ArgumentWords> made = jit::readArgumentWords(tensors, test.seed, extent);
  if (!made)
    return wrongUnit(made.error().message);
  for (Argument &argument : made->arguments)
    scene.words.arguments.push_back(std::move(argument));
  scene.words.tensors = std::move(made->tensors);
  scene.words.empty = std::move(made->empty);
  for (const auto &[name, factor] : test.scale) {
    const jit::NamedTensor *tensor = scene.find(name);
    if (!tensor || !isFloat(tensor->tensor.dtype()))
      return wrongUnit("`scale`: there is no tensor of floats `" + name + "`");
    scale(tensor->tensor, factor);
  }
  return scene;
}

Result<Scene> Scene::inDoubles() const {
  Scene copy = *this;
  for (jit::NamedTensor &named : copy.words.tensors) {
    Result<Tensor> tensor =
        isFloat(named.tensor.dtype()) ? doubled(named.tensor, isEmpty(named.name)) : runtime::guardedCopy(named.tensor);
    if (!tensor)
      return tensor.error();
    named.tensor = *tensor;
    for (Argument &argument : copy.words.arguments) {
      if (argument.name != named.name)
        continue;
      if (auto *descriptor = std::get_if<Descriptor>(&argument.value))
        descriptor->tensor = *tensor;
      else
        argument.value = *tensor;
    }
  }
  return copy;
}

Result<Argument::Value> Scene::evaluate(const std::string &name, const std::string &text) const {
  Argument::Value value = jit::parseScalar(text);
  if (!std::holds_alternative<Expression>(value))
    return value;
  for (const Argument &argument : words.arguments) // a tensor of the test, under another name
    if (argument.name == text && find(text))
      return argument.value;
  Result<lang::Value> result = jit::evaluateWithNames(*python, dictionary(), "argument `" + name + "`", text);
  if (!result)
    return result.error();
  std::optional<Argument::Value> known = asArgument(*result);
  return known ? *known : value;
}

lang::Value Scene::dictionary() const {
  Names names;
  for (const Argument &argument : words.arguments)
    if (lang::Value value = asValue(argument.value))
      names.set(argument.name, value);
  return names.value();
}

Result<Scene::Ready> Scene::prepare(jit::KernelModule &module, const Step &step) const {
  Result<std::shared_ptr<lang::Function>> kernel = module.find(step.kernel);
  if (!kernel)
    return kernel.error();
  Ready ready{.kernel = *kernel};
  Names names;
  std::vector<std::string> own;
  auto takes = [&](const std::string &name) {
    return std::ranges::any_of((*kernel)->parameters, [&](const lang::Parameter &p) { return p.name == name; });
  };
  for (const Argument &argument : words.arguments)
    if (lang::Value value = asValue(argument.value))
      names.set(argument.name, value);
  for (const std::string &word : step.arguments) {
    Result<std::pair<std::string, std::string>> parts = jit::splitArgumentWord(word);
    if (!parts)
      return wrongUnit(parts.error().message);
    Result<Argument::Value> value = evaluate(parts->first, parts->second);
    if (!value)
      return value.error();
    std::erase_if(ready.arguments, [&](const Argument &argument) { return argument.name == parts->first; });
    ready.arguments.emplace_back(parts->first, nullptr);
    ready.arguments.back().value = *value;
    own.push_back(parts->first);
    if (lang::Value known = asValue(*value))
      names.set(parts->first, known);
    if (isEmpty(parts->second) && find(parts->second))
      ready.settings.empty.push_back(parts->first);
  }
  for (const Argument &argument : words.arguments) {
    if (!takes(argument.name) || std::ranges::find(own, argument.name) != own.end())
      continue;
    ready.arguments.push_back(argument);
    if (isEmpty(argument.name))
      ready.settings.empty.push_back(argument.name);
  }
  ready.settings.shape.numWarps = step.numWarps;
  ready.settings.strictExtents = true; // what is learned holds for Triton too
  ready.settings.shape.numStages = step.numStages;
  if ((*kernel)->autotune) { // its configurations have names that the grid may use
    ready.settings.config = 0;
    ready.settings.gridExpression = step.grid;
    return ready;
  }
  Result<std::array<uint32_t, 3>> grid = gridOf(module, names.value(), step.grid);
  if (!grid)
    return grid.error();
  ready.settings.grid.assign(grid->begin(), grid->end());
  return ready;
}

const jit::NamedTensor *Scene::find(const std::string &name) const {
  auto found = std::ranges::find(words.tensors, name, &jit::NamedTensor::name);
  return found == words.tensors.end() ? nullptr : &*found;
}

bool Scene::isEmpty(const std::string &tensor) const {
  return std::ranges::find(words.empty, tensor) != words.empty.end();
}

bool Scene::isInput(const std::string &tensor) const { return std::ranges::find(inputs, tensor) != inputs.end(); }

} // namespace nereid::learn
