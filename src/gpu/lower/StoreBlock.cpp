// StoreBlock.cpp: a tile through shared memory to TMA. A buffer that is narrower than the tile takes a
// part of its columns in each slot; the slot is free again when TMA has read it. Where groups of four warps have rows of
// their own, each group does all of this for itself; where they have columns of their own, as in a product that is stored
// transposed, too, and each has slots of its own. Where the slots take the whole tile, all parts are written at once.
#include "gpu/lower/SharedTile.h"
#include "gpu/lower/TensorCopies.h"

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

namespace {

class BlockStore {
public:
  BlockStore(Lowering &lowering, warp::StoreBlockOp op)
      : lowering(lowering), builder(lowering.builder), op(op), type(op.getBuffer().getType()),
        layout(warp::layoutOf(op.getTile().getType())), columns(layout.shape()[1]), width(type.getShape()[1]),
        rows(layout.shape()[0] / op.getGroups()) {}

  void run() {
    registers = lowering.unpack(toMemoryBits(lowering, lowering.get(op.getTile())));
    bool isEasy = findPart();
    isGrouped = op.getGroups() > 1 && haveGroupsRows();
    unsigned mask = isGrouped || !groupColumns.empty() ? 127 : ~0u;
    isFirst = builder.CreateICmpEQ(builder.CreateAnd(lowering.thread, builder.getInt32(mask)), builder.getInt32(0));
    unsigned others = 0;
    for (layout::F2Vector column : groupColumns)
      others |= unsigned(column / uint64_t(width)); // parts that the other groups have
    for (unsigned part = 0; part < unsigned(columns / width); ++part)
      if (!(part & others))
        parts.push_back(part);
    slots = type.getSlots() >> groupColumns.size();
    op.getAdds() && slots >= parts.size() ? storeAtOnce(isEasy) : storeInTurn(isEasy);
  }

private:
  void storeAtOnce(bool isEasy) {
    if (op.getReused())
      waitForSlot(0);
    for (auto [i, part] : llvm::enumerate(parts))
      write(isEasy, part, slotOf(unsigned(i)));
    lowering.fenceForAsyncProxy();
    meet();
    for (auto [i, part] : llvm::enumerate(parts))
      start(part, slotOf(unsigned(i)));
    lowering.instructions.commitBoxes(isFirst);
  }

  void storeInTurn(bool isEasy) {
    for (auto [i, part] : llvm::enumerate(parts)) {
      if (i == 0 ? op.getReused() : i >= slots)
        waitForSlot(i ? slots - 1 : 0);
      llvm::Value *slot = slotOf(unsigned(i) % slots);
      write(isEasy, part, slot);
      lowering.fenceForAsyncProxy();
      meet();
      start(part, slot);
      lowering.instructions.commitBoxes(isFirst);
    }
  }

  void waitForSlot(unsigned pending) {
    lowering.instructions.waitForBoxes(pending, isFirst);
    meet();
  }

  void write(bool isEasy, unsigned part, llvm::Value *slot) {
    isEasy ? writeRegisters(part, slot) : writeElements(part, slot);
  }

  // Whether the highest bits of the warp are those of the row, and nothing else moves these.
  bool haveGroupsRows() {
    uint64_t high = (uint64_t(layout.shape()[0]) - uint64_t(rows)) * uint64_t(columns);
    unsigned groupBits = llvm::Log2_32(op.getGroups()), warpBits = layout.bits(Dim::Warp);
    if (warpBits < 2 + groupBits || lowering.options.numWarps != 4 * op.getGroups())
      return false;
    for (Dim dim : {Dim::Register, Dim::Lane, Dim::Warp})
      for (auto [bit, basis] : llvm::enumerate(layout.columns(dim))) {
        bool isGroup = dim == Dim::Warp && bit >= 2;
        if (isGroup ? basis != uint64_t(rows) * uint64_t(columns) << (bit - 2) : (basis & high) != 0)
          return false;
      }
    return true;
  }

  llvm::Value *slotOf(unsigned number) {
    auto bytes = unsigned(type.slotBytes());
    llvm::Value *memory = lowering.get(op.getBuffer());
    if (groupColumns.empty())
      return builder.CreateConstInBoundsGEP1_32(builder.getInt8Ty(), memory, bytes * number);
    llvm::Value *offset = builder.CreateMul(lowering.warpGroup, builder.getInt32(bytes * slots));
    return builder.CreateInBoundsGEP(builder.getInt8Ty(), memory,
                                     builder.CreateAdd(offset, builder.getInt32(bytes * number)));
  }

  // Threads that share a box.
  void meet() {
    if (!isGrouped && groupColumns.empty())
      return lowering.barrier();
    constexpr unsigned kFirstNumber = 2; // of barriers: 0 and 1 are those of larger groups
    lowering.instructions.barrier(builder.CreateAdd(lowering.warpGroup, builder.getInt32(kFirstNumber)), 128);
  }

  // What a part is in each thread: the registers whose bits of high columns are 0, if no lane or warp moves those.
  bool findPart() {
    uint64_t high = uint64_t(columns - 1) & ~uint64_t(width - 1);
    llvm::SmallVector<layout::F2Vector> bases;
    unsigned registerBits = 0;
    auto narrowed = [&](uint64_t point) {
      return point / uint64_t(columns) * uint64_t(width) + point % uint64_t(width);
    };
    for (auto [bit, basis] : llvm::enumerate(layout.columns(Dim::Register))) {
      if (basis & high) {
        if (basis & ~high)
          return false;
        partBits.push_back({unsigned(bit), unsigned(basis) / unsigned(width)});
        continue;
      }
      kept.push_back(unsigned(bit));
      bases.push_back(narrowed(basis));
      ++registerBits;
    }
    unsigned warpBits = 0;
    for (Dim dim : {Dim::Lane, Dim::Warp})
      for (auto [bit, basis] : llvm::enumerate(layout.columns(dim))) {
        if (dim == Dim::Warp && bit >= 2 && (basis & high) && !(basis & ~high)) {
          groupColumns.push_back(basis);
          continue;
        }
        if (basis & high || (dim == Dim::Warp && !groupColumns.empty()))
          return groupColumns.clear(), false;
        bases.push_back(narrowed(basis));
        warpBits += dim == Dim::Warp;
      }
    if (!groupColumns.empty() && !haveGroupsSlots(warpBits))
      return groupColumns.clear(), false;
    partLayout = LinearLayout(layout::Space::threads(registerBits, layout.bits(Dim::Lane), warpBits),
                              layout::Space::tile(type.getShape()), bases);
    return true;
  }

