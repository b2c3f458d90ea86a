// Interfaces.td: questions that passes ask an op, instead of a list of ops.
#ifndef NEREID_TILE_INTERFACES
#define NEREID_TILE_INTERFACES

include "mlir/IR/OpBase.td"

// Traits.h says what each means.
class TileTrait<string name> : NativeOpTrait<name> { let cppNamespace = "::nereid::tile"; }
def Rearranges : TileTrait<"Rearranges">;
def View : TileTrait<"View">;
def Reshapes : TileTrait<"Reshapes">;
def SameBits : TileTrait<"SameBits">;
def AcrossElements : TileTrait<"AcrossElements">;
def InOrder : TileTrait<"InOrder">;
def OneLayout : TileTrait<"OneLayout">;
def KeepsLayout : TileTrait<"KeepsLayout">;
def Atomic : TileTrait<"Atomic">;
def AllThreads : TileTrait<"AllThreads">;
def SeesThread : TileTrait<"SeesThread">;
def ByElement : TileTrait<"ByElement">;
def OfElements : TileTrait<"OfElements">;
def WaitsForOthers : TileTrait<"WaitsForOthers">;
def StatesFact : TileTrait<"StatesFact">;
def ForeignCode : TileTrait<"ForeignCode">;

class TileInterface<string name> : OpInterface<name> { let cppNamespace = "::nereid::tile"; }

def GroupOpInterface : TileInterface<"GroupOpInterface"> {
  let description = "Works on so many neighbours of a tile at once.";
  let methods = [
    InterfaceMethod<"How many.", "uint32_t", "getPack">,
    InterfaceMethod<"Whether they must be neighbours along the last axis.", "bool", "isAlongLastAxis", (ins), "", [{ return false; }]>];
}

def GuidedOpInterface : TileInterface<"GuidedOpInterface"> {
  let description = "The layout of the result is that of one operand; the others may come in any.";
  let methods = [InterfaceMethod<"The number of that operand.", "unsigned", "guideOperand">];
}

def LayoutOpInterface : TileInterface<"LayoutOpInterface"> {
  let description = "A layout of its operands follows from one of its results by more than the place of an element, and the other way round.";
  let methods = [
    InterfaceMethod<"The layout that operand `index` needs for a result in `result`.", "::nereid::layout::LinearLayout",
      "operandLayout", (ins "unsigned":$index, "const ::nereid::layout::LinearLayout &":$result), "", [{ return result; }]>,
    InterfaceMethod<"The layout of the result when the operands stay as they are. Nothing: the op leaves it open.",
      "::std::optional<::nereid::layout::LinearLayout>", "resultLayout", (ins "const ::nereid::layout::LinearLayout &":$source)>];
}

def BlockWriteOpInterface : TileInterface<"BlockWriteOpInterface"> {
  let description = "Writes a block of a tensor through its descriptor.";
  let methods = [
    InterfaceMethod<"The descriptor.", "::mlir::Value", "getDesc">,
    InterfaceMethod<"The first element of the block along each axis.", "::mlir::OperandRange", "getIndices">,
    InterfaceMethod<"The tile.", "::mlir::TypedValue<::mlir::RankedTensorType>", "getValue">,
    InterfaceMethod<"How it is combined with what is there. Nothing: it takes its place.", "::std::optional<::nereid::tile::RmwKind>",
      "combination", (ins), "", [{ return ::std::nullopt; }]>];
}

#endif
