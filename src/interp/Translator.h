// Translator.h: turns a function of tile IR into a Program. One table of functions, filled by the op families.
#pragma once

#include "dialect/Tile.h"
#include "interp/Elementwise.h"
#include "interp/Program.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace nereid::interp {

class Translator;
using TranslateOp = void (*)(Translator &, mlir::Operation *);
using OpTable = llvm::StringMap<TranslateOp>;

void addElementwiseOps(OpTable &table);
void addExternOps(OpTable &table);
void addControlOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addShapeOps(OpTable &table);
void addReduceOps(OpTable &table);
void addDotOps(OpTable &table);
void addAtomicOps(OpTable &table);
void addDebugOps(OpTable &table);

// Wraps a function on a typed op for the table.
template <typename Op, void (*function)(Translator &, Op)> void addOp(OpTable &table) {
  table[Op::getOperationName()] = [](Translator &translator, mlir::Operation *op) {
    function(translator, llvm::cast<Op>(op));
  };
}

class Translator {
public:
  Translator(Program &program, Failure &failure) : program(program), failure(failure) {}

  void translateKernel(mlir::Operation *function, mlir::Block &body);
  // The ops of a block up to its terminator, into the current block; then releases what the block defined.
  void translateBlock(mlir::Block &block);
  // A new block of instructions, filled by `fill`.
  Block *makeBlock(llvm::function_ref<void()> fill);
  // Like translateBlock; what the terminator yields goes to `targets`.
  void translateRegion(mlir::Block &block, llvm::ArrayRef<Slot> targets);
  // A terminator: copy its operands to where the region's owner wants them.
  void emitYield(mlir::Operation *op);
  // The body of a called function, in place of the call.
  void inlineCall(mlir::Operation *call, mlir::Operation *callee, mlir::Block &body);

  // ---- Values.
  void releaseValue(mlir::Value value);
  Slot slotOf(mlir::Value value);
  llvm::SmallVector<Slot> slotsOf(mlir::ValueRange values);
  // Storage for a value that an op or a region defines.
  Slot define(mlir::Value value);
  // The value is the same bytes as another one.
  void alias(mlir::Value value, Slot slot);
  // Storage that is free again after the current op.
  Slot temporary(Element element, uint32_t count);
  // Bytes that stand in the frame from the start.
  Slot constant(Element element, uint32_t count, std::vector<std::byte> pattern);

  // ---- Instructions.
  Instruction &emit(mlir::Operation *op, Handler run, llvm::ArrayRef<Slot> results, llvm::ArrayRef<Slot> operands,
                    Flow flow);
  // Runs a kernel, through f32 where a narrow float takes part.
  Instruction &emitKernel(mlir::Operation *op, Kernel kernel, Slot result, llvm::ArrayRef<Slot> operands,
                          Narrowing how = Narrowing::Arithmetic);
  void emitCopies(mlir::Operation *op, llvm::ArrayRef<Slot> from, llvm::ArrayRef<Slot> to);
  template <typename P> P *payload() {
    auto owned = std::make_unique<P>();
    P *raw = owned.get();
    program.payloads.push_back(std::move(owned));
    return raw;
  }

  // ---- Regions of scalars that run on many lanes at once.
  uint32_t laneCount() const { return lanes; }
  // Translates a region with room for `count` lanes (0: one lane, with control flow and memory allowed).
  Block *makeLaneBlock(uint32_t count, llvm::function_ref<void()> fill);

  // ---- Failures: the first one counts; translation goes on and its result is dropped.
  void fail(mlir::Operation *op, std::string message);
  bool hasFailed() const { return bool(failure); }
  Element elementOf(mlir::Type type, mlir::Operation *op);
  uint32_t countOf(mlir::Type type);

  Program &program;

private:
  struct Entry {
    Slot slot;
    bool isLane = false;
  };
  void translateOp(mlir::Operation *op);
  uint32_t allocate(size_t bytes, size_t align);
  void release(uint32_t offset);
  uint32_t placeIndex(mlir::Location loc);
  Place placeOf(mlir::Location loc) const;

  Failure &failure;
  llvm::DenseMap<mlir::Value, Entry> values;
  Block *current = nullptr;
  uint32_t lanes = 0;
  size_t frameEnd = 64;
  // Offset → its size and how many values share it.
  struct Storage {
    size_t bytes;
    unsigned users;
  };
  std::map<uint32_t, Storage> storage;
  std::map<size_t, std::vector<uint32_t>> freed;
  std::vector<uint32_t> temporaries;
  llvm::SmallVector<llvm::SmallVector<Slot>> yieldTargets;
  llvm::SmallVector<mlir::Operation *> callStack;
  llvm::DenseMap<std::pair<const void *, const void *>, uint32_t> placeIndices;
};

} // namespace nereid::interp
