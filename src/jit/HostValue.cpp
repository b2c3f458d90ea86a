#include "jit/HostValue.h"

namespace nereid::jit {

lang::Type typeOf(DType dtype) {
  using lang::Scalar;
  static constexpr Scalar kScalars[kDTypeCount] = {
      Scalar::Int1,     Scalar::Int8,     Scalar::Int16,  Scalar::Int32,   Scalar::Int64, Scalar::UInt8,
      Scalar::UInt16,   Scalar::UInt32,   Scalar::UInt64, Scalar::Fp8E4NV, Scalar::Fp8E5, Scalar::Fp8E4B8,
      Scalar::Fp8E5B16, Scalar::Fp8E4B15, Scalar::Fp16,   Scalar::Bf16,    Scalar::Fp32,  Scalar::Fp64};
  return kScalars[static_cast<size_t>(dtype)];
}

static lang::Value tupleOf(const Shape &extents) {
  lang::Values items;
  for (int64_t extent : extents)
    items.emplace_back(extent);
  return lang::Value::tuple(std::move(items));
}

lang::Value HostValue::asValue() const {
  if (kind == Kind::Constant)
    return constant;
  if (kind == Kind::Typed)
    return typed.kind == lang::ArgumentSpec::Kind::Constant
               ? typed.constant
               : lang::Value(std::make_shared<const lang::Opaque>(lang::Opaque{"a value of the launch"}));
  if (kind == Kind::Tuple) {
    lang::Values values;
    for (const HostValue &item : items)
      values.push_back(item.asValue());
    return lang::Value::tuple(std::move(values), cls);
  }
  static const auto tensorClass = [] {
    auto cls = std::make_shared<lang::Class>();
    cls->name = "Tensor";
    return cls;
  }();
  auto object = std::make_shared<lang::Instance>();
  object->cls = tensorClass;
  object->fields["shape"] = tupleOf(tensor->shape());
  object->fields["ndim"] = lang::Value(tensor->rank());
  object->fields["dtype"] = lang::Value(typeOf(tensor->dtype()));
  if (kind == Kind::Descriptor)
    object->fields["block_shape"] = tupleOf(block);
  return object;
}

} // namespace nereid::jit
