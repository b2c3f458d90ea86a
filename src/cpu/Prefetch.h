// Prefetch.h: fetch early what the next program will load.
//
// A kernel that loads a tile, computes on it and stores it leaves memory idle while it computes. The next program (or
// the next iteration of a loop) most often reads as far from this one as this one read from the one before: the nests behind
// the load fetch from there, each its share of the tile, spread evenly over its blocks. A wrong guess costs only the
// fetch.
#pragma once

#include "mlir/IR/Value.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"

namespace nereid::cpu {

class Lowering;
class Nest;
struct Group;

class Prefetcher {
public:
  explicit Prefetcher(Lowering &lowering) : lowering(lowering) {}

  // Before the nest that loads them: the tiles of a group whose addresses move from program to program.
  void noteLoads(const Group &group);
  // At the start of the fast body of a nest.
  void noteBody(const Group &group, const Nest &nest);
  // Where a block of ops begins or ends: what was noted in it becomes code.
  void distribute();

private:
  // The start of a body: how often it has run, how often it will, and how long that takes in all.
  struct Body {
    llvm::BasicBlock *block;
    llvm::Value *iteration;
    int64_t iterations, duration;
    llvm::SmallVector<int64_t, 4> shape;
  };
  // A tile of the next program, in lines of the cache. Kept in memory, for LLVM to find its way: the load may stand
  // where not every path to the body passes.
  struct Tile {
    llvm::AllocaInst *next;                         // its address
    llvm::SmallVector<llvm::AllocaInst *, 4> steps; // bytes to the next element of each dimension
    llvm::SmallVector<int64_t, 4> shape;
    unsigned contiguous; // this dimension
    int64_t lineElements;
    size_t firstBody; // behind the one of the load
  };
  void noteLoad(mlir::Value pointer);
  void fetch(const Tile &tile, const Body &body, int64_t first, int64_t count);
  llvm::Value *addressOf(const Tile &tile, llvm::Value *line);

  Lowering &lowering;
  llvm::SmallVector<Tile> tiles;
  llvm::SmallVector<Body> bodies;
};

} // namespace nereid::cpu
