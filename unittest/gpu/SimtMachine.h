// SimtMachine.h: runs the LLVM IR of a kernel for all threads of one block, as a GPU would: threads go their own ways
// until they meet at a shuffle, a barrier or a matrix instruction. Reports races in shared memory: two threads that
// access a byte, one of them writing, with no barrier between.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nereid::gpu {

class SimtMachine {
public:
  SimtMachine(llvm::Function &function, unsigned threads, unsigned sharedBytes, std::vector<uint8_t> &global);

  // The address of the first byte of global memory, for arguments.
  static constexpr uint64_t kGlobalStart = 0x10000000;

  // Runs to the end. False where something is wrong: `problem` says what.
  bool run(const std::vector<uint64_t> &arguments);
  std::string problem;
  unsigned barriers = 0; // that the block passed

private:
  // The elements of a vector or aggregate, or one scalar; each as its bits.
  using Lanes = std::vector<uint64_t>;

  struct Thread {
    unsigned index = 0;
    llvm::BasicBlock::iterator next;
    llvm::DenseMap<const llvm::Value *, Lanes> values;
    unsigned warpEpoch = 0;
    bool isDone = false;
    llvm::CallInst *waitsAt = nullptr;
  };
  // SameAgain writes what is there already: threads that hold copies may do so.
  enum class Access : uint8_t { Read, Write, SameAgain, Atomic };
  // Who accessed a byte of shared memory, and when.
  struct Stamp {
    unsigned thread, blockEpoch, warpEpoch;
    Access access;
  };
  struct ByteHistory {
    std::vector<Stamp> writes, reads; // since the last ordered write
  };

  bool fail(const std::string &message);
  Lanes valueOf(Thread &thread, const llvm::Value *value);
  uint64_t scalar(Thread &thread, const llvm::Value *value) { return valueOf(thread, value).front(); }

  void runUntilWait(Thread &thread);
  void execute(Thread &thread, llvm::Instruction &instruction);
  Lanes compute(Thread &thread, llvm::Instruction &instruction);
  Lanes binary(const llvm::BinaryOperator &op, const Lanes &left, const Lanes &right);
  Lanes cast(const llvm::CastInst &op, const Lanes &operand);
  Lanes address(Thread &thread, const llvm::GetElementPtrInst &op);
  Lanes plainCall(Thread &thread, llvm::CallInst &call);
  void jump(Thread &thread, llvm::BasicBlock *from, llvm::BasicBlock *to);

  Lanes load(Thread &thread, uint64_t pointer, bool isShared, unsigned elementBytes, unsigned count);
  void store(Thread &thread, uint64_t pointer, bool isShared, unsigned elementBytes, const Lanes &values);
  uint8_t *memory(uint64_t pointer, bool isShared, unsigned bytes);
  void touch(Thread &thread, uint64_t address, Access access);
  uint64_t addAtomically(Thread &thread, const llvm::AtomicRMWInst &op);
  bool isOrdered(const Stamp &stamp, const Thread &thread) const;

  bool meet();
  bool meetWarp(unsigned warp);
  bool meetBlock();
  void shuffleLanes(unsigned warp, llvm::CallInst *call, bool isButterfly);
  void moveMatrices(unsigned warp, llvm::CallInst *call);

  llvm::Function &function;
  std::vector<Thread> threads;
  std::vector<uint8_t> shared;
  std::vector<uint8_t> &global;
  std::map<uint64_t, ByteHistory> history;
  std::vector<uint64_t> arguments;
  unsigned blockEpoch = 0;
};

} // namespace nereid::gpu
