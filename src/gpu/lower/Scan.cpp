// Scan.cpp: prefix combinations along an axis. The layout gives each thread a run of the axis, the next lane the next
// run, the next warp the next lanes; so the prefix of a thread is that of the threads before it.
#include "gpu/lower/Lowering.h"

#include "layout/LayoutMoves.h"

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

namespace {

class Scanner {
public:
  Scanner(Lowering &lowering, tile::ScanOp op)
      : lowering(lowering), builder(lowering.builder), op(op),
        layout(warp::layoutOf(op.getSources().front().getType())), rest(layout::sliceLayout(layout, op.getAxis())) {
    for (Value source : op.getSources())
      parts.push_back(lowering.get(source));
    lanes = bitsAlong(Dim::Lane), warps = bitsAlong(Dim::Warp);
  }

  void run() {
    findRuns();
    insideThread();
    Values total = columns.back();
    Values prefix = betweenLanes(total);
    llvm::Value *hasPrefix = lanes ? builder.CreateICmpNE(position(lowering.lane, lanes), builder.getInt32(0))
                                   : llvm::cast<llvm::Value>(builder.getFalse());
    if (warps)
      betweenWarps(total, prefix, hasPrefix);
    if (lanes || warps)
      for (Values &column : columns)
        column = choose(hasPrefix, combine(prefix, column), column);
    finish();
  }

private:
  unsigned bitsAlong(Dim dim) {
    unsigned count = 0;
    for (unsigned bit = 0; bit < layout.bits(dim); ++bit)
      count += layout.basis(dim, bit, layout::axisDim(op.getAxis())) != 0;
    return count;
  }

  Values combine(const Values &left, const Values &right) {
    Values arguments(left);
    arguments.append(right);
    return lowering.emitRegion(op.getCombine().front(), arguments);
  }
  Values choose(llvm::Value *condition, const Values &yes, const Values &no) {
    Values result;
    for (auto [a, b] : llvm::zip(yes, no))
      result.push_back(builder.CreateSelect(condition, a, b));
    return result;
  }

  // How far a lane or a warp is along the axis; the lowest bits run along it. From the other end with `reverse`.
  llvm::Value *position(llvm::Value *index, unsigned bits) {
    llvm::Value *mask = builder.getInt32((1u << bits) - 1);
    index = builder.CreateAnd(index, mask);
    return op.getReverse() ? builder.CreateXor(index, mask) : index;
  }

  // The registers of each position of the run, one vector for all runs of the thread: columns[i] is the i-th.
  void findRuns() {
    Dim dim = layout::axisDim(op.getAxis());
    unsigned length = 1;
    for (unsigned bit = 0; bit < layout.bits(Dim::Register); ++bit)
      length *= layout.basis(Dim::Register, bit, dim) ? 2 : 1;
    registers.resize(length);
    for (unsigned r = 0; r < layout.registers(); ++r) {
      uint64_t at = layout.out().index(Lowering::registerPoint(layout, r), dim);
      registers[op.getReverse() ? length - 1 - at : at].push_back(int(r));
    }
    for (auto &places : registers) {
      Values column;
      for (llvm::Value *part : parts)
        column.push_back(lowering.shuffle(part, places));
      columns.push_back(column);
    }
  }

  void insideThread() {
    for (unsigned i = 1; i < columns.size(); ++i)
      columns[i] = combine(columns[i - 1], columns[i]);
  }

  Values fromLaneBefore(const Values &values, unsigned distance) {
    llvm::Value *step = builder.getInt32(distance);
    llvm::Value *from =
        op.getReverse() ? builder.CreateAdd(lowering.lane, step) : builder.CreateSub(lowering.lane, step);
    from = builder.CreateAnd(from, builder.getInt32(31));
    Values moved;
    for (llvm::Value *vector : values) {
      Values elements;
      for (llvm::Value *element : lowering.unpack(vector))
        elements.push_back(lowering.shuffleFrom(element, from));
      moved.push_back(lowering.pack(elements));
    }
    return moved;
  }

  // `total` becomes that of all lanes up to this one; gives that of the lanes before.
  Values betweenLanes(Values &total) {
    if (!lanes)
      return total;
    llvm::Value *at = position(lowering.lane, lanes);
    for (unsigned distance = 1; distance < 1u << lanes; distance *= 2) {
      Values before = fromLaneBefore(total, distance);
      llvm::Value *isThere = builder.CreateICmpUGE(at, builder.getInt32(distance));
      total = choose(isThere, combine(before, total), total);
    }
    return fromLaneBefore(total, 1);
  }

  void betweenWarps(const Values &total, Values &prefix, llvm::Value *&hasPrefix) {
    unsigned count = 1u << warps;
    uint64_t elements = rest.out().size(), bytes = 0;
    llvm::SmallVector<uint64_t> starts;
    for (llvm::Value *part : total) {
      starts.push_back(bytes);
      bytes += llvm::alignTo(count * elements * Lowering::bytesOf(part->getType()->getScalarType()), 16);
    }
    llvm::Value *base = lowering.beginScratch(op, bytes);
    Values places = lowering.unpack(lowering.points(rest));
    llvm::Value *at = position(lowering.warpIndex, warps);
    auto address = [&](unsigned part, unsigned r, llvm::Value *row, llvm::Type *type) {
      llvm::Value *start = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), base, unsigned(starts[part]));
      llvm::Value *index = builder.CreateAdd(builder.CreateMul(row, builder.getInt32(uint32_t(elements))), places[r]);
      return lowering.sharedElement(start, index, type);
    };
    // The last lane along the axis has the warp's total.
    auto store = [&] {
      for (auto [i, part] : llvm::enumerate(total))
        for (auto [r, element] : llvm::enumerate(lowering.unpack(part)))
          lowering.storeShared(address(i, r, at, element->getType()), element);
    };
    llvm::Value *last = builder.getInt32((1u << lanes) - 1);
    lowering.emitIf(builder.CreateICmpEQ(position(lowering.lane, lanes), last), store);
    lowering.barrier();
    Values before;
    for (unsigned w = 0; w + 1 < count; ++w) {
      Values read;
      for (auto [i, part] : llvm::enumerate(total)) {
        Values row;
        for (unsigned r = 0; r < places.size(); ++r)
          row.push_back(lowering.loadShared(address(i, r, builder.getInt32(w), part->getType()->getScalarType()),
                                            part->getType()->getScalarType()));
        read.push_back(lowering.pack(row));
      }
      llvm::Value *isBefore = builder.CreateICmpUGT(at, builder.getInt32(w));
      before = w ? choose(isBefore, combine(before, read), before) : read;
    }
    llvm::Value *isLater = builder.CreateICmpNE(at, builder.getInt32(0));
    prefix = choose(isLater, choose(hasPrefix, combine(before, prefix), before), prefix);
    hasPrefix = builder.CreateOr(hasPrefix, isLater);
  }

  void finish() {
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      Values elements(layout.registers());
      for (auto [places, column] : llvm::zip(registers, columns))
        for (auto [k, r] : llvm::enumerate(places))
          elements[r] = lowering.extract(column[i], unsigned(k));
      lowering.set(result, lowering.pack(elements));
    }
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::ScanOp op;
  LinearLayout layout, rest;
  Values parts;
  unsigned lanes, warps;
  llvm::SmallVector<llvm::SmallVector<int>> registers;
  llvm::SmallVector<Values> columns;
};

} // namespace

void Lowering::lowerScan(tile::ScanOp op) { Scanner(*this, op).run(); }

} // namespace nereid::gpu