  // Whether each group that has columns of its own can have a slot, where nothing else is stored.
  bool haveGroupsSlots(unsigned warpBits) {
    unsigned groups = 1u << groupColumns.size();
    auto isOtherStore = [&](Operation *user) { return isa<warp::StoreBlockOp>(user) && user != op; };
    return warpBits == 2 && lowering.options.numWarps == 4 * groups && type.getSlots() >= groups &&
           llvm::none_of(op.getBuffer().getUsers(), isOtherStore);
  }

  void writeRegisters(unsigned part, llvm::Value *slot) {
    unsigned base = 0;
    for (auto [bit, image] : partBits)
      base |= (part & image) ? 1u << bit : 0;
    Values chosen;
    for (unsigned r = 0; r < partLayout.registers(); ++r) {
      unsigned index = base;
      for (auto [i, bit] : llvm::enumerate(kept))
        index |= (r >> i & 1) << bit;
      chosen.push_back(registers[index]);
    }
    layout::SharedAccess access = layout::planAccess(type.memory(), partLayout, type.elementBytes(), true, true);
    writeShared(lowering, access, 0, access.offsets.size(), slot, chosen);
  }

  // Each thread looks for the elements of the part among its own.
  void writeElements(unsigned part, llvm::Value *slot) {
    Values points = lowering.unpack(lowering.points(layout));
    LinearLayout places = type.memory().inverse(); // element of the part to offset
    llvm::SmallVector<layout::F2Vector> offsets;
    uint64_t elements = layout.out().size();
    for (uint64_t point = 1; point < elements; point *= 2) {
      uint64_t row = point / uint64_t(columns), column = point % uint64_t(columns);
      bool isHigh = column >= uint64_t(width);
      offsets.push_back(isHigh ? 0 : places.apply(row * uint64_t(width) + column) * type.elementBytes());
    }
    for (auto [point, value] : llvm::zip(points, registers)) {
      llvm::Value *column = builder.CreateAnd(point, builder.getInt32(uint32_t(columns - 1)));
      llvm::Value *mine = builder.CreateLShr(column, llvm::Log2_64(uint64_t(width)));
      llvm::Value *element = value;
      llvm::Value *offset = lowering.linearMap(point, offsets);
      lowering.emitIf(builder.CreateICmpEQ(mine, builder.getInt32(part)), [&] {
        builder.CreateStore(element, builder.CreateInBoundsGEP(builder.getInt8Ty(), slot, offset));
      });
    }
  }

  void start(unsigned part, llvm::Value *slot) {
    llvm::Value *start = builder.CreatePtrToInt(slot, builder.getInt32Ty());
    for (Box box : boxesOf(type, op.getGroups())) {
      if (isGrouped && box.row >= rows)
        continue; // another group's
      box.column += int64_t(part) * width;
      llvm::Value *from = builder.CreateAdd(start, builder.getInt32(box.offset));
      llvm::Value *row = nullptr;
      if (isGrouped) {
        row = builder.CreateMul(lowering.warpGroup, builder.getInt32(uint32_t(rows)));
        from = builder.CreateAdd(from, builder.CreateMul(row, builder.getInt32(type.getSwizzle())));
      }
      Values place = boxPlace(lowering, op.getMap(), op.getIndices(), box, row);
      if (!groupColumns.empty())
        place[0] = builder.CreateAdd(place[0], lowering.linearMap(lowering.warpGroup, groupColumns));
      lowering.instructions.storeBox(from, lowering.get(op.getMap()), place, isFirst, op.getAdds());
    }
  }

  Lowering &lowering;
  llvm::IRBuilder<> &builder;
  warp::StoreBlockOp op;
  warp::BufferType type;
  LinearLayout layout, partLayout;
  int64_t columns, width, rows; // columns of the tile and of a part, rows of a group
  bool isGrouped = false;
  llvm::Value *isFirst = nullptr; // the thread that asks TMA
  Values registers;
  llvm::SmallVector<unsigned> parts;                         // that this group has
  unsigned slots = 0;                                        // for them
  llvm::SmallVector<std::pair<unsigned, unsigned>> partBits; // bits of the register, and of the part that they choose
  llvm::SmallVector<unsigned> kept;                          // the other bits of the register
  llvm::SmallVector<layout::F2Vector> groupColumns;          // where each bit of the group's number moves its columns
};

} // namespace

template <> void Lowering::lower(warp::StoreBlockOp op) { BlockStore(*this, op).run(); }

// Each group of four warps has a thread that may have started some.
template <> void Lowering::lower(warp::WaitStoresOp) {
  llvm::Value *isFirst = builder.CreateICmpEQ(builder.CreateAnd(thread, builder.getInt32(127)), builder.getInt32(0));
  instructions.waitForBoxes(0, isFirst);
}

void addStoreBlockOps(OpTable &table) { table.add<warp::StoreBlockOp, warp::WaitStoresOp>(); }

} // namespace nereid::gpu
