// Reduce.cpp: combines elements along an axis: first inside a thread, then between the lanes of a warp by shuffles,
// then between warps through shared memory. Neighbours are combined first, so that the order along the axis is kept.
#include "gpu/lower/Lowering.h"

#include "layout/LayoutMoves.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

namespace {

class Reducer {
public:
  Reducer(Lowering &lowering, tile::ReduceOp op)
      : lowering(lowering), builder(lowering.builder), op(op), axis(op.getAxis()),
        layout(warp::layoutOf(op.getSources().front().getType())), result(layout::sliceLayout(layout, axis)) {
    for (Value source : op.getSources())
      parts.push_back(lowering.get(source));
  }

  void run() {
    insideThread();
    betweenLanes();
    betweenWarps();
    for (auto [value, part] : llvm::zip(op.getResults(), parts))
      lowering.set(value, isTile(value.getType()) ? part : lowering.extract(part, 0));
  }

private:
  // The bits of an input dimension that move along the axis, those with the smallest steps first.
  llvm::SmallVector<unsigned> bitsAlong(Dim dim) {
    llvm::SmallVector<unsigned> bits;
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit)
      if (layout.basis(dim, bit, layout::axisDim(axis)))
        bits.push_back(bit);
    llvm::sort(bits, [&](unsigned a, unsigned b) {
      return layout.basis(dim, a, layout::axisDim(axis)) < layout.basis(dim, b, layout::axisDim(axis));
    });
    return bits;
  }

  void combine(const Values &left, const Values &right) {
    Values arguments(left);
    arguments.append(right);
    parts = lowering.emitRegion(op.getCombine().front(), arguments);
  }

  void insideThread() {
    llvm::SmallVector<unsigned> left; // the register bits that are still there
    for (unsigned bit = 0; bit < layout.bits(Dim::Register); ++bit)
      left.push_back(bit);
    for (unsigned bit : bitsAlong(Dim::Register)) {
      unsigned place = llvm::find(left, bit) - left.begin();
      left.erase(left.begin() + place);
      llvm::SmallVector<int> lanes[2];
      for (unsigned r = 0; r < 2u << left.size(); ++r)
        lanes[r >> place & 1].push_back(int(r));
      Values low, high;
      for (llvm::Value *part : parts) {
        low.push_back(lowering.shuffle(part, lanes[0]));
        high.push_back(lowering.shuffle(part, lanes[1]));
      }
      combine(low, high);
    }
  }

  // Where the order does not matter, lanes that are far apart are combined first: Triton's order, which rounds the same.
  void betweenLanes() {
    llvm::SmallVector<unsigned> bits = bitsAlong(Dim::Lane);
    if (isSymmetric())
      std::reverse(bits.begin(), bits.end());
    for (unsigned bit : bits) {
      Values other;
      for (llvm::Value *part : parts) {
        Values moved;
        for (llvm::Value *element : lowering.unpack(part))
          moved.push_back(lowering.shuffleLanes(element, 1u << bit));
        other.push_back(lowering.pack(moved));
      }
      if (isSymmetric()) {
        combine(parts, other);
        keepRounding();
        continue;
      }
      // Both lanes must see the same order.
      llvm::Value *isHigh =
          builder.CreateICmpNE(builder.CreateAnd(lowering.lane, builder.getInt32(1u << bit)), builder.getInt32(0));
      Values low, high;
      for (auto [mine, theirs] : llvm::zip(parts, other)) {
        low.push_back(builder.CreateSelect(isHigh, theirs, mine));
        high.push_back(builder.CreateSelect(isHigh, mine, theirs));
      }
      combine(low, high);
    }
  }

  // A product that went into one of the two sums without being rounded would give the two lanes different results.
  void keepRounding() {
    for (llvm::Value *part : parts)
      if (auto *sum = llvm::dyn_cast<llvm::Instruction>(part); sum && llvm::isa<llvm::FPMathOperator>(sum))
        sum->setHasAllowContract(false);
  }

  // One op of which both orders give the same.
  bool isSymmetric() {
    Block &block = op.getCombine().front();
    return parts.size() == 1 && llvm::hasSingleElement(block.without_terminator()) &&
           block.front().hasTrait<OpTrait::IsCommutative>();
  }

  void betweenWarps() {
    llvm::SmallVector<unsigned> bits = bitsAlong(Dim::Warp);
    if (bits.empty())
      return;
    unsigned warps = 1u << bits.size();
    uint64_t elements = result.out().size(), bytes = 0;
    llvm::SmallVector<uint64_t> starts;
    for (llvm::Value *part : parts) {
      starts.push_back(bytes);
      bytes += llvm::alignTo(warps * elements * Lowering::bytesOf(part->getType()->getScalarType()), 16);
    }
    llvm::Value *base = lowering.beginScratch(op, bytes);
    // Which of the partial results along the axis this warp has.
    llvm::Value *index = builder.getInt32(0);
    for (auto [i, bit] : llvm::enumerate(bits)) {
      llvm::Value *isSet = builder.CreateAnd(builder.CreateLShr(lowering.warpIndex, bit), builder.getInt32(1));
      index = builder.CreateOr(index, builder.CreateShl(isSet, i));
    }
    Values places = lowering.unpack(lowering.points(result));
    llvm::Value *row = builder.CreateMul(index, builder.getInt32(uint32_t(elements)));
    forEach(base, starts, places, row,
            [&](llvm::Value *address, llvm::Value *&element) { lowering.storeShared(address, element); });
    lowering.barrier();
    Values sums;
    for (unsigned w = 0; w < warps; ++w) {
      forEach(base, starts, places, builder.getInt32(uint32_t(w * elements)),
              [&](llvm::Value *address, llvm::Value *&element) {
                element = lowering.loadShared(address, element->getType());
              });
      if (w) {
        Values next = parts;
        combine(sums, next);
      }
      sums = parts;
    }
  }

  // Each register of each part with its address in scratch.
  template <class Visit>
  void forEach(llvm::Value *base, llvm::ArrayRef<uint64_t> starts, llvm::ArrayRef<llvm::Value *> places,
               llvm::Value *row, Visit visit) {
    for (auto [i, part] : llvm::enumerate(parts)) {
      llvm::Value *start = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), base, unsigned(starts[i]));
      Values elements = lowering.unpack(part);
      for (auto [r, element] : llvm::enumerate(elements))
        visit(lowering.sharedElement(start, builder.CreateAdd(row, places[r]), element->getType()), element);
      part = lowering.pack(elements);
    }
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::ReduceOp op;
  unsigned axis;
  LinearLayout layout, result;
  Values parts; // one vector for each source, getting shorter
};

} // namespace

void Lowering::lowerReduce(tile::ReduceOp op) { Reducer(*this, op).run(); }

} // namespace nereid::gpu
