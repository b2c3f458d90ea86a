// Dot.cpp: matrix products, plain and of a sparse operand.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"

#include <algorithm>

namespace nereid::lang {

namespace {

tile::InputPrecision toPrecision(Emitter &emitter, const BoundArguments &args, size_t index) {
  std::string word = args[index].isNone() ? emitter.options.defaultDotPrecision
                                          : toConstantString(emitter, args[index], "`input_precision`");
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  if (auto precision = tile::symbolizeInputPrecision(word))
    return *precision;
  emitter.failAt(args.range(index),
                 "`input_precision` must be `tf32`, `tf32x3`, `ieee`, `bf16x3` or `bf16x6`, got `" + word + "`");
}

// `allow_tf32` is the older name of two of them.
tile::InputPrecision dotPrecision(Emitter &emitter, const BoundArguments &args) {
  if (args[4].isNone())
    return toPrecision(emitter, args, 3);
  if (!args[3].isNone())
    emitter.failAt(args.range(4), "only one of `input_precision` and `allow_tf32` can be given",
                   {"`allow_tf32=True` is `input_precision=\"tf32\"`"});
  return toConstantBool(emitter, args[4], "`allow_tf32`") ? tile::InputPrecision::TF32 : tile::InputPrecision::IEEE;
}

bool isDotOperand(const Type &type) {
  switch (type.scalarKind()) {
  case Scalar::Int8:
  case Scalar::UInt8:
  case Scalar::Fp16:
  case Scalar::Bf16:
  case Scalar::Fp32:
  case Scalar::Fp64: return true;
  default: return false;
  }
}

// The fp8 formats of one vendor do not multiply on the other's machines.
void checkVendor(Emitter &emitter, const BoundArguments &args, size_t index, const Type &type) {
  bool isAmd = type.scalarKind() == Scalar::Fp8E4B8 || type.scalarKind() == Scalar::Fp8E5B16;
  const TargetDescription &target = emitter.session.target;
  if (type.scalarKind() == Scalar::Fp8E4B15 && target.isHopperOrLater())
    emitter.session.warn("the use of fp8e4b15 is deprecated on Hopper and later architectures");
  if (isAmd && target.isCuda())
    emitter.failAt(args.range(index),
                   "`dot` of " + type.scalar().shortName() +
                       " is not supported in this architecture: it needs an AMD GPU",
                   {"on NVIDIA GPUs, use `tl.float8e5` or `tl.float8e4nv`"}, "TypeError");
}

void checkOperandTypes(Emitter &emitter, const BoundArguments &args, const Tensor &lhs, const Tensor &rhs) {
  checkVendor(emitter, args, 0, lhs.type);
  checkVendor(emitter, args, 1, rhs.type);
  if (lhs.type.isFp8() && rhs.type.isFp8())
    return;
  const Tensor *operands[] = {&lhs, &rhs};
  for (size_t i = 0; i < 2; ++i)
    if (!isDotOperand(operands[i]->type) && !operands[i]->type.isFp8())
      emitter.failAt(args.range(i),
                     "`dot` multiplies i8, u8, fp8, f16, bf16, f32 or f64, got " + operands[i]->type.shortName(),
                     {"cast it: `.to(tl.float16)`"}, "TypeError");
  // Two kinds of 8-bit integers are told apart by the op itself.
  bool areBytes = lhs.type.isInt() && rhs.type.isInt();
  if (!areBytes && !(lhs.type.scalar() == rhs.type.scalar()))
    emitter.failAt(args.range(1),
                   "`dot` needs two operands of one type, got " + lhs.type.scalar().shortName() + " and " +
                       rhs.type.scalar().shortName(),
                   {"cast one: `.to(tl." + languageName(lhs.type.scalar()) + ")`"}, "TypeError");
}

// The shape of the product, after checking that the operands multiply.
Shape productShape(Emitter &emitter, const Tensor &lhs, const Tensor &rhs) {
  const Shape &a = lhs.type.shape(), &b = rhs.type.shape();
  std::string both = lhs.type.shortName() + " and " + rhs.type.shortName();
  if (a.size() < 2 || a.size() != b.size())
    emitter.fail("`dot` needs two tensors of one rank, 2 or more, got " + both,
                 a.size() == 1 && b.size() == 1
                     ? std::vector<std::string>{"the product of two vectors is `tl.sum(a * b)`"}
                     : std::vector<std::string>{});
  size_t rank = a.size();
  if (!std::equal(a.begin(), a.end() - 2, b.begin()))
    emitter.fail("`dot` needs equal batch extents, got " + both);
  if (a[rank - 1] != b[rank - 2])
    emitter.fail("`dot` multiplies M x K with K x N, but the extents of K are " + std::to_string(a[rank - 1]) +
                     " and " + std::to_string(b[rank - 2]) + ": " + both,
                 a[rank - 1] == b[rank - 1] ? std::vector<std::string>{"transpose one of them with `tl.trans`"}
                                            : std::vector<std::string>{});
  Shape shape(a.begin(), a.end() - 1);
  shape.push_back(b[rank - 1]);
  return shape;
}

// One step of NVIDIA's matrix units takes 256 bits along K.
void checkReduction(Emitter &emitter, const Tensor &lhs) {
  int64_t least = 256 / lhs.type.bitWidth(), k = lhs.type.shape().back();
  if (emitter.session.target.isCuda() && k < least)
    emitter.fail("input shapes should have M >= 1, N >= 1 and K >= " + std::to_string(least) + " for a dot of " +
                     lhs.type.scalar().shortName() + ", but K is " + std::to_string(k),
                 {"use a larger block along K, or `tl.sum(a[:, :, None] * b[None, :, :], axis=1)`"});
}

// The type of the product: fixed by the operands except for 16-bit and 8-bit floats, where `out_dtype` decides.
Type productType(Emitter &emitter, const BoundArguments &args, const Tensor &lhs, const Value &acc) {
  Type asked = !args[6].isNone() ? toScalarType(emitter, args[6], "`out_dtype`")
               : acc.isTensor()  ? acc.tensor().type.scalar()
                                 : Type(Scalar::Fp32);
  if (lhs.type.isInt())
    return Scalar::Int32;
  if (asked.scalarKind() == Scalar::Bf16)
    emitter.failAt(args.range(6), "`dot` cannot accumulate in bf16",
                   {"use `tl.float32` and cast the result: `.to(tl.bfloat16)`"});
  switch (lhs.type.scalarKind()) {
  case Scalar::Fp32:
  case Scalar::Bf16: return Scalar::Fp32;
  case Scalar::Fp64: return Scalar::Fp64;
  default: break;
  }
  bool isGood = asked.scalarKind() == Scalar::Fp16 || asked.scalarKind() == Scalar::Fp32;
  if (!isGood && args[6].isNone())
    emitter.failAt(args.range(2), "`acc` is " + typeName(acc) + " but a product of " + lhs.type.scalar().shortName() +
                                      " is added in f16 or f32");
  if (!isGood)
    emitter.failAt(args.range(6), "`out_dtype` of a product of " + lhs.type.scalar().shortName() +
                                      " must be f16 or f32, got " + asked.shortName());
  return asked;
}

Tensor toAccumulator(Emitter &emitter, const BoundArguments &args, size_t index, const Type &type) {
  const Value &acc = args[index];
  if (acc.isNone())
    return constant(emitter, type, 0);
  Tensor given = toTensor(emitter, acc);
  if (!(given.type == type))
    emitter.failAt(args.range(index), "`acc` is " + given.type.shortName() + " but the product is " + type.shortName(),
                   {"make the accumulator with `tl.zeros` of that shape and type"});
  return given;
}

Tensor transposed(Emitter &emitter, const Tensor &tensor) {
  std::vector<int64_t> order;
  for (size_t i = 0; i < tensor.type.shape().size(); ++i)
    order.push_back(i);
  if (order.size() >= 2)
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  return permute(emitter, tensor, order);
}

int32_t toImpreciseCount(Emitter &emitter, const BoundArguments &args, const Tensor &lhs) {
  if (args[5].isNone())
    return 0;
  int64_t count = toConstantInt(emitter, args[5], "`max_num_imprecise_acc`");
  if (lhs.type.isFp8() && count > lhs.type.shape().back())
    emitter.failAt(args.range(5), "max_num_imprecise_acc (" + std::to_string(count) + ") must be <= K (" +
                                      std::to_string(lhs.type.shape().back()) + ")");
  return static_cast<int32_t>(std::clamp<int64_t>(count, 0, INT32_MAX));
}

// With more than one batch dimension the op sees them as one.
Tensor mergeBatch(Emitter &emitter, const Tensor &tensor) {
  Shape shape = tensor.type.shape();
  if (shape.size() <= 3)
    return tensor;
  int64_t batch = 1;
  for (size_t i = 0; i + 2 < shape.size(); ++i)
    batch *= shape[i];
  return reshapeTo(emitter, tensor, {batch, shape[shape.size() - 2], shape.back()});
}

Value emitDot(Emitter &emitter, const BoundArguments &args) {
  Tensor lhs = toTensor(emitter, args[0]), rhs = toTensor(emitter, args[1]);
  if (toConstantBool(emitter, args[7], "`trans_a`"))
    lhs = transposed(emitter, lhs);
  if (toConstantBool(emitter, args[8], "`trans_b`"))
    rhs = transposed(emitter, rhs);
  checkOperandTypes(emitter, args, lhs, rhs);
  Shape shape = productShape(emitter, lhs, rhs);
  checkReduction(emitter, lhs);
  bool isUnsignedLhs = lhs.type.isUnsignedInt(), isUnsignedRhs = rhs.type.isUnsignedInt();
  if (lhs.type.scalarKind() == Scalar::Fp8E4B15 || rhs.type.scalarKind() == Scalar::Fp8E4B15) {
    lhs = castTo(emitter, lhs, Scalar::Fp16);
    rhs = castTo(emitter, rhs, Scalar::Fp16);
  }
  Type type = productType(emitter, args, lhs, args[2]).withShape(shape);
  Tensor acc = toAccumulator(emitter, args, 2, type);
  int32_t imprecise = toImpreciseCount(emitter, args, lhs);
  Tensor flatAcc = mergeBatch(emitter, acc);
  auto op = emitter.create<tile::DotOp>(flatAcc.type.ir(emitter.context()), mergeBatch(emitter, lhs).ir,
                                        mergeBatch(emitter, rhs).ir, flatAcc.ir, dotPrecision(emitter, args), imprecise,
                                        isUnsignedLhs, isUnsignedRhs);
  return reshapeTo(emitter, {op, flatAcc.type}, shape);
}

// values is M x K/2: two of every four elements along K. places has two bits for each of them.
Shape sparseProductShape(Emitter &emitter, const BoundArguments &args, const Tensor &values, const Tensor &places,
                         const Tensor &other) {
  const Shape &a = values.type.shape(), &b = other.type.shape();
  if (a.size() != 2 || b.size() != 2)
    emitter.fail("`dot_sparse` needs tensors of 2 dimensions, got " + values.type.shortName() + " and " +
                 other.type.shortName());
  if (2 * a[1] != b[0])
    emitter.fail("`dot_sparse` multiplies M x K/2 kept elements with K x N, but the operands are " +
                 values.type.shortName() + " and " + other.type.shortName());
  bool isByte = places.type.isInt() && places.type.bitWidth() == 8;
  if (!isByte && !(places.type.isInt() && places.type.bitWidth() == 16))
    emitter.failAt(args.range(1), "`places` are integers of 8 or 16 bits, got " + places.type.shortName(), {},
                   "TypeError");
  Shape expected{a[0], a[1] / (isByte ? 4 : 8)};
  if (places.type.shape() != expected)
    emitter.failAt(args.range(1), "`places` must be " + places.type.scalar().withShape(expected).shortName() +
                                      ", two bits for each element of `values`, got " + places.type.shortName());
  return {a[0], b[1]};
}

Value emitDotSparse(Emitter &emitter, const BoundArguments &args) {
  Tensor values = toTensor(emitter, args[0]), places = toTensor(emitter, args[1]), other = toTensor(emitter, args[2]);
  Scalar kind = values.type.scalarKind();
  if (kind != Scalar::Fp16 && kind != Scalar::Bf16 && kind != Scalar::Fp32)
    emitter.failAt(args.range(0), "`dot_sparse` multiplies f16, bf16 or f32, got " + values.type.shortName(),
                   {"cast it: `.to(tl.float16)`"}, "TypeError");
  if (!(values.type.scalar() == other.type.scalar()))
    emitter.failAt(args.range(2),
                   "`dot_sparse` needs two operands of one type, got " + values.type.scalar().shortName() + " and " +
                       other.type.scalar().shortName(),
                   {"cast one: `.to(tl." + languageName(values.type.scalar()) + ")`"}, "TypeError");
  Type type = Type(Scalar::Fp32).withShape(sparseProductShape(emitter, args, values, places, other));
  checkReduction(emitter, values);
  Tensor acc = toAccumulator(emitter, args, 3, type);
  return Tensor{emitter.create<tile::DotOp>(type.ir(emitter.context()), values.ir, other.ir, acc.ir, places.ir,
                                            toPrecision(emitter, args, 4), 0u, false, false),
                type};
}

} // namespace

BuiltinTable dotBuiltins() {
  static const Builtin kRows[] = {
      {"dot(input, other, acc=None, input_precision=None, allow_tf32=None, max_num_imprecise_acc=None, out_dtype=None, "
       "trans_a=False, trans_b=False)",
       "Matrix product, added to `acc`.", emitDot},
      {"dot_sparse(values, places, other, acc=None, input_precision=None)",
       "Matrix product of an operand of which two in every four elements are kept, added to `acc`.", emitDotSparse},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
