// Create.cpp: tensors made from nothing: arange, full, zeros.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"

namespace nereid::lang {

static Value emitArange(Emitter &emitter, const BoundArguments &args) {
  if (auto *end = args[1].get<Tensor>()) {
    std::vector<std::string> notes = notesOnConstants(*end);
    if (notes.empty())
      notes.push_back("make a tile of a fixed length, `tl.arange(0, BLOCK)` with `BLOCK: tl.constexpr`, and mask what "
                      "is too much: `mask=offsets < n`");
    emitter.failAt(args.range(1), "`end` of `arange` must be a constant integer, got " + typeName(args[1]), notes,
                   "TypeError");
  }
  int64_t start = toConstantInt(emitter, args[0], "`start` of `arange`"),
          end = toConstantInt(emitter, args[1], "`end` of `arange`");
  if (start < 0)
    emitter.failAt(args.range(0), "`start` of `arange` must not be negative, got " + std::to_string(start),
                   {"count from 0 and add to the result: `tl.arange(0, N) + start`"});
  if (end > (int64_t(1) << 31))
    emitter.fail("`arange` gives 32-bit integers, but its bounds are " + std::to_string(start) + " and " +
                 std::to_string(end));
  if (end <= start)
    emitter.failAt(args.range(1), "`end` of `arange` must be greater than `start`, got " + std::to_string(start) +
                                      " and " + std::to_string(end));
  int64_t count = end - start;
  if (emitter.options.strictExtents && (count & (count - 1)))
    emitter.fail("arange's range must be a power of 2", notesOnExtent(count));
  if (count > tile::kMaxTileElements)
    emitter.fail("a tensor holds at most " + std::to_string(tile::kMaxTileElements) + " elements, but `arange` makes " +
                 std::to_string(count));
  Type type = Type(Scalar::Int32).withShape({count});
  return Tensor{emitter.create<tile::ArangeOp>(type.ir(emitter.context()), uint32_t(start), uint32_t(end)), type};
}

static Value emitFull(Emitter &emitter, const BoundArguments &args) {
  Shape shape = toShape(emitter, args[0]);
  if (args[1].isTensor()) {
    Tensor value = toScalar(emitter, args[1].tensor());
    Type type = args[2].isNone() ? value.type : toScalarType(emitter, args[2], "`dtype`");
    return broadcastTo(emitter, castTo(emitter, value, type), shape);
  }
  if (!args[1].number())
    emitter.failAt(args.range(1), "`value` must be a number or a scalar, got " + typeName(args[1]), {}, "TypeError");
  if (args[2].isNone())
    emitter.failAt(args.range(2), "`full` needs a `dtype` for a number");
  return constant(emitter, toScalarType(emitter, args[2], "`dtype`").withShape(shape), args[1]);
}

static Value emitZeros(Emitter &emitter, const BoundArguments &args) {
  Shape shape = toShape(emitter, args[0]);
  return constant(emitter, toScalarType(emitter, args[1], "`dtype`").withShape(shape), 0);
}

static Value emitZerosLike(Emitter &emitter, const BoundArguments &args) {
  return constant(emitter, toTensor(emitter, args[0]).type, 0);
}

BuiltinTable creationBuiltins() {
  static const Builtin kRows[] = {
      {"arange(start, end)", "start, start + 1 … end - 1 as int32.", emitArange},
      {"full(shape, value, dtype)", "A tensor of one value.", emitFull},
      {"zeros(shape, dtype)", "A tensor of zeros.", emitZeros},
      {"zeros_like(input)", "A tensor of zeros with the shape and type of another.", emitZerosLike},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
