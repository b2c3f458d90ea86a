// Lowering.h: one kernel of tile IR with layouts on its way to LLVM IR for a GPU.
//
// The code is that of one thread. A scalar of tile IR is a scalar that all threads compute alike. A tile is one vector
// with an element for each register of its layout, in register order, so elementwise ops are plain vector instructions
// and changes of shape are shuffles.
#pragma once

#include "gpu/Options.h"
#include "gpu/lower/Instructions.h"
#include "gpu/lower/SharedBuffers.h"

#include "analysis/AxisInfo.h"
#include "codegen/LineTable.h"
#include "codegen/OpTable.h"
#include "dialect/Tile.h"
#include "gpu/dialect/Warp.h"
#include "layout/LinearLayout.h"
#include "nereid/result.hpp"
#include "runtime/cuda/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace nereid::gpu {

using layout::LinearLayout;

// The address spaces of GPUs in LLVM.
constexpr unsigned kGlobal = 1, kShared = 3;

class Lowering {
public:
  Lowering(mlir::func::FuncOp kernel, const Options &options, llvm::Module &module, cuda::Artifact &artifact);
  // False after a failure.
  bool run();

  // ---- Failures: the first one counts.
  void fail(mlir::Operation *op, const std::string &message);
  bool hasFailed() const { return failure.status != Status::Ok; }
  Error failure{Status::Ok, {}};

  // ---- Values: scalars, and tiles as vectors.
  llvm::Value *get(mlir::Value value);
  void set(mlir::Value value, llvm::Value *to) { values[value] = to; }
  llvm::Type *elementType(mlir::Type type); // in a register
  llvm::Type *typeOf(mlir::Type type);      // the vector of a tile
  llvm::Value *extract(llvm::Value *vector, unsigned index) { return builder.CreateExtractElement(vector, index); }
  llvm::Value *pack(llvm::ArrayRef<llvm::Value *> elements); // at least one
  Values unpack(llvm::Value *vector);
  llvm::Value *splat(llvm::Value *scalar, unsigned count) { return builder.CreateVectorSplat(count, scalar); }
  llvm::Value *shuffle(llvm::Value *vector, llvm::ArrayRef<int> lanes);
  // As an integer of the same width, and back.
  llvm::Value *toBits(llvm::Value *value);
  llvm::Value *fromBits(llvm::Value *bits, llvm::Type *type);

  // ---- Threads (Threads.cpp).
  llvm::Value *linearMap(llvm::Value *index, llvm::ArrayRef<layout::F2Vector> columns);
  // The row-major index of the element in register 0; others are that XOR registerPoint.
  llvm::Value *threadPoint(const LinearLayout &layout);
  static uint64_t threadImage(const LinearLayout &layout); // the bits of it that can be set
  static uint64_t registerPoint(const LinearLayout &layout, unsigned reg);
  // The index of each register's element along an axis.
  llvm::Value *coordinates(const LinearLayout &layout, unsigned axis);
  // The row-major index of each register's element.
  llvm::Value *points(const LinearLayout &layout);
  // True in the threads that hold an element first; null where no element is held twice.
  llvm::Value *isOwner(const LinearLayout &layout);
  llvm::Value *shuffleLanes(llvm::Value *value, unsigned mask);    // from lane ^ mask
  llvm::Value *shuffleFrom(llvm::Value *value, llvm::Value *lane); // from that lane
  llvm::Value *shuffleBy(llvm::Value *value, int distance);        // from lane - distance; its own where there is none
  void barrier();
  bool isOnlyWarp() const { return options.numWarps == 1; }

  // ---- Scratch in shared memory (Scratch.cpp).
  // Memory for this op. Others may use the same place before and after; then a barrier is put here. With `bytesPerWarp`
  // each warp has a part of its own and uses no other.
  llvm::Value *beginScratch(mlir::Operation *op, uint64_t bytes, uint64_t bytesPerWarp = 0);
  llvm::Value *sharedElement(llvm::Value *base, llvm::Value *index, llvm::Type *type);
  void storeShared(llvm::Value *address, llvm::Value *value);
  llvm::Value *loadShared(llvm::Value *address, llvm::Type *type);
  // A whole tile, row-major.
  void storeTile(llvm::Value *base, const LinearLayout &layout, llvm::Value *tile);
  llvm::Value *loadTile(llvm::Value *base, const LinearLayout &layout, llvm::Type *element);
  static unsigned bytesOf(llvm::Type *element);

