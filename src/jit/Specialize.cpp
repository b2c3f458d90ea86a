#include "jit/Specialize.h"

#include "llvm/ADT/APFloat.h"

namespace nereid::jit {

using lang::ArgumentSpec;
using lang::Integer;
using lang::Scalar;
using lang::Type;

static constexpr int64_t kAlignment = 16;

static ArgumentSpec constantSpec(lang::Value value) {
  ArgumentSpec spec;
  spec.constant = std::move(value);
  return spec;
}

static ArgumentSpec scalarSpec(Type type, int64_t divisibility = 1) {
  ArgumentSpec spec;
  spec.kind = ArgumentSpec::Kind::Scalar;
  spec.type = std::move(type);
  spec.divisibility = divisibility;
  return spec;
}

static ArgumentSpec integerSpec(lang::Session &session, const lang::Parameter &parameter, Integer value) {
  constexpr Integer one = 1;
  bool divides = !parameter.doNotSpecialize && !parameter.doNotSpecializeOnAlignment && value % kAlignment == 0;
  if (parameter.type)
    return scalarSpec(*parameter.type, divides && parameter.type->isInt() && !parameter.type->isBool() ? kAlignment : 1);
  if (value == 1 && !parameter.doNotSpecialize)
    return constantSpec(value);
  if (value < -(one << 63) || value >= (one << 64))
    session.fail("`" + parameter.name + "` does not fit into 64 bits");
  Type type = value >= -(one << 31) && value < (one << 31) ? Scalar::Int32 : value < (one << 63) ? Scalar::Int64 : Scalar::UInt64;
  return scalarSpec(type, divides ? kAlignment : 1);
}

static ArgumentSpec tensorSpec(const lang::Parameter &parameter, const LaunchArgument &argument) {
  bool aligned = reinterpret_cast<uintptr_t>(argument.tensor.data) % kAlignment == 0 && !parameter.doNotSpecialize &&
                 !parameter.doNotSpecializeOnAlignment;
  return scalarSpec(Type::pointer(argument.tensor.element, parameter.isConst), aligned ? kAlignment : 1);
}

ArgumentSpec specialize(lang::Session &session, const lang::Parameter &parameter, const LaunchArgument &argument) {
  switch (argument.kind) {
  case LaunchArgument::Kind::Tensor:
    if (parameter.isConstexpr)
      session.fail("`" + parameter.name + "` is a constexpr: it takes a value known at compile time, not a tensor", {}, "TypeError");
    return tensorSpec(parameter, argument);
  case LaunchArgument::Kind::Descriptor: {
    ArgumentSpec spec = scalarSpec(argument.tensor.element.withShape(argument.block));
    spec.kind = ArgumentSpec::Kind::Descriptor;
    spec.nanPadding = argument.nanPadding;
    return spec;
  }
  case LaunchArgument::Kind::Tuple: {
    ArgumentSpec spec;
    spec.kind = ArgumentSpec::Kind::Tuple;
    lang::Parameter item = parameter; // the items are always specialized
    item.doNotSpecialize = item.doNotSpecializeOnAlignment = false;
    item.type.reset();
    for (const LaunchArgument &element : argument.items)
      spec.items.push_back(specialize(session, item, element));
    return spec;
  }
  case LaunchArgument::Kind::Constant:
    break;
  }
  const lang::Value &value = argument.constant;
  if (parameter.isConstexpr || value.isNone())
    return constantSpec(value);
  if (value.is<bool>())
    return scalarSpec(parameter.type.value_or(Scalar::Int1));
  if (auto integer = value.integer())
    return integerSpec(session, parameter, *integer);
  if (value.is<double>())
    return scalarSpec(parameter.type.value_or(Scalar::Fp32));
  return constantSpec(value); // strings, dtypes, functions
}

static void appendKey(const ArgumentSpec &spec, std::string &key) {
  switch (spec.kind) {
  case ArgumentSpec::Kind::Constant:
    key += "=" + lang::typeName(spec.constant) + ":" + lang::repr(spec.constant);
    if (auto *function = spec.constant.object<lang::Function>())
      key += "@" + std::to_string(reinterpret_cast<uintptr_t>(function));
    break;
  case ArgumentSpec::Kind::Scalar:
    key += spec.type.name() + (spec.type.isPointer() && spec.type.isConstPointer() ? "k" : "") + ":" + std::to_string(spec.divisibility);
    break;
  case ArgumentSpec::Kind::Descriptor:
    key += "desc " + spec.type.name() + (spec.nanPadding ? " nan" : "");
    break;
  case ArgumentSpec::Kind::Tuple:
    key += "(";
    for (const ArgumentSpec &item : spec.items)
      appendKey(item, key);
    key += ")";
    break;
  }
  key += ";";
}

std::string keyOf(const std::vector<ArgumentSpec> &specs, const lang::EmitOptions &options) {
  std::string key = std::to_string(options.numWarps) + "," + std::to_string(options.numStages) + "," + std::to_string(options.numCtas) +
                    (options.debug ? "d;" : ";");
  for (const ArgumentSpec &spec : specs)
    appendKey(spec, key);
  return key;
}

// A number as the bits of a scalar type.
static uint64_t bitsOf(const Type &type, const lang::Value &value) {
  if (!type.isFloat()) {
    if (auto integer = value.integer())
      return uint64_t(*integer);
    return uint64_t(int64_t(*value.number()));
  }
  double number = *value.number();
  if (type.scalarKind() == Scalar::Fp64)
    return std::bit_cast<uint64_t>(number);
  if (type.scalarKind() == Scalar::Fp32)
    return std::bit_cast<uint32_t>(float(number));
  llvm::APFloat narrow(number);
  bool lost = false;
  narrow.convert(type.scalarKind() == Scalar::Bf16 ? llvm::APFloat::BFloat() : llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &lost);
  return narrow.bitcastToAPInt().getZExtValue();
}

void packArgument(const ArgumentSpec &spec, const LaunchArgument &argument, std::vector<interp::Argument> &out) {
  switch (spec.kind) {
  case ArgumentSpec::Kind::Constant:
    return;
  case ArgumentSpec::Kind::Scalar:
    out.push_back(spec.type.isPointer() && argument.kind == LaunchArgument::Kind::Tensor
                      ? interp::Argument::pointer(argument.tensor.data)
                      : interp::Argument::bits(bitsOf(spec.type, argument.constant)));
    return;
  case ArgumentSpec::Kind::Descriptor:
    out.push_back(interp::Argument::descriptor(argument.tensor.data, argument.tensor.shape, argument.tensor.strides,
                                               spec.nanPadding ? interp::Padding::NaN : interp::Padding::Zero));
    for (int64_t extent : argument.tensor.shape)
      out.push_back(interp::Argument::bits(uint64_t(extent)));
    for (int64_t stride : argument.tensor.strides)
      out.push_back(interp::Argument::bits(uint64_t(stride)));
    return;
  case ArgumentSpec::Kind::Tuple:
    for (size_t i = 0; i < spec.items.size(); ++i)
      packArgument(spec.items[i], argument.items[i], out);
    return;
  }
}

// The bytes from the first to the last element that the strides reach. With negative strides the data pointer stands
// inside.
static void extentOf(const TensorRef &tensor, int64_t elementBytes, int64_t &low, int64_t &high) {
  low = 0, high = elementBytes;
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    if (tensor.shape[i] == 0)
      return void(low = high = 0);
    int64_t reach = (tensor.shape[i] - 1) * tensor.strides[i] * elementBytes;
    (reach < 0 ? low : high) += reach;
  }
}

void addAllocations(const std::string &name, const LaunchArgument &argument, std::vector<interp::Allocation> &out) {
  for (size_t i = 0; i < argument.items.size(); ++i)
    addAllocations(name + "[" + std::to_string(i) + "]", argument.items[i], out);
  if (argument.kind != LaunchArgument::Kind::Tensor && argument.kind != LaunchArgument::Kind::Descriptor)
    return;
  const TensorRef &tensor = argument.tensor;
  unsigned elementBytes = std::max(1u, tensor.element.bitWidth() / 8);
  int64_t low, high;
  extentOf(tensor, elementBytes, low, high);
  out.push_back({name, static_cast<char *>(tensor.data) + low, size_t(high - low), elementBytes, tensor.shape, tensor.strides});
}

} // namespace nereid::jit
