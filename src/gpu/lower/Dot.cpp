// Dot.cpp: matrix products without tensor cores: both operands in shared memory, each thread computes its elements of
// the result with fused multiply-adds. Right for every type and shape; tensor cores take what they can before.
#include "gpu/lower/Lowering.h"

#include "gpu/DotPlan.h"
#include "gpu/lower/FloatCast.h"
#include "gpu/nvidia/Mma.h"
#include "gpu/nvidia/Wgmma.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class Product {
public:
  Product(Lowering &lowering, tile::DotOp op)
      : lowering(lowering), builder(lowering.builder), op(op), left(warp::layoutOf(op.getLhs().getType())),
        right(warp::layoutOf(op.getRhs().getType())), out(warp::layoutOf(op.getResult().getType())) {}

  void run() {
    auto lhs = left.shape(), rhs = right.shape();
    unsigned rank = lhs.size();
    depth = lhs[rank - 1], columns = rhs[rank - 1], rows = lhs[rank - 2];
    llvm::Value *a = lowering.get(op.getLhs()), *b = lowering.get(op.getRhs());
    leftType = a->getType()->getScalarType(), rightType = b->getType()->getScalarType();
    uint64_t leftBytes = llvm::alignTo(left.out().size() * Lowering::bytesOf(leftType), 16);
    leftBase = lowering.beginScratch(op, leftBytes + right.out().size() * Lowering::bytesOf(rightType));
    rightBase = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), leftBase, unsigned(leftBytes));
    lowering.storeTile(leftBase, left, a);
    lowering.storeTile(rightBase, right, b);
    lowering.barrier();
    findPlaces();
    llvm::Value *acc = lowering.get(op.getAcc());
    Type type = op.getAcc().getType();
    Values sums = lowering.unpack(widenFloat(lowering, acc, type));
    sums = lowering.emitLoop(builder.getInt32(uint32_t(depth)), sums,
                             [&](llvm::Value *k, llvm::ArrayRef<llvm::Value *> carried) { return step(k, carried); });
    lowering.set(op.getResult(), narrowFloat(lowering, lowering.pack(sums), type, false));
  }

private:
  // Where each register's row of A and column of B begin, as indices at k = 0.
  void findPlaces() {
    unsigned rank = out.rank();
    Values row = lowering.unpack(lowering.coordinates(out, rank - 2)),
           column = lowering.unpack(lowering.coordinates(out, rank - 1));
    Values batch;
    if (rank > 2)
      batch = lowering.unpack(lowering.coordinates(out, 0));
    for (unsigned r = 0; r < out.registers(); ++r) {
      llvm::Value *m = row[r], *offset = nullptr;
      if (rank > 2) {
        m = builder.CreateAdd(builder.CreateMul(batch[r], builder.getInt32(uint32_t(rows))), m);
        offset = builder.CreateMul(batch[r], builder.getInt32(uint32_t(depth * columns)));
      }
      rowStarts.push_back(builder.CreateMul(m, builder.getInt32(uint32_t(depth))));
      columnStarts.push_back(offset ? builder.CreateAdd(offset, column[r]) : column[r]);
      // Registers that share a row, or a column, read it once.
      auto index = out.out().coordinates(Lowering::registerPoint(out, r));
      auto rowKey = index, columnKey = index;
      rowKey[rank - 1] = columnKey[rank - 2] = 0;
      rowOf.push_back(out.out().pointAt(rowKey));
      columnOf.push_back(out.out().pointAt(columnKey));
    }
  }

  llvm::Value *element(llvm::Value *base, llvm::Value *index, llvm::Type *type, Value operand, bool isUnsigned,
                       llvm::Type *as) {
    llvm::Value *value = lowering.loadShared(lowering.sharedElement(base, index, type), type);
    if (!as->isFloatingPointTy())
      return isUnsigned ? builder.CreateZExtOrTrunc(value, as) : builder.CreateSExtOrTrunc(value, as);
    value = widenFloat(lowering, value, operand.getType());
    return as->isDoubleTy() && !value->getType()->isDoubleTy() ? builder.CreateFPExt(value, as) : value;
  }

  Values step(llvm::Value *k, llvm::ArrayRef<llvm::Value *> carried) {
    llvm::DenseMap<uint64_t, llvm::Value *> a, b;
    llvm::Value *rightRow = builder.CreateMul(k, builder.getInt32(uint32_t(columns)));
    Values sums;
    for (unsigned r = 0; r < carried.size(); ++r) {
      llvm::Type *type = carried[r]->getType();
      llvm::Value *&x = a[rowOf[r]];
      if (!x)
        x = element(leftBase, builder.CreateAdd(rowStarts[r], k), leftType, op.getLhs(), op.getLhsUnsigned(), type);
      llvm::Value *&y = b[columnOf[r]];
      if (!y)
        y = element(rightBase, builder.CreateAdd(columnStarts[r], rightRow), rightType, op.getRhs(),
                    op.getRhsUnsigned(), type);
      sums.push_back(type->isFloatingPointTy()
                         ? builder.CreateIntrinsic(llvm::Intrinsic::fma, {type}, {x, y, carried[r]})
                         : builder.CreateAdd(builder.CreateMul(x, y), carried[r]));
    }
    return sums;
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::DotOp op;
  LinearLayout left, right, out;
  int64_t depth = 0, columns = 0, rows = 0;
  llvm::Type *leftType = nullptr, *rightType = nullptr;
  llvm::Value *leftBase = nullptr, *rightBase = nullptr;
  Values rowStarts, columnStarts;
  llvm::SmallVector<uint64_t> rowOf, columnOf;
};

} // namespace

void Lowering::lowerDot(tile::DotOp op) {
  auto instruction = op->getAttrOfType<StringAttr>(kInstructionAttribute);
  if (instruction && instruction == "wgmma")
    return emitWgmmaProduct(*this, op);
  if (instruction && instruction != "fma")
    return emitMmaProduct(*this, op, instruction == "mma.f64");
  Product(*this, op).run();
}

} // namespace nereid::gpu
