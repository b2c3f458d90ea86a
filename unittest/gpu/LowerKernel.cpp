#include "LowerKernel.h"

#include "compiler/Pipeline.h"
#include "dialect/Tile.h"
#include "gpu/nvidia/Ptx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"

#include "llvm/IR/Verifier.h"

namespace nereid::gpu {

LoweredKernel::LoweredKernel(const std::string &text, const Options &options, bool isPlanned) : options(options) {
  mlir::MLIRContext mlirContext;
  mlirContext.loadDialect<tile::TileDialect, warp::WarpDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                          mlir::scf::SCFDialect>();
  mlir::ScopedDiagnosticHandler handler(&mlirContext, [&](mlir::Diagnostic &diagnostic) {
    problem += diagnostic.str() + "\n";
    return mlir::success();
  });
  auto parsed = mlir::parseSourceString<mlir::ModuleOp>(text, &mlirContext);
  if (!parsed)
    return;
  mlir::func::FuncOp kernel = *parsed->getOps<mlir::func::FuncOp>().begin();
  if (!isPlanned)
    if (auto planned = compiler::planForGpu(kernel, this->options); !planned) {
      problem = planned.error().message;
      return;
    }
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  Lowering lowering(kernel, this->options, module, artifact);
  if (!lowering.run()) {
    problem = lowering.failure.message;
    return;
  }
  llvm::raw_string_ostream(llvmText) << module;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(module, &stream))
    return;
  optimizeForPtx(module, this->options);
  Result<std::string> made = emitPtx(module, this->options);
  if (!made) {
    problem = made.error().message;
    return;
  }
  ptx = *made;
  sharedBytes = artifact.sharedBytes;
  isGood = true;
}

// A tensor map as the launch would make it. Its elements' type counts where they are added up alone.
static emulated::TensorMap mapOf(const cuda::TensorMap &map, const std::vector<uint64_t> &words) {
  auto valueOf = [&](const cuda::TensorMap::Number &number) {
    int64_t value = number.factor;
    for (unsigned i = 0; i < number.count; ++i)
      value *= int64_t(words[number.words[i]]);
    return uint64_t(value);
  };
  emulated::TensorMap made;
  made.base = words[map.word], made.elementBytes = map.elementBytes;
  made.swizzle = map.swizzle == cuda::TensorMap::Swizzle::None ? 0 : 16u << unsigned(map.swizzle);
  for (unsigned axis = map.rank; axis-- > 0;) {
    made.extents.push_back(valueOf(map.extents[axis]));
    if (axis + 1 < map.rank)
      made.strideBytes.push_back(valueOf(map.strides[axis]) * map.elementBytes);
    made.box.push_back(map.box[axis]);
  }
  return made;
}

bool LoweredKernel::run(std::vector<uint8_t> &global, std::vector<uint64_t> numbers) {
  std::vector<uint64_t> words{reinterpret_cast<uint64_t>(global.data())};
  words.insert(words.end(), numbers.begin(), numbers.end());
  std::vector<uint64_t> arguments = words;
  arguments.resize(words.size() + 2); // no scratch memory, no report
  std::vector<emulated::TensorMap> maps;
  for (const cuda::TensorMap &map : artifact.tensorMaps) {
    arguments.push_back(maps.size());
    maps.push_back(mapOf(map, words));
  }
  PtxRun ran = runPtx(ptx, artifact.threads, sharedBytes, global, arguments, std::move(maps));
  problem = ran.problem;
  barriers = ran.barriers;
  return problem.empty();
}

} // namespace nereid::gpu
