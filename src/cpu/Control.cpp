// Control.cpp: loops and branches. Scalars that go round are phis; tiles that go round live in one buffer each,
// computed in place where nothing reads the old value any more.
#include "codegen/LoopStep.h"
#include "cpu/Lowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace nereid::cpu {

// `value` may be written over the tile `old` when it is computed: all reads of `old` come before, or happen in the same
// op at the same element.
static bool mayReplace(Value old, Value value, Block &body) {
  Operation *writer = value.getDefiningOp();
  if (!writer || writer->getBlock() != &body || old.getType() != value.getType())
    return false;
  auto dot = dyn_cast<tile::DotOp>(writer);
  if (!isElementwise(writer) && !dot)
    return false;
  llvm::SmallVector<Value> work{old};
  while (!work.empty()) {
    Value current = work.pop_back_val();
    for (OpOperand &use : current.getUses()) {
      Operation *user = use.getOwner(), *at = body.findAncestorOpInBlock(*user);
      if (!at || isa<scf::YieldOp>(user))
        return false;
      if (user->hasTrait<tile::Rearranges>() || user->hasTrait<tile::SameBits>()) {
        // Read at other elements: only before the op that writes, in a nest of another shape.
        if (tile::shapeOf(user->getResult(0).getType()) == tile::shapeOf(old.getType()))
          return false;
        work.append(user->result_begin(), user->result_end());
        continue;
      }
      if (at == writer) {
        bool isSameElement = current == old && (!dot || &use == &dot.getAccMutable());
        if (!isSameElement)
          return false;
      } else if (!at->isBeforeInBlock(writer)) {
        return false;
      }
    }
  }
  return true;
}

void Lowering::assignInPlace(Block &body, ValueRange carried, ValueRange yielded) {
  for (auto [old, value] : llvm::zip(carried, yielded)) {
    if (!isTile(old.getType()) || !mayReplace(old, value, body) || llvm::count(yielded, value) != 1)
      continue;
    Buffer place = *findBuffer(old);
    assigned[value] = place;
    // A product adds to its accumulator in place: what is computed for it alone goes there at once.
    Value source = value;
    while (auto dot = source.getDefiningOp<tile::DotOp>()) {
      source = dot.getAcc();
      if (source == old || !source.hasOneUse() || !mayReplace(old, source, body))
        break;
      assigned[source] = place;
    }
  }
}

// At the end of an iteration: what was not computed in place is copied, all reads before all writes.
void Lowering::finishCarried(ValueRange yielded, ArrayRef<Buffer> targets) {
  llvm::SmallVector<std::pair<Value, Buffer>> pending;
  for (auto [value, target] : llvm::zip(yielded, targets)) {
    if (!isTile(value.getType()))
      continue;
    const Buffer *now = findBuffer(value);
    if (!now || now->data != target.data || now->strides != target.strides)
      pending.push_back({value, target});
  }
  if (pending.size() == 1)
    return copyTo(pending[0].first, pending[0].second);
  llvm::SmallVector<Buffer> temporaries;
  for (auto &[value, target] : pending) {
    temporaries.push_back(allocate(value.getType(), Value()));
    copyTo(value, temporaries.back());
  }
  for (size_t i = 0; i < pending.size(); ++i) {
    Value value = pending[i].first;
    Buffer saved = findBuffer(value) ? *findBuffer(value) : Buffer();
    buffers[value] = temporaries[i];
    copyTo(value, pending[i].second);
    if (saved.data)
      buffers[value] = saved;
    else
      buffers.erase(value);
  }
}

// What a region computed does not exist where it did not run: tiles of values around it.
void Lowering::leaveRegion(llvm::DenseMap<Value, Buffer> &outside) {
  buffers = std::move(outside);
  prefetcher.distribute();
}

// Before a loop: the tiles that it carries get buffers, which belong to `owners` where there are any.
llvm::SmallVector<Buffer> Lowering::placeCarried(ValueRange inits, ValueRange arguments, ValueRange owners) {
  llvm::SmallVector<Buffer> places(inits.size());
  for (auto [i, init] : llvm::enumerate(inits))
    if (isTile(init.getType())) {
      places[i] = allocate(init.getType(), owners.empty() ? Value() : owners[i]);
      copyTo(init, places[i]);
      buffers[arguments[i]] = places[i];
    }
  return places;
}

