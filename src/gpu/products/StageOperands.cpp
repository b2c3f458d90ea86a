// StageOperands.cpp: products on tensor cores read their operands from shared memory. What is not there yet is put there where it is
// computed, so that a tile from outside of a loop is stored once. Where that needs more memory than there is, it is put
// there right before each product (Options::stagesLate).
#include "gpu/products/StageOperands.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/pipeline/SpecializeWarps.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"
#include "gpu/products/ScheduleProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

// Whether the tile comes out of another product without leaving registers: then it can stay there as operand A.
static bool comesFromProduct(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 12)
    return false;
  if (isa<tile::DotOp>(op))
    return true;
  return isElementwise(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isa<RankedTensorType>(operand.getType()) && comesFromProduct(operand, depth + 1);
         });
}

// Whether the tile is computed out of a buffer in the block of its product: it is read into the registers of operand A,
// and need not be stored again. One from outside of the loop would hold these registers all the time.
static bool comesFromBuffer(Value value, Block *block, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > 12 || op->getBlock() != block)
    return false;
  if (isa<warp::ReadOp>(op))
    return depth > 0;
  return isElementwise(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
           return isa<RankedTensorType>(operand.getType()) && comesFromBuffer(operand, block, depth + 1);
         });
}

static bool fitsRegisters(tile::DotOp dot, const Options &options) {
  constexpr int64_t kMostRegisters = 32; // of a thread, for the operand
  auto type = dot.getLhs().getType();
  return type.getNumElements() * type.getElementTypeBitWidth() <= kMostRegisters * 32 * 32 * int64_t(options.numWarps);
}

bool staysInRegisters(tile::DotOp dot) { return !dot.getPlaces() && comesFromProduct(dot.getLhs()); }

bool isTurnedProduct(Value tile) {
  auto turned = tile.getDefiningOp<tile::TransOp>();
  return turned && comesFromProduct(turned.getSource());
}

static unsigned elementBytes(RankedTensorType type) {
  return std::max(1u, type.getElementType().getIntOrFloatBitWidth() / 8);
}

static unsigned depthAxis(unsigned index) { return index == 0 ? 1 : 0; }

// A row of a buffer has a chunk of 16 bytes at least.
static bool mayLieAlong(RankedTensorType type, unsigned axis) {
  return type.getDimSize(axis) * elementBytes(type) >= 16;
}

// Whether the tile is in a buffer already, along either axis.
static bool isReadAsItIs(Value tile) {
  auto turned = tile.getDefiningOp<tile::TransOp>();
  return (turned ? turned.getSource() : tile).getDefiningOp<warp::ReadOp>();
}

// mma.sync takes its operands in registers, each lane a few elements of many places: a tile that lies otherwise goes through
// shared memory to them. From a buffer of its own it is read piece by piece as the product goes on, where one that is shared
// with other tiles must be read at once, and held.
static bool needsStageForMma(tile::DotOp dot, unsigned index, const Options &options) {
  constexpr unsigned kFewRegisters = 16;
  Value tile = dot->getOperand(index);
  auto type = cast<RankedTensorType>(tile.getType());
  if (options.stagesLate || type.getRank() != 2 || dot->getParentOfType<warp::SpecializeOp>() ||
      !mayLieAlong(type, depthAxis(index)) || isReadAsItIs(tile))
    return false;
  DotPlan plan = planDot(dot, options);
  unsigned registers = (index ? plan.rhs : plan.lhs).registers() * type.getElementTypeBitWidth() / 32;
  if (plan.kind != DotPlan::Kind::Mma || registers < kFewRegisters)
    return false;
  return !comesFromProduct(tile) && !comesFromBuffer(tile, dot->getBlock()) && !isHeldByLoop(tile, dot, options);
}

// Whether operand A is computed out of a buffer into its registers. Of bytes a lane would read two at a time, and put them together
// one by one: these are stored again.
static bool isReadIntoRegisters(tile::DotOp dot, const Options &options) {
  return comesFromBuffer(dot.getLhs(), dot->getBlock()) && bytesReadFor(dot.getLhs()) > 1 &&
         fitsRegisters(dot, options);
}

// 32-bit registers of the block for all that the products of a loop have at once.
static int64_t registersOfProducts(scf::ForOp loop) {
  int64_t bits = 0;
  auto bitsOf = [](RankedTensorType type) { return type.getNumElements() * type.getElementTypeBitWidth(); };
  for (auto dot : loop.getBody()->getOps<tile::DotOp>())
    bits += bitsOf(dot.getLhs().getType()) + (goesOn(dot) ? 0 : bitsOf(dot.getType()));
  return bits / 32;
}

// How many numbers are computed of each score, masks aside.
static unsigned workOnScores(tile::DotOp dot) {
  ArrayRef<int64_t> shape = dot.getType().getShape();
  return unsigned(llvm::count_if(*dot->getBlock(), [&](Operation &op) {
    auto type = op.getNumResults() == 1 ? dyn_cast<RankedTensorType>(op.getResult(0).getType()) : RankedTensorType();
    return type && isa<FloatType>(type.getElementType()) && type.getShape() == shape && isElementwise(&op) &&
           !isa<arith::SelectOp>(op) && !op.hasTrait<tile::View>();
  }));
}

