#include "gpu/products/DotPlan.h"

#include "layout/LayoutMoves.h"
#include "layout/LayoutShapes.h"
#include "layout/MmaLayouts.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

using Warps = llvm::SmallVector<int64_t, 4>;

unsigned contiguousAlongK(Type element, tile::InputPrecision precision) {
  unsigned bits = element.getIntOrFloatBitWidth();
  if (bits == 32)
    return precision == tile::InputPrecision::BF16x3 || precision == tile::InputPrecision::BF16x6 ? 2 : 1;
  return bits == 16 ? 2 : 4;
}

static bool isByteFloat(Type type) { return isa<Float8E4M3FNType, Float8E5M2Type>(type); }

// Whether mma.sync has the types. fp8 has its own instruction since sm_89.
static bool hasInstruction(tile::DotOp op, const Options &options) {
  Type a = op.getLhs().getType().getElementType(), b = op.getRhs().getType().getElementType();
  Type acc = op.getAcc().getType().getElementType();
  bool isFloatAcc = acc.isF32() || acc.isF16() || acc.isBF16();
  if (!options.target.hasMma)
    return false; // older ones have other shapes
  if (a.isInteger(8) && b.isInteger(8))
    return acc.isInteger(32);
  if (a.isF32() && b.isF32())
    return acc.isF32() && op.getPrecision() != tile::InputPrecision::IEEE;
  if (isByteFloat(a) && isByteFloat(b))
    return acc.isF32() && options.target.hasFp8;
  return isFloatAcc && a == b && (a.isF16() || a.isBF16());
}

// Something behind the product works along its rows (a softmax, a second product): then a row should stay in one warp.
static bool isUsedByRows(tile::DotOp op) {
  llvm::SmallVector<Value> work{op.getResult()};
  llvm::DenseSet<Value> seen;
  while (!work.empty() && seen.size() < 200) {
    Value value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (isa<tile::ReduceOp>(user))
        return true;
      if (auto next = dyn_cast<tile::DotOp>(user); next && next != op && use.getOperandNumber() < 2)
        return true;
      if (isElementwise(user))
        work.append(user->result_begin(), user->result_end());
    }
  }
  return false;
}

// Warps over batches, which share no operands, then over M and N: where the part of a warp is larger, in units of the instruction.
static std::optional<Warps> shareOut(ArrayRef<int64_t> shape, unsigned warps, int64_t unitM, int64_t unitN,
                                     bool alongRows) {
  unsigned rank = shape.size();
  Warps result(rank, 1);
  int64_t &m = result[rank - 2], &n = result[rank - 1], left = warps;
  for (unsigned d = 0; d + 2 < rank && left > 1; ++d) {
    result[d] = std::min(left, shape[d]);
    left /= result[d];
  }
  for (; left > 1; left /= 2) {
    int64_t partM = shape[rank - 2] / (m * unitM), partN = shape[rank - 1] / (n * unitN);
    if (partM < 2 && partN < 2)
      break;
    bool takesM = partM >= 2 && (alongRows || partN < 2 || partM * unitM >= partN * unitN);
    (takesM ? m : n) *= 2;
  }
  if (left > 1) // the rest holds copies
    m *= left;
  return result;
}

// Without tensor cores: a thread has a part of the result that is about square, so that few rows and columns are read
// for many products.
static LinearLayout squareLayout(ArrayRef<int64_t> shape, unsigned warps) {
  unsigned rank = shape.size();
  layout::Blocked blocked = layout::Blocked::ones(layout::rowMajorOrder(rank));
  int64_t m = shape[rank - 2], n = shape[rank - 1], elements = std::max<int64_t>(1, m * n / (32 * int64_t(warps)));
  int64_t columns = 1, rows = 1;
  while (rows * columns < elements && (columns < n || rows < m))
    if (columns <= rows && columns < n)
      columns *= 2;
    else if (rows < m)
      rows *= 2;
    else
      columns *= 2;
  // No more than four side by side: neighbouring threads then read neighbouring runs of shared memory.
  blocked.sizePerThread[rank - 1] = std::min<int64_t>(4, columns);
  blocked.sizePerThread[rank - 2] = std::min<int64_t>(4, rows);
  int64_t lanes = 32, left = warps;
  auto take = [](int64_t &from, int64_t want) {
    int64_t taken = std::max<int64_t>(1, std::min(from, want));
    from /= taken;
    return taken;
  };
  blocked.threadsPerWarp[rank - 1] = take(lanes, n / columns);
  blocked.threadsPerWarp[rank - 2] = take(lanes, m / rows);
  blocked.warpsPerBlock[rank - 1] = take(left, n / (columns * blocked.threadsPerWarp[rank - 1]));
  blocked.warpsPerBlock[rank - 2] = take(left, m / (rows * blocked.threadsPerWarp[rank - 2]));
  for (unsigned d = 0; d + 2 < rank; ++d)
    blocked.warpsPerBlock[d] = take(left, shape[d]);
  blocked.threadsPerWarp[rank - 2] *= lanes; // the rest holds copies
  blocked.warpsPerBlock[rank - 2] *= left;
  return layout::blockedLayout(shape, blocked);
}

