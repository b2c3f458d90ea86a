// NereidOpt.cpp: reads tile IR of any level as text, runs passes on it and prints it: for tests of the IR.
#include "compiler/Pipeline.h"
#include "cpu/Passes.h"
#include "dialect/Tile.h"
#include "gpu/Passes.h"
#include "gpu/dialect/Warp.h"
#include "transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<nereid::tile::TileDialect, nereid::warp::WarpDialect, mlir::arith::ArithDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::func::FuncDialect, mlir::ub::UBDialect>();
  mlir::registerTransformsPasses();
  nereid::transforms::registerPasses();
  nereid::cpu::registerPasses();
  nereid::gpu::registerPasses();
  nereid::compiler::registerPipelines();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Nereid tile IR tool\n", registry));
}
