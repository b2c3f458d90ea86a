#include "jit/Specialize.h"

#include "lang/Function.h"
#include "runtime/Convert.h"
#include "runtime/Memory.h"

#include <algorithm>
#include <limits>

namespace nereid::jit {

using lang::ArgumentSpec;
using lang::Integer;
using lang::Parameter;
using lang::Scalar;

namespace {

Error bad(const std::string &name, const std::string &message) {
  return {Status::BadInput, "error: argument `" + name + "`: " + message + "\n"};
}

constexpr size_t kMostValues = 1 << 16; // in one argument

// Whether a value is so many at most, each counted as often as it is held: that is how often it stands in the key of the code,
// and a value that holds itself would have no end.
bool isWithin(size_t &left, const lang::Value &value, int depth = 0) {
  constexpr int kDeepest = 100;
  if (left-- == 0 || depth > kDeepest)
    return false;
  auto isInside = [&](const lang::Value &item) { return isWithin(left, item, depth + 1); };
  if (const lang::Tuple *tuple = value.asTuple())
    return std::ranges::all_of(tuple->items, isInside);
  if (auto *list = value.object<lang::ListObject>())
    return std::ranges::all_of(list->items, isInside);
  if (auto *dict = value.object<lang::DictObject>())
    return std::ranges::all_of(dict->items,
                               [&](const auto &item) { return isInside(item.first) && isInside(item.second); });
  if (auto *instance = value.object<lang::Instance>())
    return std::ranges::all_of(instance->fields, [&](const auto &field) { return isInside(field.second); });
  return true;
}

std::optional<DType> dtypeOf(const lang::Type &type) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (typeOf(static_cast<DType>(i)) == type)
      return static_cast<DType>(i);
  return std::nullopt;
}

bool fits(Integer value, const lang::Type &type) {
  unsigned width = type.bitWidth();
  if (type.isUnsignedInt())
    return value >= 0 && value >> width == 0;
  Integer limit = Integer(1) << (width - 1);
  return value >= -limit && value < limit;
}

// Two functions or classes are the same constant only when they are the same object; other constants by their text.
std::string keyOf(const lang::Value &value) {
  auto address = [](const void *pointer) { return "@" + std::to_string(reinterpret_cast<uintptr_t>(pointer)); };
  if (auto *function = value.object<lang::Function>())
    return address(function);
  if (auto *cls = value.object<lang::Class>())
    return address(cls);
  if (auto *instance = value.object<lang::Instance>()) {
    std::string text = address(instance->cls.get()) + "{";
    for (const auto &[name, field] : instance->fields)
      text += name + "=" + keyOf(field) + ",";
    return text + "}";
  }
  if (const lang::Tuple *tuple = value.asTuple()) {
    std::string text = tuple->cls ? address(tuple->cls.get()) + "(" : "(";
    for (const lang::Value &item : tuple->items)
      text += keyOf(item) + ",";
    return text + ")";
  }
  return lang::typeName(value) + ":" + lang::repr(value);
}

std::string keyOf(const ArgumentSpec &spec) {
  switch (spec.kind) {
  case ArgumentSpec::Kind::Constant: return "=" + keyOf(spec.constant);
  case ArgumentSpec::Kind::Scalar:
    return spec.type.shortName() + (spec.divisibility > 1 ? "D" : "") +
           (spec.type.isPointer() && spec.type.isConstPointer() ? "k" : "");
  case ArgumentSpec::Kind::Descriptor:
    return (spec.nanPadding ? "nandesc" : "desc") + spec.type.name() + (spec.divisibility > 1 ? "D" : "");
  case ArgumentSpec::Kind::Tuple:
  case ArgumentSpec::Kind::BlockPointer: break; // the latter is no argument of a kernel
  }
  std::string text = spec.cls ? "@" + std::to_string(reinterpret_cast<uintptr_t>(spec.cls.get())) + "(" : "(";
  for (const ArgumentSpec &item : spec.items)
    text += keyOf(item) + ",";
  return text + ")";
}

// A signature says of it, or of what is in it, its type alone.
bool isWithoutValue(const HostValue &value) {
  return (value.kind == HostValue::Kind::Typed && value.typed.kind != ArgumentSpec::Kind::Constant) ||
         std::ranges::any_of(value.items, isWithoutValue);
}

class Specializer {
public:
  explicit Specializer(const Binding &binding) : binding(binding) {}

