// CodeFacts.cpp: walks over planned tile IR and asks, of each op, what its lowering asks.
#include "gpu/CodeFacts.h"

#include "codegen/LineTable.h"
#include "gpu/layouts/Anchors.h"
#include "gpu/layouts/PlanConversion.h"
#include "gpu/lower/Access.h"
#include "gpu/pipeline/TileRows.h"
#include "gpu/products/Operands.h"

using namespace mlir;

namespace nereid::gpu {

using layout::Dim;

namespace {

CodePlace placeAt(Operation *op) {
  FileLineColRange range = codegen::innermost(op->getLoc());
  return range ? CodePlace{range.getFilename().str(), range.getStartLine(), range.getStartColumn()} : CodePlace{};
}

unsigned elementsOfTile(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile ? unsigned(tile.getNumElements()) : 1;
}

class FactReader {
public:
  FactReader(func::FuncOp kernel, const Options &options)
      : kernel(kernel), options(options), axes(kernel, [](Operation *op) { return isa<warp::ConvertLayoutOp>(op); }) {}

  CodeFacts run() {
    facts.numWarps = options.numWarps;
    facts.numStages = options.numStages;
    facts.hasTma = options.target.hasTma;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case<tile::LoadOp, tile::StoreOp, tile::AtomicRmwOp, warp::CopyAsyncOp, warp::CopyBlockOp, warp::CopyRowsOp,
                warp::StoreBlockOp, tile::DotOp, warp::ConvertLayoutOp, warp::StoreOp, warp::ReadOp>(
              [&](auto known) { read(known); })
          .Case([&](warp::SpecializeOp) { facts.isSpecialized = true; });
    });
    return std::move(facts);
  }

private:
  // Requests of all warps: for each group of registers that one access covers, the lanes one after the other. `step`:
  // registers from one access to the next, of which those beyond `width` are copies. `owners`: only threads that hold an
  // element first take part.
  void addOrder(AccessFact &fact, const LinearLayout &layout, unsigned width, unsigned step, bool owners) {
    if (layout.out().size() != fact.elements)
      return; // its sectors are counted as if lanes lay in a row
    unsigned idleLanes = owners ? layout.freeBits(Dim::Lane) : 0, idleWarps = owners ? layout.freeBits(Dim::Warp) : 0;
    for (unsigned warp = 0; warp < layout.warps(); ++warp) {
      if (warp & idleWarps)
        continue;
      uint64_t ofWarp = layout::multiply(layout.columns(Dim::Warp), warp);
      for (unsigned reg = 0; reg < layout.registers(); reg += step)
        for (unsigned lane = 0; lane < layout.lanes(); ++lane) {
          if (lane & idleLanes)
            continue;
          uint64_t ofLane = ofWarp ^ layout::multiply(layout.columns(Dim::Lane), lane);
          for (unsigned i = 0; i < width; ++i)
            fact.order.push_back(uint32_t(ofLane ^ layout::multiply(layout.columns(Dim::Register), reg + i)));
        }
    }
    fact.requestElements = (layout.lanes() >> llvm::popcount(idleLanes)) * width;
  }

  AccessFact startAccess(Operation *op, Type pointers, Type element) {
    AccessFact fact;
    fact.place = placeAt(op);
    fact.elements = elementsOfTile(pointers);
    fact.isScalar = !isTile(pointers);
    fact.accessBytes = bytesInMemory(getElementTypeOrSelf(element));
    if (fact.isScalar) {
      fact.order = {0};
      fact.requestElements = 1;
    }
    return fact;
  }

  void read(tile::LoadOp op) {
    AccessFact fact = startAccess(op, op.getPtr().getType(), op.getType());
    tile::CacheModifier cache = op.getCache();
    fact.goesAroundFirstCache = op.getIsVolatile() || cache == tile::CacheModifier::CG ||
                                cache == tile::CacheModifier::CV || cache == tile::CacheModifier::WT;
    if (fact.isScalar) {
      fact.repeats = options.numWarps;
    } else {
      LinearLayout layout = warp::layoutOf(op.getType());
      unsigned width = accessWidthToEnd(axes, op.getPtr(), op.getMask(), layout, fact.accessBytes);
      unsigned equal = op.getIsVolatile() || width > 1 ? 1 : equalAccesses(axes, op->getOperands(), layout);
      addOrder(fact, layout, width, width * equal, false);
      fact.accessBytes *= width;
    }
    facts.accesses.push_back(std::move(fact));
  }

  void read(tile::StoreOp op) {
    AccessFact fact = startAccess(op, op.getPtr().getType(), op.getValue().getType());
    fact.isWrite = true;
    if (!fact.isScalar) {
      LinearLayout layout = warp::layoutOf(op.getPtr().getType());
      Value mask = op.getMask() && isTile(op.getMask().getType()) ? op.getMask() : Value();
      unsigned width = accessWidthToEnd(axes, op.getPtr(), mask, layout, fact.accessBytes);
      addOrder(fact, layout, width, width, true);
      fact.accessBytes *= width;
    }
    facts.accesses.push_back(std::move(fact));
  }

  void read(tile::AtomicRmwOp op) {
    AccessFact fact = startAccess(op, op.getPtr().getType(), op.getValue().getType());
    fact.isWrite = fact.isAtomic = true;
    bool isHalf = fact.accessBytes == 2;
    if (!fact.isScalar) {
      LinearLayout layout = warp::layoutOf(op.getPtr().getType());
      Value mask = op.getMask() && isTile(op.getMask().getType()) ? op.getMask() : Value();
      unsigned width =
          std::min(widestChange(op, options), accessWidth(axes, op.getPtr(), mask, layout, fact.accessBytes));
      addOrder(fact, layout, width, width, true);
      fact.accessBytes *= width;
    }
    // GPUs change 16 bits in pairs alone: of one, the assembler makes a loop that loads, compares and swaps.
    if (isHalf && fact.accessBytes == 2)
      fact.repeats = 2;
    facts.accesses.push_back(std::move(fact));
  }

