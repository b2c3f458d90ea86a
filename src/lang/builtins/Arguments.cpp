#include "lang/builtins/Arguments.h"

namespace nereid::lang {

void failType(Emitter &emitter, const BoundArguments &args, size_t index, std::string_view expected, const Type &found,
              std::string_view cast) {
  std::string name(args.builtin->name());
  std::vector<std::string> notes;
  if (!cast.empty())
    notes.push_back("convert it first: `.to(tl." + std::string(cast) + ")`");
  emitter.failAt(args.range(index), "`" + name + "` needs " + std::string(expected) + ", got " + found.scalar().shortName(),
                 std::move(notes));
}

Tensor floatArgument(Emitter &emitter, const BoundArguments &args, size_t index) {
  Tensor tensor = toTensor(emitter, args[index]);
  Scalar kind = tensor.type.scalarKind();
  if (kind != Scalar::Fp32 && kind != Scalar::Fp64)
    failType(emitter, args, index, "f32 or f64", tensor.type, tensor.type.isPointer() ? "" : "float32");
  return tensor;
}

Values toItems(Emitter &emitter, const BoundArguments &args, size_t index, bool allowSingle) {
  const Value &value = args[index];
  if (const Tuple *tuple = value.asTuple())
    return tuple->items;
  if (const ListObject *list = value.object<ListObject>())
    return list->items;
  if (!allowSingle)
    emitter.failAt(args.range(index), "`" + signatureOf(*args.builtin).parameters[index].name + "` of `" +
                                          std::string(args.builtin->name()) + "` must be a tuple or a list, got " + typeName(value),
                   {}, "TypeError");
  return {value};
}

Tensor promoteBf16(Emitter &emitter, const Tensor &tensor) {
  return tensor.type.scalarKind() == Scalar::Bf16 ? castTo(emitter, tensor, Scalar::Fp32) : tensor;
}

void broadcastAll(Emitter &emitter, std::vector<Tensor> &tensors) {
  if (tensors.empty())
    return;
  Tensor widest = tensors.front();
  for (Tensor &tensor : tensors)
    widest = broadcastTogether(emitter, widest, tensor).first;
  for (Tensor &tensor : tensors)
    tensor = broadcastTogether(emitter, tensor, widest).first;
}

int toAxis(Emitter &emitter, const BoundArguments &args, size_t index, const Type &type) {
  int64_t axis = toConstantInt(emitter, args[index], signatureOf(*args.builtin).parameters[index].name);
  int64_t rank = int64_t(type.shape().size());
  if (rank == 0)
    emitter.fail("`" + std::string(args.builtin->name()) + "` needs a block, got a scalar of type " + type.shortName());
  if (axis < -rank || axis >= rank)
    emitter.failAt(args.range(index), "axis " + std::to_string(axis) + " is out of range for a block of " + std::to_string(rank) +
                                          (rank == 1 ? " dimension" : " dimensions"));
  return int(axis < 0 ? axis + rank : axis);
}

} // namespace nereid::lang
