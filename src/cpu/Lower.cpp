#include "cpu/Lower.h"

#include "codegen/LineTable.h"
#include "codegen/RunPasses.h"
#include "cpu/Lowering.h"

#include "llvm/IR/Verifier.h"

namespace nereid::cpu {

// Whether all memory that it touches is reached from its arguments, and it neither meets others there nor waits for them, as a
// loop without an end may.
static bool isMovable(mlir::func::FuncOp kernel) {
  auto isPointer = [](mlir::Type type) { return mlir::isa<tile::PtrType>(mlir::getElementTypeOrSelf(type)); };
  auto look = [&](mlir::Operation *op) {
    bool reads = mlir::hasEffect<mlir::MemoryEffects::Read>(op);
    bool isMeeting = op->hasTrait<tile::Atomic>() || op->hasTrait<tile::SeesThread>() ||
                     mlir::isa<mlir::scf::WhileOp>(op) ||
                     (reads && mlir::hasEffect<mlir::MemoryEffects::Write>(op)); // a volatile load
    // An address out of memory, or out of a number.
    bool isStored = op->getNumRegions() == 0 && llvm::any_of(op->getResultTypes(), isPointer) &&
                    (reads || llvm::none_of(op->getOperandTypes(), isPointer));
    return isMeeting || isStored ? mlir::WalkResult::interrupt() : mlir::WalkResult::advance();
  };
  return !kernel.walk(look).wasInterrupted();
}

Result<void> lower(mlir::func::FuncOp kernel, const Target &target, const LowerOptions &options,
                   codegen::LlvmWork &work, Artifact &artifact) {
  work.module = std::make_unique<llvm::Module>(kernel.getName(), *work.context);
  Lowering lowering(kernel, target, options, *work.module, artifact);
  if (!lowering.run())
    return lowering.failure;
  artifact.isMovable = !artifact.waits && isMovable(kernel);
  // Cheap beside code generation, and a mistake of ours ends as an error instead of wrong code.
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*work.module, &stream))
    return codegen::bugIn(kernel.getName(), problem);
  return {};
}

} // namespace nereid::cpu