  Result<Specialization> run() {
    for (size_t i = 0; i < binding.values.size(); ++i) {
      parameter = &binding.kernel->parameters[i];
      isInside = binding.values[i].kind == HostValue::Kind::Tuple || binding.values[i].constant.asTuple();
      Result<ArgumentSpec> spec = specialize(binding.values[i], parameter->name);
      if (!spec)
        return spec.error();
      result.key += keyOf(*spec) + "|";
      result.specs.push_back(std::move(*spec));
    }
    const lang::EmitOptions &options = binding.options;
    result.key += (options.strictExtents ? "strict," : "") + std::to_string(options.shape.numWarps) + "," +
                  std::to_string(options.shape.numStages) + "," + std::to_string(options.shape.numCtas) +
                  (options.debug ? ",debug" : "") + (options.debug && options.sanitizeOverflow ? ",sanitize" : "") +
                  "," + options.defaultDotPrecision + binding.choices.key();
    return std::move(result);
  }

private:
  Result<ArgumentSpec> specialize(const HostValue &value, const std::string &name) {
    bool isItem = name != parameter->name;
    if (value.isReadOnly)
      result.readOnly.emplace_back(result.arguments.size(), name);
    if (parameter->isConstexpr && isWithoutValue(value))
      return bad(name, "it is a constexpr; give its value, not a type");
    switch (value.kind) {
    case HostValue::Kind::Tensor:
      return parameter->isConstexpr ? Result<ArgumentSpec>(bad(name, "it is a constexpr; a tensor cannot be one"))
                                    : tensor(*value.tensor, name);
    case HostValue::Kind::Descriptor: return descriptor(value, name);
    case HostValue::Kind::Tuple: {
      if (parameter->isConstexpr)
        return constantTuple(value, name);
      ArgumentSpec spec{.kind = ArgumentSpec::Kind::Tuple, .cls = value.cls};
      for (size_t i = 0; i < value.items.size(); ++i) {
        Result<ArgumentSpec> item = specialize(value.items[i], name + "[" + std::to_string(i) + "]");
        if (!item)
          return item;
        spec.items.push_back(std::move(*item));
      }
      return spec;
    }
    case HostValue::Kind::Typed: return value.typed;
    case HostValue::Kind::Constant: break;
    }
    if (size_t left = kMostValues; !isWithin(left, value.constant))
      return bad(name, "it holds more than " + std::to_string(kMostValues) + " values, or is nested too deeply");
    return parameter->isConstexpr ? constant(value.constant) : scalarOrConstant(value.constant, name, isItem);
  }

  static ArgumentSpec constant(lang::Value value) {
    return {.kind = ArgumentSpec::Kind::Constant, .constant = std::move(value)};
  }

  Result<ArgumentSpec> constantTuple(const HostValue &value, const std::string &name) {
    bool hasTensor = false;
    forEachTensor(value, name, [&](const std::string &, const Tensor &) { hasTensor = true; });
    if (hasTensor)
      return bad(name, "it is a constexpr; a tensor cannot be one");
    return constant(value.asValue());
  }

  Result<ArgumentSpec> scalarOrConstant(const lang::Value &value, const std::string &name, bool isItem) {
    if (value.isConstexpr && isItem)
      return constant(value);
    const std::optional<lang::Type> &annotated = isItem ? kNoType : parameter->type;
    if (const lang::Tuple *tuple = value.asTuple()) {
      ArgumentSpec spec{.kind = ArgumentSpec::Kind::Tuple, .cls = tuple->cls};
      for (size_t i = 0; i < tuple->items.size(); ++i) {
        Result<ArgumentSpec> item = scalarOrConstant(tuple->items[i], name + "[" + std::to_string(i) + "]", true);
        if (!item)
          return item;
        spec.items.push_back(std::move(*item));
      }
      return spec;
    }
    if (annotated && annotated->isFloat() && value.number())
      return number(*annotated, *value.number());
    if (const bool *flag = value.get<bool>())
      return integer(annotated && annotated->isInt() ? *annotated : lang::Type(Scalar::Int1), *flag, false);
    if (const double *real = value.get<double>()) {
      if (annotated && annotated->isInt())
        return bad(name, "it is annotated " + annotated->name() + ", but the float " + lang::repr(value) + " is given");
      return number(Scalar::Fp32, *real);
    }
    if (const Integer *whole = value.get<Integer>())
      return specializeInteger(*whole, name, annotated);
    return constant(value);
  }

  Result<ArgumentSpec> specializeInteger(Integer value, const std::string &name,
                                         const std::optional<lang::Type> &annotated) {
    bool mayDivide = !parameter->doNotSpecialize && !parameter->doNotSpecializeOnAlignment && value % 16 == 0;
    if (annotated && annotated->isInt()) {
      // An odd number is true both in Python and by its lowest bit, which is what Triton passes on.
      if (annotated->isBool() && value % 2 != 0)
        value = 1;
      if (!fits(value, *annotated))
        return bad(name, lang::repr(value) + " does not fit its annotated type " + annotated->name());
      return integer(*annotated, value, mayDivide && !annotated->isBool());
    }
    if (annotated && annotated->isPointer()) {
      return integer(*annotated, value, mayDivide);
    }
    if (value == 1 && !parameter->doNotSpecialize)
      return constant(value);
    for (Scalar scalar : {Scalar::Int32, Scalar::Int64, Scalar::UInt64})
      if (fits(value, scalar))
        return integer(scalar, value, mayDivide);
    return bad(name, lang::repr(value) + " does not fit 64 bits");
  }