// In the head of a loop: the scalars that it carries; null for the tiles.
llvm::SmallVector<llvm::PHINode *> Lowering::carryScalars(ValueRange inits, ValueRange arguments,
                                                          llvm::BasicBlock *before) {
  llvm::SmallVector<llvm::PHINode *> phis(inits.size());
  for (auto [i, init] : llvm::enumerate(inits))
    if (!isTile(init.getType())) {
      phis[i] = builder.CreatePHI(typeOf(init.getType()), 2);
      phis[i]->addIncoming(scalar(init), before);
      scalars[arguments[i]] = phis[i];
    }
  return phis;
}

// At the end of an iteration.
void Lowering::passScalars(ValueRange yielded, ArrayRef<llvm::PHINode *> phis) {
  for (auto [value, phi] : llvm::zip(yielded, phis))
    if (phi)
      phi->addIncoming(scalar(value), builder.GetInsertBlock());
}

// Loops of a few iterations end by themselves soon enough.
static bool isShort(scf::ForOp op) {
  constexpr int64_t kFewTrips = 64;
  std::optional<llvm::APInt> trips = op.getStaticTripCount();
  return trips && trips->ult(kFewTrips);
}

template <> void Lowering::lower(scf::ForOp op) {
  flush();
  llvm::Value *low = scalar(op.getLowerBound()), *high = scalar(op.getUpperBound()), *step = scalar(op.getStep());
  bool mayStandStill = codegen::mayStandStill(op), mayTakeLong = !isShort(op);
  uint32_t site = mayStandStill || mayTakeLong ? siteOf(op, Site::Kind::Loop, "") : 0;
  if (mayStandStill)
    emitIf(codegen::standsStill(builder, op, step), [&] { emitFailure(site); });
  llvm::SmallVector<Buffer> places = placeCarried(op.getInitArgs(), op.getRegionIterArgs(), op.getResults());
  auto less = [&](llvm::Value *a, llvm::Value *b) {
    return op.getUnsignedCmp() ? builder.CreateICmpULT(a, b) : builder.CreateICmpSLT(a, b);
  };
  auto *body = llvm::BasicBlock::Create(context, "for", function);
  auto *exit = llvm::BasicBlock::Create(context, "endfor", function);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  builder.CreateCondBr(less(low, high), body, exit);
  builder.SetInsertPoint(body);
  llvm::PHINode *index = builder.CreatePHI(low->getType(), 2, "k");
  index->addIncoming(low, before);
  llvm::SmallVector<llvm::PHINode *> phis = carryScalars(op.getInitArgs(), op.getRegionIterArgs(), before);
  if (mayTakeLong)
    emitLook(site);
  auto outside = buffers;
  scalars[op.getInductionVar()] = index;
  assignInPlace(*op.getBody(), op.getRegionIterArgs(), op.getYieldedValues());
  lowerBlock(*op.getBody());
  currentOp = op;
  finishCarried(op.getYieldedValues(), places);
  passScalars(op.getYieldedValues(), phis);
  // An index past the end might wrap around: what is left is compared, and the next index is used where it is one.
  llvm::BasicBlock *latch = builder.GetInsertBlock();
  llvm::Value *next = builder.CreateAdd(index, step, "", op.getUnsignedCmp(), !op.getUnsignedCmp());
  index->addIncoming(next, latch);
  auto *constant = llvm::dyn_cast<llvm::ConstantInt>(step);
  llvm::Value *more =
      constant && constant->isOne() ? less(next, high) : builder.CreateICmpUGT(builder.CreateSub(high, index), step);
  builder.CreateCondBr(more, body, exit);
  exit->moveAfter(&function->back());
  builder.SetInsertPoint(exit);
  leaveRegion(outside);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (phis[i]) {
      llvm::PHINode *merged = builder.CreatePHI(phis[i]->getType(), 2);
      merged->addIncoming(phis[i]->getIncomingValueForBlock(before), before);
      merged->addIncoming(phis[i]->getIncomingValueForBlock(latch), latch);
      scalars[result] = merged;
    } else {
      buffers[result] = places[i];
    }
  }
  releaseBlock(*op.getBody());
}

