// Specialize.cpp: the warps of a block part. Consumers come first, so that their threads have the numbers they have
// without producers.
#include "gpu/lower/Lowering.h"

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
  lowerBlock(op.getConsumer().front());
  builder.CreateBr(join);
  join->moveAfter(&function->back());
  builder.SetInsertPoint(join);
}

void addSpecializeOps(OpTable &table) { table.add<warp::SpecializeOp>(); }

} // namespace nereid::gpu
