// Memory.cpp: loads and stores of tiles: as few accesses as alignment, runs of addresses and masks allow.
#include "gpu/lower/Access.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace nereid::gpu {

// Truth values are bytes in memory.
static llvm::Type *memoryType(Lowering &lowering, Type type) {
  llvm::Type *element = lowering.elementType(type);
  return element->isIntegerTy(1) ? lowering.builder.getInt8Ty() : element;
}

static llvm::Value *toMemory(Lowering &lowering, llvm::Value *element) {
  return element->getType()->isIntegerTy(1) ? lowering.builder.CreateZExt(element, lowering.builder.getInt8Ty())
                                            : element;
}

static llvm::Value *fromMemory(Lowering &lowering, llvm::Value *element, Type type) {
  bool isTruth = lowering.elementType(type)->isIntegerTy(1);
  return isTruth ? lowering.builder.CreateICmpNE(element, lowering.builder.getInt8(0)) : element;
}

static llvm::Value *both(Lowering &lowering, llvm::Value *a, llvm::Value *b) {
  if (!a || !b)
    return a ? a : b;
  return lowering.builder.CreateAnd(a, b);
}

// What a product gives, scaled by others already perhaps.
static bool isOfProduct(Value tile, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 4;
  Operation *op = tile.getDefiningOp();
  if (!op || depth > kMaxDepth)
    return false;
  return isa<tile::DotOp, warp::AwaitOp>(op) ||
         (isa<arith::SIToFPOp, arith::ExtFOp, arith::MulFOp>(op) &&
          llvm::any_of(op->getOperands(), [&](Value operand) { return isOfProduct(operand, depth + 1); }));
}

// Whether the number, or its product with others, scales what a product gives.
static bool scalesProduct(Value number, unsigned depth = 0) {
  constexpr unsigned kMaxDepth = 6;
  for (Operation *user : number.getUsers()) {
    bool isFactor = isa<arith::MulFOp>(user);
    if (isFactor && llvm::any_of(user->getOperands(), [](Value operand) { return isOfProduct(operand); }))
      return true;
    bool passesOn = isFactor || isa<tile::SplatOp>(user) || user->hasTrait<tile::View>();
    if (passesOn && depth < kMaxDepth && scalesProduct(user->getResult(0), depth + 1))
      return true;
  }
  return false;
}

// A factor of a product that a loop loads for its next iteration: the assembler would take it for the same in all threads, and wait for
// it at once to move it to where such numbers are. So each thread loads it from a place that is not known to be everybody's.
static bool isFactorForLater(tile::LoadOp op) {
  if (!isa<FloatType>(op.getType()) || !op->hasOneUse())
    return false;
  OpOperand &use = *op->use_begin();
  auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
  auto loop = yield ? dyn_cast<scf::ForOp>(yield->getParentOp()) : scf::ForOp();
  return loop && scalesProduct(loop.getRegionIterArg(use.getOperandNumber()));
}

static void loadScalar(Lowering &lowering, tile::LoadOp op, const AccessHints &hints) {
  llvm::Value *mask = op.getMask() ? lowering.get(op.getMask()) : nullptr;
  Values other;
  if (op.getOther())
    other.push_back(toMemory(lowering, lowering.get(op.getOther())));
  llvm::Value *pointer = lowering.get(op.getPtr());
  if (isFactorForLater(op))
    pointer = lowering.builder.CreateGEP(lowering.builder.getInt8Ty(), pointer, lowering.instructions.hiddenZero());
  Values loaded = loadGlobal(lowering, pointer, memoryType(lowering, op.getType()), 1, mask, other, hints);
  lowering.set(op, fromMemory(lowering, loaded.front(), op.getType()));
}

namespace {

// A run of elements whose mask may end inside: whether it takes all of them, and of those before an end each one.
struct MaskedRun {
  MaskedRun(Lowering &lowering, ArrayRef<llvm::Value *> masks) : lowering(lowering), masks(masks) {}

  llvm::Value *takesAll() const { return masks.back(); }
  llvm::Value *takesAlone(unsigned i) const {
    return lowering.builder.CreateAnd(masks[i], lowering.builder.CreateNot(takesAll()));
  }

  Lowering &lowering;
  ArrayRef<llvm::Value *> masks;
};

} // namespace

static Values loadRun(Lowering &lowering, ArrayRef<llvm::Value *> pointers, llvm::Type *type, const MaskedRun &run,
                      ArrayRef<llvm::Value *> other, const AccessHints &hints) {
  Values loaded = loadGlobal(lowering, pointers[0], type, unsigned(pointers.size()), run.takesAll(), other, hints);
  for (unsigned i = 0; i + 1 < pointers.size(); ++i)
    loaded[i] = loadGlobal(lowering, pointers[i], type, 1, run.takesAlone(i), {loaded[i]}, hints).front();
  return loaded;
}

