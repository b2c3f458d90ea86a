// Warp.td: the warp dialect: what tile IR says about threads, shared memory and tensor cores once it is planned for a GPU.
#ifndef NEREID_WARP
#define NEREID_WARP

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def WarpDialect : Dialect {
  let name = "warp";
  let cppNamespace = "::nereid::warp";
  let summary = "Tiles as the threads of a block hold them";
  let description = [{
    The encoding of a tile's type says which thread holds which element in which register. Ops here move tiles between
    layouts and through shared memory, and say when threads wait for each other.
  }];
  let useDefaultAttributePrinterParser = 1;
}

def LayoutAttr : AttrDef<WarpDialect, "Layout", [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = "layout";
  let summary = "a linear layout: registers, lanes and warps to the elements of the tile";
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "unsigned":$registerBits, "unsigned":$laneBits,
    "unsigned":$warpBits, ArrayRefParameter<"uint64_t">:$columns);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    static LayoutAttr get(::mlir::MLIRContext *context, const ::nereid::layout::LinearLayout &layout);
    ::nereid::layout::LinearLayout layout() const;
  }];
}

class WarpOp<string mnemonic, list<Trait> traits = []> : Op<WarpDialect, mnemonic, traits>;

def ConvertLayoutOp : WarpOp<"convert_layout", [Pure]> {
  let summary = "the same tile, held by the threads in another way";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def BarrierOp : WarpOp<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block arrive here before one goes on; shared memory written before is seen after";
  let assemblyFormat = "attr-dict";
}

#endif
