#include "gpu/TensorMaps.h"

#include "gpu/OrderMemory.h"
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

using Number = cuda::TensorMap::Number;

namespace {

struct Tensor {
  Value base;
  llvm::SmallVector<Value> shape, strides;
  bool fillsNan = false;
};

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

std::optional<Tensor> tensorOf(Value desc) {
  Tensor tensor;
  if (auto make = desc.getDefiningOp<tile::MakeDescOp>()) {
    tensor.base = make.getBase();
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

unsigned bytesOf(RankedTensorType block) { return std::max(1u, block.getElementType().getIntOrFloatBitWidth() / 8); }

class Marker {
public:
  Marker(func::FuncOp kernel) : kernel(kernel), axes(kernel) {}

  void run() {
    // What other programs write while this one runs is read in the order of the kernel: atomics whose results are used
    // may wait for it.
    bool waits = false;
    kernel.walk([&](Operation *op) {
      waits |= isa<tile::AtomicCasOp, tile::AtomicPollOp>(op) || (isa<tile::AtomicRmwOp>(op) && !op->use_empty());
      if (auto store = dyn_cast<tile::StoreOp>(op))
        written.push_back(memoryRoot(store.getPtr()));
      else if (auto rmw = dyn_cast<tile::AtomicRmwOp>(op))
        written.push_back(memoryRoot(rmw.getPtr()));
      else if (auto load = dyn_cast<tile::LoadOp>(op))
        read.push_back(memoryRoot(load.getPtr()));
      else if (auto scatter = dyn_cast<tile::DescScatterOp>(op))
        written.push_back(rootOfDesc(scatter.getDesc()));
      else if (auto store = dyn_cast<tile::DescStoreOp>(op))
        written.push_back(rootOfDesc(store.getDesc())), writtenBlocks.push_back(written.back()),
            stores.push_back(store);
      else if (auto reduce = dyn_cast<tile::DescReduceOp>(op))
        written.push_back(rootOfDesc(reduce.getDesc()));
      else if (isa<tile::DescLoadOp, tile::DescGatherOp>(op))
        read.push_back(rootOfDesc(op->getOperand(0)));
    });
    Builder builder(kernel.getContext());
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::DescLoadOp>(op)) {
        std::string why = whyNotLoaded(load, waits);
        if (why.empty())
          op->setAttr(warp::kBlockAttribute, builder.getUnitAttr());
        else if (isa<scf::ForOp>(op->getParentOp()))
          op->emitRemark("this block does not come by the copy engine: " + why);
      } else if (auto store = dyn_cast<tile::DescStoreOp>(op)) {
        Value root = rootOfDesc(store.getDesc());
        if (!waits && whyNotMoved(store.getDesc(), store.getValue().getType()).empty() && writesWholePieces(store) &&
            isWrittenOnce(store) && isApartFromOthers(store) && !llvm::is_contained(read, Value()) &&
            !llvm::is_contained(read, root) && llvm::count(written, root) == llvm::count(writtenBlocks, root))
          op->setAttr(warp::kBlockAttribute, builder.getUnitAttr());
      }
    });
  }

private:
  Value rootOfDesc(Value desc) {
    std::optional<Tensor> tensor = tensorOf(desc);
    return tensor ? memoryRoot(tensor->base) : Value();
  }

  // The engine does not keep the order of stores: a block must be another one in each turn of every loop around.
  static bool isWrittenOnce(tile::DescStoreOp store) {
    for (auto loop = store->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
      llvm::DenseSet<Value> seen;
      if (llvm::none_of(store.getIndices(), [&](Value index) { return dependsOn(index, loop, seen); }))
        return false;
    }
    return !store->getParentOfType<scf::WhileOp>();
  }

  // Nor may two stores of one turn meet: along some axis they lie a block apart.
  bool isApartFromOthers(tile::DescStoreOp store) {
    return llvm::all_of(stores, [&](tile::DescStoreOp other) {
      return other == store || rootOfDesc(other.getDesc()) != rootOfDesc(store.getDesc()) || areApart(store, other);
    });
  }