// For an operand that is stored the other way round: lanes along the columns of what is stored.
static LinearLayout turnedLayout(ArrayRef<int64_t> shape, int64_t contiguous, unsigned warps) {
  unsigned rank = shape.size();
  layout::Blocked blocked = layout::Blocked::ones(layout::rowMajorOrder(rank));
  std::swap(blocked.order[0], blocked.order[1]);
  blocked.sizePerThread[rank - 1] = std::min(contiguous, shape[rank - 1]);
  int64_t lanes = 32, left = warps;
  for (unsigned axis : blocked.order) {
    int64_t whole = shape[axis] / blocked.sizePerThread[axis];
    blocked.threadsPerWarp[axis] = std::min(lanes, whole);
    lanes /= blocked.threadsPerWarp[axis];
    blocked.warpsPerBlock[axis] = std::min(left, whole / blocked.threadsPerWarp[axis]);
    left /= blocked.warpsPerBlock[axis];
  }
  blocked.threadsPerWarp[rank - 2] *= lanes; // the rest holds copies
  blocked.warpsPerBlock[rank - 2] *= left;
  return layout::blockedLayout(shape, blocked);
}

static int64_t elementsOf16Bytes(Type element) { return 128 / std::max(8u, element.getIntOrFloatBitWidth()); }

std::string whyNotWgmma(tile::DotOp op, const Options &options) {
  auto shape = op.getResult().getType().getShape();
  if (!options.target.hasWgmma)
    return "the target `" + options.target.name + "` has none (`sm_90a` does)";
  if (shape.size() != 2)
    return "it has batches";
  if (options.numWarps % 4)
    return "it takes groups of four warps, and there are " + std::to_string(options.numWarps);
  Type element = op.getLhs().getType().getElementType(), acc = op.getAcc().getType().getElementType();
  if (op.getPlaces() && !element.isF16() && !element.isBF16())
    return "sparse operands are f16 or bf16";
  bool isSplit = element.isF32() && op.getPrecision() != tile::InputPrecision::TF32;
  bool isSum = acc.isF32() || acc.isInteger(32) || (acc.isF16() && element.isF16());
  if (!hasInstruction(op, options) || isSplit || !isSum || op.getLhsUnsigned() != op.getRhsUnsigned())
    return "it has no instruction for these types and this precision";
  int64_t depthBits = op.getLhs().getType().getShape()[1] * element.getIntOrFloatBitWidth();
  if (shape[0] < 64 || shape[1] < 16 || depthBits < 256)
    return "it takes 64 rows, 16 columns and 32 bytes of K at least, and the tile is " + std::to_string(shape[0]) +
           " x " + std::to_string(shape[1]) + " with " + std::to_string(depthBits / 8) + " bytes";
  if (int64_t groups = wgmmaWarps(shape, options.numWarps)[1]; shape[1] < 8 * groups)
    return "it takes 8 columns for each of " + std::to_string(groups) + " groups of four warps, and the tile has " +
           std::to_string(shape[1]);
  return {};
}

bool usesLongDoubleMma(tile::DotOp op, const Options &options) {
  ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
  return options.target.hasLongDoubleMma && lhs[lhs.size() - 2] >= 16 && lhs.back() >= 8;
}

bool usesWgmma(tile::DotOp op, const Options &options) { return whyNotWgmma(op, options).empty(); }

bool maySpan(tile::DotOp op) { return !op.getPlaces(); }

Warps wgmmaWarps(ArrayRef<int64_t> shape, unsigned warps) {
  int64_t groups = warps / 4, alongM = std::min(groups, shape[0] / 64);
  return {4 * alongM, groups / alongM};
}

unsigned wgmmaColumns(ArrayRef<int64_t> shape, unsigned warps) {
  return unsigned(std::clamp<int64_t>(shape[1] / wgmmaWarps(shape, warps)[1], 8, 256));
}

LinearLayout wholeOperandLayout(const LinearLayout &result, unsigned axis, int64_t depth) {
  LinearLayout layout = layout::shrinkAxisLayout(result, axis);
  for (int64_t extent = 1; extent < depth; extent *= 2)
    layout = layout::concatenateLayout(layout, axis);
  return layout;
}

// Straight from a buffer, which gives it in any layout.
static bool isRead(Value tile) {
  auto trans = tile.getDefiningOp<tile::TransOp>();
  return (trans ? trans.getSource() : tile).getDefiningOp<warp::ReadOp>() != nullptr;
}

