// Dot.cpp: matrix products without tensor cores: both operands in shared memory, or in the registers of who multiplies them; each
// thread computes its elements of the result with fused multiply-adds. Right for every type and shape; tensor cores take what they can
// before.
#include "gpu/lower/Lowering.h"

#include "codegen/Lanes.h"
#include "gpu/lower/FloatCast.h"
#include "gpu/products/DotPlan.h"
#include "layout/LayoutMoves.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

namespace {

class Product {
public:
  Product(Lowering &lowering, tile::DotOp op)
      : lowering(lowering), builder(lowering.builder), op(op), left(warp::layoutOf(op.getLhs().getType())),
        right(warp::layoutOf(op.getRhs().getType())), out(warp::layoutOf(op.getResult().getType())) {}

  void run() {
    depth = left.shape()[out.rank() - 1];
    bool isWhole =
        out.rank() == 2 && left == wholeOperandLayout(out, 1, depth) && right == wholeOperandLayout(out, 0, depth);
    return isWhole ? multiplyRegisters() : multiplyShared();
  }

private:
  static constexpr uint32_t kProductsOfAnIteration = 1024; // enough that reads of later ones are under way

  void finish(const Values &sums) {
    lowering.set(op.getResult(), narrowFloat(lowering, lowering.pack(sums), op.getAcc().getType(), false));
  }

  // Each thread has its rows of A and its columns of B.
  void multiplyRegisters() {
    Type type = op.getAcc().getType();
    Values sums = lowering.unpack(widenFloat(lowering, lowering.get(op.getAcc()), type));
    llvm::Type *as = sums[0]->getType();
    auto elements = [&](Value operand, bool isUnsigned) {
      return lowering.unpack(widened(lowering.get(operand), operand, isUnsigned, as));
    };
    Values a = elements(op.getLhs(), op.getLhsUnsigned()), b = elements(op.getRhs(), op.getRhsUnsigned());
    llvm::DenseMap<uint64_t, unsigned> rowOf, columnOf; // the register of an element
    for (unsigned r = 0; r < left.registers(); ++r)
      rowOf[Lowering::registerPoint(left, r)] = r;
    for (unsigned r = 0; r < right.registers(); ++r)
      columnOf[Lowering::registerPoint(right, r)] = r;
    for (int64_t k = 0; k < depth; ++k)
      for (unsigned r = 0; r < out.registers(); ++r) {
        auto place = out.out().coordinates(Lowering::registerPoint(out, r));
        unsigned x = rowOf.lookup(left.out().pointAt({place[0], k})),
                 y = columnOf.lookup(right.out().pointAt({k, place[1]}));
        sums[r] = multiplyAdd(a[x], b[y], sums[r]);
      }
    finish(sums);
  }

