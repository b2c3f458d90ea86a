#include "lang/builtins/Combine.h"

#include "dialect/Tile.h"

namespace nereid::lang {

std::vector<Tensor> resultTensors(Emitter &emitter, const Value &result) {
  std::vector<Tensor> tensors;
  if (const Tuple *tuple = result.asTuple())
    for (const Value &item : tuple->items)
      tensors.push_back(toTensor(emitter, item));
  else if (result && !result.isNone())
    tensors.push_back(toTensor(emitter, result));
  return tensors;
}

Combine combineBy(Emitter &emitter, const Value &function) {
  if (!function.object<Function>() && !function.is<const Builtin *>())
    emitter.failAt(emitter.placeOf(function),
                   "the combine function must be a `@triton.jit` function, got " + typeName(function), {}, "TypeError");
  return [&emitter, function](std::span<const Tensor> scalars) {
    std::vector<CallArgument> arguments;
    for (const Tensor &scalar : scalars)
      arguments.push_back({scalar, "", emitter.session.place()});
    return resultTensors(emitter, emitter.call(function, std::move(arguments)));
  };
}

void emitCombineRegion(Emitter &emitter, mlir::Region &region, std::span<const Tensor> sources,
                       const Combine &combine) {
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  mlir::Location location = emitter.location();
  mlir::Block *block = emitter.builder.createBlock(&region);
  std::vector<Tensor> scalars;
  for (int side = 0; side < 2; ++side)
    for (const Tensor &source : sources) {
      Type scalar = source.type.scalar();
      scalars.push_back({block->addArgument(scalar.ir(emitter.context()), location), scalar});
    }

  std::vector<Tensor> results = combine(scalars);
  if (results.size() != sources.size())
    emitter.fail("the combine function returns " + std::to_string(results.size()) + " values for " +
                 std::to_string(sources.size()) + (sources.size() == 1 ? " tensor" : " tensors"));
  std::vector<mlir::Value> values;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].type != sources[i].type.scalar())
      emitter.fail("the combine function returns " + results[i].type.shortName() + " for elements of type " +
                       sources[i].type.scalar().shortName(),
                   {"convert the result, or the tensor before the reduction"}, "TypeError");
    values.push_back(results[i].ir);
  }
  emitter.create<tile::YieldOp>(values);
}

static std::vector<mlir::Value> handles(std::span<const Tensor> tensors) {
  std::vector<mlir::Value> values;
  for (const Tensor &tensor : tensors)
    values.push_back(tensor.ir);
  return values;
}

std::vector<Tensor> emitReduce(Emitter &emitter, std::span<const Tensor> sources, int axis, const Combine &combine) {
  std::vector<Type> types;
  std::vector<mlir::Type> irTypes;
  for (const Tensor &source : sources) {
    Shape shape = source.type.shape();
    shape.erase(shape.begin() + axis);
    types.push_back(source.type.withShape(std::move(shape)));
    irTypes.push_back(types.back().ir(emitter.context()));
  }
  auto op = emitter.create<tile::ReduceOp>(irTypes, handles(sources), uint32_t(axis));
  emitCombineRegion(emitter, op.getCombine(), sources, combine);
  std::vector<Tensor> results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back({op.getResult(i), types[i]});
  return results;
}

std::vector<Tensor> emitScan(Emitter &emitter, std::span<const Tensor> sources, int axis, bool reverse,
                             const Combine &combine) {
  std::vector<mlir::Type> irTypes;
  for (const Tensor &source : sources)
    irTypes.push_back(source.ir.getType());
  auto op = emitter.create<tile::ScanOp>(irTypes, handles(sources), uint32_t(axis), reverse);
  emitCombineRegion(emitter, op.getCombine(), sources, combine);
  std::vector<Tensor> results;
  for (size_t i = 0; i < sources.size(); ++i)
    results.push_back({op.getResult(i), sources[i].type});
  return results;
}

Tensor promoteForSum(Emitter &emitter, const Tensor &source, const Value &dtype) {
  if (!dtype.isNone())
    return castTo(emitter, source, toScalarType(emitter, dtype, "`dtype`"));
  if (source.type.isInt() && source.type.bitWidth() < 32)
    return castTo(emitter, source, source.type.isSignedInt() ? Scalar::Int32 : Scalar::UInt32);
  return source;
}

} // namespace nereid::lang