DotPlan planDot(tile::DotOp op, const Options &options) {
  auto shape = op.getResult().getType().getShape();
  auto lhs = op.getLhs().getType().getShape(), rhs = op.getRhs().getType().getShape();
  unsigned rank = shape.size();
  int64_t m = shape[rank - 2], n = shape[rank - 1], k = lhs[rank - 1];
  Type element = op.getLhs().getType().getElementType();
  DotPlan plan;
  plan.result = squareLayout(shape, options.numWarps);
  plan.lhs = turnedLayout(lhs, elementsOf16Bytes(element), options.numWarps);
  plan.rhs = layout::blockedLayout(rhs, elementsOf16Bytes(op.getRhs().getType().getElementType()), options.numWarps,
                                   layout::rowMajorOrder(rank));
  constexpr int64_t kMostProducts = 1024; // of a thread, all written out then; 2048 took longer than a loop
  if (rank == 2 && isRead(op.getLhs()) && isRead(op.getRhs()) && plan.result.registers() * k <= kMostProducts) {
    plan.lhs = wholeOperandLayout(plan.result, 1, k);
    plan.rhs = wholeOperandLayout(plan.result, 0, k);
  }
  if (usesWgmma(op, options)) {
    Warps warps = wgmmaWarps(shape, options.numWarps);
    plan.kind = DotPlan::Kind::Wgmma;
    plan.result = layout::wgmmaAccumulatorLayout(shape, warps, wgmmaColumns(shape, options.numWarps));
    plan.lhs = layout::wgmmaOperandALayout(lhs, warps, contiguousAlongK(element, op.getPrecision()));
    if (auto places = op.getPlaces())
      plan.places =
          layout::wgmmaPlacesLayout(places.getType().getShape(), warps, places.getType().getElementTypeBitWidth());
    return plan;
  }
  bool alongRows = isUsedByRows(op);
  if (options.target.hasDoubleMma && element.isF64() && op.getAcc().getType().getElementType().isF64() && m >= 8 &&
      n >= 8 && k >= 4) {
    bool isLong = usesLongDoubleMma(op, options);
    Warps warps = *shareOut(shape, options.numWarps, isLong ? 16 : 8, 8, alongRows);
    auto operand = [&](ArrayRef<int64_t> of, layout::DotOperand which) {
      return isLong ? layout::mmaOperandLayout(of, which, warps, 1) : layout::mmaDoubleOperandLayout(of, which, warps);
    };
    plan.kind = DotPlan::Kind::MmaDouble;
    plan.result =
        isLong ? layout::mmaAccumulatorLayout(shape, warps) : layout::mmaDoubleAccumulatorLayout(shape, warps);
    plan.lhs = operand(lhs, layout::DotOperand::A);
    plan.rhs = operand(rhs, layout::DotOperand::B);
    return plan;
  }
  if (!hasInstruction(op, options))
    return plan;
  unsigned contiguous = contiguousAlongK(element, op.getPrecision());
  // Fewer rows and columns than the instruction has are held by several lanes, or are zeros; but two columns lie in a lane.
  if (n < 2 || k < 8 * contiguous)
    return plan;
  Warps warps = *shareOut(shape, options.numWarps, 16, 8, alongRows);
  plan.kind = DotPlan::Kind::Mma;
  plan.result = layout::mmaAccumulatorLayout(shape, warps);
  plan.lhs = layout::mmaOperandLayout(lhs, layout::DotOperand::A, warps, contiguous);
  plan.rhs = layout::mmaOperandLayout(rhs, layout::DotOperand::B, warps, contiguous);
  return plan;
}

bool usesTensorCores(tile::DotOp op, const Options &options) {
  DotPlan::Kind kind = planDot(op, options).kind;
  return kind == DotPlan::Kind::Wgmma || kind == DotPlan::Kind::Mma;
}

static bool isOutside(Value tile, scf::ForOp loop) { return !loop.getBodyRegion().isAncestor(tile.getParentRegion()); }

// All sums, and operands from outside of the loop; of the others, which are read as the product goes on, a part.
static unsigned registersOfProducts(scf::ForOp loop, const Options &options) {
  constexpr unsigned kParts = 4;
  unsigned bits = 0;
  loop.walk([&](tile::DotOp dot) {
    DotPlan plan = planDot(dot, options);
    auto add = [&](Value tile, const LinearLayout &layout, bool isWhole) {
      unsigned all = layout.registers() * cast<RankedTensorType>(tile.getType()).getElementTypeBitWidth();
      bits += isWhole ? all : all / kParts;
    };
    add(dot.getResult(), plan.result, true);
    add(dot.getLhs(), plan.lhs, isOutside(dot.getLhs(), loop));
    add(dot.getRhs(), plan.rhs, isOutside(dot.getRhs(), loop));
  });
  return bits / 32;
}

bool isHeldByLoop(Value tile, tile::DotOp op, const Options &options) {
  constexpr unsigned kRest = 63; // registers of a thread for addresses and what else the loop computes
  auto loop = op->getParentOfType<scf::ForOp>();
  return loop && isOutside(tile, loop) &&
         registersOfProducts(loop, options) <= options.target.registersOfThread - kRest;
}

} // namespace nereid::gpu