  // Of the block, producers included.
  unsigned threadCount() const;
  bool gainsByRegisters() const;
  unsigned leastBlocks();
  // In the order that loops want; elsewhere LLVM rewrites addresses. Loops of products copy tiles ahead, with many of
  // them; where warps have roles, one thread gives TMA one.
  bool formsAddresses() const { return products > 0 && !isSpecialized; }
  bool isSpecialized = false; // there are producers
  unsigned products = 0;
  bool isProducer = false; // here is their code
  bool hasAsyncProxy = false;

  // ---- What one thread does for the block.
  // True in that thread, where `when` is true if it is given.
  llvm::Value *inOneThread(mlir::Value when = {});
  bool findAsyncProxy();
  // Tensor cores and TMA see what other instructions did with shared memory before.
  void fenceForAsyncProxy();

  // ---- Control flow at the builder's place.
  void emitIf(llvm::Value *condition, llvm::function_ref<void()> then);
  // Calls body with 0, 1, … and carried values; gives those of the last iteration.
  Values emitLoop(llvm::Value *count, llvm::ArrayRef<llvm::Value *> start,
                  llvm::function_ref<Values(llvm::Value *, llvm::ArrayRef<llvm::Value *>)> body);

  // ---- Elementwise.cpp: on scalars, or on vectors of equal length. False after a failure.
  bool emitElementwise(mlir::Operation *op, llvm::ArrayRef<llvm::Value *> operands, Values &results);
  // A region of scalars (a combine function) on scalars or vectors.
  Values emitRegion(mlir::Block &block, llvm::ArrayRef<llvm::Value *> arguments);

  // ---- Ops.
  void lowerBlock(mlir::Block &block);
  void lowerOp(mlir::Operation *op);
  void lowerElementwise(mlir::Operation *op);
  // A tile of fp32 by one number. False where that is not what `op` does.
  bool lowerDivisionByScalar(mlir::Operation *op);
  // An op that a family has: a specialization in the file of the family, which names it in its list.
  template <typename Op> void lower(Op op);
  void keepCodeInside(llvm::Instruction *branch);
  // The start of a slot.
  llvm::Value *slotOf(mlir::Value buffer, mlir::Value slot);
  // The address in shared memory of a place in a slot, in bytes. The place comes first: loops do not change it.
  llvm::Value *addressIn(mlir::Value buffer, mlir::Value slot, llvm::Value *place);

  mlir::func::FuncOp kernel;
  const Options &options;
  llvm::Module &module;
  llvm::LLVMContext &context;
  llvm::IRBuilder<> builder;
  Instructions instructions{builder};
  cuda::Artifact &artifact;
  analysis::AxisInfoAnalysis axes;
  SharedBuffers buffers;
  llvm::Function *function = nullptr;
  llvm::Value *thread = nullptr, *lane = nullptr, *warpIndex = nullptr, *report = nullptr, *warpGroup = nullptr;
  llvm::Constant *shared = nullptr; // all of the block's shared memory

private:
  void makeFunction();
  void addTensorMaps(llvm::SmallVectorImpl<llvm::Type *> &types);
  void bindTensorMaps();
  void bindArguments();
  void readThread();
  void prepareMarks();
  uint32_t siteOf(mlir::Operation *op, cuda::Site::Kind kind, const std::string &text);
  void setLocation(mlir::Location loc);

  llvm::DenseMap<mlir::Value, llvm::Value *> values;
  llvm::DenseMap<std::pair<llvm::Value *, uint64_t>, llvm::Value *> mapped;
  llvm::SmallVector<warp::TensorMapOp> tensorMaps; // parameters behind the words, from firstMap on
  unsigned firstMap = 0;
  struct {
    llvm::Value *left = nullptr,
                *next = nullptr; // where a thread keeps how many marks it may still write, and the next one's address
  } marks;
  std::unique_ptr<codegen::LineTable> lines;
};

bool isTile(mlir::Type type);

// The families.
using OpTable = codegen::OpTable<Lowering>;
void addAtomicOps(OpTable &table);
void addBufferOps(OpTable &table);
void addControlOps(OpTable &table);
void addConvertLayoutOps(OpTable &table);
void addDebugOps(OpTable &table);
void addDotOps(OpTable &table);
void addElementwiseOps(OpTable &table);
void addHintOps(OpTable &table);
void addInlineAsmOps(OpTable &table);
void addMemoryOps(OpTable &table);
void addReduceOps(OpTable &table);
void addScanOps(OpTable &table);
void addScopeOps(OpTable &table);
void addShapeOps(OpTable &table);
void addSortOps(OpTable &table);
void addSpecializeOps(OpTable &table);
void addStoreBlockOps(OpTable &table);
void addTensorCopyOps(OpTable &table);

} // namespace nereid::gpu
