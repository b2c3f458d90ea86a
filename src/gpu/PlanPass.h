// PlanPass.h: what the passes of Passes.h have in common.
#pragma once

#include "gpu/Options.h"
#include "gpu/dialect/Warp.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/Pass.h"

namespace nereid::gpu {

// Options as flags of nereid-opt have them.
template <typename Owner> struct PlanFlags {
  explicit PlanFlags(Owner &owner, const Options &options)
      : target(owner, "target", llvm::cl::desc("the GPU, as its assembler names it"),
               llvm::cl::init(options.target.name)),
        warps(owner, "warps", llvm::cl::desc("warps of a program"), llvm::cl::init(options.numWarps)),
        stages(owner, "stages", llvm::cl::desc("how many iterations of a loop are under way"),
               llvm::cl::init(options.numStages)),
        maps(owner, "tensor-maps", llvm::cl::desc("whether blocks may come by TMA"),
             llvm::cl::init(options.usesTensorMaps)),
        cut(owner, "stages-cut", llvm::cl::desc("stages that were given up for lack of shared memory"),
            llvm::cl::init(options.stagesCut)),
        late(owner, "stages-late", llvm::cl::desc("put operands into shared memory right before their product"),
             llvm::cl::init(options.stagesLate)) {}

  Options options() const {
    Options result;
    result.target = targetOf(target);
    result.numWarps = warps;
    result.numStages = stages;
    result.usesTensorMaps = maps;
    result.stagesCut = cut;
    result.stagesLate = late;
    return result;
  }

  template <typename T> using Flag = typename Owner::template Option<T>;
  Flag<std::string> target;
  Flag<unsigned> warps, stages;
  Flag<bool> maps;
  Flag<unsigned> cut;
  Flag<bool> late;
};

// A pass over one kernel.
template <typename Derived>
class PlanPass : public mlir::PassWrapper<Derived, mlir::OperationPass<mlir::func::FuncOp>> {
  using Base = mlir::PassWrapper<Derived, mlir::OperationPass<mlir::func::FuncOp>>;

public:
  explicit PlanPass(const Options &options) : flags(*this, options) {}
  PlanPass(const PlanPass &other) : Base(other), flags(*this, other.options()) {}

  void getDependentDialects(mlir::DialectRegistry &registry) const final {
    registry.insert<tile::TileDialect, warp::WarpDialect, mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  }

protected:
  Options options() const { return flags.options(); }

private:
  template <typename> friend struct PlanFlags;
  PlanFlags<PlanPass> flags;
};

} // namespace nereid::gpu
