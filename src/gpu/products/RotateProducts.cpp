// RotateProducts.cpp: attention's second product moves into the next iteration, behind the first one there. Tensor cores have
// two products in a row then, while the other warp group computes its softmax.
//
//   before  for k { %s = dot %q, %k[k];  %p, %scaled = softmax(%s, %o);  %o = dot %p, %v[k], %scaled }
//   after   %s = dot %q, %k[0];  %p, %scaled = softmax(%s, %o)
//           for k from 1, %p, %scaled { %s = dot %q, %k[k];  %o = dot %p, %v[k-1], %scaled;  await %s;
//                                       largest of %s;  await %o;  %p = exp2(%s - …);  %scaled = …%o }
//           %o = dot %p, %v[n-1], %scaled
//
// Keys in several tiles have several products of each kind, those of the second kind one behind the other: %o = dot %p2, %v2, (dot
// %p1, %v1, %scaled).
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
    if (dots.size() < 2 || registersOf(loop) > kRegistersForProducts)
      return false;
    tile::DotOp last = dots.back();
    OpOperand &use = *last.getResult().getUses().begin();
    if (!last.getResult().hasOneUse() || use.getOwner() != body->getTerminator())
      return false;
    place = use.getOperandNumber();
    size_t firsts = dots.size() - 1;
    while (firsts > 0 && goesOn(dots[firsts - 1]) && dots[firsts].getAcc() == dots[firsts - 1].getResult())
      --firsts;
    auto isOfFirstKind = [&](tile::DotOp dot) {
      return !goesOn(dot) && !llvm::is_contained(dot.getResult().getUsers(), body->getTerminator());
    };
    if (firsts == 0 || !llvm::all_of(llvm::ArrayRef(dots).take_front(firsts), isOfFirstKind))
      return false;
    first = dots[firsts - 1];
    seconds.assign(dots.begin() + firsts, dots.end());
    for (tile::DotOp second : seconds) {
      std::optional<SharedOperand> right = sharedOperand(second.getRhs(), 1);
      if (!right || sharedOperand(second.getLhs(), 0) || (slot && slot != right->read.getSlot()))
        return false;
      slot = right->read.getSlot();
      carried.push_back(second.getLhs());
    }
    carried.append({seconds.front().getAcc(), slot});
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
      } else if (auto arrive = dyn_cast<warp::ArriveOp>(op); arrive && seconds.back()->isBeforeInBlock(op)) {
        given = arrive;
      }
  }

  bool isOfSecond(Operation *op) { return llvm::is_contained(seconds, op) || op == guard || op == given; }

  Value madeOf(Value operand) {
    while (Operation *op = operand.getDefiningOp()) {
      bool isConversion = isa<arith::TruncFOp, warp::ConvertLayoutOp>(op) && operand.hasOneUse();
      if (op->getBlock() != body || !(isConversion || isa<math::Exp2Op, math::ExpOp>(op)))
        break;
      late.insert(op);
      operand = op->getOperand(0);
      if (!isConversion)
        break;
    }
    return operand;
  }

  // What waits for the second product of the iteration before: all that is computed with its result, and the operand that
  // takes its registers. `held` is what such operands are made of.
  bool findLate() {
    for (tile::DotOp second : seconds)
      held.push_back(madeOf(second.getLhs()));
    llvm::SmallVector<Value> work{loop.getRegionIterArg(place)};
    for (Operation *op : late)
      work.append(op->result_begin(), op->result_end());
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        Operation *op = body->findAncestorOpInBlock(*user);
        if (!op || llvm::is_contained(seconds, op) || op == body->getTerminator())
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
    ValueRange others = operands.drop_front(seconds.size());
    mapping.map(slot, others[1]);
    if (guard) {
      mapping.map(guard.getPhase(), others[2]);
      builder.clone(*guard, mapping);
    }
    Value sum = others[0];
    for (auto [second, left] : llvm::zip(seconds, operands)) {
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
      mapping.map(second.getLhs(), left);
      mapping.map(second.getAcc(), sum);
      sum = builder.clone(*second, mapping)->getResult(0);
    }
    return sum;
  }

  void release(OpBuilder &builder, ValueRange operands) {
    IRMapping mapping;
    mapping.map(slot, operands[seconds.size() + 1]);
    if (given)
      builder.clone(*given, mapping);
  }

  scf::ForOp makeLoop(OpBuilder &builder, llvm::ArrayRef<Value> starts) {
    Location loc = loop.getLoc();
    Value start = arith::AddIOp::create(builder, loc, loop.getLowerBound(), loop.getStep());
    auto fill = [&](OpBuilder &inside, Location, Value index, ValueRange arguments) {
      makeBody(inside, index, arguments);
    };
    auto made = scf::ForOp::create(builder, loc, start, loop.getUpperBound(), loop.getStep(), starts, fill,
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
    llvm::SmallVector<Value> from{loop.getRegionIterArg(place)}, tiles;
    llvm::append_range(from, held);
    llvm::SmallVector<Type> types;
    for (Value value : from) {
      tiles.push_back(mapping.lookup(value));
      types.push_back(value.getType());
    }
    auto await = warp::AwaitOp::create(builder, seconds.back().getLoc(), types, tiles, 0);
    for (auto [value, done] : llvm::zip(from, await.getResults()))
      mapping.map(value, done);
  }

  scf::ForOp loop;
  Block *body;
  tile::DotOp first;                      // the last one of its kind
  llvm::SmallVector<tile::DotOp> seconds; // each adds to the one before
  unsigned place = 0;                     // of the second product's result among what the loop carries
  Value slot;
  llvm::SmallVector<Value> held;
  warp::WaitPhaseOp guard;
  warp::ArriveOp given;
  llvm::SmallVector<Value> carried; // left operands, addend and slot of the second product, and the phase of its guard
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
