// Lowering.h: one kernel of tile IR on its way to LLVM IR.
//
// A block is walked in order. Elementwise ops, loads, stores and reductions of one shape gather in a group, which
// becomes one loop nest over the tile when something needs its results (flush). Index arithmetic is not computed where
// it stands but inside the nests that use it. Values that leave their group live in buffers in the scratch arena.
#pragma once

#include "codegen/LineTable.h"
#include "codegen/OpTable.h"
#include "cpu/Arena.h"
#include "cpu/Elements.h"
#include "cpu/Forms.h"
#include "cpu/Lower.h"
#include "cpu/Prefetch.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace nereid::cpu {

class Nest;
using codegen::LineTable;

// Ops of one shape that run in one loop nest.
struct Group {
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<mlir::Operation *> members;
  llvm::DenseSet<mlir::Operation *> set;
  llvm::SmallVector<mlir::Operation *> reloads; // loads of earlier groups that its members read again
  llvm::SmallVector<std::pair<mlir::Value, Buffer>> copies;
  bool isOpen() const { return !members.empty() || !copies.empty(); }
};

// A view changes where an element stands, not what it is.
bool isView(mlir::Operation *op);
// Works element by element, without memory or a region: see emitElementwise.
bool isElementwise(mlir::Operation *op);

class Lowering {
public:
  Lowering(mlir::func::FuncOp kernel, const Target &target, const LowerOptions &options, llvm::Module &module,
           Artifact &artifact);
  // False after a failure.
  bool run();
  // ---- Failures: the first one counts.
  void fail(mlir::Operation *op, const std::string &message);
  bool hasFailed() const { return failure.status != Status::Ok; }
  Error failure{Status::Ok, {}};

  // ---- Values.
  llvm::Value *scalar(mlir::Value value);
  void setScalar(mlir::Value value, llvm::Value *to) { scalars[value] = to; }
  const Buffer *findBuffer(mlir::Value value) const;
  llvm::Type *typeOf(mlir::Type type) { return registerType(context, type); }
  // Whether a tile is index arithmetic (or a view of it), computed where it is used.
  bool isCheap(mlir::Value value);
  bool isMember(mlir::Operation *op) const { return op && group.set.contains(op); }

  // ---- Groups (Groups.cpp).
  void join(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
  void flush();
  // The tile in memory; computed into a buffer of its own if it is not there yet.
  Buffer materialize(mlir::Value value);
  Buffer materializeRows(mlir::Value value); // the same in row-major order
  void copyTo(mlir::Value value, const Buffer &buffer);

  // ---- Buffers.
  Buffer allocate(mlir::Type type, mlir::Value owner);
  Buffer allocateWith(mlir::Type type, llvm::ArrayRef<unsigned> order, mlir::Value owner);
  llvm::Value *temporary(uint64_t bytes); // until the end of the current op
  llvm::Value *arenaPointer(uint64_t offset);
  llvm::AllocaInst *stackSlot(llvm::Type *type, const char *name);
  void giveBuffer(mlir::Value value, const Buffer &buffer) { buffers[value] = buffer; }
  void passOn(mlir::Value from, mlir::Value to);

  // ---- Blocks and ops.
  void lowerBlock(mlir::Block &block);
  void lowerOp(mlir::Operation *op);
  void lowerScalar(mlir::Operation *op);
  // An op that a family has: a specialization in the file of the family, which names it in its list.
  template <typename Op> void lower(Op op);

  // ---- Elementwise.cpp: the op on registers: scalars, or vectors of equal length. Empty: there is no such code.
  bool emitElementwise(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands,
                       llvm::SmallVectorImpl<llvm::Value *> &results);
  // A region of elementwise ops (a combine function) on registers.
  bool emitRegion(mlir::Block &block, llvm::ArrayRef<llvm::Value *> arguments,
                  llvm::SmallVectorImpl<llvm::Value *> &results);
  // The same for scalars, with loops, branches and memory.
  void emitScalarRegion(mlir::Block &block, llvm::ArrayRef<llvm::Value *> arguments,
                        llvm::SmallVectorImpl<llvm::Value *> &results);
  // ---- Loops over a run-time or constant count at the builder's place; leaves the builder behind the loop.
  void emitLoop(llvm::Value *count, llvm::function_ref<void(llvm::Value *)> body);
  void emitLoops(llvm::ArrayRef<int64_t> extents, llvm::function_ref<void(llvm::ArrayRef<llvm::Value *>)> body);
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> then);
  void emitChoice(llvm::Value *condition, llvm::function_ref<void()> then, llvm::function_ref<void()> otherwise);
  llvm::Value *allOf(llvm::ArrayRef<llvm::Value *> conditions); // of at least one
  llvm::Value *loadElement(const Buffer &buffer, llvm::ArrayRef<llvm::Value *> index, mlir::Type type);
  void storeElement(const Buffer &buffer, llvm::ArrayRef<llvm::Value *> index, llvm::Value *value, mlir::Type type);
  llvm::Value *elementPointer(const Buffer &buffer, llvm::ArrayRef<llvm::Value *> index, mlir::Type type);
  llvm::Value *loadScalar(llvm::Value *address, mlir::Type type);
  void storeScalar(llvm::Value *address, llvm::Value *value, mlir::Type type);
  llvm::Value *pointer(llvm::Value *address); // i64 → ptr

