// Instructions.h: what a thread of a GPU can do that LLVM has no word for: who it is, what it exchanges with others, when it
// waits for them, how it reaches memory and multiplies. All that lowering has of a vendor is asked for here; the folder of
// the vendor says how (nvidia/Instructions.cpp, Access.cpp, Atomics.cpp, Copies.cpp, Products.cpp, DeviceFunctions.cpp).
#pragma once

#include "dialect/Tile.h"
#include "gpu/Target.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace nereid::gpu {

using Values = llvm::SmallVector<llvm::Value *>;
class Lowering;
struct AccessHints;

// What other programs see of an atomic, and when.
struct AtomicOrder {
  tile::MemSem sem;
  tile::MemScope scope;
};

// At the builder's place, which is that of `lowering` where it is given. A condition that is null holds always.
class Instructions {
public:
  explicit Instructions(llvm::IRBuilder<> &builder) : builder(builder) {}

  // ---- Who it is.
  llvm::Value *thread();                      // its number in the block
  llvm::Value *hiddenZero();                  // 0, which the code generator does not know to be so in all threads
  llvm::Value *program(unsigned axis);        // the block's number in the grid
  llvm::Value *programs(unsigned axis);       // how many there are
  llvm::Value *time();                        // in nanoseconds
  llvm::Value *special(llvm::StringRef name); // of the language: globaltimer, smid, clock
  // What the code generator must know of a kernel: its threads, and for how many registers it is worth to have few blocks.
  static void markKernel(llvm::Function &kernel, unsigned threads);
  static void limitRegisters(llvm::Function &kernel, unsigned registers);
  static void fitBlocks(llvm::Function &kernel, unsigned blocks); // so many on a multiprocessor
  static void keepAddresses(llvm::Function &kernel);              // they are formed as they should stay
  static void markMap(llvm::Argument &map);                       // a tensor map that is a parameter
  // An assertion of the launcher's own kind failed: everything on the GPU ends.
  void failAssertion(llvm::Module &module, const std::string &text, const std::string &file, unsigned line,
                     const std::string &function);

  // ---- Words of 32 bits from another lane of the warp.
  llvm::Value *shuffleXor(llvm::Value *word, unsigned mask);
  llvm::Value *shuffleFrom(llvm::Value *word, llvm::Value *lane);
  llvm::Value *shuffleBy(llvm::Value *word, int distance);

  // ---- Waiting for others.
  llvm::Value *barrier();                                      // of all threads of the block
  llvm::Value *barrier(llvm::Value *number, unsigned threads); // of so many that name this number; 0 is that of all
  void warpBarrier();
  llvm::Value *anyInBlock(llvm::Value *condition); // a barrier, too
  // Whether a call is a barrier that all pass who use shared memory: one whose number is computed is of a group of warps.
  static bool isBarrierOfAll(const llvm::CallInst &call);
  void startDependentGrids();
  void waitForEarlierGrids();
  // Of assembly that a user writes: whether lanes or warps execute it together, by its words.
  static bool meetsOthers(llvm::StringRef assembly);
  // All warps of a group together: each thread has so many registers from here on, fewer or more than before.
  void giveRegisters(unsigned count);
  void takeRegisters(unsigned count);

  // ---- Shared memory: 8x8 matrices of 16-bit elements, 1, 2 or 4 at once; a word of each for a thread.
  Values loadMatrices(llvm::Value *address, unsigned count, bool isTransposed);
  void storeMatrices(llvm::Value *address, llvm::ArrayRef<llvm::Value *> words, bool isTransposed);

  // ---- Global memory (Access.h).
  Values load(Lowering &lowering, llvm::Value *address, llvm::Type *type, unsigned count, llvm::Value *predicate,
              llvm::ArrayRef<llvm::Value *> other, const AccessHints &hints);
  void store(Lowering &lowering, llvm::Value *address, llvm::ArrayRef<llvm::Value *> elements, llvm::Value *predicate,
             const AccessHints &hints);

  // ---- Atomics: of so many neighbours at once, where there is one instruction for it; they give the old values.
  static bool hasAtomic(tile::RmwKind kind, llvm::Type *type, unsigned width, const Target &target);
  Values change(Lowering &lowering, const AtomicOrder &order, tile::RmwKind kind, llvm::Value *address,
                llvm::ArrayRef<llvm::Value *> elements);
  // The same without old values.
  void reduce(Lowering &lowering, const AtomicOrder &order, tile::RmwKind kind, llvm::Value *address,
              llvm::ArrayRef<llvm::Value *> elements, llvm::Value *condition);
  // Of 32 or 64 bits.
  llvm::Value *changeIfEqual(Lowering &lowering, const AtomicOrder &order, llvm::Value *address, llvm::Value *expected,
                             llvm::Value *value);

