// MarkBlocks.cpp: which blocks of described tensors TMA can move: the launch knows the tensor, its base and
// strides are multiples of 16 bytes, and nothing else in the kernel orders or changes what is loaded.
//
//   before  %x = tile.desc_load %desc[%i, %j]
//   after   %x = tile.desc_load %desc[%i, %j] {warp.block}
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/memory/OrderMemory.h"
#include "gpu/memory/TensorMaps.h"

#include "analysis/AxisInfo.h"

#include "mlir/IR/Matchers.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

namespace {

unsigned bytesOf(RankedTensorType block) { return std::max(1u, block.getElementType().getIntOrFloatBitWidth() / 8); }

class Marker {
public:
  Marker(func::FuncOp kernel) : kernel(kernel), axes(kernel) {}

  void run() {
    bool waits = false;
    kernel.walk([&](Operation *op) {
      waits |= mayWaitForOthers(op);
      std::optional<tile::Access> access = tile::accessOf(op);
      if (!access)
        return;
      Value root = access->isByPointer() ? memoryRoot(access->address) : rootOfDesc(access->address);
      (access->writes ? written : read).push_back(root);
      if (auto write = dyn_cast<tile::BlockWriteOpInterface>(op)) {
        (write.combination() ? addedBlocks : writtenBlocks).push_back(root);
        if (!write.combination())
          stores.push_back(write);
      }
    });
    Builder builder(kernel.getContext());
    kernel.walk([&](Operation *op) {
      if (auto load = dyn_cast<tile::DescLoadOp>(op)) {
        std::string why = whyNotLoaded(load, waits);
        if (why.empty())
          op->setAttr(warp::kBlockAttribute, builder.getUnitAttr());
        else if (isa<scf::ForOp>(op->getParentOp()))
          op->emitRemark("this block does not come by TMA: " + why);
      } else if (auto write = dyn_cast<tile::BlockWriteOpInterface>(op)) {
        // Sums are the same in any order, whatever else is added.
        bool isFree = write.combination()
                          ? isSum(write) && isMovedOut(write, addedBlocks)
                          : isMovedOut(write, writtenBlocks) && isWrittenOnce(write) && isApartFromOthers(write);
        if (!waits && isFree)
          op->setAttr(warp::kBlockAttribute, builder.getUnitAttr());
      }
    });
  }

private:
  Value rootOfDesc(Value desc) {
    std::optional<DescribedTensor> tensor = tensorOf(desc);
    return tensor ? memoryRoot(tensor->base) : Value();
  }

  // TMA adds integers and these floats. (Its fp16 and bf16 keep subnormal numbers, as the threads' own additions do.)
  static bool isSum(tile::BlockWriteOpInterface op) {
    Type element = op.getValue().getType().getElementType();
    if (op.combination() == tile::RmwKind::Add)
      return element.isInteger(32) || element.isInteger(64);
    return op.combination() == tile::RmwKind::FAdd && (element.isF32() || element.isF16() || element.isBF16());
  }

  // Whether TMA may write the block, beside all others that are written to its tensor: nobody reads them here.
  bool isMovedOut(tile::BlockWriteOpInterface op, ArrayRef<Value> others) {
    Value root = rootOfDesc(op.getDesc());
    return whyNotMoved(op.getDesc(), op.getValue().getType()).empty() &&
           writesWholePieces(op.getDesc(), op.getIndices()) && !llvm::is_contained(read, Value()) &&
           !llvm::is_contained(read, root) && llvm::count(written, root) == llvm::count(others, root);
  }

  // TMA does not keep the order of stores: a block must be another one in each iteration of every loop around.
  static bool isWrittenOnce(tile::BlockWriteOpInterface store) {
    for (auto loop = store->getParentOfType<scf::ForOp>(); loop; loop = loop->getParentOfType<scf::ForOp>()) {
      llvm::DenseSet<Value> seen;
      if (llvm::none_of(store.getIndices(), [&](Value index) { return dependsOn(index, loop, seen); }))
        return false;
    }
    return !store->getParentOfType<scf::WhileOp>();
  }

  // Nor may two stores of one iteration meet: along some axis they lie a block apart.
  bool isApartFromOthers(tile::BlockWriteOpInterface store) {
    return llvm::all_of(stores, [&](tile::BlockWriteOpInterface other) {
      return other == store || rootOfDesc(other.getDesc()) != rootOfDesc(store.getDesc()) || areApart(store, other);
    });
  }

  // The same tensor, perhaps in blocks of different shapes.
  static bool areOfOneTensor(Value a, Value b) {
    std::optional<DescribedTensor> one = tensorOf(a), other = tensorOf(b);
    return one && other && one->base == other->base && one->shape == other->shape && one->strides == other->strides;
  }

