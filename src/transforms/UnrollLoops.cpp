// UnrollLoops.cpp: a loop that asks for it (`tl.range(…, loop_unroll_factor=4)`) has several iterations in one; what is left
// over runs in a loop behind it.
#include "transforms/UnrollLoops.h"
#include "transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"

#include <limits>

using namespace mlir;

namespace nereid::transforms {

llvm::SmallVector<Value> copyIterations(OpBuilder &builder, scf::ForOp loop, Value first, ValueRange carried,
                                        int64_t count, int64_t step) {
  llvm::SmallVector<Value> values(carried);
  for (int64_t i = 0; i < count; ++i) {
    IRMapping map;
    Value offset = arith::ConstantOp::create(builder, loop.getLoc(), builder.getIntegerAttr(first.getType(), i * step));
    map.map(loop.getInductionVar(), i ? builder.createOrFold<arith::AddIOp>(loop.getLoc(), first, offset) : first);
    map.map(loop.getRegionIterArgs(), values);
    for (Operation &op : loop.getBody()->without_terminator())
      builder.clone(op, map);
    for (auto [value, yielded] : llvm::zip(values, loop.getYieldedValues()))
      value = map.lookupOrDefault(yielded);
  }
  return values;
}

namespace {

constexpr const char *kFactor = "tile.loop_unroll_factor";

std::optional<int64_t> constantOf(Value value) {
  APInt number;
  return matchPattern(value, m_ConstantInt(&number)) ? std::optional(number.getSExtValue()) : std::nullopt;
}

class Unroller {
public:
  Unroller(scf::ForOp loop, int64_t factor) : loop(loop), factor(factor), builder(loop.getLoc(), loop) {}

  void run() {
    std::optional<int64_t> low = constantOf(loop.getLowerBound()), step = constantOf(loop.getStep());
    // So that counting the iterations cannot overflow.
    bool isPlain = low && *low >= 0 && step && *step > 0 && !loop.getUnsignedCmp() &&
                   *step <= std::numeric_limits<int32_t>::max() / factor;
    if (!isPlain)
      return;
    Value end = endOfWholeIterations(*step);
    auto whole = scf::ForOp::create(builder, loop.getLowerBound(), end, constant(*step * factor), loop.getInitArgs(),
                                    [&](OpBuilder &inside, Location at, Value index, ValueRange carried) {
                                      scf::YieldOp::create(inside, at,
                                                           copyIterations(inside, loop, index, carried, factor, *step));
                                    });
    whole->setAttrs(loop->getAttrs());
    // The rest, from there on.
    loop.setLowerBound(end);
    loop.getInitArgsMutable().assign(whole.getResults());
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantOp::create(builder, builder.getIntegerAttr(loop.getInductionVar().getType(), value));
  }

  // Where the last iteration ends that is one of `factor` whole ones.
  Value endOfWholeIterations(int64_t step) {
    Value low = loop.getLowerBound();
    Value length = builder.createOrFold<arith::SubIOp>(loop.getUpperBound(), low);
    length = builder.createOrFold<arith::MaxSIOp>(length, constant(0));
    // A part of a step is an iteration too.
    Value steps = builder.createOrFold<arith::DivSIOp>(length, constant(step));
    Value rest = builder.createOrFold<arith::RemSIOp>(length, constant(step));
    rest = builder.createOrFold<arith::MinSIOp>(rest, constant(1));
    Value count = builder.createOrFold<arith::AddIOp>(steps, rest);
    Value whole = builder.createOrFold<arith::DivSIOp>(count, constant(factor));
    whole = builder.createOrFold<arith::MulIOp>(whole, constant(factor * step));
    return builder.createOrFold<arith::AddIOp>(low, whole);
  }

  scf::ForOp loop;
  int64_t factor;
  ImplicitLocOpBuilder builder;
};

// Copies of copies, where loops stand in loops, could be without end: a loop that would become larger than this stays as it is.
constexpr int64_t kMostOps = 1 << 15;

int64_t operationsIn(scf::ForOp loop) {
  int64_t count = 0;
  loop->walk([&](Operation *) { ++count; });
  return count;
}

void unrollLoops(Operation *function) {
  llvm::SmallVector<scf::ForOp> loops; // inner ones first: an outer loop copies what its inner ones have become
  function->walk([&](scf::ForOp loop) {
    if (loop->hasAttrOfType<IntegerAttr>(kFactor))
      loops.push_back(loop);
  });
  for (scf::ForOp loop : loops) {
    int64_t factor = loop->getAttrOfType<IntegerAttr>(kFactor).getInt();
    loop->removeAttr(kFactor);
    if (factor > 1 && factor <= kMostOps / operationsIn(loop))
      Unroller(loop, factor).run();
  }
}

struct UnrollLoopsPass : PassWrapper<UnrollLoopsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(UnrollLoopsPass)
  StringRef getArgument() const final { return "tile-unroll-loops"; }
  StringRef getDescription() const final { return "Put several iterations of a loop that asks for it into one"; }
  void runOnOperation() final { unrollLoops(getOperation()); }
};

} // namespace

std::unique_ptr<Pass> createUnrollLoopsPass() { return std::make_unique<UnrollLoopsPass>(); }

} // namespace nereid::transforms