  void read(warp::CopyAsyncOp op) {
    warp::BufferType type = op.getBuffer().getType();
    AccessFact fact = startAccess(op, op.getPtr().getType(), type.getElement());
    fact.kind = AccessFact::Kind::AsyncCopy;
    fact.slots = type.getSlots();
    unsigned width = copyWidth(axes, op);
    addOrder(fact, warp::layoutOf(op.getPtr().getType()), width, width, true);
    fact.accessBytes *= width;
    fact.goesAroundFirstCache = fact.accessBytes == 16; // cp.async.cg, which others cannot be
    facts.accesses.push_back(std::move(fact));
  }

  void read(warp::CopyRowsOp op) {
    warp::BufferType type = op.getBuffer().getType();
    AccessFact fact = startAccess(op, RankedTensorType::get(type.getShape(), type.getElement()), type.getElement());
    fact.kind = AccessFact::Kind::AsyncCopy;
    fact.slots = type.getSlots();
    unsigned width = kBytesOfRowPiece / type.elementBytes();
    addOrder(fact, layoutOfRows(type), width, width, true);
    fact.accessBytes = kBytesOfRowPiece;
    fact.goesAroundFirstCache = true; // cp.async.cg
    facts.accesses.push_back(std::move(fact));
  }

  void addBlock(Operation *op, unsigned elements, unsigned elementBytes, unsigned slots, bool isWrite) {
    AccessFact fact;
    fact.place = placeAt(op);
    fact.kind = AccessFact::Kind::Block;
    fact.isWrite = isWrite;
    fact.elements = elements;
    fact.accessBytes = elements * elementBytes;
    fact.slots = slots;
    fact.requestElements = UINT32_MAX;
    fact.goesAroundFirstCache = true;
    facts.accesses.push_back(std::move(fact));
  }
  void read(warp::CopyBlockOp op) {
    warp::BufferType type = op.getBuffer().getType();
    addBlock(op, unsigned(type.slotBytes() / type.elementBytes()), type.elementBytes(), type.getSlots(), false);
  }
  void read(warp::StoreBlockOp op) {
    addBlock(op, elementsOfTile(op.getTile().getType()), op.getBuffer().getType().elementBytes(), 0, true);
  }

  void read(tile::DotOp op) {
    std::optional<warp::Instruction> instruction = warp::instructionOf(op);
    ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getType()).getShape();
    facts.products.push_back({placeAt(op),
                              warp::stringifyInstruction(instruction.value_or(warp::Instruction::Fma)).str(),
                              {shape.begin(), shape.end()}});
  }

  // `ways` turns instead of one.
  void addAccess(MoveFact &fact, const layout::SharedAccess &access) {
    auto accesses = unsigned(access.offsets.size()) * options.numWarps;
    fact.accesses += accesses;
    fact.conflicts += accesses * (access.ways - 1);
  }

  void read(warp::ConvertLayoutOp op) {
    layout::ConversionPlan plan = planConversion(op, options);
    MoveFact fact{.place = placeAt(op)};
    switch (plan.kind) {
    case layout::ConversionPlan::Kind::None: return;
    case layout::ConversionPlan::Kind::Registers: break;
    case layout::ConversionPlan::Kind::Shuffles:
      fact.kind = MoveFact::Kind::Shuffles;
      fact.shuffles = plan.shuffles.shuffles();
      break;
    case layout::ConversionPlan::Kind::Shared:
      fact.kind = MoveFact::Kind::Shared;
      fact.sharedBytes = plan.shared.bytes;
      fact.barriers = plan.shared.staysInWarp ? 0 : 2 * plan.shared.rounds - 1;
      addAccess(fact, plan.shared.write);
      addAccess(fact, plan.shared.read);
    }
    facts.moves.push_back(std::move(fact));
  }

  void read(warp::StoreOp op) {
    warp::BufferType type = op.getBuffer().getType();
    MoveFact fact{.place = placeAt(op), .kind = MoveFact::Kind::ToBuffer, .barriers = 1};
    fact.sharedBytes = unsigned(type.slotBytes());
    addAccess(fact, layout::planAccess(type.memory(), warp::layoutOf(op.getTile().getType()), type.elementBytes(), true,
                                       options.target.hasStmatrix));
    facts.moves.push_back(std::move(fact));
  }

  void read(warp::ReadOp op) {
    if (isOnlyForTensorCores(op))
      return;
    warp::BufferType type = op.getBuffer().getType();
    MoveFact fact{.place = placeAt(op), .kind = MoveFact::Kind::FromBuffer};
    fact.sharedBytes = unsigned(type.slotBytes());
    addAccess(fact, layout::planAccess(type.memory(), warp::layoutOf(op.getResult().getType()), type.elementBytes(),
                                       false, true));
    facts.moves.push_back(std::move(fact));
  }

  func::FuncOp kernel;
  const Options &options;
  analysis::AxisInfoAnalysis axes;
  CodeFacts facts;
};

} // namespace

CodeFacts factsOf(func::FuncOp kernel, const Options &options) { return FactReader(kernel, options).run(); }

} // namespace nereid::gpu
