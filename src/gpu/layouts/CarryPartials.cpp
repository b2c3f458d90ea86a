// CarryPartials.cpp: a loop that reduces a tile in every iteration, only to combine the result with what it carries, carries
// what each thread has instead: the iterations reduce inside threads, and lanes and warps meet once, behind the loop. The
// parts take as many registers as the result did, of which all threads along the axis had a copy.
//
//   before  scf.for … iter_args(%sum = %start) {
//             %columns = tile.reduce %x {axis = 0} : tensor<64x64xf32, "register 1@1 8@0 …, lane 2..4@1 1..4@0, warp 16..32@0"> …
//             %next = arith.addf %sum, %columns
//             scf.yield %next }
//   after   %parts = scf.for … iter_args(%sums = -0.0) {
//             %cut = tile.reshape %x : … -> tensor<4x2x8x64xf32>
//             %part = tile.reduce %cut {axis = 1} : … -> tensor<4x8x64xf32>
//             %next = arith.addf %sums, %part
//             scf.yield %next }
//           %rows = tile.reshape %parts : … -> tensor<32x64xf32>
//           %all = tile.reduce %rows {axis = 0} : … -> tensor<64xf32>
//           %sum = arith.addf %start, %all
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "layout/LayoutMoves.h"
#include "transforms/FoldedReductions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;
using layout::LinearLayout;

namespace {

// A piece of the axis: neighbouring bits of an index that are all in registers, or all not.
struct Piece {
  int64_t extent;
  bool isInRegisters;
};

} // namespace

// The pieces of the axis, slowest first. None where a step of a register, lane or warp is not along a single axis and by
// a power of two.
static llvm::SmallVector<Piece> piecesOf(const LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<bool> inRegisters(llvm::Log2_64(uint64_t(layout.shape()[axis])), false);
  for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit) {
      unsigned step = layout.basis(dim, bit, layout::axisDim(axis));
      if (step == 0)
        continue;
      if (!llvm::isPowerOf2_32(step))
        return {};
      for (unsigned other = 0; other < layout.rank(); ++other)
        if (other != axis && layout.basis(dim, bit, layout::axisDim(other)) != 0)
          return {};
      inRegisters[llvm::Log2_32(step)] = dim == Dim::Register;
    }
  llvm::SmallVector<Piece> pieces;
  for (bool isInRegisters : llvm::reverse(inRegisters)) {
    if (pieces.empty() || pieces.back().isInRegisters != isInRegisters)
      pieces.push_back({1, isInRegisters});
    pieces.back().extent *= 2;
  }
  return pieces;
}

// Whether lanes or warps must meet for the result.
static bool meets(llvm::ArrayRef<Piece> pieces) {
  return llvm::any_of(pieces, [](const Piece &piece) { return !piece.isInRegisters; });
}

static Value reshaped(OpBuilder &builder, Value tile, llvm::ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getShape() == shape)
    return tile;
  auto result = warp::withLayout(RankedTensorType::get(shape, type.getElementType()),
                                 layout::reshapeLayout(warp::layoutOf(type), llvm::SmallVector<int64_t, 4>(shape)));
  return tile::ReshapeOp::create(builder, tile.getLoc(), result, tile, false);
}

// What each thread has, with the pieces of the axis that it has not.
static Value reducedInThreads(OpBuilder &builder, tile::ReduceOp reduce, llvm::ArrayRef<Piece> pieces) {
  Value tile = reduce.getSources().front();
  auto type = cast<RankedTensorType>(tile.getType());
  unsigned axis = reduce.getAxis();
  llvm::SmallVector<int64_t> shape(type.getShape().take_front(axis));
  for (const Piece &piece : pieces)
    shape.push_back(piece.extent);
  llvm::append_range(shape, type.getShape().drop_front(axis + 1));
  tile = reshaped(builder, tile, shape);
  for (unsigned i = pieces.size(); i-- > 0;) {
    if (!pieces[i].isInRegisters)
      continue;
    shape.erase(shape.begin() + axis + i);
    auto result = warp::withLayout(RankedTensorType::get(shape, type.getElementType()),
                                   layout::sliceLayout(warp::layoutOf(tile.getType()), axis + i));
    tile = transforms::reduceLike(builder, reduce, tile, axis + i, result);
  }
  return tile;
}

static void carry(const transforms::Folded &folded) {
  tile::ReduceOp reduce = folded.reduce;
  auto type = cast<RankedTensorType>(reduce.getSources().front().getType());
  unsigned axis = reduce.getAxis();
  llvm::SmallVector<Piece> pieces = piecesOf(warp::layoutOf(type), axis);
  if (!meets(pieces))
    return;
  Type result = reduce.getResult(0).getType();
  OpBuilder builder(reduce);
  Value part = reducedInThreads(builder, reduce, pieces);
  // Where shared memory is given back behind the loop, only after that: the last reduction may want it.
  OpBuilder behind(reduce.getContext());
  Operation *last = folded.loop;
  while (isa<warp::ReleaseOp, warp::ArriveOp>(last->getNextNode()))
    last = last->getNextNode();
  behind.setInsertionPointAfter(last);
  transforms::carryParts(folded, part, behind, [&](Value parts) {
    llvm::SmallVector<int64_t> shape(type.getShape());
    shape[axis] = 1;
    for (const Piece &piece : pieces)
      shape[axis] *= piece.isInRegisters ? 1 : piece.extent;
    return transforms::reduceLike(behind, reduce, reshaped(behind, parts, shape), axis, result);
  });
}

static void carryPartials(func::FuncOp kernel) {
  for (const transforms::Folded &folded : transforms::foldedReductions(kernel))
    carry(folded);
}

namespace {

struct CarryPartialsPass : PlanPass<CarryPartialsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CarryPartialsPass)
  StringRef getArgument() const final { return "warp-carry-partials"; }
  StringRef getDescription() const final {
    return "Carry what threads have through loops that only combine reductions";
  }
  void runOnOperation() final { carryPartials(getOperation()); }
};

} // namespace

PassPtr createCarryPartialsPass(const Options &options) { return std::make_unique<CarryPartialsPass>(options); }

} // namespace nereid::gpu
