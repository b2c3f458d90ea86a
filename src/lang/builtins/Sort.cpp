// Sort.cpp: ordering the elements of the last dimension.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"

namespace nereid::lang {
namespace {

Tensor sortArgument(Emitter &emitter, const BoundArguments &args, size_t dimIndex) {
  Tensor source = toTensor(emitter, args[0]);
  if (!source.type.isInt() && !source.type.isFloat())
    failType(emitter, args, 0, "numbers", source.type);
  if (!source.type.isBlock())
    emitter.failAt(args.range(0), "`" + std::string(args.builtin->name()) + "` needs a block, got a scalar of type " +
                                      source.type.shortName());
  int last = int(source.type.shape().size()) - 1;
  if (!args[dimIndex].isNone() && axisArgument(emitter, args, dimIndex, source.type) != last)
    emitter.failAt(args.range(dimIndex),
                   "`" + std::string(args.builtin->name()) + "` works along the last dimension (" +
                       std::to_string(last) + "), got `dim` " + repr(args[dimIndex]),
                   {"bring it to the end with `tl.permute`"});
  return source;
}

Tensor emitOrdered(Emitter &emitter, const Tensor &source, int64_t count, bool descending) {
  if (source.type.scalarKind() == Scalar::Fp8E4B15) // has no float type in the IR
    return castTo(emitter, emitOrdered(emitter, castTo(emitter, source, Scalar::Fp16), count, descending),
                  Scalar::Fp8E4B15);
  Shape shape = source.type.shape();
  shape.back() = count;
  Type type = source.type.withShape(std::move(shape));
  return {emitter.create<tile::SortOp>(type.ir(emitter.context()), source.ir, uint32_t(count), descending,
                                       source.type.isUnsignedInt()),
          type};
}

// A bitonic merge is a sort of input that is already half in order.
Value emitSort(Emitter &emitter, const BoundArguments &args) {
  Tensor source = sortArgument(emitter, args, 1);
  return emitOrdered(emitter, source, source.type.shape().back(), boolArgument(emitter, args, 2));
}

Value emitTopk(Emitter &emitter, const BoundArguments &args) {
  Tensor source = sortArgument(emitter, args, 2);
  int64_t extent = source.type.shape().back(), count = intArgument(emitter, args, 1);
  if (count < 1 || count > extent || (count & (count - 1)) != 0)
    emitter.failAt(args.range(1), "`k` must be a power of two between 1 and " + std::to_string(extent) + ", got " +
                                      std::to_string(count));
  // Triton drops elements with `max`, which widens those under 32 bits.
  if (count < extent && source.type.bitWidth() < 32)
    source = castTo(emitter, source, source.type.isFloat() ? Scalar::Fp32 : Scalar::Int32);
  return emitOrdered(emitter, source, count, boolArgument(emitter, args, 3));
}

constexpr Builtin kSortRows[] = {
    {"sort(x, dim=None, descending=0)", "The elements of the last dimension in order.", emitSort},
    {"topk(x, k, dim=None, descending=True)", "The `k` largest elements of the last dimension, largest first.",
     emitTopk},
    {"bitonic_merge(x, dim=None, descending=0)",
     "The elements of the last dimension, given as a bitonic sequence, in order.", emitSort},
};

} // namespace

BuiltinTable sortBuiltins() { return {"tl", kSortRows}; }

} // namespace nereid::lang