  static bool areApart(tile::BlockWriteOpInterface a, tile::BlockWriteOpInterface b) {
    auto blockA = cast<tile::DescType>(a.getDesc().getType()).getBlock();
    auto blockB = cast<tile::DescType>(b.getDesc().getType()).getBlock();
    if (blockA.getRank() != blockB.getRank() || !areOfOneTensor(a.getDesc(), b.getDesc()))
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
    for (int64_t d = 0; d < blockA.getRank(); ++d) {
      auto [baseA, a0] = split(a.getIndices()[d]);
      auto [baseB, b0] = split(b.getIndices()[d]);
      if (baseA == baseB && (a0 < b0 ? b0 - a0 >= blockA.getDimSize(d) : a0 - b0 >= blockB.getDimSize(d)))
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

  // TMA writes aligned pieces of 16 bytes (seen on an H200): the last one also where it reaches behind the extent
  // of the last axis, and a block that begins inside of one is an illegal instruction.
  bool writesWholePieces(Value desc, ValueRange indices) {
    std::optional<DescribedTensor> tensor = tensorOf(desc);
    unsigned bytes = bytesOf(cast<tile::DescType>(desc.getType()).getBlock());
    return tensor && divisibility(tensor->shape.back()) * bytes % 16 == 0 &&
           divisibility(indices.back()) * bytes % 16 == 0;
  }

  std::string whyNotLoaded(tile::DescLoadOp load, bool waits) {
    if (waits)
      return "the kernel waits for others with atomic operations";
    Value root = rootOfDesc(load.getDesc());
    if (llvm::is_contained(written, root) || llvm::is_contained(written, Value()))
      return "the kernel writes to that memory, or to memory that is not known";
    return whyNotMoved(load.getDesc(), load.getType(), /*canBeRow=*/true);
  }

  std::string whyNotMoved(Value desc, RankedTensorType tile, bool canBeRow = false) {
    auto block = cast<tile::DescType>(desc.getType()).getBlock();
    std::optional<DescribedTensor> tensor = tensorOf(desc);
    int64_t rank = block.getRank();
    auto base = tensor ? dyn_cast<BlockArgument>(tensor->base) : BlockArgument();
    if (!base || !isa<func::FuncOp>(base.getOwner()->getParentOp()))
      return "its tensor does not begin at an argument of the kernel";
    bool isMatrix = rank >= 2 && rank <= 5 && tile.getRank() == 2 && tile.getDimSize(1) == block.getShape().back();
    if (!isMatrix || !block.getElementType().isIntOrFloat() || block.getElementTypeBitWidth() < 8)
      return "it is no matrix of numbers";
    bool isRow = canBeRow && tile.getDimSize(0) == 1 && rank == 2;
    if (tile.getDimSize(1) * bytesOf(block) < 16 || (tile.getDimSize(0) < 8 && !isRow))
      return "it is no row, and has fewer than 8 of 16 bytes";
    if (hasRowsOfAxes(block) && tile.getDimSize(0) > 256)
      return "it has more than 256 rows of several axes";
    if (tensor->fillsNan && (!isa<FloatType>(block.getElementType()) || bytesOf(block) == 1))
      return "TMA has no NaN of that type";
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
  llvm::SmallVector<Value> read, written, writtenBlocks, addedBlocks; // null: unknown memory
  llvm::SmallVector<tile::BlockWriteOpInterface> stores;
};

} // namespace

// Whether a block of more than two axes has the rows of this matrix: all axes but its last one.
static bool isAsMatrix(RankedTensorType block, RankedTensorType matrix) {
  return matrix.getRank() == 2 && block.getRank() > 2 && block.getShape().back() == matrix.getDimSize(1);
}

// A block that is reshaped to a matrix is loaded as one, and one that was a matrix is stored as that.
static void mergeRows(func::FuncOp kernel) {
  llvm::SmallVector<tile::ReshapeOp> reshapes;
  kernel.walk([&](tile::ReshapeOp reshape) { reshapes.push_back(reshape); });
  for (tile::ReshapeOp reshape : reshapes) {
    auto from = cast<RankedTensorType>(reshape.getSource().getType()), to = reshape.getResult().getType();
    auto load = reshape.getSource().getDefiningOp<tile::DescLoadOp>();
    if (load && load.getResult().hasOneUse() && isAsMatrix(from, to)) {
      load.getResult().setType(to);
      reshape.getResult().replaceAllUsesWith(load.getResult());
    } else if (isAsMatrix(to, from)) {
      for (OpOperand &use : llvm::make_early_inc_range(reshape.getResult().getUses()))
        if (isa<tile::BlockWriteOpInterface>(use.getOwner()))
          use.set(reshape.getSource());
    }
    if (reshape.getResult().use_empty())
      reshape.erase();
  }
}

static void markBlocks(func::FuncOp kernel, const Options &options) {
  mergeRows(kernel);
  if (options.usesTensorMaps && options.target.hasTma)
    Marker(kernel).run();
}

namespace {

struct MarkBlocksPass : PlanPass<MarkBlocksPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MarkBlocksPass)
  StringRef getArgument() const final { return "warp-mark-blocks"; }
  StringRef getDescription() const final { return "Find the blocks of described tensors that TMA can move"; }
  void runOnOperation() final { markBlocks(getOperation(), options()); }
};

} // namespace

PassPtr createMarkBlocksPass(const Options &options) { return std::make_unique<MarkBlocksPass>(options); }

} // namespace nereid::gpu
