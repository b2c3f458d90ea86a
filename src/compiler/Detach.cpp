#include "compiler/Detach.h"

#include "dialect/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

namespace nereid::compiler {

DetachedTile::DetachedTile() = default;
DetachedTile::DetachedTile(DetachedTile &&) noexcept = default;
DetachedTile::~DetachedTile() { tile.module = nullptr; }

std::string detach(const TileModule &tile) { return tile.text(true); }

DetachedTile attach(const std::string &text) {
  DetachedTile result;
  result.context = std::make_unique<mlir::MLIRContext>(mlir::MLIRContext::Threading::DISABLED);
  result.context->loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                              mlir::scf::SCFDialect, mlir::func::FuncDialect, mlir::ub::UBDialect>();
  result.tile.module = mlir::parseSourceString<mlir::ModuleOp>(text, result.context.get());
  return result;
}

} // namespace nereid::compiler