// A loop that reads what other programs write: it may go round until they have.
static bool isWait(scf::WhileOp op) {
  return op
      .walk([](Operation *inner) {
        auto load = dyn_cast<tile::LoadOp>(inner);
        bool reads = inner->hasTrait<tile::Atomic>() || (load && load.getIsVolatile());
        return reads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

// It does nothing else: nobody gains from its iterations.
static bool isOnlyWait(scf::WhileOp op) {
  return !op.walk([](Operation *inner) {
              bool waits = inner->hasTrait<tile::WaitsForOthers>() || isa<tile::LoadOp>(inner);
              bool isPlain =
                  inner->getNumRegions() > 0 || inner->hasTrait<OpTrait::IsTerminator>() || isMemoryEffectFree(inner);
              return waits || isPlain ? WalkResult::advance() : WalkResult::interrupt();
            }).wasInterrupted();
}

template <> void Lowering::lower(scf::WhileOp op) {
  flush();
  llvm::Value *isFirst = isWait(op) ? beginWait() : nullptr;
  Block &test = op.getBefore().front(), &inside = op.getAfter().front();
  auto condition = cast<scf::ConditionOp>(test.getTerminator());
  llvm::SmallVector<Buffer> places = placeCarried(op.getInits(), test.getArguments(), {}), passed(op.getNumResults());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (isTile(result.getType())) {
      passed[i] = allocate(result.getType(), result);
      buffers[inside.getArgument(i)] = passed[i];
      buffers[result] = passed[i];
    }
  auto *head = llvm::BasicBlock::Create(context, "while", function);
  auto *body = llvm::BasicBlock::Create(context, "iteration", function);
  auto *exit = llvm::BasicBlock::Create(context, "endwhile", function);
  llvm::BasicBlock *before = builder.GetInsertBlock();
  builder.CreateBr(head);
  builder.SetInsertPoint(head);
  llvm::SmallVector<llvm::PHINode *> phis = carryScalars(op.getInits(), test.getArguments(), before);
  lowerBlock(test);
  currentOp = op;
  finishCarried(condition.getArgs(), passed);
  for (auto [i, value] : llvm::enumerate(condition.getArgs()))
    if (!isTile(value.getType()))
      scalars[inside.getArgument(i)] = scalars[op.getResult(i)] = scalar(value);
  builder.CreateCondBr(scalar(condition.getCondition()), body, exit);
  builder.SetInsertPoint(body);
  if (isFirst)
    emitWait(op, isFirst, isOnlyWait(op));
  else
    emitLook(siteOf(op, Site::Kind::Loop, ""));
  auto outside = buffers;
  lowerBlock(inside);
  currentOp = op;
  auto yield = cast<scf::YieldOp>(inside.getTerminator());
  finishCarried(yield.getOperands(), places);
  passScalars(yield.getOperands(), phis);
  builder.CreateBr(head);
  exit->moveAfter(&function->back());
  builder.SetInsertPoint(exit);
  leaveRegion(outside);
  releaseBlock(test);
  releaseBlock(inside);
}

template <> void Lowering::lower(scf::IfOp op) {
  flush();
  llvm::SmallVector<Buffer> places(op.getNumResults());
  for (auto [i, result] : llvm::enumerate(op.getResults()))
    if (isTile(result.getType()))
      places[i] = allocate(result.getType(), result);
  auto *yes = llvm::BasicBlock::Create(context, "if", function);
  auto *no = llvm::BasicBlock::Create(context, "else", function);
  auto *after = llvm::BasicBlock::Create(context, "endif", function);
  builder.CreateCondBr(scalar(op.getCondition()), yes, no);
  llvm::SmallVector<llvm::SmallVector<std::pair<llvm::Value *, llvm::BasicBlock *>>> incoming(op.getNumResults());
  auto branch = [&](Region &region, llvm::BasicBlock *block) {
    builder.SetInsertPoint(block);
    auto outside = buffers;
    if (!region.empty()) {
      lowerBlock(region.front());
      currentOp = op;
      Operation *yield = region.front().getTerminator();
      for (auto [i, value] : llvm::enumerate(yield->getOperands()))
        if (isTile(value.getType()))
          copyTo(value, places[i]);
      for (auto [i, value] : llvm::enumerate(yield->getOperands()))
        if (!isTile(value.getType()))
          incoming[i].push_back({scalar(value), builder.GetInsertBlock()});
      releaseBlock(region.front());
    }
    leaveRegion(outside);
    builder.CreateBr(after);
  };
  branch(op.getThenRegion(), yes);
  branch(op.getElseRegion(), no);
  after->moveAfter(&function->back());
  builder.SetInsertPoint(after);
  for (auto [i, result] : llvm::enumerate(op.getResults())) {
    if (isTile(result.getType())) {
      buffers[result] = places[i];
      continue;
    }
    llvm::PHINode *phi = builder.CreatePHI(typeOf(result.getType()), 2);
    for (auto &[value, block] : incoming[i])
      phi->addIncoming(value, block);
    scalars[result] = phi;
  }
}

void addControlOps(OpTable &table) { table.add<scf::ForOp, scf::WhileOp, scf::IfOp>(); }

} // namespace nereid::cpu
