// Elementwise.td: what arith and math lack: the program's place in the grid, exactly rounded division and root,
// calls to device functions, inline assembly, and facts the user states about values.
include "dialect/ops/Base.td"

def ProgramIdOp : TileOp<"program_id", [Pure]> {
  let summary = "index of this program along an axis of the grid";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def NumProgramsOp : TileOp<"num_programs", [Pure]> {
  let summary = "extent of the grid along an axis";
  let arguments = (ins I32Attr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def DivRnOp : TileOp<"div_rn", [Pure, SameOperandsAndResultType, Elementwise, OfFloats<"result">]> {
  let summary = "division rounded to nearest even (`arith.divf` may be approximate on a GPU)";
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

def SqrtRnOp : TileOp<"sqrt_rn", [Pure, SameOperandsAndResultType, Elementwise, OfFloats<"result">]> {
  let summary = "square root rounded to nearest even (`math.sqrt` may be approximate on a GPU)";
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($result)";
}

// A scalar counts as one dimension.
class NumbersOfDimensions<string fact> : PredOpTrait<"`" # fact # "` is a number of at least 1 for each dimension", CPred<
  "!$" # fact # " || ($" # fact # "->size() == std::max<size_t>(1, shapeOf($source.getType()).size()) && "
  "llvm::all_of(*$" # fact # ", [](int64_t number) { return number > 0; }))">>;

def HintOp : TileOp<"hint", [Pure, Elementwise, SameBits, AllTypesMatch<["source", "result"]>,
    NumbersOfDimensions<"divisibility">, NumbersOfDimensions<"contiguity">, NumbersOfDimensions<"constancy">]> {
  let summary = "the same value, with facts the user states about it, one number per dimension";
  let arguments = (ins AnyType:$source, OptionalAttr<DenseI64ArrayAttr>:$divisibility,
    OptionalAttr<DenseI64ArrayAttr>:$contiguity, OptionalAttr<DenseI64ArrayAttr>:$constancy);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$source attr-dict `:` type($source)";
}

def AssumeOp : TileOp<"assume", [StatesFact, MemoryEffects<[MemWrite]>]> {
  let summary = "the user states that the condition holds";
  let arguments = (ins I1:$condition);
  let assemblyFormat = "$condition attr-dict";
}

def ExternOp : TileOp<"extern", [Elementwise, ForeignCode, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "call a device function on each element: `__nv_*` of libdevice, or the user's own";
  let arguments = (ins StrAttr:$symbol, Variadic<AnyType>:$operands_, OptionalAttr<StrAttr>:$library,
    OptionalAttr<StrAttr>:$path, UnitAttr:$isPure);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$symbol `(` $operands_ `)` attr-dict `:` functional-type($operands_, $result)";
}

def InlineAsmOp : TileOp<"inline_asm", [AllThreads, GroupOpInterface, SeesThread, ByElement, ForeignCode, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "assembly on each group of `pack` elements";
  let arguments = (ins StrAttr:$assembly, StrAttr:$constraints, Variadic<AnyType>:$operands_, I32Attr:$pack, UnitAttr:$isPure);
  let results = (outs Variadic<AnyType>:$results_);
  let assemblyFormat = "$assembly $constraints `(` $operands_ `)` `pack` $pack attr-dict `:` functional-type($operands_, $results_)";
  let hasVerifier = 1;
}

def SpecialRegisterOp : TileOp<"special_register", [SeesThread, ByElement, MemoryEffects<[MemRead]>,
    PredOpTrait<"the register is globaltimer, clock or clock64 of 64 bits, or smid of 32", CPred<
      "$name == \"smid\" ? $result.getType().isInteger(32) : "
      "llvm::is_contained({\"globaltimer\", \"clock\", \"clock64\"}, $name) && $result.getType().isInteger(64)">>]> {
  let summary = "a clock or an index of the machine: globaltimer (i64, ns), smid (i32), clock (i64)";
  let arguments = (ins StrAttr:$name);
  let results = (outs AnyInteger:$result);
  let assemblyFormat = "$name attr-dict `:` type($result)";
}

def YieldOp : TileOp<"yield", [Pure, Terminator, ReturnLike]> {
  let summary = "the result of a region of scalars";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}

def MapOp : TileOp<"map", [GroupOpInterface, OneLayout, KeepsLayout, OfElements, RecursiveMemoryEffects]> {
  let summary = "run a region of scalars on groups of `pack` elements; its arguments are pack values of each operand in turn";
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I32Attr:$pack);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sources `pack` $pack attr-dict `:` functional-type($sources, $results_) $body";
  let hasVerifier = 1;
  let extraClassDeclaration = "bool isAlongLastAxis() { return true; }";
}
