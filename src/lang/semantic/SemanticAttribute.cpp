// SemanticAttribute.cpp: attributes and methods of tensors, types, descriptors and block pointers.
#include "lang/semantic/Semantic.h"

namespace nereid::lang {

namespace {

Value toTuple(const Shape &shape) {
  Values items;
  for (int64_t extent : shape)
    items.push_back(extent);
  return Value::tuple(std::move(items));
}

Value toTuple(const std::vector<Tensor> &tensors) { return Value::tuple(Values(tensors.begin(), tensors.end())); }

Value boundMethod(Value self, const Builtin *function) {
  if (!function)
    return {};
  return std::make_shared<const BoundMethod>(BoundMethod{std::move(self), function});
}

// The pointer type that stands for a block pointer: a pointer to a block.
Type typeOf(const BlockPointer &pointer) {
  return Type::pointer(pointer.base.type.pointee().withShape(pointer.blockShape), pointer.base.type.isConstPointer());
}

Integer largestInteger(const Type &type) { return (Integer(1) << (type.bitWidth() - type.isSignedInt())) - 1; }

// `is_fp16`, `is_uint8` …: a question for one scalar, by its own name. No value when no scalar has that name.
Value isNamedScalar(const Type &type, std::string_view name) {
  auto asked = Type::parse(name);
  if (!asked || asked->isPointer())
    return {};
  return type.scalar() == *asked;
}

} // namespace

Value callTypeMethod(const Type &type, std::string_view name) {
  if (name == "is_fp8")
    return type.isFp8();
  if (name == "is_floating")
    return type.isFloat();
  if (name == "is_standard_floating")
    return type.isStandardFloat();
  if (name == "is_int_signed")
    return type.isSignedInt();
  if (name == "is_int_unsigned")
    return type.isUnsignedInt();
  if (name == "is_int")
    return type.isInt();
  if (name == "is_ptr")
    return type.isPointer() && !type.isBlock();
  if (name == "is_block")
    return type.isBlock();
  if (name == "is_const")
    return type.isPointer() && type.isConstPointer();
  if (name == "kind")
    return type.isFloat() ? 2 : type.isBool() ? 0 : 1;
  if (name == "get_int_max_value" && type.isInt())
    return largestInteger(type);
  if (name == "get_int_min_value" && type.isInt())
    return type.isSignedInt() ? -largestInteger(type) - 1 : Integer(0);
  if (name == "get_block_shapes")
    return toTuple(type.shape());
  if (name.starts_with("is_"))
    return isNamedScalar(type, name.substr(3));
  return {};
}

Value typeAttribute(const Type &type, const std::string &name) {
  if (name == "name")
    return type.name();
  if (name == "scalar")
    return type.scalar();
  if (name == "shape" && type.isBlock())
    return toTuple(type.shape());
  if (name == "numel" && type.isBlock())
    return type.elementCount();
  if (name == "primitive_bitwidth")
    return int64_t(type.bitWidth());
  if (name == "itemsize")
    return int64_t(type.bitWidth() / 8); // 0 for int1, as in Triton
  if (name == "nbytes")
    return type.elementCount() * int64_t((type.bitWidth() + 7) / 8);
  if (name == "int_bitwidth" && type.isInt())
    return int64_t(type.bitWidth());
  if (name == "int_signedness" && type.isInt())
    return type.isSignedInt() ? 0 : 1;
  if (name == "fp_mantissa_width" && type.isFloat())
    return int64_t(type.mantissaWidth());
  if (name == "exponent_bias" && type.isFloat())
    return int64_t(type.exponentBias());
  if (name == "address_space" && type.isPointer())
    return int64_t(type.addressSpace());
  if (name == "const" && type.isPointer())
    return type.isConstPointer();
  if (name == "element_ty" && type.isBlock())
    return type.scalar();
  if (name == "element_ty" && type.isPointer())
    return type.pointee();
  return boundMethod(type, findBuiltin("dtype", name));
}

Value tensorAttribute(Emitter &emitter, const Tensor &tensor, const std::string &name) {
  if (name == "dtype")
    return tensor.type.scalar();
  if (name == "type")
    return tensor.type;
  if (name == "shape")
    return toTuple(tensor.type.shape());
  if (name == "numel")
    return tensor.type.elementCount();
  if (name == "T") {
    if (tensor.type.shape().size() != 2)
      emitter.fail("`.T` transposes a 2-D tensor, got " + tensor.type.shortName(),
                   {"call `tl.trans` or `tl.permute` with the dimensions"});
    return permute(emitter, tensor, {1, 0});
  }
  return boundMethod(tensor, findMember(name));
}

Value descriptorAttribute(Emitter &, const Descriptor &descriptor, const std::string &name) {
  if (name == "shape")
    return toTuple(descriptor.shape);
  if (name == "strides")
    return toTuple(descriptor.strides);
  if (name == "block_shape")
    return toTuple(descriptor.block.shape());
  if (name == "dtype")
    return descriptor.block.scalar();
  if (name == "block_type")
    return descriptor.block;
  if (name == "type")
    return descriptor.block; // `desc.type.block_type` is the same type
  return boundMethod(std::make_shared<const Descriptor>(descriptor), findBuiltin("descriptor", name));
}

Value blockPointerAttribute(Emitter &, const BlockPointer &pointer, const std::string &name) {
  if (name == "dtype" || name == "type")
    return typeOf(pointer);
  if (name == "shape")
    return Value::tuple({});
  if (name == "numel")
    return 1;
  if (name == "advance" || name == "store")
    return boundMethod(std::make_shared<const BlockPointer>(pointer), findMember(name));
  return {};
}

static Value emitTypeMethod(Emitter &emitter, const BoundArguments &args) {
  auto *type = args[0].get<Type>();
  std::string name(args.builtin->name());
  if (!type)
    emitter.fail("`" + name + "` is a method of types, got " + typeName(args[0]), {}, "TypeError");
  if (Value result = callTypeMethod(*type, name))
    return result;
  emitter.fail("type " + type->shortName() + " has no `" + name + "`", {}, "AttributeError");
}

BuiltinTable typeMethods() {
  static const Builtin kRows[] = {
      {"is_fp8(self)", "Whether it is any 8-bit float.", emitTypeMethod},
      {"is_fp8e4nv(self)", "Whether it is fp8e4nv.", emitTypeMethod},
      {"is_fp8e4b8(self)", "Whether it is fp8e4b8.", emitTypeMethod},
      {"is_fp8e4b15(self)", "Whether it is fp8e4b15.", emitTypeMethod},
      {"is_fp8e5(self)", "Whether it is fp8e5.", emitTypeMethod},
      {"is_fp8e5b16(self)", "Whether it is fp8e5b16.", emitTypeMethod},
      {"is_fp16(self)", "Whether it is fp16.", emitTypeMethod},
      {"is_bf16(self)", "Whether it is bf16.", emitTypeMethod},
      {"is_fp32(self)", "Whether it is fp32.", emitTypeMethod},
      {"is_fp64(self)", "Whether it is fp64.", emitTypeMethod},
      {"is_int1(self)", "Whether it is a boolean.", emitTypeMethod},
      {"is_int8(self)", "Whether it is int8.", emitTypeMethod},
      {"is_int16(self)", "Whether it is int16.", emitTypeMethod},
      {"is_int32(self)", "Whether it is int32.", emitTypeMethod},
      {"is_int64(self)", "Whether it is int64.", emitTypeMethod},
      {"is_uint8(self)", "Whether it is uint8.", emitTypeMethod},
      {"is_uint16(self)", "Whether it is uint16.", emitTypeMethod},
      {"is_uint32(self)", "Whether it is uint32.", emitTypeMethod},
      {"is_uint64(self)", "Whether it is uint64.", emitTypeMethod},
      {"is_floating(self)", "Whether it is any float.", emitTypeMethod},
      {"is_standard_floating(self)", "Whether it is a float of 16 bits or more.", emitTypeMethod},
      {"is_int_signed(self)", "Whether it is a signed integer.", emitTypeMethod},
      {"is_int_unsigned(self)", "Whether it is an unsigned integer or a boolean.", emitTypeMethod},
      {"is_int(self)", "Whether it is an integer or a boolean.", emitTypeMethod},
      {"is_bool(self)", "Whether it is a boolean.", emitTypeMethod},
      {"is_void(self)", "Whether it is void.", emitTypeMethod},
      {"is_ptr(self)", "Whether it is a pointer.", emitTypeMethod},
      {"is_block(self)", "Whether it is a block.", emitTypeMethod},
      {"is_const(self)", "Whether it is a pointer that is only read.", emitTypeMethod},
      {"kind(self)", "0 for a boolean, 1 for an integer, 2 for a float.", emitTypeMethod},
      {"get_int_max_value(self)", "The largest integer it holds.", emitTypeMethod},
      {"get_int_min_value(self)", "The least integer it holds.", emitTypeMethod},
      {"get_block_shapes(self)", "The extents of a block.", emitTypeMethod},
  };
  return {"dtype", kRows};
}

} // namespace nereid::lang
