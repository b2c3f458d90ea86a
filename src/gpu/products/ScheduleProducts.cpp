// ScheduleProducts.cpp: in loops whose slots stay for an iteration more, products on tensor cores go on while the threads do
// other work, and are awaited as late as possible.
//
//   before  for k { %s = tile.dot %q, %k;  …%s…;  %o = tile.dot %p, %v, %scaled;  yield %o }
//   after   for k { %s = tile.dot %q, %k {async};  %s1, %o1 = warp.await 0 for %s, %carried;  …%s1…;
//                   %o = tile.dot %p, %v, %scaled {async};  yield %o }
//
// Products end in the order in which they start, so a wait says how many of the youngest may be left. In other loops with
// copies, these start while the first product is under way.
#include "gpu/products/ScheduleProducts.h"

#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/dialect/Warp.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::gpu {

bool goesOn(tile::DotOp dot) {
  if (!dot.getResult().hasOneUse())
    return false;
  OpOperand &use = *dot.getResult().getUses().begin();
  return isa<tile::DotOp>(use.getOwner()) && use.getOperandNumber() == 2 &&
         use.getOwner()->getBlock() == dot->getBlock();
}

unsigned registersOf(scf::ForOp loop) {
  auto registersIn = [](RankedTensorType type) {
    unsigned bits = warp::layoutOf(type).registers() * type.getElementTypeBitWidth();
    return bits / 32;
  };
  unsigned registers = 0;
  for (tile::DotOp dot : loop.getBody()->getOps<tile::DotOp>()) {
    registers += goesOn(dot) ? 0 : registersIn(dot.getType());
    if (!sharedOperand(dot.getLhs(), 0))
      registers += registersIn(dot.getLhs().getType());
  }
  return registers;
}

namespace {

// The products of a loop's body.
llvm::SmallVector<tile::DotOp> productsOf(scf::ForOp loop) {
  return llvm::to_vector(loop.getBody()->getOps<tile::DotOp>());
}

// What a product reads from slots, and how.
void collectReads(Value operand, Block *body, llvm::SetVector<Operation *> &ops) {
  Operation *op = operand.getDefiningOp();
  if (!op || op->getBlock() != body)
    return;
  if (isa<tile::TransOp, warp::ReadOp>(op)) {
    for (Value source : op->getOperands())
      collectReads(source, body, ops);
    ops.insert(op);
  }
}

// A product of slots alone that starts from nothing can start with the one before it, if there are registers for both.
void startEarly(scf::ForOp loop) {
  Block *body = loop.getBody();
  llvm::SmallVector<tile::DotOp> dots = productsOf(loop);
  if (registersOf(loop) > kRegistersForProducts)
    return;
  Operation *place = dots.front();
  for (tile::DotOp dot : llvm::drop_begin(dots)) {
    bool isFresh = matchPattern(dot.getAcc(), m_AnyZeroFloat()) || matchPattern(dot.getAcc(), m_Zero());
    llvm::SetVector<Operation *> ops;
    for (Value operand : {dot.getLhs(), dot.getRhs()})
      collectReads(operand, body, ops);
    ops.insert(dot);
    bool isReady =
        isFresh && llvm::all_of(ops, [&](Operation *op) {
          return llvm::all_of(op->getOperands(), [&](Value operand) {
            Operation *source = operand.getDefiningOp();
            return !source || source->getBlock() != body || ops.contains(source) || source->isBeforeInBlock(place);
          });
        });
    if (!isReady)
      continue;
    for (Operation *op : ops)
      if (place->isBeforeInBlock(op)) {
        op->moveAfter(place);
        place = op;
      }
  }
}

// Walks over a body with the products that are under way, oldest first.
class Awaiter {
public:
  explicit Awaiter(scf::ForOp loop) : loop(loop), body(loop.getBody()) {}

  void run() {
    Operation *end = body->getTerminator();
    for (tile::DotOp dot : productsOf(loop)) {
      dot->setAttr(warp::kAsyncAttribute, UnitAttr::get(loop.getContext()));
      if (std::optional<unsigned> place = carriedPlace(dot))
        queue.push_back({loop.getRegionIterArg(*place), true});
    }
    for (Operation &op : llvm::make_early_inc_range(body->without_terminator()))
      visit(&op);
    finish(end);
    loop->setAttr(warp::kDrainAttribute, UnitAttr::get(loop.getContext()));
  }

private:
  struct UnderWay {
    Value tile;                                // none where another product goes on with it
    bool isOld;                                // of the iteration before
    llvm::SmallVector<Operation *> gives = {}; // slots
  };

  // Where the loop carries the product, if nothing else uses it.
  static std::optional<unsigned> carriedPlace(tile::DotOp dot) {
    if (!dot.getResult().hasOneUse())
      return std::nullopt;
    OpOperand &use = *dot.getResult().getUses().begin();
    bool isCarried = use.getOwner() == dot->getBlock()->getTerminator();
    return isCarried ? std::optional(use.getOperandNumber()) : std::nullopt;
  }

  void visit(Operation *op) {
    if (auto await = dyn_cast<warp::AwaitOp>(op)) {
      leave(await);
      return;
    }
    // A slot, or a buffer of this iteration, is given back when the product before has read it.
    if (isa<warp::ArriveOp, warp::ReleaseOp>(op) && !queue.empty()) {
      queue.back().gives.push_back(op);
      return;
    }
    auto dot = dyn_cast<tile::DotOp>(op);
    awaitUsedBy(op, dot ? dot.getAcc() : Value());
    if (!dot)
      return;
    for (UnderWay &product : queue)
      if (product.tile == dot.getAcc())
        product.tile = {};
    queue.push_back({dot.getResult(), false});
  }

