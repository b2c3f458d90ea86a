// Base.td: what every op family includes.
#ifndef NEREID_TILE_BASE
#define NEREID_TILE_BASE

include "dialect/Tile.td"
include "dialect/Interfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TileOp<string mnemonic, list<Trait> traits = []> : Op<TileDialect, mnemonic, traits>;

// The second may be missing.
class SameShape<string one, string other> : PredOpTrait<"`" # one # "` and `" # other # "` have the same shape",
  CPred<"!get" # snakeCaseToCamelCase<other>.ret # "() || shapeOf(get" # snakeCaseToCamelCase<one>.ret # "().getType()) == shapeOf(get" #
        snakeCaseToCamelCase<other>.ret # "().getType())">>;
class OfFloats<string value> : PredOpTrait<"`" # value # "` holds floats", CPred<"llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf($" # value # ".getType()))">>;

#endif
