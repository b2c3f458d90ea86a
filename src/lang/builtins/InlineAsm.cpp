// InlineAsm.cpp: assembly of the target on every element.
#include "dialect/Tile.h"
#include "lang/builtins/Arguments.h"

namespace nereid::lang {
namespace {

Value emitInlineAsm(Emitter &emitter, const BoundArguments &args) {
  std::string assembly = stringArgument(emitter, args, 0);
  std::string constraints = stringArgument(emitter, args, 1);
  bool isPure = boolArgument(emitter, args, 4);
  int64_t pack = intArgument(emitter, args, 5);
  constexpr int64_t kMaxPack = 1024; // more than a thread has registers
  if (pack < 1 || pack > kMaxPack)
    emitter.failAt(args.range(5),
                   "`pack` must be from 1 to " + std::to_string(kMaxPack) + ", got " + std::to_string(pack));

  std::vector<Tensor> sources;
  for (const Value &item : toItems(emitter, args, 2, false))
    sources.push_back(toTensor(emitter, item));
  broadcastAll(emitter, sources);
  Shape shape = sources.empty() ? Shape{} : sources.front().type.shape();
  std::vector<mlir::Value> handles;
  for (const Tensor &source : sources)
    handles.push_back(source.ir);

  std::vector<Type> types;
  std::vector<mlir::Type> irTypes;
  for (const Value &item : toItems(emitter, args, 3, true)) {
    types.push_back(toScalarType(emitter, item, "`dtype`").withShape(shape));
    irTypes.push_back(types.back().ir(emitter.context()));
  }
  if (types.empty())
    emitter.failAt(args.range(3), "`inline_asm_elementwise` needs at least one result type",
                   {"return a dummy value of any type where none is needed"});
  auto op = emitter.create<tile::InlineAsmOp>(irTypes, assembly, constraints, handles, uint32_t(pack), isPure);
  Values results;
  for (size_t i = 0; i < types.size(); ++i)
    results.push_back(Tensor{op.getResult(i), types[i]});
  bool hasTuple = args[3].asTuple() || args[3].object<ListObject>();
  return hasTuple ? Value::tuple(std::move(results)) : results.front();
}

constexpr Builtin kInlineAsmRows[] = {
    {"inline_asm_elementwise(asm, constraints, args, dtype, is_pure, pack)",
     "Run assembly of the target on groups of `pack` elements.", emitInlineAsm},
};

} // namespace

BuiltinTable inlineAsmBuiltins() { return {"tl", kInlineAsmRows}; }

} // namespace nereid::lang
