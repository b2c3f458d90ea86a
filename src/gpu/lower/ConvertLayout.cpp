// ConvertLayout.cpp: brings a tile into another layout, by the plan that layout/Conversion.h makes.
#include "gpu/lower/SharedTile.h"

#include "gpu/layouts/PlanConversion.h"

namespace nereid::gpu {

using layout::ConversionPlan;
using layout::SharedPlan;
using layout::ShufflePlan;
using layout::WordExchange;

// Whether an odd number of the bits in `mask` is set in the thread's number.
static llvm::Value *isOdd(Lowering &lowering, unsigned mask) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Value *bits = builder.CreateAnd(lowering.thread, builder.getInt32(mask));
  if (llvm::popcount(mask) > 1)
    bits = builder.CreateAnd(builder.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), builder.getInt32(1));
  return builder.CreateICmpNE(bits, builder.getInt32(0));
}

static void exchangeWords(Lowering &lowering, Values &words, llvm::ArrayRef<WordExchange> exchanges) {
  for (const WordExchange &exchange : exchanges) {
    llvm::Value *condition = isOdd(lowering, exchange.threads);
    Values old = words;
    for (unsigned i = 0; i < words.size(); ++i)
      words[i] = lowering.builder.CreateSelect(condition, old[i ^ exchange.words], old[i]);
  }
}

// `bits`: a vector of integers, as the result.
static llvm::Value *emitShuffles(Lowering &lowering, const ShufflePlan &plan, llvm::Value *bits) {
  llvm::IRBuilder<> &builder = lowering.builder;
  llvm::Type *element = bits->getType()->getScalarType();
  unsigned wordBits = element->getIntegerBitWidth() * plan.elementsPerWord;
  auto vectorOf = [&](unsigned width, unsigned count) {
    return llvm::FixedVectorType::get(builder.getIntNTy(width), count);
  };

  llvm::SmallVector<int> slots(plan.slots.begin(), plan.slots.end()), results(plan.results.begin(), plan.results.end());
  llvm::Value *packed = lowering.shuffle(bits, slots);
  Values words =
      lowering.unpack(builder.CreateBitCast(packed, vectorOf(wordBits, slots.size() / plan.elementsPerWord)));
  exchangeWords(lowering, words, plan.before);

  bool keepsLanes = true;
  for (unsigned bit = 0; bit < plan.laneColumns.size(); ++bit)
    keepsLanes &= plan.laneColumns[bit] == (bit < 5 ? 1u << bit : 0);
  llvm::Value *from = keepsLanes ? nullptr : lowering.linearMap(lowering.thread, plan.laneColumns);
  Values received;
  for (const layout::ShuffleRound &round : plan.rounds) {
    llvm::Value *word = words[round.source];
    if (!round.isLocal)
      word = keepsLanes ? lowering.shuffleLanes(word, round.lane)
                        : lowering.shuffleFrom(word, builder.CreateXor(from, builder.getInt32(round.lane)));
    received.push_back(word);
  }
  exchangeWords(lowering, received, plan.after);
  llvm::Value *elements = builder.CreateBitCast(
      lowering.pack(received), vectorOf(element->getIntegerBitWidth(), received.size() * plan.elementsPerWord));
  return lowering.shuffle(elements, results);
}

static llvm::Value *emitShared(Lowering &lowering, const SharedPlan &plan, llvm::Value *base, llvm::Value *bits,
                               unsigned registers) {
  auto synchronize = [&] {
    if (plan.staysInWarp)
      lowering.instructions.warpBarrier();
    else
      lowering.barrier();
  };
  Values source = lowering.unpack(bits), result(registers);
  unsigned writes = plan.write.perRound(plan.rounds), reads = plan.read.perRound(plan.rounds);
  for (unsigned round = 0; round < plan.rounds; ++round) {
    // Lanes of a warp may still read what the last use left in its part.
    if (round || plan.staysInWarp)
      synchronize();
    writeShared(lowering, plan.write, round * writes, writes, base, source);
    synchronize();
    readShared(lowering, plan.read, round * reads, reads, base, bits->getType()->getScalarType(), result);
  }
  return lowering.pack(result);
}

template <> void Lowering::lower(warp::ConvertLayoutOp op) {
  llvm::Value *source = get(op.getSource());
  llvm::Type *type = typeOf(op.getResult().getType());
  ConversionPlan plan = planConversion(op, options);
  if (plan.kind == ConversionPlan::Kind::None)
    return set(op.getResult(), source);
  if (plan.kind == ConversionPlan::Kind::Registers) {
    llvm::SmallVector<int> registers(plan.registers.begin(), plan.registers.end());
    return set(op.getResult(), shuffle(source, registers));
  }
  llvm::Value *bits = toMemoryBits(*this, source);
  if (plan.kind == ConversionPlan::Kind::Shuffles) {
    bits = emitShuffles(*this, plan.shuffles, bits);
  } else {
    uint64_t bytesPerWarp = plan.shared.staysInWarp ? plan.shared.bytes / options.numWarps : 0;
    bits = emitShared(*this, plan.shared, beginScratch(op, plan.shared.bytes, bytesPerWarp), bits,
                      warp::layoutOf(op.getResult().getType()).registers());
  }
  set(op.getResult(), fromMemoryBits(*this, bits, type));
}

void addConvertLayoutOps(OpTable &table) { table.add<warp::ConvertLayoutOp>(); }

} // namespace nereid::gpu
