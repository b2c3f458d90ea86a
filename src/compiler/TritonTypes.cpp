// TritonTypes.cpp: `!tile.ptr<f32>` is `!tt.ptr<f32>`, a buffer is a `!ttg.memdesc`, and a layout is `#ttg.linear` with its bases.
#include "compiler/TritonTypes.h"

#include "dialect/Tile.h"
#include "layout/LinearLayout.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinTypes.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace nereid::compiler {

Type slotType(Type buffer) {
  MLIRContext *context = buffer.getContext();
  if (auto type = dyn_cast<warp::BufferType>(buffer))
    return warp::BufferType::get(context, type.getShape(), type.getElement(), 0, type.getFast(), type.getSwizzle());
  return warp::BarriersType::get(context, 0);
}

Type transposedSlotType(warp::BufferType slot) {
  SmallVector<int64_t> shape(llvm::reverse(slot.getShape()));
  return warp::BufferType::get(slot.getContext(), shape, slot.getElement(), 0, 1 - slot.getFast(), slot.getSwizzle());
}

template <typename T> static std::string textOf(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

static Type opaque(MLIRContext *context, StringRef dialect, const Twine &text) {
  return OpaqueType::get(StringAttr::get(context, dialect), text.str());
}

Type mapType(warp::TensorMapOp map) {
  Type element = cast<tile::PtrType>(map.getBase().getType()).getPointee();
  return opaque(map.getContext(), "tt",
                "tensordesc<" + textOf(Type(RankedTensorType::get(map.getBox(), element))) + ">");
}

static std::string extents(unsigned slots, ArrayRef<int64_t> shape) {
  std::string text = slots ? std::to_string(slots) + "x" : "";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text;
}

static Type memory(warp::BufferType type) {
  bool isTransposed = type.getFast() + 1 != type.getShape().size();
  std::string layout =
      llvm::formatv("#ttg.nvmma_shared<{{swizzlingByteWidth = {0}, transposed = {1}, elementBitWidth = {2}}>",
                    type.getSwizzle(), isTransposed ? "true" : "false", 8 * type.elementBytes());
  return opaque(type.getContext(), "ttg",
                "memdesc<" + extents(type.getSlots(), type.getShape()) + textOf(type.getElement()) + ", " + layout +
                    ", #ttg.shared_memory, mutable>");
}

static Type memory(warp::BarriersType type) {
  return opaque(type.getContext(), "ttg",
                "memdesc<" + extents(type.getSlots(), {1}) +
                    "i64, #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>, "
                    "#ttg.shared_memory, mutable>");
}

// One list of coordinates for each bit of registers, lanes and warps.
static Attribute linear(warp::LayoutAttr attribute) {
  using layout::Dim;
  layout::LinearLayout layout = attribute.layout();
  std::string text = "linear<{";
  for (auto [name, dim, lane] :
       {std::tuple("register", Dim::Register, 0), {"lane", Dim::Lane, 1}, {"warp", Dim::Warp, 2}}) {
    text += std::string(name) + " = [";
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit) {
      unsigned at = 1u << bit;
      auto element = layout.element(lane == 0 ? at : 0, lane == 1 ? at : 0, lane == 2 ? at : 0);
      text += bit ? ", [" : "[";
      for (auto [i, coordinate] : llvm::enumerate(element))
        text += (i ? ", " : "") + std::to_string(coordinate);
      text += "]";
    }
    text += "], ";
  }
  MLIRContext *context = attribute.getContext();
  return OpaqueAttr::get(StringAttr::get(context, "ttg"), text + "block = []}>", NoneType::get(context));
}

void writeTypesAsTriton(ModuleOp module) {
  AttrTypeReplacer replacer;
  replacer.addReplacement([](warp::LayoutAttr layout) -> Attribute { return linear(layout); });
  replacer.addReplacement([&](DenseElementsAttr dense) -> std::pair<Attribute, WalkResult> {
    return {dense.reshape(cast<ShapedType>(replacer.replace(dense.getType()))), WalkResult::skip()};
  });
  replacer.addReplacement([&](tile::PtrType type) -> Type {
    std::string space = type.getAddressSpace() == 1 ? "" : ", " + std::to_string(type.getAddressSpace());
    return opaque(type.getContext(), "tt", "ptr<" + textOf(replacer.replace(type.getPointee())) + space + ">");
  });
  replacer.addReplacement([&](tile::DescType type) -> Type {
    return opaque(type.getContext(), "tt", "tensordesc<" + textOf(replacer.replace(Type(type.getBlock()))) + ">");
  });
  replacer.addReplacement([](warp::BufferType type) -> Type { return memory(type); });
  replacer.addReplacement([](warp::BarriersType type) -> Type { return memory(type); });
  // Where something begins, without its end.
  replacer.addReplacement([](FileLineColRange place) -> std::pair<Attribute, WalkResult> {
    return {FileLineColLoc::get(place.getFilename(), place.getStartLine(), place.getStartColumn()), WalkResult::skip()};
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true, /*replaceLocs=*/true, /*replaceTypes=*/true);
}

} // namespace nereid::compiler
