// Map.cpp: tl.map_elementwise: a jit function of scalars, run on every element.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"
#include "lang/builtins/Combine.h"

namespace nereid::lang {
namespace {

// Emits the function on `pack` scalars of each source in turn; gives its result.
Value emitMapBody(Emitter &emitter, mlir::Region &region, const Value &function, std::span<const Tensor> sources,
                  int64_t pack) {
  mlir::OpBuilder::InsertionGuard guard(emitter.builder);
  mlir::Location location = emitter.location();
  mlir::Block *block = emitter.builder.createBlock(&region);
  std::vector<CallArgument> scalars;
  for (const Tensor &source : sources)
    for (int64_t i = 0; i < pack; ++i) {
      Type scalar = source.type.scalar();
      Tensor argument{block->addArgument(scalar.ir(emitter.context()), location), scalar};
      scalars.push_back({argument, "", emitter.session.place()});
    }
  Value result = emitter.call(function, std::move(scalars));
  std::vector<mlir::Value> values;
  for (const Tensor &tensor : resultTensors(emitter, result))
    values.push_back(tensor.ir);
  emitter.create<tile::YieldOp>(values);
  return result;
}

void checkMapResults(Emitter &emitter, std::span<const Tensor> results, int64_t pack) {
  if (results.empty() || results.size() % pack != 0)
    emitter.fail("the mapped function returns " + std::to_string(results.size()) +
                 " values, expected a multiple of `pack` = " + std::to_string(pack));
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].type.isBlock())
      emitter.fail("the mapped function must return scalars, got " + results[i].type.shortName());
    if (results[i].type != results[i - i % pack].type)
      emitter.fail("the mapped function returns " + results[i - i % pack].type.shortName() + " and " +
                   results[i].type.shortName() + " for elements of one tensor");
  }
}

Value emitMapElementwise(Emitter &emitter, const BoundArguments &args) {
  int64_t pack = intArgument(emitter, args, 2);
  if (pack < 1)
    emitter.failAt(args.range(2), "`pack` must be at least 1, got " + std::to_string(pack));
  std::vector<Tensor> sources;
  std::vector<CallArgument> plainArguments;
  for (const Value &item : toItems(emitter, args, 1, true)) {
    sources.push_back(toTensor(emitter, item));
    plainArguments.push_back({sources.back(), "", args.range(1)});
  }
  if (sources.empty())
    emitter.fail("`map_elementwise` needs at least one tensor");
  broadcastAll(emitter, sources);
  if (!sources.front().type.isBlock())
    return emitter.call(args[0], std::move(plainArguments));
  if (sources.front().type.elementCount() % pack != 0)
    emitter.failAt(args.range(2), "`pack` is " + std::to_string(pack) + ", but the block has " +
                                      std::to_string(sources.front().type.elementCount()) + " elements");

  // The result types are known only after the function was emitted, so that a first op holds the body until then.
  std::vector<mlir::Value> handles;
  for (const Tensor &source : sources)
    handles.push_back(source.ir);
  auto draft = emitter.create<tile::MapOp>(mlir::TypeRange{}, handles, uint32_t(pack));
  Value result = emitMapBody(emitter, draft.getBody(), args[0], sources, pack);
  std::vector<Tensor> scalars = resultTensors(emitter, result);
  checkMapResults(emitter, scalars, pack);
  std::vector<Type> types;
  std::vector<mlir::Type> irTypes;
  for (size_t i = 0; i < scalars.size(); i += pack) {
    types.push_back(sources.front().type.withScalar(scalars[i].type));
    irTypes.push_back(types.back().ir(emitter.context()));
  }
  auto op = emitter.create<tile::MapOp>(irTypes, handles, uint32_t(pack));
  op.getBody().takeBody(draft.getBody());
  draft.erase();
  Values results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back(Tensor{op.getResult(i), types[i]});
  return !result.asTuple() ? results.front() : Value::tuple(std::move(results));
}

constexpr Builtin kMapRows[] = {
    {"map_elementwise(scalar_fn, *args, pack=1)", "Run a jit function of scalars on every element.",
     emitMapElementwise},
};

} // namespace

BuiltinTable mapBuiltins() { return {"tl", kMapRows}; }

} // namespace nereid::lang
