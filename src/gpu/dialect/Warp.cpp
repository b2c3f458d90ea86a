// Warp.cpp: registers the dialect, and the layout attribute between its stored form and a linear layout.
#include "gpu/dialect/Warp.h"

#include "layout/SharedLayouts.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nereid::warp;
using nereid::layout::LinearLayout;

#include "gpu/dialect/WarpDialect.cpp.inc"
#include "gpu/dialect/WarpEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "gpu/dialect/WarpAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "gpu/dialect/WarpTypes.cpp.inc"
#define GET_OP_CLASSES
#include "gpu/dialect/WarpOps.cpp.inc"

void WarpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "gpu/dialect/WarpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "gpu/dialect/WarpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "gpu/dialect/WarpOps.cpp.inc"
      >();
}

LayoutAttr LayoutAttr::get(MLIRContext *context, const LinearLayout &layout) {
  using nereid::layout::Dim;
  auto shape = layout.shape();
  return get(context, shape, layout.bits(Dim::Register), layout.bits(Dim::Lane), layout.bits(Dim::Warp),
             layout.columns());
}

LinearLayout LayoutAttr::layout() const {
  return LinearLayout(layout::Space::threads(getRegisterBits(), getLaneBits(), getWarpBits()),
                      layout::Space::tile(getShape()), getColumns());
}

unsigned BufferType::elementBytes() const { return std::max(1u, getElement().getIntOrFloatBitWidth() / 8); }

LinearLayout BufferType::memory() const {
  llvm::SmallVector<unsigned, 4> order{getFast()};
  for (unsigned axis = getShape().size(); axis-- > 0;)
    if (axis != getFast())
      order.push_back(axis);
  return layout::swizzledSharedLayout(getShape(), elementBytes(), getSwizzle(), order);
}

uint64_t BufferType::slotBytes() const {
  uint64_t bytes = elementBytes();
  for (int64_t extent : getShape())
    bytes *= extent;
  return llvm::alignTo(bytes, 1024);
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text, problem;
  if (parser.parseLess() || parser.parseString(&text) || parser.parseGreater())
    return {};
  std::optional<LinearLayout> layout = LinearLayout::parse(text, problem);
  if (!layout) {
    parser.emitError(parser.getCurrentLocation(), problem);
    return {};
  }
  return get(parser.getContext(), *layout);
}

void LayoutAttr::print(AsmPrinter &printer) const { printer << "<\"" << layout().toString() << "\">"; }

LogicalResult LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                                         llvm::function_ref<InFlightDiagnostic()> emitError) const {
  if (shape == getShape())
    return success();
  return emitError() << "the layout is for a tile of another shape";
}

void nereid::warp::setInstruction(Operation *product, Instruction instruction) {
  product->setAttr(kInstructionAttribute, InstructionAttr::get(product->getContext(), instruction));
}

std::optional<Instruction> nereid::warp::instructionOf(Operation *product) {
  auto attribute = product->getAttrOfType<InstructionAttr>(kInstructionAttribute);
  return attribute ? std::optional(attribute.getValue()) : std::nullopt;
}

bool nereid::warp::hasLayout(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && isa_and_nonnull<LayoutAttr>(tensor.getEncoding());
}

LinearLayout nereid::warp::layoutOf(Type type) {
  return cast<LayoutAttr>(cast<RankedTensorType>(type).getEncoding()).layout();
}

RankedTensorType nereid::warp::withLayout(Type type, const LinearLayout &layout) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType(),
                               LayoutAttr::get(tensor.getContext(), layout));
}
