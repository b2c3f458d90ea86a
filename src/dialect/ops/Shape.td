// Shape.td: ops that make, move and reorder elements without computing on them.
include "dialect/ops/Base.td"

defvar LayoutMethods = DeclareOpInterfaceMethods<LayoutOpInterface, ["operandLayout"]>;

class ShapeOp<string mnemonic, list<Trait> traits = []> : TileOp<mnemonic, traits # [Pure]> {
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def ArangeOp : TileOp<"arange", [Pure]> {
  let summary = "start, start + 1, …, end - 1 as i32";
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$start `to` $end attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def SplatOp : ShapeOp<"splat", [Rearranges, View]> {
  let summary = "a tile whose elements are all the scalar";
  let arguments = (ins AnyType:$source);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def UnsplatOp : ShapeOp<"unsplat", [OneLayout]> {
  let summary = "the only element of a tile with one element";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyType:$result);
  let hasVerifier = 1;
}

def BroadcastOp : ShapeOp<"broadcast", [Rearranges, View, LayoutMethods]> {
  let summary = "repeat along the dimensions of extent 1";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ExpandDimsOp : ShapeOp<"expand_dims", [Rearranges, View, Reshapes, LayoutMethods]> {
  let summary = "insert a dimension of extent 1 at `axis`";
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def ReshapeOp : ShapeOp<"reshape", [Rearranges, View, Reshapes, LayoutMethods]> {
  let summary = "the same elements in another shape, in row-major order unless `allowReorder`";
  let arguments = (ins AnyRankedTensor:$source, UnitAttr:$allowReorder);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TransOp : ShapeOp<"trans", [Rearranges, View, Reshapes, LayoutMethods]> {
  let summary = "permute dimensions: result dimension i is source dimension order[i]";
  let arguments = (ins AnyRankedTensor:$source, DenseI32ArrayAttr:$order);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}

def FlipOp : ShapeOp<"flip", [Rearranges]> {
  let summary = "reverse the order along `axis`";
  let arguments = (ins AnyRankedTensor:$source, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let hasVerifier = 1;
}

def JoinOp : TileOp<"join", [Pure, Reshapes, LayoutMethods, AllTypesMatch<["lhs", "rhs"]>]> {
  let summary = "put two tiles side by side in a new last dimension of extent 2";
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `->` type($result)";
  let hasVerifier = 1;
}

def SplitOp : TileOp<"split", [Pure, Rearranges, Reshapes, LayoutMethods, AllTypesMatch<["first", "second"]>]> {
  let summary = "take apart a last dimension of extent 2; results are scalars when the source is 1-D";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyType:$first, AnyType:$second);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($first)";
  let hasVerifier = 1;
}

def CatOp : TileOp<"cat", [Pure, Reshapes, LayoutMethods]> {
  let summary = "concatenate along `axis`";
  let arguments = (ins AnyRankedTensor:$lhs, AnyRankedTensor:$rhs, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
}

def GatherOp : TileOp<"gather", [Pure, AcrossElements, GuidedOpInterface]> {
  let summary = "result[..i..] = source[..index[..i..]..] along `axis`";
  let arguments = (ins AnyRankedTensor:$source, AnyRankedTensor:$index, I32Attr:$axis);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source `[` $index `]` attr-dict `:` type($source) `,` type($index) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = "unsigned guideOperand() { return 1; }"; // the index
}
