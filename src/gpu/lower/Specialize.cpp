// Specialize.cpp: the warps of a block part. Consumers come first, so that their threads have the numbers they have
// without producers.
#include "gpu/lower/Lowering.h"
#include "gpu/lower/Turns.h"

#include "gpu/pipeline/SpecializeWarps.h"

using namespace mlir;

namespace nereid::gpu {

unsigned Lowering::threadCount() const {
  return (options.numWarps + (isSpecialized ? kProducerWarps : 0)) * options.target.warpSize;
}

// Registers move from the producers to the consumers, where the sums of a product take so many that the consumers would
// have too few. With four warps each thread has all it can name anyway.
static bool movesRegisters(Lowering &lowering, warp::SpecializeOp op) {
  unsigned most = 0;
  op.getConsumer().walk(
      [&](tile::DotOp dot) { most = std::max(most, warp::layoutOf(dot.getResult().getType()).registers()); });
  return lowering.options.numWarps == 8 && most >= 64;
}

static void setRegisters(Lowering &lowering, bool isProducer) {
  constexpr unsigned kProducer = 40, kConsumer = 232;
  if (isProducer)
    lowering.instructions.giveRegisters(kProducer);
  else
    lowering.instructions.takeRegisters(kConsumer);
}

static bool hasTurns(Lowering &lowering, warp::SpecializeOp op) {
  return op.getConsumer()
      .walk(
          [&](tile::DotOp dot) { return takesTurns(lowering, dot) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

static void emitForGroup(Lowering &lowering, unsigned group, llvm::function_ref<void(Lowering &)> emit) {
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(lowering.context, name, lowering.function); };
  llvm::BasicBlock *only = block("turn"), *rest = block("turned");
  llvm::IRBuilder<> &builder = lowering.builder;
  builder.CreateCondBr(builder.CreateICmpEQ(lowering.warpGroup, builder.getInt32(group)), only, rest);
  builder.SetInsertPoint(only);
  emit(lowering);
  builder.CreateBr(rest);
  builder.SetInsertPoint(rest);
}

template <> void Lowering::lower(warp::SpecializeOp op) {
  auto block = [&](const char *name) { return llvm::BasicBlock::Create(context, name, function); };
  llvm::BasicBlock *producers = block("producers"), *producer = block("producer"), *consumer = block("consumer"),
                   *join = block("join");
  unsigned first = options.threads();
  bool moves = movesRegisters(*this, op);
  llvm::Value *warp = shuffleFrom(builder.CreateLShr(thread, 5), builder.getInt32(0));
  builder.CreateCondBr(builder.CreateICmpUGE(warp, builder.getInt32(options.numWarps)), producers, consumer);

  builder.SetInsertPoint(producers);
  if (moves)
    setRegisters(*this, true);
  // Rows are copied by all threads of the producer; for blocks one of them asks.
  if (copiesRows(op))
    builder.CreateBr(producer);
  else
    builder.CreateCondBr(builder.CreateICmpEQ(thread, builder.getInt32(first)), producer, join);
  builder.SetInsertPoint(producer);
  isProducer = true;
  lowerBlock(op.getProducer().front());
  isProducer = false;
  builder.CreateBr(join);

  consumer->moveAfter(&function->back());
  builder.SetInsertPoint(consumer);
  if (moves)
    setRegisters(*this, false);
  buffers.setThreads(first);
  // The first turn is given at the start, and the last one that was given is taken at the end.
  bool inTurns = hasTurns(*this, op);
  if (inTurns)
    emitForGroup(*this, 1, giveTurn);
  lowerBlock(op.getConsumer().front());
  if (inTurns)
    emitForGroup(*this, 0, takeTurn);
  builder.CreateBr(join);
  join->moveAfter(&function->back());
  builder.SetInsertPoint(join);
}

void addSpecializeOps(OpTable &table) { table.add<warp::SpecializeOp>(); }

} // namespace nereid::gpu