  ArgumentSpec integer(const lang::Type &type, Integer value, bool isDivisible) {
    uint64_t bits = mask(type.bitWidth());
    push(runtime::Argument::bits(static_cast<uint64_t>(value) & bits),
         {.form = WordSource::Form::Integer, .mask = bits});
    return {.kind = ArgumentSpec::Kind::Scalar, .type = type, .divisibility = isDivisible ? 16 : 1};
  }
  ArgumentSpec number(const lang::Type &type, double value) {
    uint64_t bits = 0;
    DType dtype = *dtypeOf(type);
    runtime::writeElement(dtype, reinterpret_cast<std::byte *>(&bits), value);
    push(runtime::Argument::bits(bits), {.form = WordSource::Form::Float, .dtype = dtype});
    return {.kind = ArgumentSpec::Kind::Scalar, .type = type};
  }
  void push(runtime::Argument argument, WordSource source) {
    if (!isInside && source.form != WordSource::Form::Fixed)
      source.parameter = static_cast<int32_t>(parameter - binding.kernel->parameters.data());
    result.arguments.push_back(std::move(argument));
    result.sources.push_back(source);
  }
  static uint64_t mask(unsigned width) { return width >= 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1; }

  ArgumentSpec tensor(const Tensor &tensor, const std::string &name) {
    bool isDivisible = !parameter->doNotSpecialize && !parameter->doNotSpecializeOnAlignment &&
                       reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0;
    push(runtime::Argument::pointer(tensor.data()), {.form = WordSource::Form::Pointer});
    allocate(tensor, name);
    lang::Type type = parameter->type && parameter->type->isPointer()
                          ? *parameter->type
                          : lang::Type::pointer(typeOf(tensor.dtype()), parameter->isConst);
    return {.kind = ArgumentSpec::Kind::Scalar, .type = type, .divisibility = isDivisible ? 16 : 1};
  }

  void allocate(const Tensor &tensor, const std::string &name) {
    result.allocations.push_back({name, tensor.data(), tensor.spanBytes(),
                                  static_cast<unsigned>(bytesOf(tensor.dtype())), tensor.shape(), tensor.strides()});
  }

  // Triton's conditions on a host descriptor: one to five axes, the last one contiguous, 16 bytes a row.
  Result<ArgumentSpec> descriptor(const HostValue &value, const std::string &name) {
    const Tensor &tensor = *value.tensor;
    int64_t bytes = static_cast<int64_t>(bytesOf(tensor.dtype()));
    if (parameter->isConstexpr)
      return bad(name, "it is a constexpr; a tensor descriptor cannot be one");
    if (tensor.rank() < 1 || tensor.rank() > 5)
      return bad(name, "a tensor descriptor has one to five axes, not " + std::to_string(tensor.rank()));
    if (tensor.strides().back() != 1)
      return bad(name, "the last axis of a tensor descriptor must be contiguous, but its stride is " +
                           std::to_string(tensor.strides().back()));
    for (int64_t extent : value.block)
      if (extent < 1 || extent > 1 << 20)
        return bad(name, "the extents of its block must be from 1 to 1048576, but one is " + std::to_string(extent));
      else if (binding.options.strictExtents && (extent & (extent - 1)))
        return bad(name, "the extents of its block must be powers of two, but one is " + std::to_string(extent));
    if (value.block.back() * bytes < 16)
      return bad(name, "the last extent of its block must cover at least 16 bytes, but it covers " +
                           std::to_string(value.block.back() * bytes));
    for (int64_t extent : tensor.shape())
      if (extent > std::numeric_limits<int32_t>::max())
        return bad(name, "an extent of a tensor descriptor must fit 32 bits, but one is " + std::to_string(extent));
    push(runtime::Argument::descriptor(tensor.data(), tensor.shape(), tensor.strides(),
                                       value.nanPadding ? runtime::Padding::NaN : runtime::Padding::Zero),
         {});
    for (int64_t extent : tensor.shape())
      push(runtime::Argument::bits(static_cast<uint64_t>(extent)), {});
    for (int64_t stride : tensor.strides())
      push(runtime::Argument::bits(static_cast<uint64_t>(stride)), {});
    allocate(tensor, name);
    // Whole pieces of 16 bytes, everywhere: wide accesses need no look at single elements then.
    bool isDivisible = reinterpret_cast<uintptr_t>(tensor.data()) % 16 == 0 && tensor.shape().back() * bytes % 16 == 0;
    for (size_t axis = 0; axis + 1 < tensor.strides().size(); ++axis)
      isDivisible &= tensor.strides()[axis] * bytes % 16 == 0;
    return ArgumentSpec{.kind = ArgumentSpec::Kind::Descriptor,
                        .type = typeOf(tensor.dtype()).withShape(value.block),
                        .divisibility = isDivisible ? 16 : 1,
                        .nanPadding = value.nanPadding};
  }

  static inline const std::optional<lang::Type> kNoType;
  const Binding &binding;
  const Parameter *parameter = nullptr;
  bool isInside = false; // of a tuple
  Specialization result;
};

} // namespace

Result<Specialization> specialize(const Binding &binding) { return Specializer(binding).run(); }

Specialization withoutTensorMaps(Specialization specialization) {
  specialization.usesTensorMaps = false;
  specialization.key += ",nomaps";
  return specialization;
}

} // namespace nereid::jit
