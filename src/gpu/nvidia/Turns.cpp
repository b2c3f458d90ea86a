// Turns.cpp: a barrier for each group, at which it waits and the other one arrives.
#include "gpu/lower/Turns.h"
#include "gpu/nvidia/InlinePtx.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace nereid::gpu {

// 0 to 3 are the barriers of all threads, of the consumers, and of groups that store.
static constexpr unsigned kFirstTurn = 4;

bool takesTurns(const Lowering &lowering, tile::DotOp dot) {
  bool isFresh = matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero());
  return isFresh && lowering.options.numWarps == 8 && !dot->hasAttr(warp::kAsyncAttribute) &&
         !dot->hasAttr(warp::kFreeAttribute) && !dot.getPlaces() && dot->getParentOfType<warp::SpecializeOp>();
}

bool sharesTurn(const Lowering &lowering, tile::DotOp dot, Neighbour which) {
  auto next = [&](Operation *op) { return which == Neighbour::Before ? op->getPrevNode() : op->getNextNode(); };
  Operation *op = next(dot);
  while (op && isa<warp::ReadOp, tile::TransOp>(op))
    op = next(op);
  auto other = dyn_cast_if_present<tile::DotOp>(op);
  return other && takesTurns(lowering, other);
}

bool standsApart(tile::DotOp dot) {
  if (!dot->hasAttr(warp::kFreeAttribute))
    return false;
  for (Operation *op = dot->getPrevNode(); op; op = op->getPrevNode())
    if (isa<tile::DotOp>(op))
      return true;
  return false;
}

// A loop that ends after one round, since no grid is empty. The assembler takes a loop away whose end is known before it.
void keepApart(Lowering &lowering) {
  callPtx(lowering.builder,
          "{\n.reg .pred isEmpty;\n.reg .b32 size;\nagain:\nmov.u32 size, %nctaid.z;\nsetp.eq.u32 isEmpty, size, "
          "0;\n@isEmpty bra "
          "again;\n}",
          "", {});
}

// The assembler would put the barrier before the work on the last result, whose time the other group's turn is. It moves nothing across
// a loop: this one, which ends after one round, since no grid is empty.
void takeTurn(Lowering &lowering) {
  llvm::IRBuilder<> &builder = lowering.builder;
  callPtx(
      builder,
      "{\n.reg .pred isEmpty;\n.reg .b32 size;\nagain:\nbarrier.cta.sync.aligned $0, $1;\nmov.u32 size, %nctaid.z;\n"
      "setp.eq.u32 isEmpty, size, 0;\n@isEmpty bra again;\n}",
      "r,n",
      {builder.CreateAdd(lowering.warpGroup, builder.getInt32(kFirstTurn)),
       builder.getInt32(lowering.options.numWarps * 32)});
}

void giveTurn(Lowering &lowering) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *other = builder.CreateSub(builder.getInt32(kFirstTurn + 1), lowering.warpGroup);
  callPtx(builder, "barrier.cta.arrive.aligned $0, $1;", "r,n",
          {other, builder.getInt32(lowering.options.numWarps * 32)});
}

} // namespace nereid::gpu
