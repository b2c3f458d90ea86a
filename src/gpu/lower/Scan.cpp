// Scan.cpp: prefix combinations along an axis. Each thread has a run of the axis, the next lane the next run, the next
// warp the next lanes, and so on again for each chunk (gpu/layouts/ScanRuns.h); so the prefix of a run is that of the chunks,
// warps and lanes before it. Of several chunks, the totals of runs change hands first: each thread gets neighbours, which
// it combines by itself, and lanes meet once instead of once for each chunk.
#include "gpu/layouts/ScanRuns.h"
#include "gpu/lower/Lowering.h"
#include "gpu/lower/ScanTotals.h"

#include "layout/LayoutMoves.h"

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

namespace {

class Scanner {
public:
  Scanner(Lowering &lowering, tile::ScanOp op)
      : lowering(lowering), builder(lowering.builder), op(op),
        layout(warp::layoutOf(op.getSources().front().getType())), rest(layout::sliceLayout(layout, op.getAxis())),
        runs(*scanRuns(layout, op.getAxis())) {
    for (Value source : op.getSources())
      parts.push_back(lowering.get(source));
    lane = position(lowering.lane, runs.firstLane, runs.lanes);
    warp = position(lowering.warpIndex, runs.firstWarp, runs.warps);
  }

  void run() {
    findRuns();
    for (Chunk &chunk : chunks)
      insideThread(chunk);
    if (handsOverTotals())
      scanNeighbours();
    else
      scanBetweenThreads();
    finish();
  }

private:
  void scanBetweenThreads() {
    for (Chunk &chunk : chunks) {
      chunk.total = chunk.columns.back();
      betweenLanes(chunk);
    }
    if (runs.warps)
      shareTotals();
    Values before; // of the chunks before this one
    for (auto [i, chunk] : llvm::enumerate(chunks))
      addPrefix(chunk, unsigned(i), before);
  }

  // One run of each lane and warp. Columns are the positions of a run, each one vector for all runs that the thread has
  // side by side.
  struct Chunk {
    llvm::SmallVector<Values> columns;
    Values total, prefix; // of all lanes up to this one, and of those before it, where it is not added yet
  };

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

  // How far a lane or a warp is along the axis. From the other end with `reverse`.
  llvm::Value *position(llvm::Value *index, unsigned first, unsigned bits) {
    llvm::Value *mask = builder.getInt32((1u << bits) - 1);
    index = builder.CreateAnd(builder.CreateLShr(index, first), mask);
    return op.getReverse() ? builder.CreateXor(index, mask) : index;
  }

  void findRuns() {
    Dim dim = layout::axisDim(op.getAxis());
    unsigned length = 1u << runs.run, count = 1u << runs.chunks, between = runs.lanes + runs.warps;
    registers.assign(count, llvm::SmallVector<llvm::SmallVector<int>>(length));
    for (unsigned r = 0; r < layout.registers(); ++r) {
      uint64_t along = layout.out().index(Lowering::registerPoint(layout, r), dim);
      unsigned at = unsigned(along % length), chunk = unsigned(along >> (runs.run + between));
      if (op.getReverse())
        at = length - 1 - at, chunk = count - 1 - chunk;
      registers[chunk][at].push_back(int(r));
    }
    for (auto &columns : registers) {
      Chunk &chunk = chunks.emplace_back();
      for (auto &places : columns) {
        Values &column = chunk.columns.emplace_back();
        for (llvm::Value *part : parts)
          column.push_back(lowering.shuffle(part, places));
      }
    }
  }

  void insideThread(Chunk &chunk) {
    for (unsigned i = 1; i < chunk.columns.size(); ++i)
      chunk.columns[i] = combine(chunk.columns[i - 1], chunk.columns[i]);
  }

