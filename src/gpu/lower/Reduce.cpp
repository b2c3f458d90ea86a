// Reduce.cpp: combines elements along an axis: first inside a thread, then between the lanes of a warp by shuffles,
// then between warps through shared memory, out of which results come in any layout. Combining is associative; where it is
// not commutative, layouts keep the order (layouts/ReduceOrder.h).
#include "gpu/lower/Lowering.h"

#include "dialect/ops/Reduction.h"
#include "gpu/lower/WarpIntegers.h"
#include "layout/LayoutMoves.h"

#include "llvm/ADT/TypeSwitch.h"

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
    if (bitsAlong(Dim::Warp).empty())
      betweenLanes(bitsAlong(Dim::Lane));
    else
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
    Value source = op.getSources().front();
    if (auto reshape = source.getDefiningOp<tile::ReshapeOp>(); reshape && reshape->hasOneUse())
      source = reshape.getSource();
    auto product = source.getDefiningOp<arith::MulFOp>();
    return isSymmetric() && isa<arith::AddFOp>(op.getCombine().front().front()) && product && product->hasOneUse() &&
           type->isFloatingPointTy();
  }

  // Two elements of 16 bits are in one register: where both belong to one result, it comes in two halves, which are
  // combined when nothing else is left.
  bool hasHalves(llvm::ArrayRef<unsigned> bits) {
    return isSymmetric() && parts.front()->getType()->getScalarSizeInBits() == 16 && llvm::is_contained(bits, 0u) &&
           bits.size() > 1;
  }

  // The elements at one place along the axis of a few neighbouring results, by their registers.
  struct Step {
    unsigned results, along;
    llvm::SmallVector<int> registers;
  };

  // In the order of registers, which is that of loads: what came first is combined first, and need not be kept until all
  // is there. Where that is another order than the axis has, and it matters: result after result.
  llvm::SmallVector<Step> stepsAlong(llvm::ArrayRef<unsigned> bits, unsigned together) {
    llvm::SmallVector<Step> steps;
    for (unsigned first = 0; first < layout.registers() >> bits.size(); first += together)
      for (unsigned along = 0; along < 1u << bits.size(); ++along) {
        Step &step = steps.emplace_back(Step{first / together, along, {}});
        for (unsigned result = first; result < first + together; ++result)
          step.registers.push_back(registerOf(bits, result, along));
      }
    if (isSymmetric() || llvm::is_sorted(bits))
      llvm::stable_sort(steps, [](const Step &a, const Step &b) { return a.registers[0] < b.registers[0]; });
    return steps;
  }

  int registerOf(llvm::ArrayRef<unsigned> bits, unsigned result, unsigned along) const {
    unsigned found = 0, next = 0;
    for (unsigned bit = 0; bit < layout.bits(Dim::Register); ++bit)
      if (!llvm::is_contained(bits, bit))
        found |= (result >> next++ & 1) << bit;
    for (auto [i, bit] : llvm::enumerate(bits))
      found |= (along >> i & 1) << bit;
    return int(found);
  }

  // Partial results of some steps. Products that are summed up go one after the other, into as many sums at a time as
  // keep the thread busy: in pairs every second product would have to be rounded first, and be there before any is added.
  // All else is combined in pairs: each partial result with the next one of as many elements.
  struct Partial {
    llvm::SmallVector<Values> values;
    unsigned count = 0; // steps that are in them
  };

  Values combined(const Values &left, const Values &right) {
    combine(left, right);
    return parts;
  }

  void add(Partial &partial, Values step, unsigned chains) {
    unsigned number = partial.count++;
    if (chains && number >= chains) {
      partial.values[number % chains] = combined(partial.values[number % chains], step);
      return;
    }
    for (; !chains && number & 1; number >>= 1)
      step = combined(partial.values.pop_back_val(), step);
    partial.values.push_back(std::move(step));
  }

  Values whole(Partial &partial) {
    for (llvm::SmallVector<Values> &values = partial.values; values.size() > 1; values.truncate(values.size() / 2))
      for (unsigned i = 0; i < values.size() / 2; ++i)
        values[i] = combined(values[2 * i], values[2 * i + 1]);
    return partial.values.front();
  }

  void insideThread() {
    llvm::SmallVector<unsigned> bits = bitsAlong(Dim::Register);
    if (bits.empty())
      return;
    constexpr unsigned kBusy = 4;
    bool isSum = sumsProducts(), isHalved = hasHalves(bits);
    if (isHalved)
      llvm::erase(bits, 0u);
    const Values all = parts;
    unsigned results = layout.registers() >> bits.size();
    unsigned together = std::min(results, isHalved ? 2 : atOnce());
    unsigned chains = isSum ? std::clamp(kBusy * together / results, 1u, 1u << bits.size()) : 0;
    llvm::SmallVector<Partial> partials(results / together);
    for (const Step &step : stepsAlong(bits, together)) {
      Values elements;
      for (llvm::Value *part : all)
        elements.push_back(lowering.shuffle(part, step.registers));
      add(partials[step.results], std::move(elements), chains);
    }
    llvm::SmallVector<Values> found(all.size());
    for (Partial &partial : partials)
      for (auto [known, part] : llvm::zip(found, whole(partial)))
        known.append(lowering.unpack(part));
    parts.clear();
    for (const Values &elements : found)
      parts.push_back(lowering.pack(elements));
    if (isHalved)
      joinHalves();
  }

  void joinHalves() {
    llvm::SmallVector<int> halves[2];
    for (unsigned i = 0; i < lowering.unpack(parts.front()).size(); ++i)
      halves[i & 1].push_back(int(i));
    combine({lowering.shuffle(parts.front(), halves[0])}, {lowering.shuffle(parts.front(), halves[1])});
  }

  // How many elements of the narrowest part are in one register.
  unsigned atOnce() {
    unsigned most = 1;
    for (llvm::Value *part : parts)
      if (unsigned bits = part->getType()->getScalarSizeInBits(); bits >= 8 && bits < 32)
        most = std::max(most, 32 / bits);
    return most;
  }

  // Another lane's elements; two of 16 bits go together.
  llvm::Value *moved(llvm::Value *part, llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
    llvm::Type *type = part->getType()->getScalarType();
    Values elements = lowering.unpack(part), found;
    if (type->getScalarSizeInBits() != 16 || elements.size() % 2) {
      for (llvm::Value *element : elements)
        found.push_back(move(element));
      return lowering.pack(found);
    }
    for (unsigned i = 0; i < elements.size(); i += 2) {
      llvm::Value *pair = lowering.shuffle(part, {int(i), int(i + 1)});
      llvm::Value *word = move(builder.CreateBitCast(pair, builder.getInt32Ty()));
      found.append(lowering.unpack(builder.CreateBitCast(word, pair->getType())));
    }
    return lowering.pack(found);
  }

  // Where the order does not matter, lanes that are far apart are combined first: Triton's order, which rounds the same.
  // Else the lanes that come first have the order by themselves.
  void betweenLanes(llvm::SmallVector<unsigned> bits) {
    if (inOneInstruction(bits))
      return;
    if (isSymmetric())
      std::reverse(bits.begin(), bits.end());
    bool isInFirst = !isSymmetric() && bits.size() > 1;
    for (unsigned bit : bits) {
      Values other;
      for (llvm::Value *part : parts)
        other.push_back(moved(part, [&](llvm::Value *word) { return lowering.shuffleLanes(word, 1u << bit); }));
      if (isInFirst)
        combine(parts, other);
      else // both lanes must see the same order
        combineLanes(isSymmetric() ? nullptr : isSet(lowering.lane, bit), parts, other);
    }
    if (isInFirst)
      fromFirst(bits);
  }

  // The same for results that go to shared memory: two lanes that meet share them out, and each goes on with half of them,
  // whose places are left in `places`.
  void shareBetweenLanes(llvm::SmallVector<unsigned> bits, Values &places) {
    if (inOneInstruction(bits))
      return;
    if (isSymmetric())
      std::reverse(bits.begin(), bits.end());
    size_t next = 0;
    for (; next < bits.size() && places.size() > 1; ++next)
      shareBetween(bits[next], places);
    bits.erase(bits.begin(), bits.begin() + next);
    if (isSymmetric())
      std::reverse(bits.begin(), bits.end());
    betweenLanes(bits);
  }

  void shareBetween(unsigned bit, Values &places) {
    llvm::Value *isHigh = isSet(lowering.lane, bit);
    size_t half = places.size() / 2;
    auto halfOf = [&](const Values &all, bool isOther) {
      Values found;
      for (size_t i = 0; i < half; ++i)
        found.push_back(isOther ? builder.CreateSelect(isHigh, all[i], all[i + half])
                                : builder.CreateSelect(isHigh, all[i + half], all[i]));
      return found;
    };
    Values mine, theirs;
    for (llvm::Value *part : parts) {
      Values elements = lowering.unpack(part);
      mine.push_back(lowering.pack(halfOf(elements, false)));
      theirs.push_back(moved(lowering.pack(halfOf(elements, true)),
                             [&](llvm::Value *word) { return lowering.shuffleLanes(word, 1u << bit); }));
    }
    places = halfOf(places, false);
    combineLanes(isHigh, mine, theirs);
  }

  // What two lanes have, in the order of the axis.
  void combineLanes(llvm::Value *isHigh, const Values &mine, const Values &theirs) {
    if (isSymmetric()) {
      combine(mine, theirs);
      keepRounding();
      return;
    }
    Values low, high;
    for (auto [here, there] : llvm::zip(mine, theirs)) {
      low.push_back(builder.CreateSelect(isHigh, there, here));
      high.push_back(builder.CreateSelect(isHigh, here, there));
    }
    combine(low, high);
  }

  llvm::Value *isSet(llvm::Value *number, unsigned bit) {
    return builder.CreateICmpNE(builder.CreateAnd(number, builder.getInt32(1u << bit)), builder.getInt32(0));
  }

  // The lanes that come first along the axis have combined in its order; all others get what these have.
  void fromFirst(llvm::ArrayRef<unsigned> bits) {
    uint32_t along = 0;
    for (unsigned bit : bits)
      along |= 1u << bit;
    llvm::Value *first = builder.CreateAnd(lowering.lane, builder.getInt32(~along));
    for (llvm::Value *&part : parts)
      part = moved(part, [&](llvm::Value *word) { return lowering.shuffleFrom(word, first); });
  }

  // What the function does to integers, if one op says it.
  std::optional<llvm::AtomicRMWInst::BinOp> asIntegers() {
    using Rmw = llvm::AtomicRMWInst;
    using How = std::optional<Rmw::BinOp>;
    if (!isSymmetric() || !parts.front()->getType()->getScalarType()->isIntegerTy())
      return std::nullopt;
    return llvm::TypeSwitch<Operation *, How>(&op.getCombine().front().front())
        .Case([](arith::AddIOp) { return How(Rmw::Add); })
        .Case([](arith::AndIOp) { return How(Rmw::And); })
        .Case([](arith::OrIOp) { return How(Rmw::Or); })
        .Case([](arith::XOrIOp) { return How(Rmw::Xor); })
        .Case([](arith::MaxSIOp) { return How(Rmw::Max); })
        .Case([](arith::MinSIOp) { return How(Rmw::Min); })
        .Case([](arith::MaxUIOp) { return How(Rmw::UMax); })
        .Case([](arith::MinUIOp) { return How(Rmw::UMin); })
        .Default(How());
  }

  // Where all lanes of the warp meet, each of the results is one instruction, if the GPU has it.
  bool inOneInstruction(llvm::ArrayRef<unsigned> bits) {
    std::optional<llvm::AtomicRMWInst::BinOp> how = asIntegers();
    unsigned width = parts.front()->getType()->getScalarSizeInBits();
    if (!how || 1u << bits.size() != lowering.options.target.warpSize || width > 32)
      return false;
    bool isSigned = *how == llvm::AtomicRMWInst::Max || *how == llvm::AtomicRMWInst::Min;
    Values elements = lowering.unpack(parts.front());
    for (llvm::Value *&element : elements) {
      llvm::Type *type = element->getType(), *word = builder.getInt32Ty();
      llvm::Value *wide = isSigned ? builder.CreateSExt(element, word) : builder.CreateZExt(element, word);
      llvm::Value *combined = combineWarp(builder, lowering.options.target, *how, wide);
      if (!combined)
        return false;
      element = builder.CreateTrunc(combined, type);
    }
    parts = {lowering.pack(elements)};
    return true;
  }

  // A product that went into one of the two sums without being rounded would give the two lanes different results.
  void keepRounding() {
    for (llvm::Value *part : parts)
      if (auto *sum = llvm::dyn_cast<llvm::Instruction>(part); sum && llvm::isa<llvm::FPMathOperator>(sum))
        sum->setHasAllowContract(false);
  }

  // One op of which both orders give the same.
  bool isSymmetric() { return tile::isCommutativeReduction(op); }

  // Each warp stores what it has of the axis, in its row of the results' places.
  void betweenWarps() {
    llvm::SmallVector<unsigned> bits = bitsAlong(Dim::Warp), lanes = bitsAlong(Dim::Lane);
    unsigned warps = 1u << bits.size();
    uint64_t elements = result.out().size(), bytes = 0;
    llvm::SmallVector<uint64_t> starts;
    for (llvm::Value *part : parts) {
      starts.push_back(bytes);
      bytes += llvm::alignTo(warps * elements * Lowering::bytesOf(wordOf(part->getType()->getScalarType())), 16);
    }
    Values places = lowering.unpack(lowering.points(result));
    shareBetweenLanes(lanes, places);
    llvm::Value *base = lowering.beginScratch(op, bytes);
    llvm::Value *row = builder.CreateMul(gather(lowering.warpIndex, bits), builder.getInt32(uint32_t(elements)));
    for (auto [part, start] : llvm::zip(parts, starts))
      storeRow(base, start, places, row, part);
    lowering.barrier();
    LinearLayout wanted = isTile(op.getResultTypes().front()) ? warp::layoutOf(op.getResultTypes().front()) : result;
    places = lowering.unpack(lowering.points(wanted));
    auto load = [&](llvm::Value *from) {
      Values found;
      for (auto [part, start] : llvm::zip(parts, starts))
        found.push_back(loadRow(base, start, places, from, part->getType()->getScalarType()));
      return found;
    };
    // Where combining takes more than one instruction, each of the lanes that want the same results fetches one partial
    // result, and they go on as above; else every lane fetches all.
    llvm::SmallVector<unsigned> alike;
    for (unsigned bit = 0; bit < wanted.bits(Dim::Lane); ++bit)
      if (!wanted.column(Dim::Lane, bit))
        alike.push_back(bit);
    if (!isSymmetric() && alike.size() >= bits.size()) {
      alike.truncate(bits.size());
      parts = load(builder.CreateMul(gather(lowering.lane, alike), builder.getInt32(uint32_t(elements))));
      betweenLanes(alike);
      return;
    }
    llvm::SmallVector<Values> partial;
    for (unsigned w = 0; w < warps; ++w)
      partial.push_back(load(builder.getInt32(uint32_t(w * elements))));
    bool isFarFirst = isSymmetric();
    for (unsigned count = warps / 2; count; count /= 2)
      for (unsigned w = 0; w < count; ++w) {
        combine(partial[isFarFirst ? w : 2 * w], partial[isFarFirst ? w + count : 2 * w + 1]);
        partial[w] = parts;
      }
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

  // Narrow integers take words: those of all warps are then read several at a time.
  llvm::Type *wordOf(llvm::Type *type) {
    return type->isIntegerTy() && type->getIntegerBitWidth() < 32 ? builder.getInt32Ty() : type;
  }

  llvm::Value *addressIn(llvm::Value *base, uint64_t start, llvm::Value *row, llvm::Value *place, llvm::Type *word) {
    llvm::Value *from = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), base, unsigned(start));
    return lowering.sharedElement(from, builder.CreateAdd(row, place), word);
  }

  void storeRow(llvm::Value *base, uint64_t start, llvm::ArrayRef<llvm::Value *> places, llvm::Value *row,
                llvm::Value *part) {
    llvm::Type *type = part->getType()->getScalarType(), *word = wordOf(type);
    for (auto [place, element] : llvm::zip(places, lowering.unpack(part)))
      lowering.storeShared(addressIn(base, start, row, place, word),
                           word == type ? element : builder.CreateZExt(element, word));
  }

  llvm::Value *loadRow(llvm::Value *base, uint64_t start, llvm::ArrayRef<llvm::Value *> places, llvm::Value *row,
                       llvm::Type *type) {
    llvm::Type *word = wordOf(type);
    return lowering.pack(llvm::map_to_vector(places, [&](llvm::Value *place) {
      llvm::Value *element = lowering.loadShared(addressIn(base, start, row, place, word), word);
      return word == type ? element : builder.CreateTrunc(element, type);
    }));
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
