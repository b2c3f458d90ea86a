// Reduce.td: ops that combine elements along an axis.
include "dialect/ops/Base.td"

class CombineOp<string mnemonic, list<Trait> traits> : TileOp<mnemonic, traits # [RecursiveMemoryEffects, AcrossElements, OneLayout, KeepsLayout, OfElements]> {
  let regions = (region SizedRegion<1>:$combine);
  let assemblyFormat = "$sources attr-dict `:` functional-type($sources, $results_) $combine";
  let hasVerifier = 1;
}

def ReduceOp : CombineOp<"reduce", [DeclareOpInterfaceMethods<LayoutOpInterface>]> {
  let summary = "combine all elements along `axis`; n tiles are reduced together, and a 1-D tile gives a scalar";
  let description = [{
    The region takes 2n scalars, (left_0 … left_n-1, right_0 … right_n-1), and yields n. The combination must be
    associative; the reference order is from left to right, and a target may use any other bracketing.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I32Attr:$axis);
  let results = (outs Variadic<AnyType>:$results_);
}

def ScanOp : CombineOp<"scan", [InOrder]> {
  let summary = "inclusive prefix combination along `axis`, from the other end with `reverse`";
  let arguments = (ins Variadic<AnyRankedTensor>:$sources, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<AnyRankedTensor>:$results_);
}

def SortOp : TileOp<"sort", [Pure, AcrossElements, InOrder, OneLayout, KeepsLayout]> {
  let summary = "the first `count` elements of the last dimension in order";
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$count, UnitAttr:$descending, UnitAttr:$isUnsigned);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `count` $count attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def HistogramOp : TileOp<"histogram", [Pure, AcrossElements, OneLayout, LayoutOpInterface, SameShape<"source", "mask">,
    PredOpTrait<"integers of a 1-D tile are counted in one of i32", CPred<
      "getSource().getType().getRank() == 1 && llvm::isa<mlir::IntegerType>(getSource().getType().getElementType()) && "
      "getType().getRank() == 1 && getType().getElementType().isInteger(32)">>]> {
  let summary = "how often each of 0 … bins-1 occurs in a 1-D tile where the mask is true";
  let arguments = (ins AnyRankedTensor:$source, Optional<MaskLike>:$mask);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source (`mask` $mask^ `:` type($mask))? attr-dict `:` type($source) `->` type($result)";
  let extraClassDeclaration = "std::optional<layout::LinearLayout> resultLayout(const layout::LinearLayout &) { return std::nullopt; }";
}
