#include "jit/call/CallShape.h"

#include "jit/call/TensorSpan.h"

#include <bit>

namespace nereid::jit {

using lang::Parameter;
using Role = ArgumentPlan::Role;

namespace {

bool sameName(const char *name, const std::string &known) { return name ? known == name : known.empty(); }

// Parameter of the i-th argument by position, as Bind.cpp assigns them; nothing for `*args`.
std::optional<int32_t> positional(const lang::Function &kernel, size_t index) {
  for (size_t i = 0; i < kernel.parameters.size(); ++i) {
    const Parameter &parameter = kernel.parameters[i];
    if (parameter.kind == Parameter::Kind::VarArgs)
      return std::nullopt;
    if (parameter.kind != Parameter::Kind::KeywordOnly && index-- == 0)
      return static_cast<int32_t>(i);
  }
  return std::nullopt;
}

std::optional<int32_t> named(const lang::Function &kernel, std::string_view name) {
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    if (kernel.parameters[i].name == name)
      return static_cast<int32_t>(i);
  bool isOption = name == "num_warps" || name == "num_stages" || name == "num_ctas";
  return isOption ? std::optional<int32_t>(-1) : std::nullopt;
}

// Nothing when the argument goes the long way.
std::optional<ArgumentPlan> planOf(const Parameter *parameter, int32_t kind) {
  ArgumentPlan plan{.kind = kind};
  bool isConstant = !parameter || parameter->isConstexpr;
  const lang::Type *type = parameter && parameter->type ? &*parameter->type : nullptr;
  plan.mayBeOne = parameter && !parameter->doNotSpecialize;
  plan.mayDivide = plan.mayBeOne && !parameter->doNotSpecializeOnAlignment;
  switch (kind) {
  case NEREID_NONE:
  case NEREID_STRING:
  case NEREID_EXPRESSION: plan.role = Role::Constant; return plan;
  case NEREID_TENSOR: plan.role = Role::Tensor; return isConstant ? std::nullopt : std::optional(plan);
  case NEREID_FLOAT:
    plan.role = isConstant ? Role::Constant : Role::Value;
    return type && type->isInt() && !isConstant ? std::nullopt : std::optional(plan);
  case NEREID_BOOL: plan.role = isConstant ? Role::Constant : Role::Value; return plan;
  case NEREID_INT:
  case NEREID_UINT:
    plan.role = isConstant ? Role::Constant : type && type->isFloat() ? Role::Value : Role::Integer;
    if (!isConstant && type && type->isInt()) {
      plan.role = Role::TypedWhole;
      plan.isUnsigned = type->isUnsignedInt();
      plan.width = static_cast<uint8_t>(type->bitWidth());
      plan.mayDivide &= !type->isBool();
    }
    if (!isConstant && type && type->isPointer())
      return std::nullopt; // an address as a number
    return plan;
  default: return std::nullopt;
  }
}

// A signed or unsigned 64-bit integer, as the interface carries it.
struct Whole {
  bool isLarge; // 2^63 or more
  int64_t bits;
  Whole(const nereid_argument &argument)
      : isLarge(argument.kind == NEREID_UINT && argument.integer < 0), bits(argument.integer) {}
  bool fits(bool isUnsigned, unsigned width) const {
    if (isUnsigned)
      return (isLarge || bits >= 0) && (width >= 64 || static_cast<uint64_t>(bits) >> width == 0);
    return !isLarge && (width >= 64 || (bits >= -(int64_t(1) << (width - 1)) && bits < int64_t(1) << (width - 1)));
  }
};

void addInteger(CallKey &key, const ArgumentPlan &plan, Whole value) {
  bool isOne = plan.mayBeOne && value.bits == 1;
  bool isDivisible = plan.mayDivide && value.bits % 16 == 0;
  key.add<uint8_t>(static_cast<uint8_t>(isOne | isDivisible << 1 | !value.fits(false, 32) << 2 | value.isLarge << 3));
}

bool addTensor(CallKey &key, const ArgumentPlan &plan, const nereid_tensor &tensor, bool allValues, ByteRange &range) {
  std::optional<ByteRange> found = byteRange(tensor);
  if (!found)
    return false;
  range = *found;
  bool isAligned = plan.mayDivide && range.begin % 16 == 0;
  key.add<uint8_t>(static_cast<uint8_t>(tensor.dtype << 1 | isAligned));
  if (allValues) {
    key.add<int32_t>(tensor.rank);
    for (int32_t axis = 0; axis < tensor.rank; ++axis)
      key.add<int64_t>(tensor.shape[axis]);
  }
  return true;
}

bool addValue(CallKey &key, const ArgumentPlan &plan, const nereid_argument &argument, bool allValues) {
  bool isWhole = argument.kind == NEREID_INT || argument.kind == NEREID_UINT;
  if (argument.kind == NEREID_NONE)
    return true;
  if (argument.kind == NEREID_STRING || argument.kind == NEREID_EXPRESSION) {
    if (argument.string)
      key.text(argument.string);
    return argument.string != nullptr;
  }
  if (plan.role == Role::TypedWhole && !Whole(argument).fits(plan.isUnsigned, plan.width))
    return false;
  if (plan.role == Role::Constant || allValues)
    key.add<uint64_t>(argument.kind == NEREID_BOOL ? argument.integer != 0
                      : isWhole                    ? static_cast<uint64_t>(argument.integer)
                                                   : std::bit_cast<uint64_t>(argument.number));
  else if (plan.role == Role::Integer)
    addInteger(key, plan, argument);
  else if (plan.role == Role::TypedWhole)
    key.add<uint8_t>(plan.mayDivide && argument.integer % 16 == 0);
  return true;
}

} // namespace

bool CallShape::matches(const nereid_argument *arguments, size_t count) const {
  if (count != plans.size())
    return false;
  for (size_t i = 0; i < count; ++i)
    if (arguments[i].kind != plans[i].kind || !sameName(arguments[i].name, plans[i].name))
      return false;
  return true;
}

bool CallShape::addTo(CallKey &key, const nereid_argument *arguments, bool allValues) const {
  constexpr size_t kMaxTensors = 64;
  std::array<ByteRange, kMaxTensors> ranges;
  size_t tensors = 0;
  key.add(this); // the names and kinds
  for (size_t i = 0; i < plans.size(); ++i) {
    const ArgumentPlan &plan = plans[i];
    const nereid_argument &argument = arguments[i];
    if (plan.role == Role::Tensor) {
      if (tensors == kMaxTensors || !addTensor(key, plan, argument.tensor, allValues, ranges[tensors]))
        return false;
      ++tensors;
    } else if (!addValue(key, plan, argument, allValues)) {
      return false;
    }
  }
  key.add<uint8_t>(anyOverlap(ranges, tensors));
  return !key.isTooLong();
}

CallShapes::~CallShapes() {
  for (CallShape *shape = head.load(); shape;)
    delete std::exchange(shape, shape->next);
}

const CallShape &CallShapes::of(const nereid_argument *arguments, size_t count) {
  for (CallShape *shape = head.load(std::memory_order_acquire); shape; shape = shape->next)
    if (shape->matches(arguments, count))
      return *shape;
  // Names that differ in every call are mistakes; they need not be remembered.
  static const CallShape kUnusual;
  if (size.fetch_add(1, std::memory_order_relaxed) >= kMaxShapes)
    return kUnusual;
  CallShape *shape = make(arguments, count);
  shape->next = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(shape->next, shape, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return *shape;
}

CallShape *CallShapes::make(const nereid_argument *arguments, size_t count) const {
  auto shape = std::make_unique<CallShape>();
  shape->isSimple = true;
  shape->argumentOf.assign(kernel.parameters.size(), -1);
  for (size_t i = 0; i < count; ++i) {
    const char *name = arguments[i].name && *arguments[i].name ? arguments[i].name : nullptr;
    std::optional<int32_t> index = name ? named(kernel, name) : positional(kernel, i);
    const Parameter *parameter = index && *index >= 0 ? &kernel.parameters[static_cast<size_t>(*index)] : nullptr;
    std::optional<ArgumentPlan> plan = index ? planOf(parameter, arguments[i].kind) : std::nullopt;
    shape->isSimple &= plan.has_value();
    shape->plans.push_back(plan.value_or(ArgumentPlan{.kind = arguments[i].kind}));
    shape->plans.back().name = arguments[i].name ? arguments[i].name : "";
    if (!parameter)
      continue;
    shape->plans.back().parameter = *index;
    int32_t &argument = shape->argumentOf[static_cast<size_t>(*index)];
    shape->isSimple &= argument < 0; // given twice: the long way says so
    argument = static_cast<int32_t>(i);
  }
  return shape.release();
}

} // namespace nereid::jit
