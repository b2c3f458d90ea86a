// Sort.cpp: a bitonic network along the last axis. Each step compares elements whose indices differ in one bit, which
// is a bit of the register, of the lane (a shuffle) or of the warp (through shared memory). Where only the first ones
// are wanted, groups of so many are sorted, and of two groups the better ones stay. And histograms.
#include "gpu/lower/Lowering.h"

#include "codegen/Arithmetic.h"
#include "codegen/Lanes.h"
#include "gpu/lower/FloatCast.h"

#include <algorithm>

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

namespace {

class Sorter {
public:
  Sorter(Lowering &lowering, tile::SortOp op)
      : lowering(lowering), builder(lowering.builder), op(op), layout(warp::layoutOf(op.getSource().getType())) {
    axis = layout.rank() - 1;
    bits = layout.out().bits(layout::axisDim(axis));
  }

  void run() {
    llvm::Value *source = lowering.get(op.getSource());
    type = source->getType();
    keys = toKeys(source);
    position = lowering.coordinates(layout, axis);
    places = lowering.points(layout);
    for (unsigned i = 0; i < layout.bits(Dim::Register); ++i)
      registers.push_back(layout.column(Dim::Register, i));
    unsigned wanted = llvm::Log2_64(uint64_t(tile::shapeOf(op.getResult().getType()).back()));
    llvm::SmallVector<unsigned> rest = bitsToJoin(wanted);
    auto directionOf = [&](size_t i) { return i < rest.size() ? std::optional(rest[i]) : std::nullopt; };
    for (unsigned stage = 1; stage <= wanted; ++stage)
      merge(stage, stage < wanted ? std::optional(stage) : directionOf(0));
    for (auto [i, bit] : llvm::enumerate(rest)) {
      keepBetter(bit);
      merge(wanted, directionOf(i + 1));
    }
    finish(fromKeys(keys));
  }

private:
  llvm::Value *constant(uint64_t value) { return llvm::ConstantInt::get(keyType, value); }

  // Numbers whose unsigned order is that of the elements; NaN is the largest.
  llvm::Value *toKeys(llvm::Value *source) {
    llvm::Value *word = lowering.toBits(source);
    keyType = word->getType();
    unsigned width = keyType->getScalarSizeInBits();
    sign = uint64_t(1) << (width - 1);
    if (!isa<FloatType>(getElementTypeOrSelf(op.getSource().getType())))
      return op.getIsUnsigned() || width == 1 ? word : builder.CreateXor(word, constant(sign));
    llvm::Value *wide = widenFloat(lowering, source, op.getSource().getType());
    llvm::Value *isNegative = builder.CreateICmpSLT(word, constant(0));
    llvm::Value *key =
        builder.CreateSelect(isNegative, builder.CreateNot(word), builder.CreateOr(word, constant(sign)));
    return builder.CreateSelect(builder.CreateFCmpUNO(wide, wide), constant(-1), key);
  }

  llvm::Value *fromKeys(llvm::Value *key) {
    unsigned width = keyType->getScalarSizeInBits();
    if (!isa<FloatType>(getElementTypeOrSelf(op.getSource().getType())))
      return op.getIsUnsigned() || width == 1 ? key : builder.CreateXor(key, constant(sign));
    llvm::Value *wasPositive = builder.CreateICmpSLT(key, constant(0));
    llvm::Value *word =
        builder.CreateSelect(wasPositive, builder.CreateXor(key, constant(sign)), builder.CreateNot(key));
    return lowering.fromBits(word, type);
  }

  layout::F2Vector columnOf(unsigned bit) { return layout.out().point(layout::axisDim(axis), uint64_t(1) << bit); }
  unsigned count() { return 1u << registers.size(); }

  // The bits of the index from `first` on. Those of registers come before the others: what is dropped there, nobody
  // has to compare any more.
  llvm::SmallVector<unsigned> bitsToJoin(unsigned first) {
    llvm::SmallVector<unsigned> result;
    for (unsigned bit = first; bit < bits; ++bit)
      result.push_back(bit);
    std::ranges::stable_partition(result, [&](unsigned bit) { return llvm::is_contained(registers, columnOf(bit)); });
    return result;
  }

  // The keys at the index that differs in one bit.
  llvm::Value *partners(unsigned bit) {
    layout::F2Vector column = columnOf(bit);
    if (auto *found = llvm::find(registers, column); found != registers.end()) {
      llvm::SmallVector<int> lanes;
      for (unsigned r = 0; r < count(); ++r)
        lanes.push_back(int(r ^ 1u << (found - registers.begin())));
      return lowering.shuffle(keys, lanes);
    }
    for (unsigned i = 0; i < layout.bits(Dim::Lane); ++i)
      if (layout.column(Dim::Lane, i) == column) {
        Values moved;
        for (llvm::Value *key : lowering.unpack(keys))
          moved.push_back(lowering.shuffleLanes(key, 1u << i));
        return lowering.pack(moved);
      }
    llvm::Type *element = keyType->getScalarType();
    llvm::Value *base = store(keys);
    Values elements;
    for (llvm::Value *index : lowering.unpack(places)) {
      index = builder.CreateXor(index, builder.getInt32(uint32_t(column)));
      elements.push_back(lowering.loadShared(lowering.sharedElement(base, index, element), element));
    }
    return lowering.pack(elements);
  }

  llvm::Value *isSet(unsigned bit) {
    auto *ones = llvm::ConstantInt::get(position->getType(), uint64_t(1) << bit);
    return builder.CreateICmpNE(builder.CreateAnd(position, ones), llvm::Constant::getNullValue(position->getType()));
  }

