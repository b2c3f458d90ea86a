// Instructions.h: what a thread of a GPU can do that LLVM has no word for: who it is, what it exchanges with others, when it
// waits for them. Lowering asks for it here; the folder of the vendor says how (nvidia/Instructions.cpp).
#pragma once

#include "llvm/IR/IRBuilder.h"

namespace nereid::gpu {

// At the builder's place.
class Instructions {
public:
  explicit Instructions(llvm::IRBuilder<> &builder) : builder(builder) {}

  // ---- Who it is.
  llvm::Value *thread();                      // its number in the block
  llvm::Value *program(unsigned axis);        // the block's number in the grid
  llvm::Value *programs(unsigned axis);       // how many there are
  llvm::Value *time();                        // in nanoseconds
  llvm::Value *special(llvm::StringRef name); // of the language: globaltimer, smid, clock
  // What the code generator must know of a kernel: its threads, and for how many registers it is worth to have few blocks.
  static void markKernel(llvm::Function &kernel, unsigned threads);
  static void limitRegisters(llvm::Function &kernel, unsigned registers);
  static void fitBlocks(llvm::Function &kernel, unsigned blocks); // so many on a multiprocessor

  // ---- Words of 32 bits from another lane of the warp.
  llvm::Value *shuffleXor(llvm::Value *word, unsigned mask);
  llvm::Value *shuffleFrom(llvm::Value *word, llvm::Value *lane);
  llvm::Value *shuffleUp(llvm::Value *word, unsigned distance);

  // ---- Waiting for others.
  llvm::Value *barrier();                                      // of all threads of the block
  llvm::Value *barrier(llvm::Value *number, unsigned threads); // of so many that name this number; 0 is that of all
  void warpBarrier();
  llvm::Value *anyInBlock(llvm::Value *condition); // a barrier, too
  // Whether a call is a barrier that all pass who use shared memory: one whose number is computed is of a group of warps.
  static bool isBarrierOfAll(const llvm::CallInst &call);
  void startDependentGrids();
  void waitForEarlierGrids();
  // All warps of a group together: each thread has so many registers from here on, fewer or more than before.
  void giveRegisters(unsigned count);
  void takeRegisters(unsigned count);

  // ---- Shared memory: 8x8 matrices of 16-bit elements, 1, 2 or 4 at once; a word of each for a thread.
  llvm::SmallVector<llvm::Value *> loadMatrices(llvm::Value *address, unsigned count, bool isTransposed);
  void storeMatrices(llvm::Value *address, llvm::ArrayRef<llvm::Value *> words, bool isTransposed);

  // ---- Bytes in words, and numbers.
  // Four bytes of the eight that two words are; the lowest digit of `selection` chooses the lowest byte.
  llvm::Value *chooseBytes(llvm::Value *low, llvm::Value *high, uint32_t selection);
  // Two numbers of 32 bits cut to the range of bytes, below the two lower bytes of `rest`.
  llvm::Value *packBytes(llvm::Value *high, llvm::Value *low, llvm::Value *rest, bool isSigned);
  llvm::Value *widenE4m3(llvm::Value *pair); // of 16 bits, to two f16
  llvm::Value *narrowToE4m3(llvm::Value *high, llvm::Value *low), *narrowToE5m2(llvm::Value *high, llvm::Value *low);
  llvm::Value *reciprocal(llvm::Value *number); // of f32, within an ulp; what is denormal counts as 0
  // Zeros that are written into registers here, and nowhere else: a vector of 32-bit elements.
  llvm::SmallVector<llvm::Value *> zeros(llvm::FixedVectorType *type);
  llvm::Value *hidden(llvm::Value *number); // the same, of 32 or 64 bits, as LLVM knows nothing about

private:
  llvm::IRBuilder<> &builder;
};

} // namespace nereid::gpu
