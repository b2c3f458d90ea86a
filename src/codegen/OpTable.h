// OpTable.h: which code of a back end lowers an op. A family of ops has a file, which has lower() for each of them and
// names them once, in its list: a new op changes nothing but the file of its family.
#pragma once

#include "mlir/IR/Operation.h"

#include "llvm/ADT/DenseMap.h"

namespace nereid::codegen {

template <typename Lowering> class OpTable {
public:
  // Each op by Lowering::lower(Op).
  template <typename... Ops> void add() {
    ((rows[mlir::TypeID::get<Ops>()] = [](Lowering &lowering,
                                          mlir::Operation *op) { lowering.lower(llvm::cast<Ops>(op)); }),
     ...);
  }
  // False where no family has the op.
  bool lower(Lowering &lowering, mlir::Operation *op) const {
    auto found = rows.find(op->getName().getTypeID());
    if (found == rows.end())
      return false;
    found->second(lowering, op);
    return true;
  }

private:
  llvm::DenseMap<mlir::TypeID, void (*)(Lowering &, mlir::Operation *)> rows;
};

} // namespace nereid::codegen