  // All elements of a thread, in shared memory at their index.
  llvm::Value *store(llvm::Value *elements) {
    llvm::Type *element = elements->getType()->getScalarType();
    llvm::Value *base = lowering.beginScratch(op, layout.out().size() * Lowering::bytesOf(element));
    if (count() == layout.registers())
      lowering.storeTile(base, layout, elements);
    else
      for (unsigned r = 0; r < count(); ++r)
        lowering.storeShared(lowering.sharedElement(base, lowering.extract(places, r), element),
                             lowering.extract(elements, r));
    lowering.barrier();
    return base;
  }

  // Bitonic groups of 2^size become sorted ones: those with the bit set the other way round.
  void merge(unsigned size, std::optional<unsigned> turned) {
    for (unsigned step = size; step-- > 0;) {
      llvm::Value *other = partners(step);
      llvm::Value *low = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, keys, other);
      llvm::Value *high = builder.CreateBinaryIntrinsic(llvm::Intrinsic::umax, keys, other);
      // The lower of the two takes the smaller one in parts that ascend.
      llvm::Value *takesHigh = isSet(step);
      if (turned)
        takesHigh = builder.CreateXor(takesHigh, isSet(*turned));
      if (op.getDescending())
        takesHigh = builder.CreateNot(takesHigh);
      keys = builder.CreateSelect(takesHigh, high, low);
    }
  }

  // Of two groups that are sorted in opposite directions, the better half, which is bitonic; both then hold it.
  void keepBetter(unsigned bit) {
    keys = builder.CreateBinaryIntrinsic(op.getDescending() ? llvm::Intrinsic::umax : llvm::Intrinsic::umin, keys,
                                         partners(bit));
    auto *found = llvm::find(registers, columnOf(bit));
    if (found == registers.end())
      return;
    llvm::SmallVector<int> kept;
    for (unsigned r = 0; r < count(); ++r)
      if (!(r >> (found - registers.begin()) & 1))
        kept.push_back(int(r));
    registers.erase(found);
    for (llvm::Value **each : {&keys, &position, &places})
      *each = lowering.shuffle(*each, kept);
    type = codegen::withLanes(type->getScalarType(), keys);
    keyType = keys->getType();
  }

  void finish(llvm::Value *sorted) {
    auto wanted = tile::shapeOf(op.getResult().getType()).back();
    if (wanted == layout.shape().back())
      return lowering.set(op.getResult(), sorted);
    // The first ones of each row go to the threads of a smaller tile.
    llvm::Type *element = type->getScalarType();
    LinearLayout to = warp::layoutOf(op.getResult().getType());
    llvm::Value *base = store(sorted);
    Values elements;
    unsigned shift = llvm::Log2_64(wanted);
    for (llvm::Value *index : lowering.unpack(lowering.points(to))) {
      llvm::Value *row = builder.CreateShl(builder.CreateLShr(index, shift), bits);
      llvm::Value *at = builder.CreateOr(row, builder.CreateAnd(index, builder.getInt32(uint32_t(wanted - 1))));
      elements.push_back(lowering.loadShared(lowering.sharedElement(base, at, element), element));
    }
    lowering.set(op.getResult(), lowering.pack(elements));
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::SortOp op;
  LinearLayout layout;
  unsigned axis, bits;
  llvm::Type *type = nullptr, *keyType = nullptr;
  // One element for each register that is left: its key, its index along the axis, its index in the tile.
  llvm::Value *keys = nullptr, *position = nullptr, *places = nullptr;
  llvm::SmallVector<layout::F2Vector> registers; // what the bits of their number stand for
  uint64_t sign = 0;
};

} // namespace

template <> void Lowering::lower(tile::SortOp op) { Sorter(*this, op).run(); }

template <> void Lowering::lower(tile::HistogramOp op) {
  LinearLayout from = warp::layoutOf(op.getSource().getType()), to = warp::layoutOf(op.getResult().getType());
  uint32_t bins = uint32_t(to.out().size()), threads = options.numWarps * 32;
  llvm::Value *base = beginScratch(op, bins * 4);
  for (uint32_t first = 0; first < bins; first += threads) {
    llvm::Value *bin = builder.CreateAdd(thread, builder.getInt32(first));
    emitIf(builder.CreateICmpULT(bin, builder.getInt32(bins)),
           [&] { storeShared(sharedElement(base, bin, builder.getInt32Ty()), builder.getInt32(0)); });
  }
  barrier();
  Values sources = unpack(get(op.getSource())), masks;
  if (op.getMask())
    masks = unpack(get(op.getMask()));
  llvm::Value *owner = isOwner(from);
  for (auto [r, source] : llvm::enumerate(sources)) {
    llvm::Value *counts = builder.CreateICmpULT(source, llvm::ConstantInt::get(source->getType(), bins));
    if (source->getType()->getIntegerBitWidth() < 32 && bins >> source->getType()->getIntegerBitWidth())
      counts = builder.getTrue();
    if (!masks.empty())
      counts = builder.CreateAnd(counts, masks[r]);
    if (owner)
      counts = builder.CreateAnd(counts, owner);
    emitIf(counts, [&] {
      llvm::Value *bin = builder.CreateZExtOrTrunc(source, builder.getInt32Ty());
      builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, sharedElement(base, bin, builder.getInt32Ty()),
                              builder.getInt32(1), llvm::Align(4), llvm::AtomicOrdering::Monotonic,
                              context.getOrInsertSyncScopeID("block"));
    });
  }
  barrier();
  llvm::Value *counts = loadTile(base, to, builder.getInt32Ty());
  llvm::Type *type = codegen::withLanes(elementType(op.getResult().getType()), counts);
  set(op.getResult(), builder.CreateZExtOrTrunc(counts, type));
}

void addSortOps(OpTable &table) { table.add<tile::SortOp, tile::HistogramOp>(); }

} // namespace nereid::gpu
