// Warp.td: the warp dialect: what tile IR says about threads, shared memory and tensor cores once it is planned for a GPU.
#ifndef NEREID_WARP
#define NEREID_WARP

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
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
  let useDefaultTypePrinterParser = 1;
  // What stands on ops of other dialects (Warp.h).
  let hasOperationAttrVerify = 1;
}

def Instruction : I32EnumAttr<"Instruction", "what computes a matrix product", [
    I32EnumAttrCase<"Fma", 0, "fma">, I32EnumAttrCase<"Mma", 1, "mma">, I32EnumAttrCase<"MmaDouble", 2, "mma.f64">,
    I32EnumAttrCase<"Wgmma", 3, "wgmma">]> {
  let cppNamespace = "::nereid::warp";
  let genSpecializedAttr = 0;
}
def InstructionAttr : EnumAttr<WarpDialect, Instruction, "instruction">;

def BufferType : TypeDef<WarpDialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "tiles in shared memory: `slots` of one shape, each laid out in rows along axis `fast` with a swizzle";
  let description = [{
    A slot is cut into boxes of `swizzle` bytes (16 to 128) along the fast axis, one behind the other; inside a box the
    16-byte chunks of a row are swizzled as TMA and wgmma expect it.
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape, "::mlir::Type":$element, "unsigned":$slots,
    "unsigned":$fast, "unsigned":$swizzle);
  let assemblyFormat = "`<` `[` $shape `]` `x` $element `,` $slots `,` `fast` $fast `,` `swizzle` $swizzle `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    // Offset in elements to element of the tile.
    ::nereid::layout::LinearLayout memory() const;
    uint64_t slotBytes() const;
    unsigned elementBytes() const;
  }];
}

def MapType : TypeDef<WarpDialect, "Map"> {
  let mnemonic = "map";
  let summary = "how TMA finds the blocks of a tensor; the launch makes it";
}

def BarriersType : TypeDef<WarpDialect, "Barriers"> {
  let mnemonic = "barriers";
  let summary = "barriers in shared memory that count arrivals and bytes, one for each slot of a buffer";
  let parameters = (ins "unsigned":$slots);
  let assemblyFormat = "`<` $slots `>`";
  let genVerifyDecl = 1;
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

// Every op is checked: Verify.cpp.
class WarpOp<string mnemonic, list<Trait> traits = []> : Op<WarpDialect, mnemonic, traits> {
  let hasVerifier = 1;
}

def ConvertLayoutOp : WarpOp<"convert_layout", [Pure]> {
  let summary = "the same tile, held by the threads in another way";
  let arguments = (ins AnyRankedTensor:$source);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
}

def BarrierOp : WarpOp<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the block arrive here before one goes on; shared memory written before is seen after";
  let description = "`fenced`: also by TMA, which may overwrite what was read before.";
  let arguments = (ins UnitAttr:$fenced);
  let assemblyFormat = "(`fenced` $fenced^)? attr-dict";
}

def AllocOp : WarpOp<"alloc", [MemoryEffects<[MemWrite]>]> {
  let summary = "a buffer in shared memory; it lives until its release";
  let results = (outs BufferType:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def ReleaseOp : WarpOp<"release", [MemoryEffects<[MemWrite]>]> {
  let summary = "nobody reads or writes the buffer, or uses the barriers, from here on";
  let arguments = (ins AnyTypeOf<[BufferType, BarriersType]>:$buffer);
  let assemblyFormat = "$buffer attr-dict `:` type($buffer)";
}

def CopyAsyncOp : WarpOp<"copy_async", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "start to copy the elements at the pointers into a slot; zeros where the mask is false; nothing at all where `when` is false";
  let arguments = (ins AnyRankedTensor:$ptr, BufferType:$buffer, I32:$slot, Optional<AnyRankedTensor>:$mask, Optional<I1>:$when);
  let assemblyFormat = [{
    $ptr `,` $buffer `[` $slot `]` (`mask` $mask^ `:` type($mask))? (`when` $when^)? attr-dict `:` type($ptr) `,` type($buffer)
  }];
}

def CommitOp : WarpOp<"commit", [MemoryEffects<[MemWrite]>]> {
  let summary = "the copies started since the last commit are one group";
  let assemblyFormat = "attr-dict";
}

def WaitOp : WarpOp<"wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until all threads have at most `pending` groups of copies under way; then slots can be read, also by tensor cores";
  let arguments = (ins I32Attr:$pending);
  let assemblyFormat = "$pending attr-dict";
}

def StoreOp : WarpOp<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "put a tile into a slot, for tensor cores to read; all threads wait until it is there";
  let arguments = (ins AnyRankedTensor:$tile, BufferType:$buffer, I32:$slot);
  let assemblyFormat = "$tile `,` $buffer `[` $slot `]` attr-dict `:` type($tile) `,` type($buffer)";
}

def ReadOp : WarpOp<"read", [MemoryEffects<[MemRead]>]> {
  let summary = "the tile in a slot; a product on tensor cores that can read shared memory takes it from there";
  let arguments = (ins BufferType:$buffer, I32:$slot);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$buffer `[` $slot `]` attr-dict `:` type($buffer) `->` type($result)";
}

def AwaitOp : WarpOp<"await", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until at most `pending` products on tensor cores are under way; gives the tiles, which are free to be used then";
  let description = [{
    The tiles are results of products that are done then, and others that must not be computed with before.
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$tiles, I32Attr:$pending);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "$pending (`for` $tiles^ `:` type($tiles) `->` type($results))? attr-dict";
}

// ---- TMA and barriers in shared memory.

