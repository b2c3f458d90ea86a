// RotateProducts.cpp: attention's second product moves into the next iteration, behind the first one there. Tensor cores have
// two products in a row then, while the other warp group computes its softmax.
//
//   before  for k { %s = dot %q, %k[k];  %p, %scaled = softmax(%s, %o);  %o = dot %p, %v[k], %scaled }
//   after   %s = dot %q, %k[0];  %p, %scaled = softmax(%s, %o)
//           for k from 1, %p, %scaled { %s = dot %q, %k[k];  %o = dot %p, %v[k-1], %scaled;  await %s;
//                                       largest of %s;  await %o;  %p = exp2(%s - …);  %scaled = …%o }
//           %o = dot %p, %v[n-1], %scaled
//
// The second product reads the old %p from registers until it is done: the new one is made behind its wait. That wait
// stands in front of the exponentials: held back behind them (a volatile access kept the assembler to it) it cost 3 to 9 %
// on the H200, as both warp groups then wanted the tensor cores at the same time.
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/dialect/Warp.h"
#include "gpu/products/DotPlan.h"
#include "gpu/products/Operands.h"
#include "gpu/products/ScheduleProducts.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class Rotation {
public:
  explicit Rotation(scf::ForOp loop) : loop(loop), body(loop.getBody()) {}

  // A softmax between two products, the second of which nothing else in the iteration uses.
  bool isPossible() {
    auto dots = llvm::to_vector(body->getOps<tile::DotOp>());
    if (dots.size() != 2 || registersOf(loop) > kRegistersForProducts)
      return false;
    first = dots[0], second = dots[1];
    std::optional<SharedOperand> right = sharedOperand(second.getRhs(), 1);
    OpOperand &use = *second.getResult().getUses().begin();
    if (!right || sharedOperand(second.getLhs(), 0) || !second.getResult().hasOneUse() ||
        use.getOwner() != body->getTerminator())
      return false;
    place = use.getOperandNumber();
    slot = right->read.getSlot();
    carried = {second.getLhs(), second.getAcc(), slot};
    findBarriers();
    // What the next iteration starts from must come from this one.
    return llvm::all_of(carried, [&](Value value) { return value.getParentBlock() == body; }) && findLate();
  }

  scf::ForOp run() {
    OpBuilder builder(loop);
    Location loc = loop.getLoc();
    auto predicate = loop.getUnsignedCmp() ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
    Value runs = arith::CmpIOp::create(builder, loc, predicate, loop.getLowerBound(), loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loc, loop.getResultTypes(), runs, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc, loop.getInitArgs());
    builder.setInsertionPointToStart(branch.thenBlock());
    scf::ForOp rotated = makeLoop(builder, firstIteration(builder));
    builder.setInsertionPointAfter(rotated);
    unsigned count = loop.getNumRegionIterArgs() - 1;
    ValueRange operands = rotated.getResults().drop_front(count);
    Value last = product(builder, operands);
    release(builder, operands);
    llvm::SmallVector<Value> results(rotated.getResults().take_front(count));
    results.insert(results.begin() + place, last);
    scf::YieldOp::create(builder, loc, results);
    loop.replaceAllUsesWith(branch);
    loop.erase();
    return rotated;
  }