static void storeRun(Lowering &lowering, ArrayRef<llvm::Value *> pointers, ArrayRef<llvm::Value *> elements,
                     const MaskedRun &run, llvm::Value *owner, const AccessHints &hints) {
  storeGlobal(lowering, pointers[0], elements, both(lowering, owner, run.takesAll()), hints);
  for (unsigned i = 0; i + 1 < pointers.size(); ++i)
    storeGlobal(lowering, pointers[i], {elements[i]}, both(lowering, owner, run.takesAlone(i)), hints);
}

template <> void Lowering::lower(tile::LoadOp op) {
  AccessHints hints{op.getCache(), op.getEvict(), op.getIsVolatile()};
  if (!isTile(op.getType()))
    return loadScalar(*this, op, hints);
  LinearLayout layout = warp::layoutOf(op.getType());
  llvm::Type *type = memoryType(*this, op.getType());
  unsigned width = accessWidthToEnd(axes, op.getPtr(), op.getMask(), layout, bytesOf(type));
  bool mayEnd = width > accessWidth(axes, op.getPtr(), op.getMask(), layout, bytesOf(type));
  unsigned equal = hints.isVolatile || width > 1 ? 1 : equalAccesses(axes, op->getOperands(), layout);
  Values pointers = unpack(get(op.getPtr())), masks, others, elements;
  if (op.getMask())
    masks = isTile(op.getMask().getType()) ? unpack(get(op.getMask())) : Values(layout.registers(), get(op.getMask()));
  if (op.getOther())
    others =
        isTile(op.getOther().getType()) ? unpack(get(op.getOther())) : Values(layout.registers(), get(op.getOther()));
  for (unsigned r = 0; r < layout.registers(); r += width * equal) {
    Values other;
    for (unsigned i = 0; i < width && !others.empty(); ++i)
      other.push_back(toMemory(*this, others[r + i]));
    Values loaded = mayEnd
                        ? loadRun(*this, ArrayRef(pointers).slice(r, width), type,
                                  {*this, ArrayRef(masks).slice(r, width)}, other, hints)
                        : loadGlobal(*this, pointers[r], type, width, masks.empty() ? nullptr : masks[r], other, hints);
    for (llvm::Value *element : loaded)
      elements.append(equal, fromMemory(*this, element, op.getType()));
  }
  set(op, pack(elements));
}

template <> void Lowering::lower(tile::StoreOp op) {
  AccessHints hints{op.getCache(), op.getEvict(), false};
  llvm::Value *mask = op.getMask() && !isTile(op.getMask().getType()) ? get(op.getMask()) : nullptr;
  if (!isTile(op.getPtr().getType())) {
    llvm::Value *isFirst = builder.CreateICmpEQ(thread, builder.getInt32(0));
    return storeGlobal(*this, get(op.getPtr()), {toMemory(*this, get(op.getValue()))}, both(*this, isFirst, mask),
                       hints);
  }
  LinearLayout layout = warp::layoutOf(op.getPtr().getType());
  llvm::Type *type = memoryType(*this, op.getValue().getType());
  bool hasMasks = op.getMask() && !mask;
  Value runs = hasMasks ? op.getMask() : Value();
  unsigned width = accessWidthToEnd(axes, op.getPtr(), runs, layout, bytesOf(type));
  bool mayEnd = width > accessWidth(axes, op.getPtr(), runs, layout, bytesOf(type));
  Values pointers = unpack(get(op.getPtr())), masks, elements;
  llvm::Value *value = get(op.getValue());
  elements = isTile(op.getValue().getType()) ? unpack(value) : Values(layout.registers(), value);
  if (hasMasks)
    masks = unpack(get(op.getMask()));
  llvm::Value *owner = both(*this, isOwner(layout), mask);
  for (unsigned r = 0; r < layout.registers(); r += width) {
    Values part;
    for (unsigned i = 0; i < width; ++i)
      part.push_back(toMemory(*this, elements[r + i]));
    if (mayEnd)
      storeRun(*this, ArrayRef(pointers).slice(r, width), part, {*this, ArrayRef(masks).slice(r, width)}, owner, hints);
    else
      storeGlobal(*this, pointers[r], part, both(*this, owner, hasMasks ? masks[r] : nullptr), hints);
  }
}

void addMemoryOps(OpTable &table) { table.add<tile::LoadOp, tile::StoreOp>(); }

} // namespace nereid::gpu