  Values moved(const Values &values, llvm::function_ref<llvm::Value *(llvm::Value *)> move) {
    Values result;
    for (llvm::Value *vector : values)
      result.push_back(lowering.pack(llvm::map_to_vector(lowering.unpack(vector), move)));
    return result;
  }
  Values fromLane(const Values &values, llvm::Value *from) {
    return moved(values, [&](llvm::Value *element) { return lowering.shuffleFrom(element, from); });
  }
  Values byLanes(const Values &values, int distance) {
    return moved(values, [&](llvm::Value *element) { return lowering.shuffleBy(element, distance); });
  }

  // Where there is no lane before, what comes is not used.
  Values fromLaneBefore(const Values &values, unsigned distance) {
    auto step = int(distance << runs.firstLane);
    return byLanes(values, op.getReverse() ? -step : step);
  }

  Values fromLastLane(const Values &values) {
    uint32_t along = ((1u << runs.lanes) - 1) << runs.firstLane;
    return fromLane(values, op.getReverse() ? builder.CreateAnd(lowering.lane, builder.getInt32(~along))
                                            : builder.CreateOr(lowering.lane, builder.getInt32(along)));
  }

  void betweenLanes(Chunk &chunk) {
    for (unsigned distance = 1; distance < 1u << runs.lanes; distance *= 2) {
      Values before = fromLaneBefore(chunk.total, distance);
      llvm::Value *isThere = builder.CreateICmpUGE(lane, builder.getInt32(distance));
      chunk.total = choose(isThere, combine(before, chunk.total), chunk.total);
    }
    if (chunk.columns.size() == 1) // a run of one element, to which all before it are added by now
      chunk.columns.front() = chunk.total;
    else if (runs.lanes)
      chunk.prefix = fromLaneBefore(chunk.total, 1);
  }

