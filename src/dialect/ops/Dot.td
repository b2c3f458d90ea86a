// Dot.td: matrix products, with an optional batch dimension in front.
include "dialect/ops/Base.td"

def DotOp : TileOp<"dot", [Pure, AcrossElements, AllTypesMatch<["acc", "result"]>]> {
  let summary = "acc + lhs x rhs";
  let description = [{
    With `places`, lhs holds two of every four elements along K: it is M x K/2, and `places` says where they stand in their
    four, two bits each. An element of `places` has 4 bits for each group of four, the first group lowest, and in these the
    first element's place lowest: i8 is M x K/8, i16 is M x K/16. Where the two places of a group do not ascend, the second
    element is the one that counts if they are the same; sparse tensor cores promise nothing then.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, AnyRankedTensor:$acc,
    Optional<AnyRankedTensor>:$places,
    DefaultValuedAttr<InputPrecisionAttr, "InputPrecision::IEEE">:$precision,
    DefaultValuedAttr<I32Attr, "0">:$maxImpreciseAcc,
    UnitAttr:$lhsUnsigned, UnitAttr:$rhsUnsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` $acc (`places` $places^ `:` type($places))? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::mlir::Value":$acc,
    "InputPrecision":$precision, "uint32_t":$maxImpreciseAcc, "bool":$lhsUnsigned, "bool":$rhsUnsigned), [{
    build($_builder, $_state, result, lhs, rhs, acc, ::mlir::Value(), precision, maxImpreciseAcc, lhsUnsigned, rhsUnsigned);
  }]>];
  let hasVerifier = 1;
}

def DotScaledOp : TileOp<"dot_scaled", [Pure, AcrossElements, AttrSizedOperandSegments]> {
  let summary = "acc + (lhs * lhsScale) x (rhs * rhsScale): one e8m0 scale (i8) for each group of 32 elements along K";
  let description = [{
    e2m1 operands are i8 with two elements a byte (low nibble first), packed along K, or along the other dimension
    when lhsKPack / rhsKPack is false.
    lhsScale is M x K/32, rhsScale is N x K/32.
  }];
  let arguments = (ins AnyRankedTensor:$lhs, Optional<AnyRankedTensor>:$lhsScale, AnyRankedTensor:$rhs,
    Optional<AnyRankedTensor>:$rhsScale, AnyRankedTensor:$acc, ScaleFormatAttr:$lhsFormat, ScaleFormatAttr:$rhsFormat,
    UnitAttr:$fastMath, DefaultValuedAttr<BoolAttr, "true">:$lhsKPack, DefaultValuedAttr<BoolAttr, "true">:$rhsKPack);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = [{
    $lhs (`scale` $lhsScale^ `:` type($lhsScale))? $lhsFormat `,` $rhs (`scale` $rhsScale^ `:` type($rhsScale))? $rhsFormat
    `,` $acc attr-dict `:` type($lhs) `,` type($rhs) `,` type($acc) `->` type($result)
  }];
  let hasVerifier = 1;
}
