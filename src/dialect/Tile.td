// Tile.td: the tile dialect: its types, enums and attributes. Ops stand in ops/, one file per family.
#ifndef NEREID_TILE
#define NEREID_TILE

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TileDialect : Dialect {
  let name = "tile";
  let cppNamespace = "::nereid::tile";
  let summary = "Programs over tiles: one program instance works on whole tensors";
  let description = [{
    Tiles are builtin ranked tensors of static shape. Arithmetic is arith and math, control flow is scf, functions are
    func; this dialect adds memory, shape changes, reductions, matrix products, atomics and debugging. Integers are
    signless: the front end picks the signed or the unsigned op.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::scf::SCFDialect",
                           "::mlir::func::FuncDialect", "::mlir::ub::UBDialect"];
}

class TileType<string name, string keyword> : TypeDef<TileDialect, name> { let mnemonic = keyword; }

def PtrType : TileType<"Ptr", "ptr"> {
  let summary = "address of an element in memory";
  let parameters = (ins "::mlir::Type":$pointee, DefaultValuedParameter<"unsigned", "1">:$addressSpace);
  let assemblyFormat = "`<` $pointee (`,` $addressSpace^)? `>`";
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::Type":$pointee), [{
    return $_get(pointee.getContext(), pointee, 1u);
  }]>];
}

def DescType : TileType<"Desc", "desc"> {
  let summary = "descriptor of a strided tensor in memory, read and written in blocks";
  let parameters = (ins "::mlir::RankedTensorType":$block);
  let assemblyFormat = "`<` $block `>`";
}

def PtrLike : Type<CPred<"::llvm::isa<::nereid::tile::PtrType>(::mlir::getElementTypeOrSelf($_self))">, "pointer or tile of pointers">;
def IntLike : Type<CPred<"::mlir::getElementTypeOrSelf($_self).isInteger()">, "integer or tile of integers">;
def MaskLike : Type<CPred<"::mlir::getElementTypeOrSelf($_self).isInteger(1)">, "i1 or tile of i1">;

// An enum that prints as its bare word.
class TileEnum<string name, string summary, list<I32EnumAttrCase> cases> : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::nereid::tile";
  let genSpecializedAttr = 0;
}
class TileEnumAttr<EnumAttrInfo enum, string keyword> : EnumAttr<TileDialect, enum, keyword> { let assemblyFormat = "$value"; }

def CacheModifier : TileEnum<"CacheModifier", "cache level hint", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"CA", 1, "ca">, I32EnumAttrCase<"CG", 2, "cg">,
  I32EnumAttrCase<"CS", 3, "cs">, I32EnumAttrCase<"CV", 4, "cv">, I32EnumAttrCase<"WB", 5, "wb">, I32EnumAttrCase<"WT", 6, "wt">]>;
def CacheModifierAttr : TileEnumAttr<CacheModifier, "cache">;

def EvictionPolicy : TileEnum<"EvictionPolicy", "how long a line stays in the cache", [
  I32EnumAttrCase<"Normal", 0, "normal">, I32EnumAttrCase<"First", 1, "first">, I32EnumAttrCase<"Last", 2, "last">]>;
def EvictionPolicyAttr : TileEnumAttr<EvictionPolicy, "evict">;

def Padding : TileEnum<"Padding", "what a read outside the tensor gives", [
  I32EnumAttrCase<"Zero", 0, "zero">, I32EnumAttrCase<"NaN", 1, "nan">]>;
def PaddingAttr : TileEnumAttr<Padding, "padding">;

def MemSem : TileEnum<"MemSem", "memory order of an atomic", [
  I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
  I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]>;
def MemSemAttr : TileEnumAttr<MemSem, "sem">;

def MemScope : TileEnum<"MemScope", "who an atomic synchronizes with", [
  I32EnumAttrCase<"Cta", 0, "cta">, I32EnumAttrCase<"Gpu", 1, "gpu">, I32EnumAttrCase<"Sys", 2, "sys">]>;
def MemScopeAttr : TileEnumAttr<MemScope, "scope">;

def RmwKind : TileEnum<"RmwKind", "what an atomic read-modify-write does", [
  I32EnumAttrCase<"And", 0, "and">, I32EnumAttrCase<"Or", 1, "or">, I32EnumAttrCase<"Xor", 2, "xor">,
  I32EnumAttrCase<"Add", 3, "add">, I32EnumAttrCase<"FAdd", 4, "fadd">, I32EnumAttrCase<"Max", 5, "max">,
  I32EnumAttrCase<"Min", 6, "min">, I32EnumAttrCase<"UMax", 7, "umax">, I32EnumAttrCase<"UMin", 8, "umin">,
  I32EnumAttrCase<"FMax", 9, "fmax">, I32EnumAttrCase<"FMin", 10, "fmin">, I32EnumAttrCase<"Xchg", 11, "xchg">]>;
def RmwKindAttr : TileEnumAttr<RmwKind, "rmw">;

def InputPrecision : TileEnum<"InputPrecision", "how fp32 inputs of a product are rounded or split", [
  I32EnumAttrCase<"TF32", 0, "tf32">, I32EnumAttrCase<"TF32x3", 1, "tf32x3">, I32EnumAttrCase<"IEEE", 2, "ieee">,
  I32EnumAttrCase<"BF16x3", 3, "bf16x3">, I32EnumAttrCase<"BF16x6", 4, "bf16x6">]>;
def InputPrecisionAttr : TileEnumAttr<InputPrecision, "precision">;

def ScaleFormat : TileEnum<"ScaleFormat", "element format of a microscaled operand", [
  I32EnumAttrCase<"E4M3", 0, "e4m3">, I32EnumAttrCase<"E5M2", 1, "e5m2">, I32EnumAttrCase<"E2M3", 2, "e2m3">,
  I32EnumAttrCase<"E3M2", 3, "e3m2">, I32EnumAttrCase<"E2M1", 4, "e2m1">, I32EnumAttrCase<"BF16", 5, "bf16">,
  I32EnumAttrCase<"FP16", 6, "fp16">]>;
def ScaleFormatAttr : TileEnumAttr<ScaleFormat, "format">;

#endif