  // Where the total of a chunk in one warp is, for part `part` and place `r` of what is scanned side by side.
  llvm::Value *totalAddress(unsigned part, unsigned chunk, llvm::Value *warp, llvm::Value *place) {
    auto elements = uint32_t(rest.out().size());
    llvm::Value *start = builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), scratch, unsigned(starts[part]));
    llvm::Value *row = builder.CreateAdd(warp, builder.getInt32(chunk << runs.warps));
    llvm::Value *index = builder.CreateAdd(builder.CreateMul(row, builder.getInt32(elements)), place);
    return lowering.sharedElement(start, index, parts[part]->getType()->getScalarType());
  }

  // The totals of warps go to shared memory.
  void shareTotals() {
    uint64_t bytes = 0, elements = rest.out().size() << (runs.warps + runs.chunks);
    for (llvm::Value *part : parts) {
      starts.push_back(bytes);
      bytes += llvm::alignTo(elements * Lowering::bytesOf(part->getType()->getScalarType()), 16);
    }
    scratch = lowering.beginScratch(op, bytes);
    places = lowering.unpack(lowering.points(rest));
    auto store = [&] {
      for (auto [c, chunk] : llvm::enumerate(chunks))
        for (auto [i, part] : llvm::enumerate(chunk.total))
          for (auto [r, element] : llvm::enumerate(lowering.unpack(part)))
            lowering.storeShared(totalAddress(i, c, warp, places[r]), element);
    };
    // The last lane along the axis has the warp's total.
    lowering.emitIf(builder.CreateICmpEQ(lane, builder.getInt32((1u << runs.lanes) - 1)), store);
    lowering.barrier();
    scanTotals();
  }

  Values totalOf(unsigned chunk, unsigned ofWarp) {
    Values totals;
    for (unsigned i = 0; i < parts.size(); ++i) {
      llvm::Type *type = parts[i]->getType()->getScalarType();
      Values row;
      for (llvm::Value *place : places)
        row.push_back(lowering.loadShared(totalAddress(i, chunk, builder.getInt32(ofWarp), place), type));
      totals.push_back(lowering.pack(row));
    }
    return totals;
  }

  // Where one row of the tile has all threads: lane i of every warp takes total i, and they are scanned between lanes.
  // That is a few combinations one after the other, where going along all totals would be as many as there are.
  void scanTotals() {
    unsigned count = 1u << (runs.warps + runs.chunks);
    if (rest.out().size() > 1 || count > 32 || count <= 4)
      return;
    llvm::Value *row = builder.CreateAnd(lowering.lane, builder.getInt32(count - 1));
    for (unsigned i = 0; i < parts.size(); ++i) {
      llvm::Type *type = parts[i]->getType()->getScalarType();
      scanned.push_back(lowering.pack({lowering.loadShared(totalAddress(i, 0, row, places[0]), type)}));
    }
    for (unsigned distance = 1; distance < count; distance *= 2) {
      Values before = byLanes(scanned, int(distance));
      llvm::Value *isThere = builder.CreateICmpUGE(row, builder.getInt32(distance));
      scanned = choose(isThere, combine(before, scanned), scanned);
    }
  }

  // `before` becomes that of this chunk too; gives that of this chunk's warps before this one as well.
  Values betweenWarps(unsigned chunk, Values &before) {
    if (!scanned.empty()) {
      llvm::Value *from = builder.CreateAdd(warp, builder.getInt32((chunk << runs.warps) - 1));
      return fromLane(scanned, builder.CreateAnd(from, builder.getInt32(31)));
    }
    unsigned count = 1u << runs.warps;
    Values here = before;
    for (unsigned w = 0; w + (chunk + 1 == chunks.size() ? 1 : 0) < count; ++w) {
      Values total = totalOf(chunk, w);
      before = before.empty() ? total : combine(before, total);
      if (w + 1 < count) // where there is none before the first warp, what it gets is not used
        here = here.empty() ? before : choose(builder.CreateICmpUGT(warp, builder.getInt32(w)), before, here);
    }
    return here;
  }

  void addPrefix(Chunk &chunk, unsigned number, Values &before) {
    bool isFirst = number == 0, isLast = number + 1 == chunks.size();
    Values here = before, prefix = chunk.prefix;
    if (runs.warps)
      here = betweenWarps(number, before);
    else if (!isLast)
      before = isFirst ? fromLastLane(chunk.total) : combine(before, fromLastLane(chunk.total));
    llvm::Value *hasLanes = prefix.empty() ? nullptr : builder.CreateICmpNE(lane, builder.getInt32(0));
    llvm::Value *hasPrefix = hasLanes;
    if (!here.empty()) {
      Values joint = hasLanes ? choose(hasLanes, combine(here, prefix), here) : here;
      llvm::Value *hasMore = isFirst ? builder.CreateICmpNE(warp, builder.getInt32(0)) : builder.getTrue();
      prefix = prefix.empty() ? joint : choose(hasMore, joint, prefix);
      hasPrefix = hasLanes ? builder.CreateOr(hasLanes, hasMore) : hasMore;
    }
    if (hasPrefix)
      for (Values &column : chunk.columns)
        column = choose(hasPrefix, combine(prefix, column), column);
  }

  // ---- Totals of runs change hands (ScanTotals.h): a thread takes as many neighbours as it has chunks.

  // Of fewer chunks, or few lanes, shuffles for each are as short; warps meet twice more than they would. Rows side by
  // side share their shuffles' waiting.
  bool handsOverTotals() {
    constexpr uint64_t kMostBytes = 32 << 10;
    return registers[0][0].size() == 1 && runs.lanes >= 3 && runs.chunks >= (runs.warps ? 3 : 2) &&
           totals().bytes() <= kMostBytes;
  }

  ScanTotals totals() {
    llvm::SmallVector<llvm::Type *> types;
    for (llvm::Value *part : parts)
      types.push_back(part->getType()->getScalarType());
    return {lowering, runs, types, unsigned(registers[0][0].size())};
  }

  // As one chunk, whose columns are `count` totals from `first` on.
  Chunk loadNeighbours(ScanTotals &from, llvm::Value *first, unsigned count) {
    Chunk chunk;
    chunk.columns.resize(count);
    for (unsigned part = 0; part < parts.size(); ++part) {
      llvm::SmallVector<Values> rows(count);
      from.load(part, first, count, rows);
      for (unsigned k = 0; k < count; ++k)
        chunk.columns[k].push_back(lowering.pack(rows[k]));
    }
    return chunk;
  }

  void storeNeighbours(ScanTotals &to, llvm::Value *first, const Chunk &chunk) {
    for (unsigned part = 0; part < parts.size(); ++part) {
      llvm::SmallVector<Values> rows;
      for (const Values &column : chunk.columns)
        rows.push_back(lowering.unpack(column[part]));
      to.store(part, first, rows);
    }
  }

  void scanNeighbours() {
    ScanTotals memory = totals();
    memory.begin(op);
    llvm::Value *thread = builder.CreateAdd(builder.CreateShl(warp, runs.lanes), lane);
    auto indexIn = [&](size_t chunk) {
      return builder.CreateAdd(thread, builder.getInt32(unsigned(chunk) << (runs.lanes + runs.warps)));
    };
    for (auto [c, chunk] : llvm::enumerate(chunks))
      storeNeighbours(memory, indexIn(c), {{chunk.columns.back()}, {}, {}});
    memory.meet();
    auto count = unsigned(chunks.size());
    llvm::Value *first = builder.CreateMul(thread, builder.getInt32(count));
    Chunk taken = loadNeighbours(memory, first, count);
    insideThread(taken);
    scanOneChunk(taken);
    storeNeighbours(memory, first, taken);
    memory.meet();
    for (auto [c, chunk] : llvm::enumerate(chunks)) {
      llvm::Value *index = indexIn(c), *hasPrefix = builder.CreateICmpNE(index, builder.getInt32(0));
      llvm::Value *before = builder.CreateSub(index, builder.getInt32(1));
      if (c == 0)
        before = builder.CreateSelect(hasPrefix, before, index);
      Values prefix = loadNeighbours(memory, before, 1).columns.front();
      for (Values &column : chunk.columns) {
        Values joint = combine(prefix, column);
        column = c == 0 ? choose(hasPrefix, joint, column) : joint;
      }
    }
  }

  // As if it were all that the threads have.
  void scanOneChunk(Chunk &chunk) {
    unsigned chunkBits = std::exchange(runs.chunks, 0);
    llvm::SmallVector<Chunk> others = std::exchange(chunks, {chunk});
    scanBetweenThreads();
    chunk = chunks.front();
    chunks = std::move(others);
    runs.chunks = chunkBits;
  }

  void finish() {
    for (auto [i, result] : llvm::enumerate(op.getResults())) {
      Values elements(layout.registers());
      for (auto [columns, chunk] : llvm::zip(registers, chunks))
        for (auto [places, column] : llvm::zip(columns, chunk.columns))
          for (auto [k, r] : llvm::enumerate(places))
            elements[r] = lowering.extract(column[i], unsigned(k));
      lowering.set(result, lowering.pack(elements));
    }
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  tile::ScanOp op;
  LinearLayout layout, rest;
  ScanRuns runs;
  Values parts;
  llvm::Value *lane, *warp;                                               // how far this thread's are along the axis
  llvm::SmallVector<llvm::SmallVector<llvm::SmallVector<int>>> registers; // of each position of each chunk
  llvm::SmallVector<Chunk> chunks;
  llvm::Value *scratch = nullptr; // totals of warps, those of each part at its start
  llvm::SmallVector<uint64_t> starts;
  Values places;  // of what this thread has side by side
  Values scanned; // the totals up to the one of this lane's number, if lanes scan them
};

} // namespace

template <> void Lowering::lower(tile::ScanOp op) { Scanner(*this, op).run(); }

void addScanOps(OpTable &table) { table.add<tile::ScanOp>(); }

} // namespace nereid::gpu
