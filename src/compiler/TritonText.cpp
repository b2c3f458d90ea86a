// TritonText.cpp: the module is copied, each op of the tile dialect becomes an op of the other name, which MLIR does not know
// and so writes in its generic form, and types are renamed in the text.
#include "compiler/TritonText.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace nereid::compiler {

// Most are called the same.
static std::string tritonName(StringRef name) {
  StringRef other = llvm::StringSwitch<StringRef>(name)
                        .Case("program_id", "tt.get_program_id")
                        .Case("num_programs", "tt.get_num_programs")
                        .Case("arange", "tt.make_range")
                        .Case("assume", "llvm.intr.assume")
                        .Case("div_rn", "tt.precise_divf")
                        .Case("sqrt_rn", "tt.precise_sqrt")
                        .Case("extern", "tt.extern_elementwise")
                        .Case("inline_asm", "tt.elementwise_inline_asm")
                        .Case("map", "tt.map_elementwise")
                        .Case("ptr_cast", "tt.bitcast")
                        .Case("make_desc", "tt.make_tensor_descriptor")
                        .Case("desc_load", "tt.descriptor_load")
                        .Case("desc_store", "tt.descriptor_store")
                        .Case("desc_reduce", "tt.descriptor_reduce")
                        .Case("desc_gather", "tt.descriptor_gather")
                        .Case("desc_scatter", "tt.descriptor_scatter")
                        .Cases({"atomic_poll", "barrier", "scope", "grid_dependency", "hint"}, "")
                        .Cases({"special_register", "sort", "flip"}, "")
                        .Case("yield", "tt.yield")
                        .Default("tt.");
  if (other.empty())
    return ("tile." + name).str();
  return other == "tt." ? ("tt." + name).str() : other.str();
}

static void rename(Operation *op) {
  StringRef name = op->getName().stripDialect();
  std::string other = tritonName(name);
  // The end of a combine function has its parent's name in Triton.
  if (name == "yield")
    other = tritonName(op->getParentOp()->getName().stripDialect()) + ".return";
  OperationState state(op->getLoc(), other, op->getOperands(), op->getResultTypes(),
                       op->getAttrDictionary().getValue());
  for (Region &region : op->getRegions())
    state.addRegion()->takeBody(region);
  OpBuilder builder(op);
  op->replaceAllUsesWith(builder.create(state));
  op->erase();
}

// Arguments are printed under the names that they have in the source.
static void nameArguments(ModuleOp module) {
  module.walk([](func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      if (auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "tile.name"))
        argument.setLoc(NameLoc::get(name, argument.getLoc()));
  });
}

static void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = 0; (at = text.find(from.str(), at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to.str());
}

std::string tritonText(const TileModule &tile) {
  OwningOpRef<ModuleOp> copy(ModuleOp(*tile.module).clone());
  MLIRContext *context = copy->getContext();
  bool wasAllowed = context->allowsUnregisteredDialects();
  context->allowUnregisteredDialects(true);
  SmallVector<Operation *> work;
  copy->walk([&](Operation *op) {
    if (isa<tile::TileDialect>(op->getDialect()))
      work.push_back(op);
  });
  // Inner ops first: the end of a region asks for its parent's name.
  for (Operation *op : work)
    rename(op);
  nameArguments(*copy);
  std::string text;
  llvm::raw_string_ostream stream(text);
  copy->print(stream, OpPrintingFlags().printNameLocAsPrefix());
  context->allowUnregisteredDialects(wasAllowed);
  replaceAll(text, "!tile.", "!tt.");
  replaceAll(text, "#tile<", "#tt<");
  // Attributes of functions, arguments and loops.
  replaceAll(text, "{tile.", "{tt.");
  replaceAll(text, ", tile.", ", tt.");
  replaceAll(text, "func.func @", "tt.func @");
  return text;
}

} // namespace nereid::compiler
