// Debug.td: output, assertions, barriers and marks for profilers.
include "dialect/ops/Base.td"

def PrintOp : TileOp<"print", [AllThreads, OneLayout, MemoryEffects<[MemWrite]>,
    PredOpTrait<"there is a sign for each value", CPred<"getIsSigned().size() == getArgs().size()">>]> {
  let summary = "print a prefix and values, one line for each element";
  let arguments = (ins StrAttr:$prefix, UnitAttr:$hex, Variadic<AnyType>:$args, DenseBoolArrayAttr:$isSigned);
  let assemblyFormat = "$prefix attr-dict ($args^ `:` type($args))?";
}

def AssertOp : TileOp<"assert", [AllThreads, OneLayout, ByElement, MemoryEffects<[MemWrite]>, SameShape<"condition", "mask">]> {
  let summary = "fail the launch with `message` where the condition is false and the mask is true";
  let arguments = (ins MaskLike:$condition, StrAttr:$message, Optional<MaskLike>:$mask);
  let assemblyFormat = "$condition `,` $message (`mask` $mask^ `:` type($mask))? attr-dict `:` type($condition)";
}

def BarrierOp : TileOp<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "memory accesses of this program before the barrier are done before those after it";
  let assemblyFormat = "attr-dict";
}

def ScopeOp : TileOp<"scope", [MemoryEffects<[MemWrite]>]> {
  let summary = "a named part of the kernel begins, or ends (`exit`): a place for profilers and traces to take the time";
  let arguments = (ins StrAttr:$name, UnitAttr:$exit);
  let assemblyFormat = "$name attr-dict";
}

def GridDependencyOp : TileOp<"grid_dependency", [AllThreads, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "programmatic dependent launch: wait for the grid before, or let the next one start (`launch`)";
  let arguments = (ins UnitAttr:$launch);
  let assemblyFormat = "attr-dict";
}