  // Everything that an op touches must be done. A product may add to another one that is under way.
  void awaitUsedBy(Operation *op, Value except) {
    std::optional<size_t> last;
    for (auto [i, product] : llvm::enumerate(queue)) {
      if (!product.tile || product.tile == except)
        continue;
      bool isUsed = llvm::any_of(product.tile.getUses(),
                                 [&](OpOperand &use) { return body->findAncestorOpInBlock(*use.getOwner()) == op; });
      if (isUsed)
        last = i;
    }
    if (last)
      awaitUpTo(op, *last);
  }

  void awaitUpTo(Operation *op, size_t last) {
    llvm::SmallVector<Value> tiles;
    llvm::SmallVector<Type> types;
    for (size_t i = 0; i <= last; ++i)
      if (queue[i].tile && isNeededFrom(queue[i].tile, op)) {
        tiles.push_back(queue[i].tile);
        types.push_back(queue[i].tile.getType());
      }
    unsigned pending = unsigned(queue.size() - last - 1);
    OpBuilder builder(op);
    auto await = warp::AwaitOp::create(builder, op->getLoc(), types, tiles, pending);
    for (auto [tile, done] : llvm::zip(tiles, await.getResults()))
      tile.replaceUsesWithIf(done, [&](OpOperand &use) {
        Operation *user = body->findAncestorOpInBlock(*use.getOwner());
        return user && user != await && await->isBeforeInBlock(user);
      });
    leave(await);
  }

  // Products that only add to it can do so while it is under way: it need not be in registers here.
  bool isNeededFrom(Value tile, Operation *place) {
    return llvm::any_of(tile.getUses(), [&](OpOperand &use) {
      if (isa<tile::DotOp>(use.getOwner()) && use.getOperandNumber() == 2)
        return false;
      Operation *user = body->findAncestorOpInBlock(*use.getOwner());
      return user && (user == place || place->isBeforeInBlock(user));
    });
  }

  void leave(warp::AwaitOp await) {
    Operation *place = await;
    while (queue.size() > await.getPending()) {
      for (Operation *op : queue.front().gives) {
        op->moveAfter(place);
        place = op;
      }
      queue.erase(queue.begin());
    }
  }

  // Old products end with the iteration. New ones go on where nothing but the next iteration wants them.
  void finish(Operation *end) {
    std::optional<size_t> last;
    for (auto [i, product] : llvm::enumerate(queue)) {
      auto dot = product.tile ? product.tile.getDefiningOp<tile::DotOp>() : tile::DotOp();
      if (product.isOld || !product.gives.empty() || (dot && !carriedPlace(dot)))
        last = i;
    }
    if (last)
      awaitUpTo(end, *last);
  }

  scf::ForOp loop;
  Block *body;
  llvm::SmallVector<UnderWay> queue;
};

// Copies of later iterations whose starts would keep the threads from this iteration's product: they start while it is
// under way. With one group ahead there is no time to give away.
void startCopiesBehindProduct(scf::ForOp loop) {
  Block *body = loop.getBody();
  auto waits = body->getOps<warp::WaitOp>();
  auto dots = body->getOps<tile::DotOp>();
  if (waits.empty() || (*waits.begin()).getPending() < 1 || dots.empty() || !body->getOps<warp::ExpectOp>().empty())
    return;
  tile::DotOp dot = *dots.begin();
  if (warp::instructionOf(dot) != warp::Instruction::Wgmma || dot->hasAttr(warp::kAsyncAttribute) || !maySpan(dot))
    return;
  llvm::SmallVector<Operation *> copies;
  for (Operation &op : llvm::make_range(body->begin(), dot->getIterator())) {
    auto copy = dyn_cast<warp::CopyAsyncOp>(op);
    if (copy && copy.getBuffer().getDefiningOp()->getBlock() == body)
      return; // of this iteration
    if (isa<warp::CopyAsyncOp, warp::CommitOp>(op))
      copies.push_back(&op);
  }
  if (copies.empty())
    return;
  Operation *place = dot;
  for (Operation *copy : copies) {
    copy->moveAfter(place);
    place = copy;
  }
  OpBuilder builder(loop.getContext());
  builder.setInsertionPointAfter(place);
  dot->setAttr(warp::kAsyncAttribute, builder.getUnitAttr());
  auto await = warp::AwaitOp::create(builder, dot.getLoc(), TypeRange(dot.getType()), ValueRange(dot.getResult()), 0);
  dot.getResult().replaceAllUsesExcept(await.getResult(0), await);
}

} // namespace

static void scheduleProducts(func::FuncOp kernel) {
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) { loops.push_back(loop); });
  for (scf::ForOp loop : loops) {
    if (!loop->hasAttr(warp::kLagAttribute)) {
      startCopiesBehindProduct(loop);
      continue;
    }
    startEarly(loop);
    Awaiter(loop).run();
  }
}

namespace {

struct ScheduleProductsPass : PlanPass<ScheduleProductsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleProductsPass)
  StringRef getArgument() const final { return "warp-schedule-products"; }
  StringRef getDescription() const final { return "Let products go on until their result is touched"; }
  void runOnOperation() final { scheduleProducts(getOperation()); }
};

} // namespace

PassPtr createScheduleProductsPass(const Options &options) { return std::make_unique<ScheduleProductsPass>(options); }

} // namespace nereid::gpu
