// DotScaled.cpp: matrix products of microscaled operands: one power-of-two scale for each group of elements along K.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"

namespace nereid::lang {

namespace {

struct Operand {
  Tensor value;
  std::optional<Tensor> scale;
  tile::ScaleFormat format;
  bool packsK = true;
  int64_t outer = 0, inner = 0; // in elements: M or N, and K
};

tile::ScaleFormat toFormat(Emitter &emitter, const BoundArguments &args, size_t index) {
  std::string word = toConstantString(emitter, args[index], "the format");
  for (std::string_view allowed : {"e2m1", "e4m3", "e5m2", "bf16", "fp16"})
    if (word == allowed)
      return *tile::symbolizeScaleFormat(word);
  emitter.failAt(args.range(index), "the format must be `e2m1`, `e4m3`, `e5m2`, `bf16` or `fp16`, got `" + word + "`");
}

// Elements may come as their own type or as unsigned bits of the same width.
Tensor toFormatType(Emitter &emitter, const Tensor &tensor, tile::ScaleFormat format, SourceRange range) {
  using enum tile::ScaleFormat;
  Type bits = format == BF16 || format == FP16 ? Scalar::UInt16 : Scalar::UInt8;
  Type type = format == E4M3   ? Scalar::Fp8E4NV
              : format == E5M2 ? Scalar::Fp8E5
              : format == BF16 ? Scalar::Bf16
              : format == FP16 ? Scalar::Fp16
                               : Scalar::UInt8;
  if (tensor.type.scalar() == type)
    return tensor;
  if (!(tensor.type.scalar() == bits))
    emitter.failAt(range,
                   "format `" + stringifyScaleFormat(format).str() + "` needs elements of type " + type.shortName() +
                       (bits == type ? "" : " or " + bits.shortName()) + ", got " + tensor.type.scalar().shortName(),
                   {}, "TypeError");
  return bitcastTo(emitter, tensor, type);
}

Operand toOperand(Emitter &emitter, const BoundArguments &args, size_t first, size_t packIndex, bool isLeft) {
  Operand operand;
  operand.format = toFormat(emitter, args, first + 2);
  Tensor tensor = toTensor(emitter, args[first]);
  size_t rank = tensor.type.shape().size();
  if (rank != 2 && rank != 3)
    emitter.failAt(args.range(first),
                   "`dot_scaled` needs tensors of 2 or 3 dimensions, got " + tensor.type.shortName());
  operand.value = toFormatType(emitter, tensor, operand.format, args.range(first));
  operand.packsK = toConstantBool(emitter, args[packIndex], "`k_pack`");
  bool isPacked = operand.format == tile::ScaleFormat::E2M1;
  if (!operand.packsK && !isPacked)
    emitter.failAt(args.range(packIndex),
                   "only `e2m1` elements are packed, so only they can be packed along another dimension than K");
  const Shape &shape = tensor.type.shape();
  operand.outer = isLeft ? shape[rank - 2] : shape[rank - 1];
  operand.inner = isLeft ? shape[rank - 1] : shape[rank - 2];
  (operand.packsK ? operand.inner : operand.outer) *= isPacked ? 2 : 1;
  if (!args[first + 1].isNone())
    operand.scale = toTensor(emitter, args[first + 1]);
  return operand;
}

// '32', '4': as Triton prints a shape.
std::string quotedExtents(const Shape &shape) {
  std::string text;
  for (int64_t extent : shape)
    text += (text.empty() ? "'" : ", '") + std::to_string(extent) + "'";
  return text;
}

void checkScale(Emitter &emitter, const BoundArguments &args, size_t index, const Operand &operand) {
  if (!operand.scale)
    return;
  const Type &type = operand.scale->type;
  bool isE8M0 = type.scalarKind() == Scalar::UInt8 || type.scalarKind() == Scalar::Int8;
  if (!isE8M0 && type.scalarKind() != Scalar::Fp8E4NV)
    emitter.failAt(args.range(index), "a scale is an exponent of type u8, got " + type.shortName(), {}, "TypeError");
  int64_t groups = operand.inner / (isE8M0 ? 32 : 16);
  const Shape &shape = type.shape();
  if (shape.size() < 2 || shape[shape.size() - 2] != operand.outer || shape.back() != groups)
    emitter.failAt(args.range(index),
                   std::string(index < 3 ? "lhs" : "rhs") + "_scale must be a tensor of shape [" +
                       std::to_string(operand.outer) + ", " + std::to_string(groups) + "]. Got [" +
                       quotedExtents(shape) + "]",
                   {"one scale for each group of " + std::string(isE8M0 ? "32" : "16") +
                    " elements along K; the right scale is N x K/32, not transposed"});
}

Value emitDotScaled(Emitter &emitter, const BoundArguments &args) {
  Operand lhs = toOperand(emitter, args, 0, 8, true), rhs = toOperand(emitter, args, 3, 9, false);
  if (lhs.value.type.shape().size() != rhs.value.type.shape().size())
    emitter.fail("`dot_scaled` needs two tensors of one rank, got " + lhs.value.type.shortName() + " and " +
                 rhs.value.type.shortName());
  if (lhs.inner != rhs.inner)
    emitter.fail("`dot_scaled` needs one K, but the operands have " + std::to_string(lhs.inner) + " and " +
                 std::to_string(rhs.inner) + " elements along it");
  checkScale(emitter, args, 1, lhs);
  checkScale(emitter, args, 4, rhs);
  if (Type out = toScalarType(emitter, args[10], "`out_dtype`"); out.scalarKind() != Scalar::Fp32)
    emitter.failAt(args.range(10), "`out_dtype` of `dot_scaled` must be f32, got " + out.shortName());
  Shape shape{lhs.outer, rhs.outer};
  if (lhs.value.type.shape().size() == 3)
    shape.insert(shape.begin(), lhs.value.type.shape().front());
  Type type = Type(Scalar::Fp32).withShape(shape);
  Tensor acc = args[6].isNone() ? constant(emitter, type, 0) : toTensor(emitter, args[6]);
  if (!(acc.type == type))
    emitter.failAt(args.range(6), "`acc` is " + acc.type.shortName() + " but the product is " + type.shortName());
  auto op = emitter.create<tile::DotScaledOp>(type.ir(emitter.context()), lhs.value.ir,
                                              lhs.scale ? lhs.scale->ir : mlir::Value(), rhs.value.ir,
                                              rhs.scale ? rhs.scale->ir : mlir::Value(), acc.ir, lhs.format, rhs.format,
                                              toConstantBool(emitter, args[7], "`fast_math`"), lhs.packsK, rhs.packsK);
  return Tensor{op, type};
}

} // namespace

BuiltinTable dotScaledBuiltins() {
  static const Builtin kRows[] = {
      {"dot_scaled(lhs, lhs_scale, lhs_format, rhs, rhs_scale, rhs_format, acc=None, fast_math=False, lhs_k_pack=True, "
       "rhs_k_pack=True, out_dtype=float32)",
       "Matrix product of microscaled operands.", emitDotScaled},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