def TensorMapOp : WarpOp<"tensor_map", [Pure, AttrSizedOperandSegments]> {
  let summary = "the map of a tensor whose base, extents and strides the launch knows; one copy moves a box";
  let description = [{
    `block`: the axes whose places, one after the other, are the rows of a buffer: all but the last, where they are more
    than one. Without it the rows are the last but one.
  }];
  let arguments = (ins AnyType:$base, Variadic<I32>:$shape, Variadic<I64>:$strides, DenseI64ArrayAttr:$box,
    I32Attr:$swizzle, UnitAttr:$nan, OptionalAttr<DenseI64ArrayAttr>:$block);
  let results = (outs MapType:$result);
  let assemblyFormat = [{
    $base `shape` `[` $shape `]` `strides` `[` $strides `]` `box` $box (`block` $block^)? `swizzle` $swizzle (`nan` $nan^)? attr-dict `:` type($base)
  }];
}

def MakeBarriersOp : WarpOp<"make_barriers", [MemoryEffects<[MemWrite]>]> {
  let summary = "barriers whose phase ends with so many arrivals and with all bytes that were announced; all threads of the block pass here";
  let arguments = (ins I32Attr:$arrivals);
  let results = (outs BarriersType:$result);
  let assemblyFormat = "$arrivals attr-dict `:` type($result)";
}

def ExpectOp : WarpOp<"expect", [MemoryEffects<[MemWrite]>]> {
  let summary = "one thread arrives and announces bytes that copies will bring";
  let arguments = (ins BarriersType:$barriers, I32:$slot, I32Attr:$bytes, Optional<I1>:$when);
  let assemblyFormat = "$barriers `[` $slot `]` `,` $bytes (`when` $when^)? attr-dict `:` type($barriers)";
}

def CopyBlockOp : WarpOp<"copy_block", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "one thread has TMA bring a block into a slot; the barrier of the slot counts its bytes";
  let arguments = (ins MapType:$map, Variadic<I32>:$indices, BufferType:$buffer, BarriersType:$barriers, I32:$slot,
    Optional<I1>:$when);
  let assemblyFormat = [{
    $map `[` $indices `]` `,` $buffer `,` $barriers `[` $slot `]` (`when` $when^)? attr-dict `:` type($buffer) `,` type($barriers)
  }];
}

def CopyRowsOp : WarpOp<"copy_rows", [AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "all threads of the producer start to copy a tile into a slot, whose rows lie `stride` elements apart";
  let description = [{
    Rows lie along the buffer's fast axis, and each of their pieces of 16 bytes is aligned. Behind `count` rows, and behind
    `length` elements of each, there are zeros.
  }];
  let arguments = (ins AnyType:$pointer, I64:$stride, BufferType:$buffer, I32:$slot, Optional<I64>:$count, Optional<I64>:$length);
  let assemblyFormat = [{
    $pointer `stride` $stride `,` $buffer `[` $slot `]` (`count` $count^)? (`length` $length^)? attr-dict `:` type($pointer) `,` type($buffer)
  }];
}

def ArriveCopiesOp : WarpOp<"arrive_copies", [MemoryEffects<[MemWrite]>]> {
  let summary = "each thread of the producer arrives as soon as the copies are there that it has started before";
  let arguments = (ins BarriersType:$barriers, I32:$slot);
  let assemblyFormat = "$barriers `[` $slot `]` attr-dict `:` type($barriers)";
}

def WaitPhaseOp : WarpOp<"wait_phase", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until the phase of the slot's barrier with this parity (0 or 1) has ended";
  let arguments = (ins BarriersType:$barriers, I32:$slot, I32:$phase);
  let assemblyFormat = "$barriers `[` $slot `]` `phase` $phase attr-dict `:` type($barriers)";
}

def ArriveOp : WarpOp<"arrive", [MemoryEffects<[MemWrite]>]> {
  let summary = "each warp arrives once: it is done with the slot";
  let arguments = (ins BarriersType:$barriers, I32:$slot, Optional<I1>:$when);
  let assemblyFormat = "$barriers `[` $slot `]` (`when` $when^)? attr-dict `:` type($barriers)";
}

def StoreBlockOp : WarpOp<"store_block", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "put a tile into a buffer and have TMA start to write it to the tensor; what lies outside is dropped";
  let description = [{
    A buffer that is narrower than the tile takes it in parts, slot after slot. `reused`: the engine may still read what
    an earlier store left there. `groups`: the map's boxes have the rows of one of so many groups of four warps, which
    need not wait for each other where each of them holds such rows. `adds`: each element is added to what is there, atomically.
  }];
  let arguments = (ins AnyRankedTensor:$tile, BufferType:$buffer, MapType:$map, Variadic<I32>:$indices, UnitAttr:$reused,
    UnitAttr:$adds, DefaultValuedAttr<I32Attr, "1">:$groups);
  let assemblyFormat = "$tile `,` $buffer `,` $map `[` $indices `]` attr-dict `:` type($tile) `,` type($buffer)";
}

def SpecializeOp : WarpOp<"specialize", [SingleBlock, NoRegionArguments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "additional warps run the producer, all others the consumer, at the same time";
  let description = [{
    The producer asks for copies, by one thread, or by all where it copies rows; the consumer has as many warps as the kernel was
    compiled for, and its barriers are those of its own threads. They meet at barriers in shared memory only.
  }];
  let regions = (region SizedRegion<1>:$producer, SizedRegion<1>:$consumer);
  let assemblyFormat = "`producer` $producer `consumer` $consumer attr-dict";
}

def DoneOp : WarpOp<"done", [Pure, Terminator, HasParent<"SpecializeOp">]> {
  let summary = "the end of a part of `specialize`";
  let hasVerifier = 0;
  let assemblyFormat = "attr-dict";
}

def WaitStoresOp : WarpOp<"wait_stores", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "the thread that started stores of blocks waits until their buffers are read";
  let assemblyFormat = "attr-dict";
}

#endif