  static bool areApart(tile::DescStoreOp a, tile::DescStoreOp b) {
    auto block = cast<tile::DescType>(a.getDesc().getType()).getBlock();
    if (a.getDesc() != b.getDesc())
      return false;
    // An index as something and a number.
    auto split = [](Value index) -> std::pair<Value, int64_t> {
      APInt constant;
      if (matchPattern(index, m_ConstantInt(&constant)))
        return {Value(), constant.getSExtValue()};
      if (auto sum = index.getDefiningOp<arith::AddIOp>(); sum && matchPattern(sum.getRhs(), m_ConstantInt(&constant)))
        return {sum.getLhs(), constant.getSExtValue()};
      return {index, 0};
    };
    for (int64_t d = 0; d < block.getRank(); ++d) {
      auto [baseA, a0] = split(a.getIndices()[d]);
      auto [baseB, b0] = split(b.getIndices()[d]);
      if (baseA == baseB && std::max(a0, b0) - std::min(a0, b0) >= block.getDimSize(d))
        return true;
    }
    return false;
  }

  static bool dependsOn(Value value, scf::ForOp loop, llvm::DenseSet<Value> &seen) {
    if (!seen.insert(value).second)
      return false;
    auto argument = dyn_cast<BlockArgument>(value);
    if (argument && argument.getOwner() == loop.getBody())
      return true;
    Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
    if (isa<func::FuncOp>(op))
      return false;
    return llvm::any_of(op->getOperands(), [&](Value operand) { return dependsOn(operand, loop, seen); });
  }

  int64_t divisibility(Value value) { return axes.of(value).divisibility[0]; }

  // The engine writes aligned pieces of 16 bytes (seen on an H200): the last one also where it reaches behind the extent
  // of the last axis, and a block that begins inside of one is an illegal instruction.
  bool writesWholePieces(tile::DescStoreOp store) {
    std::optional<Tensor> tensor = tensorOf(store.getDesc());
    unsigned bytes = bytesOf(store.getDesc().getType().getBlock());
    return tensor && divisibility(tensor->shape.back()) * bytes % 16 == 0 &&
           divisibility(store.getIndices().back()) * bytes % 16 == 0;
  }

  std::string whyNotLoaded(tile::DescLoadOp load, bool waits) {
    if (waits)
      return "the kernel waits for others with atomic operations";
    Value root = rootOfDesc(load.getDesc());
    if (llvm::is_contained(written, root) || llvm::is_contained(written, Value()))
      return "the kernel writes to that memory, or to memory that is not known";
    return whyNotMoved(load.getDesc(), load.getType());
  }

  std::string whyNotMoved(Value desc, RankedTensorType tile) {
    auto block = cast<tile::DescType>(desc.getType()).getBlock();
    std::optional<Tensor> tensor = tensorOf(desc);
    int64_t rank = block.getRank();
    auto base = tensor ? dyn_cast<BlockArgument>(tensor->base) : BlockArgument();
    if (!base || !isa<func::FuncOp>(base.getOwner()->getParentOp()))
      return "its tensor does not begin at an argument of the kernel";
    bool isMatrix = rank >= 2 && rank <= 5 && tile.getRank() == 2 && tile.getShape() == block.getShape().take_back(2) &&
                    llvm::all_of(block.getShape().drop_back(2), [](int64_t extent) { return extent == 1; });
    if (!isMatrix || !block.getElementType().isIntOrFloat() || block.getElementTypeBitWidth() < 8)
      return "it is no matrix of numbers";
    if (tile.getDimSize(1) * bytesOf(block) < 16 || tile.getDimSize(0) < 8)
      return "it has fewer than 8 rows of 16 bytes";
    if (tensor->fillsNan && (!isa<FloatType>(block.getElementType()) || bytesOf(block) == 1))
      return "the engine has no NaN of that type";
    bool isAligned = divisibility(base) % 16 == 0;
    for (int64_t d = 0; d < rank; ++d) {
      if (!numberOf(tensor->shape[d]) || (d + 1 < rank && !numberOf(tensor->strides[d])))
        return "an extent or a stride is more than a product of arguments";
      isAligned &= d + 1 == rank || divisibility(tensor->strides[d]) * bytesOf(block) % 16 == 0;
    }
    return isAligned ? "" : "its address and its strides are not known to be multiples of 16 bytes";
  }