private:
  // What the second product waits for, and what it gives back.
  void findBarriers() {
    for (Operation *op = first->getNextNode(); op; op = op->getNextNode())
      if (auto wait = dyn_cast<warp::WaitPhaseOp>(op)) {
        guard = wait;
        carried.push_back(wait.getPhase());
      } else if (auto arrive = dyn_cast<warp::ArriveOp>(op); arrive && second->isBeforeInBlock(op)) {
        given = arrive;
      }
  }

  bool isOfSecond(Operation *op) { return op == second || op == guard || op == given; }

  // What waits for the second product of the iteration before: all that is computed with its result, and the operand that
  // takes its registers. `held` is what that operand is made of.
  bool findLate() {
    held = second.getLhs();
    while (Operation *op = held.getDefiningOp()) {
      bool isConversion = isa<arith::TruncFOp, warp::ConvertLayoutOp>(op) && held.hasOneUse();
      if (op->getBlock() != body || !(isConversion || isa<math::Exp2Op, math::ExpOp>(op)))
        break;
      late.insert(op);
      held = op->getOperand(0);
      if (!isConversion)
        break;
    }
    llvm::SmallVector<Value> work{loop.getRegionIterArg(place)};
    for (Operation *op : late)
      work.append(op->result_begin(), op->result_end());
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        Operation *op = body->findAncestorOpInBlock(*user);
        if (!op || op == second || op == body->getTerminator())
          continue;
        if (!first->isBeforeInBlock(op))
          return false;
        if (late.insert(op))
          work.append(op->result_begin(), op->result_end());
      }
    return true;
  }

  // The values of the iteration after this one: what the loop yields without the second product, then what that one takes.
  llvm::SmallVector<Value> nextValues(const IRMapping &mapping) {
    llvm::SmallVector<Value> values;
    for (auto [i, value] : llvm::enumerate(loop.getYieldedValues()))
      if (i != place)
        values.push_back(mapping.lookupOrDefault(value));
    for (Value value : carried)
      values.push_back(mapping.lookupOrDefault(value));
    return values;
  }

  llvm::SmallVector<Value> firstIteration(OpBuilder &builder) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), loop.getLowerBound());
    mapping.map(loop.getRegionIterArgs(), loop.getInitArgs());
    for (Operation &op : body->without_terminator())
      if (!isOfSecond(&op))
        builder.clone(op, mapping);
    return nextValues(mapping);
  }

  // The second product, with its operands as they were carried here.
  Value product(OpBuilder &builder, ValueRange operands) {
    IRMapping mapping;
    mapping.map(slot, operands[2]);
    if (guard) {
      mapping.map(guard.getPhase(), operands[3]);
      builder.clone(*guard, mapping);
    }
    Value right = second.getRhs();
    llvm::SmallVector<Operation *> reads;
    while (Operation *op = right.getDefiningOp()) {
      reads.push_back(op);
      if (isa<warp::ReadOp>(op))
        break;
      right = op->getOperand(0);
    }
    for (Operation *op : llvm::reverse(reads))
      builder.clone(*op, mapping);
    mapping.map(second.getLhs(), operands[0]);
    mapping.map(second.getAcc(), operands[1]);
    return builder.clone(*second, mapping)->getResult(0);
  }

  void release(OpBuilder &builder, ValueRange operands) {
    IRMapping mapping;
    mapping.map(slot, operands[2]);
    if (given)
      builder.clone(*given, mapping);
  }

  scf::ForOp makeLoop(OpBuilder &builder, llvm::ArrayRef<Value> starts) {
    Location loc = loop.getLoc();
    Value second = arith::AddIOp::create(builder, loc, loop.getLowerBound(), loop.getStep());
    auto fill = [&](OpBuilder &inside, Location, Value index, ValueRange arguments) {
      makeBody(inside, index, arguments);
    };
    auto made = scf::ForOp::create(builder, loc, second, loop.getUpperBound(), loop.getStep(), starts, fill,
                                   loop.getUnsignedCmp());
    made->setAttrs(loop->getAttrs());
    return made;
  }

  void makeBody(OpBuilder &builder, Value index, ValueRange arguments) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    unsigned next = 0;
    for (auto [i, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      if (i != place)
        mapping.map(argument, arguments[next++]);
    ValueRange operands = arguments.drop_front(next);
    bool hasStarted = false;
    for (Operation &op : body->without_terminator()) {
      if (isOfSecond(&op) || late.contains(&op))
        continue;
      // Behind the first product, and what that one gives back.
      if (!hasStarted && first->isBeforeInBlock(&op) && !isa<warp::ArriveOp>(op)) {
        mapping.map(loop.getRegionIterArg(place), product(builder, operands));
        hasStarted = true;
      }
      builder.clone(op, mapping);
    }
    awaitSecond(builder, mapping);
    release(builder, operands);
    for (Operation &op : body->without_terminator())
      if (late.contains(&op))
        builder.clone(op, mapping);
    scf::YieldOp::create(builder, loop.getLoc(), nextValues(mapping));
  }

  void awaitSecond(OpBuilder &builder, IRMapping &mapping) {
    llvm::SmallVector<Value> from{loop.getRegionIterArg(place), held}, tiles;
    llvm::SmallVector<Type> types;
    for (Value value : from) {
      tiles.push_back(mapping.lookup(value));
      types.push_back(value.getType());
    }
    auto await = warp::AwaitOp::create(builder, second.getLoc(), types, tiles, 0);
    for (auto [value, done] : llvm::zip(from, await.getResults()))
      mapping.map(value, done);
  }

  scf::ForOp loop;
  Block *body;
  tile::DotOp first, second;
  unsigned place = 0; // of the second product's result among what the loop carries
  Value slot, held;
  warp::WaitPhaseOp guard;
  warp::ArriveOp given;
  llvm::SmallVector<Value> carried; // left operand, addend and slot of the second product
  llvm::SetVector<Operation *> late;
};

} // namespace

// Where all threads wait for each other in every iteration, tensor cores would stand still between the iterations: only loops of a
// consumer.
static void rotateProducts(func::FuncOp kernel) {
  llvm::SmallVector<scf::ForOp> loops;
  kernel.walk([&](scf::ForOp loop) {
    if (loop->hasAttr(warp::kLagAttribute) && loop->getParentOfType<warp::SpecializeOp>())
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops)
    if (Rotation rotation(loop); rotation.isPossible())
      rotation.run();
}

namespace {

struct RotateProductsPass : PlanPass<RotateProductsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RotateProductsPass)
  StringRef getArgument() const final { return "warp-rotate-products"; }
  StringRef getDescription() const final { return "Move the second product of attention into the next iteration"; }
  void runOnOperation() final { rotateProducts(getOperation()); }
};

} // namespace

PassPtr createRotateProductsPass(const Options &options) { return std::make_unique<RotateProductsPass>(options); }

} // namespace nereid::gpu
