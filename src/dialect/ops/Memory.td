// Memory.td: pointers, loads, stores and tensor descriptors.
include "dialect/ops/Base.td"

def AddPtrOp : TileOp<"addptr", [Pure, Elementwise, AllTypesMatch<["ptr", "result"]>]> {
  let summary = "pointer plus a signed count of elements";
  let arguments = (ins PtrLike:$ptr, IntLike:$offset);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def LoadOp : TileOp<"load", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read elements; a lane whose mask is false gives `other`, or an undefined value without `other`";
  let arguments = (ins PtrLike:$ptr, Optional<MaskLike>:$mask, Optional<AnyType>:$other,
    DefaultValuedAttr<CacheModifierAttr, "CacheModifier::None">:$cache,
    DefaultValuedAttr<EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict,
    UnitAttr:$isVolatile);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $ptr (`mask` $mask^ `:` type($mask))? (`other` $other^ `:` type($other))? attr-dict `:` type($ptr) `->` type($result)
  }];
  let hasVerifier = 1;
}

def StoreOp : TileOp<"store", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write elements where the mask is true";
  let arguments = (ins PtrLike:$ptr, AnyType:$value, Optional<MaskLike>:$mask,
    DefaultValuedAttr<CacheModifierAttr, "CacheModifier::None">:$cache,
    DefaultValuedAttr<EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict);
  let assemblyFormat = [{ $ptr `,` $value (`mask` $mask^ `:` type($mask))? attr-dict `:` type($ptr) `,` type($value) }];
  let hasVerifier = 1;
}

def IntToPtrOp : TileOp<"int_to_ptr", [Pure, Elementwise, SameBits]> {
  let summary = "the pointer with a given 64-bit address";
  let arguments = (ins IntLike:$source);
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def PtrToIntOp : TileOp<"ptr_to_int", [Pure, Elementwise, SameBits]> {
  let summary = "the 64-bit address of a pointer";
  let arguments = (ins PtrLike:$source);
  let results = (outs IntLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def PtrCastOp : TileOp<"ptr_cast", [Pure, Elementwise, SameBits]> {
  let summary = "the same address, seen as a pointer to another type";
  let arguments = (ins AnyTypeOf<[PtrLike, DescType]>:$source); // of a host's descriptor: where its tensor begins
  let results = (outs PtrLike:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def MakeDescOp : TileOp<"make_desc", [Pure, AttrSizedOperandSegments]> {
  let summary = "descriptor of a strided tensor: base, extents (i32) and strides in elements (i64)";
  let arguments = (ins PtrLike:$base, Variadic<I32>:$shape, Variadic<I64>:$strides,
    DefaultValuedAttr<PaddingAttr, "Padding::Zero">:$padding);
  let results = (outs DescType:$result);
  let assemblyFormat = [{ $base `shape` `[` $shape `]` `strides` `[` $strides `]` attr-dict `:` type($base) `->` type($result) }];
  let hasVerifier = 1;
}

def DescLoadOp : TileOp<"desc_load", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read the block at the given element offsets; outside the tensor it reads the padding";
  let arguments = (ins DescType:$desc, Variadic<I32>:$indices,
    DefaultValuedAttr<CacheModifierAttr, "CacheModifier::None">:$cache,
    DefaultValuedAttr<EvictionPolicyAttr, "EvictionPolicy::Normal">:$evict);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$desc `[` $indices `]` attr-dict `:` type($desc) `->` type($result)";
  let hasVerifier = 1;
}

def DescStoreOp : TileOp<"desc_store", [BlockWriteOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write the block at the given element offsets; what lies outside the tensor is dropped";
  let arguments = (ins DescType:$desc, Variadic<I32>:$indices, AnyRankedTensor:$value);
  let assemblyFormat = "$desc `[` $indices `]` `,` $value attr-dict `:` type($desc) `,` type($value)";
  let hasVerifier = 1;
}

def DescReduceOp : TileOp<"desc_reduce", [BlockWriteOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "combine the block into memory atomically, element by element";
  let arguments = (ins RmwKindAttr:$kind, DescType:$desc, Variadic<I32>:$indices, AnyRankedTensor:$value);
  let assemblyFormat = "$kind $desc `[` $indices `]` `,` $value attr-dict `:` type($desc) `,` type($value)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{ std::optional<RmwKind> combination() { return getKind(); } }];
}

def DescGatherOp : TileOp<"desc_gather", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "read the rows `rows` of a 2-D tensor, starting at column `column`";
  let arguments = (ins DescType:$desc, AnyRankedTensor:$rows, I32:$column);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$desc `[` $rows `,` $column `]` attr-dict `:` type($desc) `,` type($rows) `->` type($result)";
  let hasVerifier = 1;
}

def DescScatterOp : TileOp<"desc_scatter", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "write the rows `rows` of a 2-D tensor, starting at column `column`";
  let arguments = (ins DescType:$desc, AnyRankedTensor:$rows, I32:$column, AnyRankedTensor:$value);
  let assemblyFormat = "$desc `[` $rows `,` $column `]` `,` $value attr-dict `:` type($desc) `,` type($rows) `,` type($value)";
  let hasVerifier = 1;
}