  func::FuncOp kernel;
  analysis::AxisInfoAnalysis axes;
  llvm::SmallVector<Value> read, written, writtenBlocks; // null: unknown memory
  llvm::SmallVector<tile::DescStoreOp> stores;
};

} // namespace

// A block with leading extents of 1 that is reshaped to its last two axes is loaded as those.
static void dropUnitAxes(func::FuncOp kernel) {
  llvm::SmallVector<tile::ReshapeOp> reshapes;
  kernel.walk([&](tile::ReshapeOp reshape) { reshapes.push_back(reshape); });
  for (tile::ReshapeOp reshape : reshapes) {
    auto load = reshape.getSource().getDefiningOp<tile::DescLoadOp>();
    auto type = cast<RankedTensorType>(reshape.getResult().getType());
    if (!load || !load.getResult().hasOneUse() || type.getRank() != 2 || load.getType().getRank() <= 2 ||
        load.getType().getShape().take_back(2) != type.getShape())
      continue;
    load.getResult().setType(type);
    reshape.getResult().replaceAllUsesWith(load.getResult());
    reshape.erase();
  }
}

static void markBlocks(func::FuncOp kernel, const Options &options) {
  dropUnitAxes(kernel);
  if (options.usesTensorMaps && options.capability() == 90)
    Marker(kernel).run();
}

bool isMarkedBlock(Operation *op) { return op->hasAttr(warp::kBlockAttribute); }

int64_t boxRows(warp::BufferType buffer, unsigned groups) {
  return std::min<int64_t>(buffer.getShape()[0] / groups, 256);
}

Value makeTensorMap(OpBuilder &builder, Location loc, Value desc, warp::BufferType buffer, const IRMapping *mapping,
                    unsigned groups) {
  std::optional<Tensor> tensor = tensorOf(desc);
  for (auto *numbers : {&tensor->shape, &tensor->strides})
    for (Value &number : *numbers)
      if (mapping)
        number = mapping->lookupOrDefault(number);
  Value base = tensor->base;
  if (auto type = dyn_cast<tile::DescType>(base.getType()))
    base = tile::PtrCastOp::create(builder, loc, tile::PtrType::get(type.getBlock().getElementType()), base);
  llvm::SmallVector<int64_t> box(tensor->shape.size() - 2, 1);
  box.push_back(boxRows(buffer, groups));
  box.push_back(buffer.getSwizzle() / buffer.elementBytes());
  return warp::TensorMapOp::create(builder, loc, warp::MapType::get(builder.getContext()), base, tensor->shape,
                                   tensor->strides, box, buffer.getSwizzle(), tensor->fillsNan);
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
  using Swizzle = cuda::TensorMap::Swizzle;
  map.swizzle = op.getSwizzle() == 128  ? Swizzle::Bytes128
                : op.getSwizzle() == 64 ? Swizzle::Bytes64
                : op.getSwizzle() == 32 ? Swizzle::Bytes32
                                        : Swizzle::None;
  map.fillsNan = op.getNan();
  return map;
}

namespace {

struct MarkBlocksPass : PlanPass<MarkBlocksPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkBlocksPass)
  StringRef getArgument() const final { return "warp-mark-blocks"; }
  StringRef getDescription() const final {
    return "Find the blocks of described tensors that the copy engine (TMA) can move";
  }
  void runOnOperation() final { markBlocks(getOperation(), options()); }
};

} // namespace

PassPtr createMarkBlocksPass(const Options &options) { return std::make_unique<MarkBlocksPass>(options); }

} // namespace nereid::gpu
