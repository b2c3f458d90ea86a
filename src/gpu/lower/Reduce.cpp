// Reduce.cpp: combines elements along an axis: first inside a thread, then between the lanes of a warp by shuffles,
// then between warps through shared memory. Combining is associative and commutative, as Triton has it.
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
    betweenLanes(bitsAlong(Dim::Lane));
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

  // A sum of products, which goes into one instruction with each of them.
  bool sumsProducts() {
    llvm::Type *type = parts.front()->getType()->getScalarType();
    auto product = op.getSources().front().getDefiningOp<arith::MulFOp>();
    return isSymmetric() && isa<arith::AddFOp>(op.getCombine().front().front()) && product && product->hasOneUse() &&
           (type->isFloatTy() || type->isDoubleTy());
  }

  // One element after the other is added, in as many sums at a time as keep the thread busy. In pairs every second
  // product would have to be rounded first, and be there before any is added.
  void inChains(llvm::ArrayRef<unsigned> bits) {
    constexpr unsigned kBusy = 4;
    llvm::SmallVector<llvm::SmallVector<int>> places(1u << bits.size());
    for (unsigned r = 0; r < layout.registers(); ++r) {
      unsigned along = 0;
      for (auto [i, bit] : llvm::enumerate(bits))
        along |= (r >> bit & 1) << i;
      places[along].push_back(int(r));
    }
    llvm::Value *all = parts.front();
    auto chains = unsigned(std::clamp<size_t>(kBusy / places.front().size(), 1, places.size()));
    llvm::SmallVector<Values> sums;
    for (auto [i, registers] : llvm::enumerate(places)) {
      Values next{lowering.shuffle(all, registers)};
      if (i < chains) {
        sums.push_back(next);
        continue;
      }
      combine(sums[i % chains], next);
      sums[i % chains] = parts;
    }
    for (; chains > 1; chains /= 2)
      for (unsigned i = 0; i < chains / 2; ++i) {
        combine(sums[i], sums[i + chains / 2]);
        sums[i] = parts;
      }
    parts = sums.front();
  }

  void insideThread() {
    if (llvm::SmallVector<unsigned> bits = bitsAlong(Dim::Register); !bits.empty() && sumsProducts())
      return inChains(bits);
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
  void betweenLanes(llvm::SmallVector<unsigned> bits) {
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
    Values places = lowering.unpack(lowering.points(result));
    // Which of the partial results along the axis this warp has.
    llvm::Value *row = builder.CreateMul(gather(lowering.warpIndex, bits), builder.getInt32(uint32_t(elements)));
    forEach(base, starts, places, row,
            [&](llvm::Value *address, llvm::Value *&element) { lowering.storeShared(address, element); });
    lowering.barrier();
    auto load = [&](llvm::Value *from) {
      forEach(base, starts, places, from, [&](llvm::Value *address, llvm::Value *&element) {
        element = lowering.loadShared(address, element->getType());
      });
    };
    // Lanes that differ in a bit along the axis have the same results by now. Where combining takes more than one
    // instruction, each of them fetches one partial result, and they go on as above; else every lane fetches all.
    llvm::SmallVector<unsigned> lanes = bitsAlong(Dim::Lane);
    if (!isSymmetric() && lanes.size() >= bits.size()) {
      lanes.truncate(bits.size());
      load(builder.CreateMul(gather(lowering.lane, lanes), builder.getInt32(uint32_t(elements))));
      betweenLanes(lanes);
      return;
    }
    llvm::SmallVector<Values> partial(warps);
    for (unsigned w = 0; w < warps; ++w) {
      load(builder.getInt32(uint32_t(w * elements)));
      partial[w] = parts;
    }
    bool isFarFirst = isSymmetric();
    for (unsigned count = warps / 2; count; count /= 2)
      for (unsigned w = 0; w < count; ++w) {
        combine(partial[isFarFirst ? w : 2 * w], partial[isFarFirst ? w + count : 2 * w + 1]);
        partial[w] = parts;
      }
    parts = partial[0];
  }

  // The given bits of a number, side by side.
  llvm::Value *gather(llvm::Value *number, llvm::ArrayRef<unsigned> bits) {
    llvm::Value *found = builder.getInt32(0);
    for (auto [i, bit] : llvm::enumerate(bits)) {
      llvm::Value *isSet = builder.CreateAnd(builder.CreateLShr(number, bit), builder.getInt32(1));
      found = builder.CreateOr(found, builder.CreateShl(isSet, i));
    }
    return found;
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

template <> void Lowering::lower(tile::ReduceOp op) { Reducer(*this, op).run(); }

void addReduceOps(OpTable &table) { table.add<tile::ReduceOp>(); }

} // namespace nereid::gpu
