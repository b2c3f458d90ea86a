// SimtMachine.h: runs the LLVM IR of a kernel for all threads of one block, as a GPU would: threads go their own ways
// until they meet at a shuffle, a barrier or a matrix instruction. Reports races in shared memory: two threads that
// access a byte, one of them writing, with nothing between that orders them. TMA is one more that
// accesses it, at the latest when somebody waits for it.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace nereid::gpu {

class SimtMachine {
public:
  SimtMachine(llvm::Function &function, unsigned threads, unsigned sharedBytes, std::vector<uint8_t> &global);

  // The address of the first byte of global memory, for arguments.
  static constexpr uint64_t kGlobalStart = 0x10000000;

  // A tensor that TMA knows. A parameter that names it has its index as the argument. Axes as the engine
  // counts them: the fastest first.
  struct Map {
    uint64_t base = 0; // in global memory
    unsigned elementBytes = 2, swizzle = 128;
    std::vector<int64_t> extents, strides, box;
  };
  std::vector<Map> maps;

  // Runs to the end. False where something is wrong: `problem` says what.
  bool run(const std::vector<uint64_t> &arguments);
  std::string problem;
  unsigned barriers = 0; // that the block passed

private:
  // The elements of a vector or aggregate, or one scalar; each as its bits.
  using Lanes = std::vector<uint64_t>;

  // Of each thread, and of TMA behind them, up to when what it did is known here.
  using Clock = std::vector<uint32_t>;

  struct Thread {
    unsigned index = 0;
    Clock seen;
    llvm::BasicBlock::iterator next;
    llvm::DenseMap<const llvm::Value *, Lanes> values;
    bool isDone = false;
    llvm::CallInst *waitsAt = nullptr;
  };
  // SameAgain writes what is there already: threads that hold copies may do so.
  enum class Access : uint8_t { Read, Write, SameAgain, Atomic };
  // Who accessed a byte of shared memory, and when.
  struct Stamp {
    unsigned agent;
    uint32_t time;
    Access access;
  };
  struct ByteHistory {
    std::vector<Stamp> writes, reads; // since the last ordered write
  };

  // A barrier in shared memory that counts arrivals and bytes.
  struct CountingBarrier {
    unsigned arrivals = 0, missing = 0, phase = 0;
    int64_t bytes = 0;     // announced and not there yet
    Clock arriving, ended; // what those knew that arrived; and when the last phase ended
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
  void touch(Thread &thread, uint64_t address, Access access) { touch(thread.index, thread.seen, address, access); }
  void touch(unsigned agent, const Clock &seen, uint64_t address, Access access);
  uint64_t addAtomically(Thread &thread, const llvm::AtomicRMWInst &op);
  static void join(Clock &into, const Clock &from);
  void meetClocks(llvm::ArrayRef<Thread *> met);

  // ---- SimtAsync.cpp: inline assembly for TMA.
  static bool isPhaseWait(const llvm::CallInst &call);
  bool hasPhaseEnded(Thread &thread, llvm::CallInst &call);
  void runAssembly(Thread &thread, llvm::CallInst &call);
  void arrive(Thread &thread, uint64_t address, int64_t bytes);
  void endPhase(CountingBarrier &barrier);
  void copyBox(Thread &thread, llvm::CallInst &call, bool isLoad);
  void copyPiece(Thread &thread, llvm::CallInst &call, unsigned bytes, bool isPart);
  bool wakeWaiting();

  bool meet();
  bool meetWarp(unsigned warp);
  bool meetBlock();
  bool meetNamed();
  void combineLanes(unsigned warp, llvm::CallInst *call);
  void shuffleLanes(unsigned warp, llvm::CallInst *call);
  void moveMatrices(unsigned warp, llvm::CallInst *call);

  llvm::Function &function;
  std::vector<Thread> threads;
  std::vector<uint8_t> shared;
  std::vector<uint8_t> &global;
  std::map<uint64_t, ByteHistory> history;
  std::vector<uint64_t> arguments;
  std::map<uint64_t, CountingBarrier> counting;
  uint32_t engineTime = 0;
  std::map<unsigned, std::deque<uint32_t>>
      storeGroups; // of each thread: when the engine was done with a group of stores
};

} // namespace nereid::gpu
