// EmitMerge.cpp: comparing values where paths of control flow meet, and naming their types in messages.
#include "lang/emit/KernelEmitter.h"

namespace nereid::lang {

// Compares two values part by part: tensors by `tensors`, constants by equality.
template <class Compare> static bool compareParts(const Value &a, const Value &b, Compare tensors) {
  Session::charge(1);
  auto all = [&](const auto &left, const auto &right) {
    if (left.size() != right.size())
      return false;
    for (size_t i = 0; i < left.size(); ++i)
      if (!compareParts(Value(left[i]), Value(right[i]), tensors))
        return false;
    return true;
  };
  if (a.isTensor() && b.isTensor())
    return tensors(a.tensor(), b.tensor());
  if (auto *left = a.asTuple(), *right = b.asTuple(); left && right)
    return all(left->items, right->items);
  if (auto *left = a.constant<BlockPointer>(), *right = b.constant<BlockPointer>(); left && right)
    return left->blockShape == right->blockShape && left->order == right->order && tensors(left->base, right->base) &&
           all(left->shape, right->shape) && all(left->strides, right->strides) && all(left->offsets, right->offsets);
  if (auto *left = a.constant<Descriptor>(), *right = b.constant<Descriptor>(); left && right)
    return left->block == right->block && left->nanPadding == right->nanPadding &&
           tensors({left->ir, left->block}, {right->ir, right->block}) && all(left->shape, right->shape) &&
           all(left->strides, right->strides);
  if (Instance *left = a.object<Instance>(), *right = b.object<Instance>(); left && right) {
    if (left->cls != right->cls || left->fields.size() != right->fields.size())
      return false;
    for (const auto &[name, field] : left->fields) {
      auto other = right->fields.find(name);
      if (other == right->fields.end() || !compareParts(field, other->second, tensors))
        return false;
    }
    return true;
  }
  if (!a.isConstant() || !b.isConstant())
    return false;
  return a.storage().index() == b.storage().index() && (identical(a, b) || equal(a, b));
}

bool sameKind(const Value &a, const Value &b) {
  return compareParts(a, b, [](const Tensor &left, const Tensor &right) { return left.type == right.type; });
}

bool sameValue(const Value &a, const Value &b) {
  return compareParts(
      a, b, [](const Tensor &left, const Tensor &right) { return left.ir == right.ir && left.type == right.type; });
}

std::string describe(const Value &value) {
  Session::charge(1);
  if (const Tuple *tuple = value.asTuple()) {
    std::string text = "tuple(";
    for (size_t i = 0; i < tuple->items.size(); ++i)
      text += (i ? ", " : "") + describe(tuple->items[i]);
    return text + ")";
  }
  if (auto *pointer = value.constant<BlockPointer>())
    return "block pointer to " + pointer->base.type.pointee().withShape(pointer->blockShape).shortName();
  if (auto *descriptor = value.constant<Descriptor>())
    return "tensor descriptor of " + descriptor->block.shortName();
  if (Instance *instance = value.object<Instance>()) {
    std::string text = instance->cls->name + "(";
    for (const auto &[name, field] : instance->fields)
      text += (text.ends_with("(") ? "" : ", ") + name + ": " + describe(field);
    return text + ")";
  }
  return typeName(value);
}

} // namespace nereid::lang