// Tensor cores that read both operands of short products from shared memory wait for it, beside the rows that a producer writes there:
// where registers are left, the queries of attention stay in them. Where threads compute more of each score than its exponential,
// they are what is waited for, and slower for it (scores with a bias 2 to 5 %, with a tanh 3 to 6 % on an H200).
static bool areHeldQueries(tile::DotOp dot, const Options &options) {
  constexpr int64_t kMostRegisters = 160; // of a thread
  constexpr unsigned kLittle = 5;         // two factors, the difference, the exponential, its type
  auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
  auto parts = dot->getParentOfType<warp::SpecializeOp>();
  Operation *queries = dot.getLhs().getDefiningOp();
  if (!loop || !parts || !queries || loop->isAncestor(queries) || !copiesRows(parts))
    return false;
  return registersOfProducts(loop) <= kMostRegisters * options.threads() && workOnScores(dot) <= kLittle;
}

// Whether the product needs this operand in shared memory.
static bool needsStage(tile::DotOp dot, unsigned index, const Options &options) {
  if (!usesWgmma(dot, options))
    return needsStageForMma(dot, index, options);
  return index == 1 || dot.getPlaces() ||
         !(staysInRegisters(dot) || isReadIntoRegisters(dot, options) || areHeldQueries(dot, options));
}

// How an operand lies in its buffer: along K, which is right for every type, or as it came, where that is right too.
static unsigned fastAxisFor(Value tile, unsigned index, bool isWgmma, const analysis::AxisInfoAnalysis &axes) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (!isWgmma || elementBytes(type) == 2)
    if (std::optional<unsigned> fast = fastAxisOf(tile, &axes); fast && mayLieAlong(type, *fast))
      return *fast;
  return depthAxis(index);
}

namespace {

// Tiles in buffers. One that several products read is stored once, and released behind the last of them; if late, each
// product has its own.
class Stages {
public:
  Stages(func::FuncOp kernel, const Options &options) : axes(kernel), options(options) {}

  void add(tile::DotOp dot, unsigned index) {
    Value tile = dot->getOperand(index);
    unsigned fast = fastAxisFor(tile, index, usesWgmma(dot, options), axes);
    Operation *before = options.stagesLate ? dot.getOperation() : nullptr;
    Stage &stage = stages[{{tile, fast}, before}];
    if (!stage.buffer)
      store(tile, fast, before, stage);
    Operation *user = stage.home->findAncestorOpInBlock(*dot);
    if (!stage.last || stage.last->isBeforeInBlock(user))
      stage.last = user;
    OpBuilder builder(dot);
    dot->setOperand(index, warp::ReadOp::create(builder, dot.getLoc(), tile.getType(), stage.buffer, stage.slot));
  }

  void release() {
    for (auto &[key, stage] : stages) {
      OpBuilder builder(stage.last->getContext());
      builder.setInsertionPointAfter(stage.last);
      warp::ReleaseOp::create(builder, stage.last->getLoc(), stage.buffer);
    }
  }

private:
  struct Stage {
    Value buffer, slot;
    Block *home = nullptr;
    Operation *last = nullptr;
  };

  void store(Value tile, unsigned fast, Operation *before, Stage &stage) {
    auto type = cast<RankedTensorType>(tile.getType());
    OpBuilder builder(tile.getContext());
    if (before)
      builder.setInsertionPoint(before);
    else if (Operation *op = tile.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointToStart(cast<BlockArgument>(tile).getOwner());
    stage.buffer = warp::AllocOp::create(builder, tile.getLoc(), operandBuffer(type, fast));
    stage.slot = arith::ConstantOp::create(builder, tile.getLoc(), builder.getI32IntegerAttr(0));
    warp::StoreOp::create(builder, tile.getLoc(), tile, stage.buffer, stage.slot);
    stage.home = builder.getInsertionBlock();
  }

  analysis::AxisInfoAnalysis axes;
  const Options &options;
  llvm::MapVector<std::pair<std::pair<Value, unsigned>, Operation *>, Stage> stages;
};

} // namespace

static void stageOperands(func::FuncOp kernel, const Options &options) {
  llvm::SmallVector<tile::DotOp> dots;
  kernel.walk([&](tile::DotOp dot) { dots.push_back(dot); });
  llvm::SmallVector<std::pair<tile::DotOp, unsigned>> missing;
  for (tile::DotOp dot : dots)
    for (unsigned index : {0u, 1u})
      if (!sharedOperand(dot->getOperand(index), index) && needsStage(dot, index, options))
        missing.push_back({dot, index});
  if (missing.empty())
    return;
  Stages stages(kernel, options);
  for (auto [dot, index] : missing)
    stages.add(dot, index);
  stages.release();
}

uint64_t bytesToStage(scf::ForOp loop, llvm::function_ref<bool(Value, unsigned)> isInBuffer, const Options &options) {
  llvm::SetVector<Value> tiles;
  loop.getBody()->walk([&](tile::DotOp dot) {
    for (unsigned index : {0u, 1u})
      if (!isInBuffer(dot->getOperand(index), index) && needsStage(dot, index, options))
        tiles.insert(dot->getOperand(index));
  });
  uint64_t bytes = 0;
  for (Value tile : tiles) {
    auto type = cast<RankedTensorType>(tile.getType());
    bytes += type.getNumElements() * elementBytes(type);
  }
  return bytes;
}

namespace {

struct StageOperandsPass : PlanPass<StageOperandsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StageOperandsPass)
  StringRef getArgument() const final { return "warp-stage-operands"; }
  StringRef getDescription() const final { return "Put the operands of products on tensor cores into shared memory"; }
  void runOnOperation() final { stageOperands(getOperation(), options()); }
};

} // namespace

PassPtr createStageOperandsPass(const Options &options) { return std::make_unique<StageOperandsPass>(options); }

} // namespace nereid::gpu
