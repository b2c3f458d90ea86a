// Program.cpp: where in the grid this program stands.
#include "lang/semantic/Semantic.h"

#include "dialect/Tile.h"

namespace nereid::lang {

static uint32_t gridAxis(Emitter &emitter, const BoundArguments &args) {
  int64_t axis = toConstantInt(emitter, args[0], "`axis`");
  if (axis < 0 || axis > 2)
    emitter.failAt(args.range(0), "program_id axis must be 0, 1, or 2 but got " + std::to_string(axis));
  return static_cast<uint32_t>(axis);
}

static Value emitProgramId(Emitter &emitter, const BoundArguments &args) {
  return Tensor{emitter.create<tile::ProgramIdOp>(emitter.builder.getI32Type(), gridAxis(emitter, args)),
                Scalar::Int32};
}

static Value emitNumPrograms(Emitter &emitter, const BoundArguments &args) {
  return Tensor{emitter.create<tile::NumProgramsOp>(emitter.builder.getI32Type(), gridAxis(emitter, args)),
                Scalar::Int32};
}

BuiltinTable programBuiltins() {
  static const Builtin kRows[] = {
      {"program_id(axis)", "Index of this program along an axis of the grid.", emitProgramId},
      {"num_programs(axis)", "Number of programs along an axis of the grid.", emitNumPrograms},
  };
  return {"tl", kRows};
}

} // namespace nereid::lang
