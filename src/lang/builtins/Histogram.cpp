// Histogram.cpp: counting how often each small integer occurs.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"

namespace nereid::lang {
namespace {

Value emitHistogram(Emitter &emitter, const BoundArguments &args) {
  Tensor source = toTensor(emitter, args[0]);
  if (source.type.shape().size() != 1)
    emitter.failAt(args.range(0), "`histogram` needs a block of one dimension, got " + source.type.shortName());
  if (!source.type.isInt())
    failType(emitter, args, 0, "integers", source.type, "int32");
  Shape bins = toShape(emitter, args[1]);
  if (bins.size() != 1)
    emitter.failAt(args.range(1), "`num_bins` must be a constant integer, got " + repr(args[1]));
  mlir::Value mask;
  if (!args[2].isNone()) {
    Tensor given = toTensor(emitter, args[2]);
    if (!given.type.isBool())
      failType(emitter, args, 2, "a mask of type i1", given.type, "int1");
    mask = broadcastTo(emitter, given, source.type.shape()).ir;
  }
  Type type = Type(Scalar::Int32).withShape(bins);
  return Tensor{emitter.create<tile::HistogramOp>(type.ir(emitter.context()), source.ir, mask), type};
}

constexpr Builtin kHistogramRows[] = {
    {"histogram(input, num_bins, mask=None)", "How often each of 0 … num_bins-1 occurs in a one-dimensional block.",
     emitHistogram, true},
};

} // namespace

BuiltinTable histogramBuiltins() { return {"tl", kHistogramRows}; }

} // namespace nereid::lang
