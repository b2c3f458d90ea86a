// AssignLayouts.cpp: rewrites a kernel by its layout plan: tiles get their layout as the encoding of their type, lazy
// ops are cloned for each layout that is asked of them, and a conversion stands where a tile is wanted in another
// layout.
//
//   before  %p = tile.addptr %s, %i : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
//           %v = tile.load %p : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
//   after   %p = tile.addptr %s, %i : tensor<1024x!tile.ptr<f32>, #L>, tensor<1024xi32, #L>
//           %v = tile.load %p : tensor<1024x!tile.ptr<f32>, #L> -> tensor<1024xf32, #L>
#include "gpu/Passes.h"
#include "gpu/PlanPass.h"
#include "gpu/dialect/Warp.h"
#include "gpu/layouts/LayoutPlan.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace nereid::gpu {

namespace {

class Assigner {
public:
  Assigner(func::FuncOp kernel, const Options &options) : kernel(kernel), plan(kernel, options) {}

  void run() {
    llvm::SmallVector<Operation *> ops;
    kernel.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops)
      setTypes(op);
    for (Operation *op : ops)
      if (!plan.isLazy(op))
        takeOperands(op);
    // Lazy ops in their old form: users behind, so that each one is free when its iteration comes.
    for (Operation *op : llvm::reverse(ops))
      if (plan.isLazy(op) && op->use_empty())
        op->erase();
  }

private:
  void setType(Value value) {
    if (std::optional<LinearLayout> home = plan.home(value))
      value.setType(warp::withLayout(value.getType(), *home));
  }

  void setTypes(Operation *op) {
    if (plan.isLazy(op))
      return;
    for (Value result : op->getResults())
      setType(result);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          setType(argument);
    if (auto constant = dyn_cast<arith::ConstantOp>(op); constant && warp::hasLayout(constant.getType()))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
  }

  void takeOperands(Operation *op) {
    // First all of them, as the plan knows the op by its operands.
    llvm::SmallVector<std::pair<OpOperand *, LinearLayout>> wanted;
    for (OpOperand &use : op->getOpOperands())
      if (isa<RankedTensorType>(use.get().getType()))
        wanted.push_back({&use, plan.required(use)});
    for (auto &[use, layout] : wanted)
      use->set(inLayout(use->get(), layout));
  }

  // Where shared memory is given back behind a loop, only after that: a conversion may want it.
  static void setBehind(OpBuilder &builder, Operation *op) {
    builder.setInsertionPointAfter(op);
    while (isa<warp::ReleaseOp, warp::ArriveOp>(*builder.getInsertionPoint()))
      builder.setInsertionPointAfter(&*builder.getInsertionPoint());
  }

  // The tile in this layout, computed behind the place where the tile itself is.
  Value inLayout(Value value, const LinearLayout &layout) {
    if (plan.home(value) == layout)
      return value;
    // The attribute is unique for a layout: its address is the key.
    auto type = warp::withLayout(value.getType(), layout);
    if (Value known = made.lookup({value, type.getEncoding()}))
      return known;
    Operation *op = value.getDefiningOp();
    OpBuilder builder(kernel.getContext());
    if (op)
      setBehind(builder, op);
    else
      builder.setInsertionPointToStart(cast<BlockArgument>(value).getOwner());
    if (op && plan.isLazy(op))
      clone(builder, op, layout);
    else
      made[{value, type.getEncoding()}] = warp::ConvertLayoutOp::create(builder, value.getLoc(), type, value);
    return made[{value, type.getEncoding()}];
  }

  // The op once more, with its results in this layout.
  void clone(OpBuilder &builder, Operation *op, const LinearLayout &layout) {
    llvm::SmallVector<Value> operands;
    for (OpOperand &use : op->getOpOperands()) {
      bool isTile = isa<RankedTensorType>(use.get().getType());
      operands.push_back(isTile ? inLayout(use.get(), operandLayout(op, use.getOperandNumber(), layout)) : use.get());
    }
    Operation *copy = builder.clone(*op);
    copy->setOperands(operands);
    for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults())) {
      auto type = warp::withLayout(from.getType(), layout);
      to.setType(type);
      made[{from, type.getEncoding()}] = to;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(copy))
      constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(cast<ShapedType>(constant.getType())));
  }

  func::FuncOp kernel;
  LayoutPlan plan;
  llvm::DenseMap<std::pair<Value, Attribute>, Value> made;
};

} // namespace

namespace {

struct AssignLayoutsPass : PlanPass<AssignLayoutsPass> {
  using PlanPass::PlanPass;
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(AssignLayoutsPass)
  StringRef getArgument() const final { return "warp-assign-layouts"; }
  StringRef getDescription() const final { return "Say which thread holds which elements of every tile"; }
  void runOnOperation() final { Assigner(getOperation(), options()).run(); }
};

} // namespace

PassPtr createAssignLayoutsPass(const Options &options) { return std::make_unique<AssignLayoutsPass>(options); }

} // namespace nereid::gpu
