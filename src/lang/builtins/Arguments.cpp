#include "lang/builtins/Arguments.h"

namespace nereid::lang {

std::string quotedName(const BoundArguments &args) { return "`" + std::string(args.builtin->name()) + "`"; }

void failType(Emitter &emitter, const BoundArguments &args, size_t index, std::string_view expected, const Type &found,
              std::string_view cast) {
  std::string name(args.builtin->name());
  std::vector<std::string> notes;
  if (!cast.empty())
    notes.push_back("convert it first: `.to(tl." + std::string(cast) + ")`");
  emitter.failAt(args.range(index),
                 "`" + name + "` needs " + std::string(expected) + ", got " + found.scalar().shortName(),
                 std::move(notes));
}

Tensor floatArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Tensor tensor = toTensor(emitter, args[index]);
  Scalar kind = tensor.type.scalarKind();
  if (kind != Scalar::Fp32 && kind != Scalar::Fp64)
    failType(emitter, args, index, "f32 or f64", tensor.type, tensor.type.isPointer() ? "" : "float32");
  return tensor;
}

static std::string parameterName(const BoundArguments &args, size_t index) {
  return "`" + signatureOf(*args.builtin).parameters[index].name + "`";
}

int64_t intArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Session::At at(emitter.session, args.range(index));
  return toConstantInt(emitter, args[index], parameterName(args, index));
}

bool boolArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Session::At at(emitter.session, args.range(index));
  return toConstantBool(emitter, args[index], parameterName(args, index));
}

std::string stringArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Session::At at(emitter.session, args.range(index));
  return toConstantString(emitter, args[index], parameterName(args, index));
}

Type typeArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Session::At at(emitter.session, args.range(index));
  return toScalarType(emitter, args[index], parameterName(args, index));
}

Values toItems(Emitter &emitter, const BoundArguments &args, size_t index, bool allowSingle) {
  const Value &value = args[index];
  if (const Tuple *tuple = value.asTuple())
    return tuple->items;
  if (const ListObject *list = value.object<ListObject>())
    return list->items;
  if (!allowSingle)
    emitter.failAt(args.range(index),
                   parameterName(args, index) + " of `" + std::string(args.builtin->name()) +
                       "` must be a tuple or a list, got " + typeName(value),
                   {}, "TypeError");
  return {value};
}

Tensor promoteBf16(Emitter &emitter, const Tensor &tensor) {
  return tensor.type.scalarKind() == Scalar::Bf16 ? castTo(emitter, tensor, Scalar::Fp32) : tensor;
}

int axisArgument(Emitter &emitter, const BoundArguments &args, size_t index, const Type &type) {
  if (!type.isBlock())
    emitter.fail("`" + std::string(args.builtin->name()) + "` needs a block, got a scalar of type " + type.shortName());
  Session::At at(emitter.session, args.range(index));
  return int(toAxis(emitter, args[index], type.shape().size(), parameterName(args, index)));
}

} // namespace nereid::lang