  // ---- Copies from global to shared memory that go on beside the program: `bytes`, of which those from `filled` on are zeros.
  void copyAsync(llvm::Value *to, llvm::Value *from, unsigned bytes, llvm::Value *filled, llvm::Value *condition);
  void commitCopies();                          // those since the last time are a group
  void waitForCopies(unsigned pending);         // until at most so many groups are under way
  void arriveAfterCopies(llvm::Value *barrier); // in shared memory, once all that were started are there

  // ---- Barriers in shared memory, of 8 bytes: they count arrivals and bytes, phase by phase.
  void makeBarrier(llvm::Value *address, unsigned arrivals, llvm::Value *condition);
  void showBarriers(); // those made before, to everybody
  void endBarrier(llvm::Value *address, llvm::Value *condition);
  void expectBytes(llvm::Value *barrier, uint64_t bytes, llvm::Value *condition);
  void arrive(llvm::Value *barrier, llvm::Value *condition);
  void waitForPhase(llvm::Value *barrier, llvm::Value *phase);

  // ---- Boxes of tensors by TMA, between shared memory and a place in a tensor map, the fastest axis first.
  void copyBox(llvm::Value *to, llvm::Value *map, llvm::ArrayRef<llvm::Value *> place, llvm::Value *barrier,
               llvm::Value *condition);
  void storeBox(llvm::Value *from, llvm::Value *map, llvm::ArrayRef<llvm::Value *> place, llvm::Value *condition,
                bool adds = false);                            // adds: each element to what is there
  void commitBoxes(llvm::Value *condition);                    // that are stored
  void waitForBoxes(unsigned pending, llvm::Value *condition); // until they are read
  void fenceForAsyncProxy();                                   // tensor cores and TMA see what threads wrote

  // ---- Products on tensor cores, by the instruction that the plan chose.
  void product(Lowering &lowering, tile::DotOp op);
  // Waits until at most `pending` groups of products are under way. The tiles are theirs until then: they pass through
  // the wait, so that nobody reads them before.
  void waitForProducts(Lowering &lowering, unsigned pending, llvm::MutableArrayRef<llvm::Value *> tiles);

  // ---- Functions that are an instruction, or few: of math and arith, and of the vendor's library. Null: it is none of them.
  llvm::Value *function(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
  llvm::Value *deviceFunction(Lowering &lowering, llvm::StringRef name, llvm::ArrayRef<llvm::Value *> operands);
  static bool isInLibrary(llvm::StringRef name);
  // The register that a constraint of the user's assembly names.
  llvm::Type *registerType(llvm::StringRef constraint);

  // ---- Bytes in words, and numbers.
  // Four bytes of the eight that two words are; the lowest digit of `selection` chooses the lowest byte.
  llvm::Value *chooseBytes(llvm::Value *low, llvm::Value *high, uint32_t selection);
  // Two numbers of 32 bits cut to the range of bytes, below the two lower bytes of `rest`.
  llvm::Value *packBytes(llvm::Value *high, llvm::Value *low, llvm::Value *rest, bool isSigned);
  llvm::Value *widenE4m3(llvm::Value *pair); // of 16 bits, to two f16
  llvm::Value *narrowToE4m3(llvm::Value *high, llvm::Value *low), *narrowToE5m2(llvm::Value *high, llvm::Value *low);
  // An f32 or f64 cut to an integer of 8 to 64 bits; what does not fit becomes the nearest that does. NaN becomes 0, or the
  // highest bit alone where one of the two has 64.
  llvm::Value *cutToInteger(llvm::Value *number, unsigned bits, bool isSigned);
  llvm::Value *reciprocal(llvm::Value *number); // of f32, within an ulp; what is denormal counts as 0
  // Zeros that are written into registers here, and nowhere else: a vector of 32-bit elements.
  Values zeros(llvm::FixedVectorType *type);
  llvm::Value *hidden(llvm::Value *number); // the same, of 32 or 64 bits, as LLVM knows nothing about

private:
  // What an access says to the L2 cache: null where nothing was asked for. It is made once, at the kernel's start.
  llvm::Value *cachePolicy(Lowering &lowering, const AccessHints &hints);

  llvm::IRBuilder<> &builder;
  llvm::DenseMap<tile::EvictionPolicy, llvm::Value *> policies;
};

} // namespace nereid::gpu
