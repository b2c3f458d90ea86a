// CodeFacts.h: what the code for a GPU does at each place of the source, read off the planned tile IR: which threads access
// which elements, what runs ahead, what computes products, how tiles change their layout. Plain data, without MLIR.
#pragma once

#include "gpu/Options.h"

#include <vector>

namespace mlir::func {
class FuncOp;
}

namespace nereid::gpu {

struct CodePlace {
  std::string file;
  unsigned line = 0, column = 0;
};

struct AccessFact {
  enum class Kind {
    Threads,   // ld, st, atom, red
    AsyncCopy, // cp.async into shared memory
    Block,     // TMA
  };
  CodePlace place;
  Kind kind = Kind::Threads;
  bool isWrite = false, isAtomic = false, isScalar = false;
  bool goesAroundFirstCache = false; // a load that does not look into the L1 cache
  unsigned elements = 1;             // of the tile
  unsigned accessBytes = 4;          // of one thread at a time; of TMA: all
  unsigned slots = 0; // of the ring that copies go to: how many tiles are under way or in use; 0: no ring
  // Threads and AsyncCopy: one request of a warp after the other, each of `requestElements` elements in row-major order.
  std::vector<uint32_t> order;
  unsigned requestElements = 32;
  unsigned repeats = 1; // of each: by all warps, of a scalar; a load and a swap, of an atomic that is no instruction
};

struct ProductFact {
  CodePlace place;
  std::string instruction;    // "wgmma", "mma", "mma.f64", "fma"
  std::vector<int64_t> shape; // of the result
};

// A tile that goes to another layout, or between registers and shared memory.
struct MoveFact {
  CodePlace place;
  enum class Kind { Registers, Shuffles, Shared, ToBuffer, FromBuffer } kind = Kind::Registers;
  unsigned shuffles = 0;    // of a thread
  unsigned sharedBytes = 0; // of the program
  unsigned barriers = 0;    // of all threads
  // Of all warps, in one run: accesses to shared memory, and turns that they take besides because of banks.
  unsigned accesses = 0, conflicts = 0;
};

struct CodeFacts {
  unsigned numWarps = 0, numStages = 0;
  std::vector<AccessFact> accesses;
  std::vector<ProductFact> products;
  std::vector<MoveFact> moves;
  bool isSpecialized = false; // some warps only copy
  bool hasTma = false;        // of the target
};

// Of a kernel that is planned with these options.
CodeFacts factsOf(mlir::func::FuncOp kernel, const Options &options);

} // namespace nereid::gpu
