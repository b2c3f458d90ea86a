// Conversion.h: how to bring a tile from one distributed layout into another. A plan is plain data for a lowering to
// follow; the tests run plans on a simulated register file and shared memory.
//
// The cheapest way that works is taken:
//   None        the same registers
//   Registers   every thread has what it needs: one permutation
//   Shuffles    every warp has what it needs: warp shuffles, with selects before and after them
//   Shared      through shared memory, laid out so that both sides access it in wide pieces and without bank conflicts
//
// Neither layout may hold an element twice in one thread (LinearLayout::withoutRegisterCopies), and both spread over
// the blocks of a cluster alike. A thread is numbered lane + 32 * warp. Registers count elements, not 32-bit words.
#pragma once

#include "layout/LinearLayout.h"

namespace nereid::layout {

// Threads whose number has an odd count of bits in `threads` exchange word i with word i ^ `words`; the others keep
// all.
struct WordExchange {
  unsigned words;
  unsigned threads;
};

// Word t of the result is word `source` of another lane: of this thread's own column sum (ShufflePlan::laneColumns) XOR
// `lane`. Where `isLocal` that is the lane itself.
struct ShuffleRound {
  unsigned source;
  unsigned lane;
  bool isLocal;
};

// 1. slots: word w has the source registers slots[w * elementsPerWord …]   2. `before`   3. one round per word
// 4. `after`                                                              5. result register r is slot results[r]
struct ShufflePlan {
  unsigned elementsPerWord = 1; // elements that share 32 bits; 64-bit elements take two shuffles a word
  llvm::SmallVector<unsigned> slots;
  llvm::SmallVector<WordExchange, 4> before;
  F2Vectors
      laneColumns; // per bit of the thread's number; their sum is the lane to read from, but for the round's own XOR
  llvm::SmallVector<ShuffleRound> rounds;
  llvm::SmallVector<WordExchange, 4> after;
  llvm::SmallVector<unsigned> results;

  unsigned words() const { return rounds.size(); }
  unsigned shuffles() const; // rounds that are not local
};

// Writes or reads of shared memory. Access a moves registers[a * elements …] in the order of memory, at the offset
// (in elements) threadOffset ^ offsets[a], where threadOffset is the sum of `threadColumns` over the bits of the
// thread's number.
struct SharedAccess {
  enum class Kind : uint8_t {
    Vector, // st.shared / ld.shared of `elements` elements
    Matrix, // stmatrix / ldmatrix of `matrices` 8 x 8 matrices of 16-bit pairs: the thread's offset is that of the row
            // which its lane has to name; `elements` registers are `matrices` words of 32 bits
    TransposedMatrix // the same with .trans
  };
  Kind kind = Kind::Vector;
  unsigned matrices = 0;
  unsigned elements = 1;
  F2Vectors threadColumns;
  llvm::SmallVector<unsigned> offsets;
  llvm::SmallVector<unsigned> registers;
  unsigned idleThreads = 0; // threads with one of these bits hold copies and need not write
  unsigned ways = 1;        // how often the busiest bank is asked in one phase of an access; 1: no conflicts

  unsigned perRound(unsigned rounds) const { return offsets.size() / rounds; }
};

// For each round: write its accesses, synchronize, read its accesses, synchronize (if another round or another use of
// the memory follows). Accesses are sorted by round, with equally many in each.
struct SharedPlan {
  LinearLayout memory; // offset -> element of the tile, of round 0 and block 0
  unsigned rounds = 1;
  unsigned bytes = 0; // of shared memory, aligned to 128
  SharedAccess write, read;
  // Each warp reads what it wrote itself, in a region of its own (bytes / warps, one after the other): a warp barrier
  // is enough.
  bool staysInWarp = false;
};

struct ConversionPlan {
  enum class Kind : uint8_t { None, Registers, Shuffles, Shared };
  Kind kind = Kind::None;
  llvm::SmallVector<unsigned> registers; // Registers: the source of each result register
  ShufflePlan shuffles;
  SharedPlan shared;
};

struct ConversionOptions {
  unsigned elementBytes = 4;          // 1, 2, 4 or 8; smaller types take a byte
  unsigned maxSharedBytes = 1u << 20; // more is cut into rounds, where the layouts allow it
  bool hasLdmatrix = true;            // sm_75
  bool hasStmatrix = true;            // sm_90
  bool allowShuffles = true;
};

ConversionPlan planConversion(const LinearLayout &source, const LinearLayout &result, const ConversionOptions &options);

// For each place of `result` a place of `source` that holds the same element, as near as there is one: in the thread
// itself, else in the warp, else anywhere. Linear: composed with `source` it is `result`.
LinearLayout nearestSource(const LinearLayout &source, const LinearLayout &result);

// How threads with `layout` write or read a tile that lies in shared memory as `memory` (offset -> element, one to one)
// says: a buffer that TMA or cp.async fills, or that wgmma reads. Takes matrices where they are cheaper than vectors.
SharedAccess planAccess(const LinearLayout &memory, const LinearLayout &layout, unsigned elementBytes, bool isWrite,
                        bool hasMatrices);

// Single ways, for planConversion; the first takes nearestSource().
std::optional<ShufflePlan> planShuffles(const LinearLayout &sourceOf, unsigned elementBytes);
SharedPlan planShared(const LinearLayout &source, const LinearLayout &result, const ConversionOptions &options,
                      bool staysInWarp);

} // namespace nereid::layout
