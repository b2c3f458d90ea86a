#include "gpu/memory/TensorMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

using Number = cuda::TensorMap::Number;

namespace {

// Multiplies `value` into `number`, where it is made of the kernel's arguments and constants alone. `bits`: in which
// the product is computed; a narrower part of it that is a product itself would be cut before.
bool multiplyInto(Number &number, Value value, unsigned bits) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    number.factor = int64_t(uint64_t(number.factor) * uint64_t(constant.getSExtValue()));
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned width = value.getType().isInteger() ? value.getType().getIntOrFloatBitWidth() : 0;
    if (!isa<func::FuncOp>(argument.getOwner()->getParentOp()) || (width != 32 && width != 64) || number.count == 3)
      return false;
    number.words[number.count] = uint16_t(argument.getArgNumber());
    number.bytes[number.count++] = uint8_t(width / 8);
    return true;
  }
  Operation *op = value.getDefiningOp();
  if (isa<tile::HintOp>(op))
    return multiplyInto(number, op->getOperand(0), bits);
  if (isa<arith::ExtSIOp>(op)) {
    // 32-bit products keep their width only where they are the whole number.
    Value inner = op->getOperand(0);
    if (inner.getDefiningOp<arith::MulIOp>()) {
      if (number.count || number.factor != 1)
        return false;
      number.isNarrow = true;
    }
    return multiplyInto(number, inner, 32);
  }
  if (isa<arith::MulIOp>(op))
    return multiplyInto(number, op->getOperand(0), bits) && multiplyInto(number, op->getOperand(1), bits);
  return false;
}

} // namespace

std::optional<Number> numberOf(Value value) {
  Number number;
  unsigned bits = value.getType().getIntOrFloatBitWidth();
  number.isNarrow = bits == 32;
  // A narrow factor of a wide product would be cut alone: none of those.
  if (auto product = value.getDefiningOp<arith::MulIOp>(); product && bits == 64)
    for (Value operand : product->getOperands())
      if (auto wide = operand.getDefiningOp<arith::ExtSIOp>(); wide && wide.getIn().getDefiningOp<arith::MulIOp>())
        return std::nullopt;
  if (!multiplyInto(number, value, bits))
    return std::nullopt;
  return number;
}

std::optional<DescribedTensor> tensorOf(Value desc) {
  DescribedTensor tensor;
  if (auto make = desc.getDefiningOp<tile::MakeDescOp>()) {
    tensor.base = make.getBase();
    // Of a host's descriptor, for blocks of another shape.
    if (auto cast = tensor.base.getDefiningOp<tile::PtrCastOp>();
        cast && isa<tile::DescType>(cast.getSource().getType()))
      tensor.base = cast.getSource();
    tensor.shape.assign(make.getShape().begin(), make.getShape().end());
    tensor.strides.assign(make.getStrides().begin(), make.getStrides().end());
    tensor.fillsNan = make.getPadding() == tile::Padding::NaN;
    return tensor;
  }
  auto argument = dyn_cast<BlockArgument>(desc);
  auto function = argument ? dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp()) : nullptr;
  if (!function)
    return std::nullopt;
  tensor.base = desc;
  tensor.fillsNan = bool(function.getArgAttr(argument.getArgNumber(), "tile.nan_padding"));
  size_t rank = cast<tile::DescType>(desc.getType()).getBlock().getRank();
  for (size_t d = 0; d < rank; ++d) {
    tensor.shape.push_back(function.getArgument(argument.getArgNumber() + 1 + unsigned(d)));
    tensor.strides.push_back(function.getArgument(argument.getArgNumber() + 1 + unsigned(rank + d)));
  }
  return tensor;
}

bool isMarkedBlock(Operation *op) { return op->hasAttr(warp::kBlockAttribute); }

bool hasRowsOfAxes(RankedTensorType block) {
  return llvm::any_of(block.getShape().drop_back(2), [](int64_t extent) { return extent != 1; });
}

int64_t boxRows(warp::BufferType buffer, unsigned groups) {
  return std::min<int64_t>(buffer.getShape()[0] / groups, 256);
}

Value makeTensorMap(OpBuilder &builder, Location loc, Value desc, warp::BufferType buffer, const IRMapping *mapping,
                    unsigned groups) {
  std::optional<DescribedTensor> tensor = tensorOf(desc);
  for (auto *numbers : {&tensor->shape, &tensor->strides})
    for (Value &number : *numbers)
      if (mapping)
        number = mapping->lookupOrDefault(number);
  Value base = tensor->base;
  if (auto type = dyn_cast<tile::DescType>(base.getType()))
    base = tile::PtrCastOp::create(builder, loc, tile::PtrType::get(type.getBlock().getElementType()), base);
  // The rows of a box from the fastest axis on.
  auto block = cast<tile::DescType>(desc.getType()).getBlock();
  llvm::SmallVector<int64_t> box(tensor->shape.size(), 1);
  box.back() = buffer.getSwizzle() / buffer.elementBytes();
  int64_t left = boxRows(buffer, groups);
  for (size_t d = box.size() - 1; d-- > 0; left /= box[d])
    box[d] = std::min(left, block.getDimSize(unsigned(d)));
  DenseI64ArrayAttr rows;
  if (hasRowsOfAxes(block))
    rows = builder.getDenseI64ArrayAttr(block.getShape().drop_back());
  return warp::TensorMapOp::create(builder, loc, warp::MapType::get(builder.getContext()), base, tensor->shape,
                                   tensor->strides, box, buffer.getSwizzle(), tensor->fillsNan, rows);
}

static cuda::TensorMap::Element elementOf(Type type) {
  using Element = cuda::TensorMap::Element;
  if (type.isF16())
    return Element::F16;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF32())
    return Element::F32;
  if (type.isF64())
    return Element::F64;
  switch (type.getIntOrFloatBitWidth()) {
  case 16: return Element::U16;
  case 32: return Element::U32;
  case 64: return Element::U64;
  default: return Element::U8;
  }
}

cuda::TensorMap tensorMapOf(warp::TensorMapOp op) {
  cuda::TensorMap map;
  Value base = op.getBase();
  while (auto cast = base.getDefiningOp<tile::PtrCastOp>())
    base = cast.getSource();
  Type element = cast<tile::PtrType>(op.getBase().getType()).getPointee();
  map.word = cast<BlockArgument>(base).getArgNumber();
  map.element = elementOf(element);
  map.elementBytes = uint8_t(std::max(1u, element.getIntOrFloatBitWidth() / 8));
  map.rank = uint8_t(op.getShape().size());
  for (unsigned d = 0; d < map.rank; ++d) {
    map.box[d] = uint32_t(op.getBox()[d]);
    map.extents[d] = numberOf(op.getShape()[d]).value_or(Number{});
    if (d + 1 < map.rank)
      map.strides[d] = numberOf(op.getStrides()[d]).value_or(Number{});
  }
  // Chunks change places with the rows of a box: those of a single one stay.
  using Swizzle = cuda::TensorMap::Swizzle;
  bool isRow = llvm::all_of(op.getBox().drop_back(), [](int64_t extent) { return extent == 1; });
  map.swizzle = isRow                    ? Swizzle::None
                : op.getSwizzle() == 128 ? Swizzle::Bytes128
                : op.getSwizzle() == 64  ? Swizzle::Bytes64
                : op.getSwizzle() == 32  ? Swizzle::Bytes32
                                         : Swizzle::None;
  map.fillsNan = op.getNan();
  return map;
}

} // namespace nereid::gpu