  void multiplyShared() {
    llvm::Value *a = lowering.get(op.getLhs()), *b = lowering.get(op.getRhs());
    unsigned rank = out.rank();
    // A lies with its columns side by side, B with its rows: for each k, a thread reads runs of both.
    llvm::SmallVector<unsigned> swapped = llvm::to_vector(llvm::seq(rank));
    std::swap(swapped[rank - 2], swapped[rank - 1]);
    LinearLayout turned = layout::transposeLayout(left, swapped);
    uint64_t leftBytes = llvm::alignTo(turned.out().size() * Lowering::bytesOf(a->getType()->getScalarType()), 16);
    uint64_t rightBytes = right.out().size() * Lowering::bytesOf(b->getType()->getScalarType());
    llvm::Value *base = lowering.beginScratch(op, leftBytes + rightBytes);
    llvm::Value *rightBase = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), base, unsigned(leftBytes));
    lowering.storeTile(base, turned, a);
    lowering.storeTile(rightBase, right, b);
    lowering.barrier();
    rows = sideOf(op.getLhs(), op.getLhsUnsigned(), base, rank - 2);
    columns = sideOf(op.getRhs(), op.getRhsUnsigned(), rightBase, rank - 1);
    Values sums = lowering.unpack(widenFloat(lowering, lowering.get(op.getAcc()), op.getAcc().getType()));
    uint32_t steps =
        std::clamp<uint32_t>(kProductsOfAnIteration / out.registers(), 1, uint32_t(std::min<int64_t>(depth, 32)));
    auto body = [&](llvm::Value *index, llvm::ArrayRef<llvm::Value *> carried) {
      Values next(carried);
      llvm::Value *first = builder.CreateMul(index, builder.getInt32(steps));
      for (uint32_t k = 0; k < steps; ++k)
        next = step(builder.CreateAdd(first, builder.getInt32(k)), next);
      return next;
    };
    finish(lowering.emitLoop(builder.getInt32(uint32_t(depth) / steps), sums, body));
  }

  // One operand in shared memory: rows of `extent` elements, one row for each k, a block of rows for each batch.
  struct Side {
    Value operand;
    bool isUnsigned;
    llvm::Value *base;
    llvm::Type *type;
    unsigned run; // neighbours that one access reads
    uint32_t extent;
    Values starts;                   // by register: the index of its run at k = 0
    llvm::SmallVector<uint64_t> key; // by register: equal for those of one run
    llvm::SmallVector<unsigned> lane;
  };

  // How many of the elements of a thread lie side by side along the axis of the result.
  unsigned runAlong(unsigned axis) {
    llvm::DenseSet<uint64_t> points;
    for (unsigned r = 0; r < out.registers(); ++r)
      points.insert(Lowering::registerPoint(out, r));
    uint64_t unit = 1;
    for (unsigned d = axis + 1; d < out.rank(); ++d)
      unit *= uint64_t(out.shape()[d]);
    unsigned run = 1;
    while (run < 4 && run < out.shape()[axis] && points.contains(run * unit))
      run *= 2;
    return run;
  }

  Side sideOf(Value operand, bool isUnsigned, llvm::Value *base, unsigned axis) {
    unsigned rank = out.rank(), run = runAlong(axis);
    Side side{
        operand, isUnsigned, base, lowering.get(operand)->getType()->getScalarType(), run, uint32_t(out.shape()[axis]),
        {},      {},         {}};
    Values places = lowering.unpack(lowering.coordinates(out, axis)), batches;
    if (rank > 2)
      batches = lowering.unpack(lowering.coordinates(out, 0));
    for (unsigned r = 0; r < out.registers(); ++r) {
      llvm::Value *start = builder.CreateAnd(places[r], ~uint32_t(run - 1));
      if (rank > 2)
        start =
            builder.CreateAdd(start, builder.CreateMul(batches[r], builder.getInt32(uint32_t(depth) * side.extent)));
      auto index = out.out().coordinates(Lowering::registerPoint(out, r));
      index[rank - 2 + (axis == rank - 2)] = 0; // what the other operand decides
      side.lane.push_back(unsigned(index[axis] % run));
      index[axis] -= index[axis] % run;
      side.key.push_back(out.out().pointAt(index));
      side.starts.push_back(start);
    }
    return side;
  }

  // The run of register r in row k, as what is multiplied.
  Values load(const Side &side, unsigned r, llvm::Value *k, llvm::Type *as) {
    llvm::Value *index = builder.CreateAdd(side.starts[r], builder.CreateMul(k, builder.getInt32(side.extent)));
    llvm::Type *type = side.run == 1 ? side.type : llvm::FixedVectorType::get(side.type, side.run);
    llvm::Value *value = lowering.loadShared(lowering.sharedElement(side.base, index, side.type), type);
    value = widened(value, side.operand, side.isUnsigned, as);
    return side.run == 1 ? Values{value} : lowering.unpack(value);
  }

  // Elements of an operand as what the sums are.
  llvm::Value *widened(llvm::Value *value, Value operand, bool isUnsigned, llvm::Type *as) {
    llvm::Type *wide = codegen::withLanes(as, value);
    if (!as->isFloatingPointTy())
      return isUnsigned ? builder.CreateZExtOrTrunc(value, wide) : builder.CreateSExtOrTrunc(value, wide);
    value = widenFloat(lowering, value, operand.getType());
    bool isDouble = value->getType()->getScalarType()->isDoubleTy();
    return as->isDoubleTy() && !isDouble ? builder.CreateFPExt(value, wide) : value;
  }

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum) {
    llvm::Type *type = sum->getType();
    return type->isFloatingPointTy() ? builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, sum})
                                     : builder.CreateAdd(builder.CreateMul(x, y), sum);
  }

  Values step(llvm::Value *k, llvm::ArrayRef<llvm::Value *> carried) {
    llvm::DenseMap<uint64_t, Values> a, b; // registers that share a row, or a column, read it once
    llvm::Type *type = carried[0]->getType();
    auto part = [&](const Side &side, llvm::DenseMap<uint64_t, Values> &known, unsigned r) {
      Values &run = known[side.key[r]];
      if (run.empty())
        run = load(side, r, k, type);
      return run[side.lane[r]];
    };
    Values sums;
    for (unsigned r = 0; r < carried.size(); ++r) {
      llvm::Value *x = part(rows, a, r), *y = part(columns, b, r);
      sums.push_back(multiplyAdd(x, y, carried[r]));
    }
    return sums;
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::DotOp op;
  LinearLayout left, right, out;
  int64_t depth = 0;
  Side rows, columns;
};

} // namespace

template <> void Lowering::lower(tile::DotOp op) {
  if (warp::instructionOf(op).value_or(warp::Instruction::Fma) == warp::Instruction::Fma)
    return Product(*this, op).run();
  instructions.product(*this, op);
}

template <> void Lowering::lower(warp::AwaitOp op) {
  Values tiles;
  for (Value tile : op.getTiles())
    tiles.push_back(get(tile));
  instructions.waitForProducts(*this, unsigned(op.getPending()), tiles);
  for (auto [result, tile] : llvm::zip(op.getResults(), tiles))
    set(result, tile);
}

void addDotOps(OpTable &table) { table.add<tile::DotOp, warp::AwaitOp>(); }

} // namespace nereid::gpu
