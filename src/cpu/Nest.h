// Nest.h: a loop nest over the elements of a tile, one dimension of it in blocks of lanes.
//
//   for i in rows:            level 1
//     for j in columns / W:   level 2: scalars, then the choice between the two bodies
//       if all conditions:    fast body: masks are true, addresses run on without a break
//       else:                 careful body: exact index vectors, masked access
//   after the innermost loop: what reductions along the lanes need
#pragma once

#include "cpu/Lowering.h"

#include <map>
#include <optional>

namespace nereid::cpu {

class Nest {
public:
  // A block of lanes takes so many registers of 32-bit elements.
  Nest(Lowering &lowering, llvm::ArrayRef<int64_t> shape, unsigned vectorDim, unsigned registers);

  void open();
  // Emits `body` for the fast path and, if that took conditions, again for the careful one.
  void emitBodies(llvm::function_ref<void()> body);
  // Closes the innermost loop, lets `afterLanes` emit behind it, and closes the others.
  void close(llvm::function_ref<void()> afterLanes);

  bool isFast() const { return fast; }
  unsigned laneCount() const { return lanes; }
  unsigned vectorDimension() const { return vectorDim; }
  llvm::Value *index(unsigned dim) const { return indices[dim]; }
  llvm::ArrayRef<int64_t> extents() const { return shape; }
  Mapping identity() const;
  // How many blocks of lanes have run before this one, and how many there are.
  std::pair<llvm::Value *, int64_t> iteration() const;

  // The form of a tile at the current place. Not exact: right only under the conditions that come with it.
  Form evaluate(mlir::Value value, const Mapping &mapping, bool isExact, Conditions &conditions);
  // As the current body needs it: speculated in the fast one, exact in the other.
  Form evaluate(mlir::Value value, const Mapping &mapping);
  Form evaluate(mlir::Value value) { return evaluate(value, identity()); }
  llvm::Value *asVector(const Form &form);
  llvm::Value *vectorOf(mlir::Value value) { return asVector(evaluate(value)); }
  void define(mlir::Value value, const Form &form) { members[value] = form; }

  // Conditions under which the mask is true in all lanes; false when that cannot be said with scalars.
  bool assumeTrue(mlir::Value mask, const Mapping &mapping, Conditions &conditions);

  Form readBuffer(const Buffer &buffer, const Mapping &mapping, mlir::Type type);
  void writeBuffer(const Buffer &buffer, const Mapping &mapping, const Form &form, mlir::Type type);
  void emitLoad(tile::LoadOp op);
  void emitStore(tile::StoreOp op);

  // Emits code as far outside as `level` says.
  llvm::Value *atLevel(int level, llvm::function_ref<llvm::Value *()> emit);
  int levelOf(unsigned dim) const;
  // Where the innermost loop is entered: for accumulators.
  llvm::BasicBlock *beforeLanes() const { return levels[shape.size() - 1]; }

private:
  using Cache = std::map<FormKey, std::pair<Form, Conditions>>;
  struct Loop {
    llvm::BasicBlock *body = nullptr;
    llvm::PHINode *index = nullptr;
    int64_t count = 1, step = 1;
  };
  Form compute(mlir::Value value, const Mapping &mapping, bool isExact, Conditions &conditions);
  Form computeInteger(mlir::Operation *op, const Mapping &mapping, bool isExact, Conditions &conditions);
  Form computeGeneric(mlir::Operation *op, unsigned result, const Mapping &mapping, bool isExact,
                      Conditions &conditions);
  Form extend(const Form &form, llvm::Type *to, bool isSigned, bool isExact, Conditions &conditions);
  Form divide(mlir::Operation *op, const Form &lhs, const Form &rhs, bool isExact, Conditions &conditions);
  Form add(const Form &lhs, const Form &rhs, bool isSubtraction);
  Form multiply(const Form &lhs, const Form &rhs);
  // First and last lane in 64 bits, without wrapping; adds the condition that 64 bits are enough where they may not be.
  std::pair<llvm::Value *, llvm::Value *> ends(const Form &form, bool isSigned, Conditions &conditions);
  // Memory access of lanes: see Access.cpp.
  struct Access;
  llvm::Value *maskOf(mlir::Value mask);
  llvm::Value *loadLanes(const Access &access);
  void storeLanes(const Access &access, llvm::Value *value);
  void forActiveLanes(llvm::Value *mask, llvm::function_ref<void(llvm::Value *)> body);
  int64_t stepOf(const Form &pointer, unsigned bytes) const;
  bool isContiguous(const Form &pointer, unsigned bytes) const;
  // Lanes that lie `step` elements apart, the first at `address`, in a few vectors; null or false: not such a step.
  llvm::Value *loadSteps(llvm::FixedVectorType *type, llvm::Value *address, llvm::Align align, int64_t step);
  bool storeSteps(llvm::Value *value, llvm::Value *address, llvm::Align align, int64_t step);
  bool hasMaskedAccess(unsigned bytes) const;

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  llvm::SmallVector<int64_t, 4> shape;
  llvm::SmallVector<unsigned, 4> order; // dimensions from the outermost loop to the innermost
  unsigned vectorDim, lanes;
  llvm::SmallVector<Loop, 4> loops;                // in that order
  llvm::SmallVector<llvm::BasicBlock *, 5> levels; // level 0 … rank: where its scalars go
  llvm::SmallVector<llvm::Value *, 4> indices;     // by dimension
  Cache outside, inside;
  llvm::DenseMap<mlir::Value, Form> members;
  Conditions guards;
  llvm::DenseMap<mlir::Value, Conditions> assumed; // masks that are true in the fast body, and when they are
  bool fast = true;
};

} // namespace nereid::cpu
