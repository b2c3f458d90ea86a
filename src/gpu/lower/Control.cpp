// Control.cpp: loops and branches. All threads of a block go the same way: conditions are scalars.
#include "gpu/lower/Lowering.h"

#include "gpu/products/DotPlan.h"

using namespace mlir;

namespace nereid::gpu {

// On a `for`, or on what computes the condition of a `while`: code stays inside of the loop.
constexpr const char *kStaysAttribute = "tile.disable_licm";

void Lowering::emitIf(llvm::Value *condition, llvm::function_ref<void()> then) {
  auto *inside = llvm::BasicBlock::Create(context, "then", function);
  auto *after = llvm::BasicBlock::Create(context, "after", function);
  builder.CreateCondBr(condition, inside, after);
  builder.SetInsertPoint(inside);
  then();
  builder.CreateBr(after);
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
}

Values Lowering::emitLoop(llvm::Value *count, llvm::ArrayRef<llvm::Value *> start,
                          llvm::function_ref<Values(llvm::Value *, llvm::ArrayRef<llvm::Value *>)> body) {
  auto *before = builder.GetInsertBlock();
  auto *head = llvm::BasicBlock::Create(context, "loop", function);
  auto *after = llvm::BasicBlock::Create(context, "endloop", function);
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::PHINode *index = builder.CreatePHI(count->getType(), 2);
  index->addIncoming(llvm::ConstantInt::get(count->getType(), 0), before);
  llvm::SmallVector<llvm::PHINode *> phis;
  Values carried;
  for (llvm::Value *value : start) {
    phis.push_back(builder.CreatePHI(value->getType(), 2));
    phis.back()->addIncoming(value, before);
    carried.push_back(phis.back());
  }
  Values next = body(index, carried);
  llvm::Value *following = builder.CreateAdd(index, llvm::ConstantInt::get(count->getType(), 1));
  auto *last = builder.GetInsertBlock();
  index->addIncoming(following, last);
  for (auto [phi, value] : llvm::zip(phis, next))
    phi->addIncoming(value, last);
  builder.CreateCondBr(builder.CreateICmpULT(following, count), head, after);
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
  return next;
}

// Products that were still under way in the last iteration are awaited, on the way on which the loop has run.
static void drain(Lowering &lowering, scf::ForOp op, Values &ends) {
  llvm::SmallVector<unsigned> places;
  llvm::SmallVector<llvm::Value *> tiles;
  for (auto [i, value] : llvm::enumerate(op.getYieldedValues())) {
    if (auto branch = value.getDefiningOp<scf::IfOp>()) // a sum that starts anew, or goes on (ResetSums.h)
      value = branch.elseYield().getOperand(cast<OpResult>(value).getResultNumber());
    if (Operation *made = value.getDefiningOp(); made && made->hasAttr(warp::kAsyncAttribute)) {
      places.push_back(i);
      tiles.push_back(ends[i]);
    }
  }
  lowering.instructions.waitForProducts(lowering, 0, tiles);
  for (auto [place, tile] : llvm::zip(places, tiles))
    ends[place] = tile;
}

// LLVM writes the zeros that an accumulator starts with into registers twice: for the loop and for the way around it.
// Written here, once, they save the assembler a twentieth of its time for a large tile. As a side effect: the zeros of
// two loops would be one value otherwise, which holds its registers throughout the first.
static llvm::Value *inRegisters(Lowering &lowering, llvm::Value *start) {
  constexpr unsigned kFewest = 16, kMost = 256; // more do not fit into the registers of a thread
  auto *constant = llvm::dyn_cast<llvm::Constant>(start);
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(start->getType());
  if (!constant || !constant->isNullValue() || !type || type->getScalarSizeInBits() != 32 ||
      type->getNumElements() < kFewest || type->getNumElements() > kMost)
    return start;
  return lowering.pack(lowering.instructions.zeros(type));
}

// Whether the assembler may unroll the loop as it sees fit, which lets several loads be on their way at once. Loops with
// products and copies are scheduled here.
static bool isForAssembler(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([](Operation *op) {
                bool isScheduled = isa<tile::DotOp>(op) ||
                                   (isa<warp::WarpDialect>(op->getDialect()) && !isa<warp::ConvertLayoutOp>(op));
                return isScheduled ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

// How many iterations a loop has that is run at all. Known before the loop, so that the assembler can count, too; a step past
// the end of the number range ends the loop, and so does one that does not go upwards.
static llvm::Value *countIterations(llvm::IRBuilder<> &builder, llvm::Value *low, llvm::Value *high, llvm::Value *step,
                                    bool isUnsigned) {
  llvm::Value *one = llvm::ConstantInt::get(step->getType(), 1);
  llvm::Value *isUpwards = isUnsigned ? builder.CreateICmpNE(step, llvm::ConstantInt::get(step->getType(), 0))
                                      : builder.CreateICmpSGE(step, one);
  llvm::Value *least = builder.CreateSub(builder.CreateSub(high, low), one);
  llvm::Value *iterations = builder.CreateUDiv(least, builder.CreateSelect(isUpwards, step, one));
  return builder.CreateSelect(isUpwards, builder.CreateAdd(iterations, one), one);
}

// Whether the number of iterations has no sign bit. Then it is compared as a signed number, and the assembler unrolls the loop as
// it is; otherwise it parts the first iteration off, whose loads are waited for alone.
static bool hasSmallCount(llvm::Value *low, llvm::Value *step, bool isUnsigned) {
  auto *first = llvm::dyn_cast<llvm::ConstantInt>(low), *by = llvm::dyn_cast<llvm::ConstantInt>(step);
  return (by && by->getValue().sgt(1)) || (!isUnsigned && first && !first->isNegative());
}

// Guarded, then do-while: a loop that runs at all has no way around its body (the assembler serializes tensor-core
// pipelines otherwise).
template <> void Lowering::lower(scf::ForOp op) {
  llvm::Value *low = get(op.getLowerBound()), *high = get(op.getUpperBound()), *step = get(op.getStep());
  auto goesOn = [&](llvm::Value *index) {
    return op.getUnsignedCmp() ? builder.CreateICmpULT(index, high) : builder.CreateICmpSLT(index, high);
  };
  Values starts;
  for (Value init : op.getInitArgs())
    starts.push_back(formsAddresses() ? inRegisters(*this, get(init)) : get(init));
  auto *body = llvm::BasicBlock::Create(context, "for", function);
  auto *exit = llvm::BasicBlock::Create(context, "endfor", function);
  llvm::Value *iterations =
      isForAssembler(op) ? countIterations(builder, low, high, step, op.getUnsignedCmp()) : nullptr;
  bool isSmall =
      iterations && iterations->getType()->getIntegerBitWidth() >= 32 && hasSmallCount(low, step, op.getUnsignedCmp());
  if (isSmall && !llvm::isa<llvm::Constant>(iterations))
    iterations = instructions.hidden(iterations); // LLVM would compare without the sign
  auto *before = builder.GetInsertBlock();
  builder.CreateCondBr(goesOn(low), body, exit);
  builder.SetInsertPoint(body);
  llvm::PHINode *iteration = iterations ? builder.CreatePHI(iterations->getType(), 2, "iteration") : nullptr;
  llvm::PHINode *index = builder.CreatePHI(low->getType(), 2, "k");
  index->addIncoming(low, before);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (auto [argument, start] : llvm::zip(op.getRegionIterArgs(), starts)) {
    phis.push_back(builder.CreatePHI(start->getType(), 2));
    phis.back()->addIncoming(start, before);
    set(argument, phis.back());
  }
  set(op.getInductionVar(), index);
  lowerBlock(*op.getBody());
  if (hasFailed())
    return;
  llvm::Value *next = builder.CreateAdd(index, step);
  auto *last = builder.GetInsertBlock();
  index->addIncoming(next, last);
  Values ends;
  for (auto [phi, value] : llvm::zip(phis, op.getYieldedValues())) {
    ends.push_back(get(value));
    phi->addIncoming(ends.back(), last);
  }
  llvm::Value *isMore;
  if (iteration) {
    llvm::Value *nextIteration =
        builder.CreateAdd(iteration, llvm::ConstantInt::get(iteration->getType(), 1), "", true, isSmall);
    iteration->addIncoming(llvm::ConstantInt::get(iteration->getType(), 0), before);
    iteration->addIncoming(nextIteration, last);
    isMore =
        isSmall ? builder.CreateICmpSLT(nextIteration, iterations) : builder.CreateICmpULT(nextIteration, iterations);
  } else {
    // A step past the end of the number range ends the loop too.
    isMore = builder.CreateAnd(goesOn(next), op.getUnsignedCmp() ? builder.CreateICmpUGT(next, index)
                                                                 : builder.CreateICmpSGT(next, index));
  }
  auto *done = llvm::BasicBlock::Create(context, "done", function);
  llvm::Instruction *branch = builder.CreateCondBr(isMore, body, done);
  if (auto stays = op->getAttrOfType<BoolAttr>(kStaysAttribute); stays && stays.getValue())
    keepCodeInside(branch);
  builder.SetInsertPoint(done);
  if (op->hasAttr(warp::kDrainAttribute))
    drain(*this, op, ends);
  last = builder.GetInsertBlock();
  builder.CreateBr(exit);
  exit->moveAfter(&function->back());
  builder.SetInsertPoint(exit);
  for (auto [result, start, end] : llvm::zip(op.getResults(), starts, ends)) {
    llvm::PHINode *phi = builder.CreatePHI(start->getType(), 2);
    phi->addIncoming(start, before);
    phi->addIncoming(end, last);
    set(result, phi);
  }
}

template <> void Lowering::lower(scf::WhileOp op) {
  auto *before = builder.GetInsertBlock();
  auto *head = llvm::BasicBlock::Create(context, "while", function);
  auto *body = llvm::BasicBlock::Create(context, "do", function);
  auto *exit = llvm::BasicBlock::Create(context, "endwhile", function);
  Values starts;
  for (Value init : op.getInits())
    starts.push_back(get(init));
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::SmallVector<llvm::PHINode *> phis;
  for (auto [argument, start] : llvm::zip(op.getBeforeArguments(), starts)) {
    phis.push_back(builder.CreatePHI(start->getType(), 2));
    phis.back()->addIncoming(start, before);
    set(argument, phis.back());
  }
  lowerBlock(*op.getBeforeBody());
  if (hasFailed())
    return;
  scf::ConditionOp condition = op.getConditionOp();
  for (auto [argument, result, value] : llvm::zip(op.getAfterArguments(), op.getResults(), condition.getArgs())) {
    set(argument, get(value));
    set(result, get(value));
  }
  builder.CreateCondBr(get(condition.getCondition()), body, exit);
  body->moveAfter(&function->back());
  builder.SetInsertPoint(body);
  lowerBlock(*op.getAfterBody());
  if (hasFailed())
    return;
  for (auto [phi, value] : llvm::zip(phis, op.getYieldOp().getOperands()))
    phi->addIncoming(get(value), builder.GetInsertBlock());
  llvm::Instruction *branch = builder.CreateBr(head);
  Operation *compare = condition.getCondition().getDefiningOp();
  if (compare && compare->hasAttr(kStaysAttribute))
    keepCodeInside(branch);
  exit->moveAfter(&function->back());
  builder.SetInsertPoint(exit);
}

template <> void Lowering::lower(scf::IfOp op) {
  auto *then = llvm::BasicBlock::Create(context, "then", function);
  auto *otherwise = llvm::BasicBlock::Create(context, "else", function);
  auto *after = llvm::BasicBlock::Create(context, "endif", function);
  builder.CreateCondBr(get(op.getCondition()), then, otherwise);
  Values yields[2];
  llvm::BasicBlock *ends[2];
  for (unsigned i : {0u, 1u}) {
    llvm::BasicBlock *block = i ? otherwise : then;
    block->moveAfter(&function->back());
    builder.SetInsertPoint(block);
    Region &region = i ? op.getElseRegion() : op.getThenRegion();
    if (!region.empty()) {
      lowerBlock(region.front());
      for (Value value : region.front().getTerminator()->getOperands())
        yields[i].push_back(get(value));
    }
    if (hasFailed())
      return;
    ends[i] = builder.GetInsertBlock();
    builder.CreateBr(after);
  }
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    llvm::PHINode *phi = builder.CreatePHI(yields[0][i]->getType(), 2);
    phi->addIncoming(yields[0][i], ends[0]);
    phi->addIncoming(yields[1][i], ends[1]);
    set(result, phi);
  }
}

void addControlOps(OpTable &table) { table.add<scf::ForOp, scf::WhileOp, scf::IfOp>(); }

} // namespace nereid::gpu