  // ---- Sites (Debug.cpp).
  uint32_t siteOf(mlir::Operation *op, Site::Kind kind, const std::string &text);
  void emitFailure(uint32_t site); // call fail, then end the program
  // A loop that waits for another program: before it, and in each of its iterations with what that gave.
  llvm::Value *beginWait();
  void emitWait(mlir::Operation *op, llvm::Value *isFirst, bool isOnlyWait);
  llvm::Value *loadStop(llvm::AtomicOrdering order);
  // Asks the run time, where it wants that, whether the program goes on; if not, it ends. Costs a load and a branch.
  void emitLook(uint32_t site);
  void setLocation(mlir::Location loc);

  mlir::func::FuncOp kernel;
  const Target &target;
  LowerOptions options;
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  Artifact &artifact;
  llvm::Function *function = nullptr;
  llvm::Value *state = nullptr, *scratch = nullptr, *arguments = nullptr;
  llvm::Value *programIds[3] = {}, *grid[3] = {};
  llvm::BasicBlock *programEnd = nullptr;
  Group group;

private:
  friend class Nest;
  struct Owned {
    mlir::Value value; // null: for the op that is being lowered
    mlir::Block *block;
    mlir::Operation *lastUse;
    uint64_t offset;
  };
  void emitProgramLoop();
  void bindArguments();
  void emitGroup(Group &group);
  bool isDeferred(tile::LoadOp op);
  // A tile that nests load again instead of keeping it, perhaps with a few instructions on it; no load: not such a one.
  struct Reload {
    tile::LoadOp load;
    unsigned instructions = 0;
  };
  Reload reloadOf(mlir::Value value);
  bool isRecomputable(mlir::Value value) { return bool(reloadOf(value).load); }
  bool mustFlushBefore(mlir::Operation *op, llvm::ArrayRef<int64_t> shape);
  bool conflictsInMemory(mlir::Operation *op);
  bool isReady(mlir::Value value);
  mlir::Operation *lastUseOf(mlir::Value value, mlir::Block *block);
  void sweep(mlir::Operation *current);
  void releaseBlock(mlir::Block &block);
  unsigned costOf(mlir::Value value);
  unsigned chooseVectorDim(const Group &group);
  // Loops: where a tile that the loop carries may be computed in place.
  void assignInPlace(mlir::Block &body, mlir::ValueRange carried, mlir::ValueRange yielded);
  void leaveRegion(llvm::DenseMap<mlir::Value, Buffer> &outside);
  llvm::SmallVector<Buffer> placeCarried(mlir::ValueRange inits, mlir::ValueRange arguments, mlir::ValueRange owners);
  llvm::SmallVector<llvm::PHINode *> carryScalars(mlir::ValueRange inits, mlir::ValueRange arguments,
                                                  llvm::BasicBlock *before);
  void passScalars(mlir::ValueRange yielded, llvm::ArrayRef<llvm::PHINode *> phis);
  void finishCarried(mlir::ValueRange yielded, llvm::ArrayRef<Buffer> targets);
  Prefetcher prefetcher{*this};
  llvm::Constant *denseConstant(mlir::DenseElementsAttr value, mlir::Type type);

  llvm::DenseMap<mlir::Value, llvm::Value *> scalars;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
  llvm::DenseMap<mlir::Value, Buffer> assigned; // where a value is to be materialized
  llvm::DenseMap<mlir::Value, unsigned> costs;
  llvm::DenseMap<mlir::Value, Reload> reloads;
  llvm::SmallVector<Owned> owned;
  Arena arena;
  mlir::Operation *currentOp = nullptr;
  std::unique_ptr<LineTable> lines;
};

// The families.
using OpTable = codegen::OpTable<Lowering>;
void addAtomicOps(OpTable &table);
void addCombineOps(OpTable &table);
void addControlOps(OpTable &table);
void addDebugOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addProductOps(OpTable &table);
void addScaledProductOps(OpTable &table);
void addShapeOps(OpTable &table);

} // namespace nereid::cpu
