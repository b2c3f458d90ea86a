// OrderMemory.cpp: a tile is spread over threads, so a load can need what another thread of the program stored just
// before. Where two accesses may meet in this way and no barrier stands between them, one is put there.
//
//   before  tile.store %p, %x          after  tile.store %p, %x
//           %y = tile.load %q                 tile.barrier
//                                             %y = tile.load %q
//
// Pointers that come from different arguments are taken to be different memory, as Triton does; the same tile of
// pointers is accessed by the same threads; and where the addresses are sums of known numbers, they may be seen to be
// different ones.
#include "gpu/memory/OrderMemory.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"

#include "dialect/Tile.h"
#include "gpu/memory/Footprint.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::gpu {

Value memoryRoot(Value value) {
  llvm::DenseSet<Value> seen;
  while (seen.insert(value).second) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (isa<func::FuncOp>(parent))
        return value;
      auto loop = dyn_cast<scf::ForOp>(parent);
      if (!loop || argument == loop.getInductionVar())
        return {};
      value = loop.getTiedLoopInit(argument)->get();
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op->hasTrait<tile::View>() && !isa<tile::AddPtrOp, tile::HintOp, tile::PtrCastOp>(op))
      return {};
    value = op->getOperand(0);
  }
  return {};
}

bool mayWaitForOthers(Operation *op) {
  return op->hasTrait<tile::WaitsForOthers>() || (op->hasTrait<tile::Atomic>() && !op->use_empty());
}

namespace {

struct Access {
  Value pointer;
  bool writes = false;
};
// Each one once, however many paths lead past it.
using Accesses = llvm::SetVector<std::pair<Value, unsigned>>; // pointer, whether it writes

std::optional<Access> accessOf(Operation *op) {
  std::optional<tile::Access> access = tile::accessOf(op);
  // Blocks that TMA moves are in order by themselves.
  return access && access->isByPointer() ? std::optional(Access{access->address, access->writes}) : std::nullopt;
}

class Orderer {
public:
  explicit Orderer(int64_t threads) : threads(threads) {}

  void visit(Block &block, Accesses &open) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isa<tile::BarrierOp>(op)) {
        open.clear();
      } else if (std::optional<Access> access = accessOf(&op)) {
        separate(&op, *access, open);
        open.insert({access->pointer, access->writes});
      } else if (isa<scf::ForOp, scf::WhileOp>(op)) {
        visitLoop(&op, open);
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        Accesses other = open;
        visit(*branch.thenBlock(), open);
        if (!branch.getElseRegion().empty())
          visit(*branch.elseBlock(), other);
        open.insert(other.begin(), other.end());
      }
    }
  }

private:
  Value rootOf(Value pointer) {
    auto [known, isNew] = roots.try_emplace(pointer);
    if (isNew)
      known->second = memoryRoot(pointer);
    return known->second;
  }

  // Whether the addresses are different ones, whichever iterations of loops they belong to.
  bool isApart(Value a, Value b) {
    for (Value pointer : {a, b})
      if (auto [known, isNew] = footprints.try_emplace(pointer); isNew)
        known->second = footprintOf(pointer);
    const std::optional<Footprint> &left = footprints[a], &right = footprints[b];
    return left && right && !mayMeet(*left, *right, repeated);
  }

  // A tile with fewer elements than threads is held several times.
  bool meet(const Access &a, const Access &b) {
    if (!a.writes && !b.writes)
      return false;
    Value rootA = rootOf(a.pointer), rootB = rootOf(b.pointer); // null: unknown
    if (rootA && rootB && rootA != rootB)
      return false;
    if (rootA && rootB && isApart(a.pointer, b.pointer))
      return false;
    auto type = dyn_cast<RankedTensorType>(a.pointer.getType());
    bool isOneThread = a.pointer == b.pointer && type && type.getNumElements() >= threads;
    return !isOneThread;
  }

  void separate(Operation *op, const Access &access, Accesses &open) {
    if (llvm::none_of(open, [&](auto before) { return meet({before.first, before.second != 0}, access); }))
      return;
    OpBuilder builder(op);
    tile::BarrierOp::create(builder, op->getLoc());
    open.clear();
  }

  void visitRegions(Operation *loop, Accesses &open) {
    for (Region &region : loop->getRegions())
      visit(region.front(), open);
  }

  // A barrier in front of the loop rather than in each of its iterations; then the accesses of one iteration with those of the
  // next.
  void visitLoop(Operation *loop, Accesses &open) {
    loop->walk([&](Operation *op) {
      if (std::optional<Access> access = accessOf(op))
        separate(loop, *access, open);
    });
    Accesses before = open;
    visitRegions(loop, open);
    if (!isSecondIteration) { // of a loop around this one: what is inside was compared with itself in the first iteration
      isSecondIteration = true, repeated = loop;
      visitRegions(loop, open);
      isSecondIteration = false, repeated = nullptr;
    }
    open.insert(before.begin(), before.end());
  }

  int64_t threads;
  bool isSecondIteration = false;
  Operation *repeated = nullptr; // the loop whose iterations are compared with each other
  llvm::DenseMap<Value, Value> roots;
  llvm::DenseMap<Value, std::optional<Footprint>> footprints;
};

} // namespace

static void orderMemory(func::FuncOp kernel, const Options &options) {
  Accesses open;
  Orderer(options.threads()).visit(kernel.getBody().front(), open);
}

namespace {

struct OrderMemoryPass : PlanPass<OrderMemoryPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OrderMemoryPass)
  StringRef getArgument() const final { return "warp-order-memory"; }
  StringRef getDescription() const final {
    return "Put barriers between accesses of different threads to the same memory";
  }
  void runOnOperation() final { orderMemory(getOperation(), options()); }
};

} // namespace

PassPtr createOrderMemoryPass(const Options &options) { return std::make_unique<OrderMemoryPass>(options); }

} // namespace nereid::gpu
