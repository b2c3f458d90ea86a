// LowerKernel.h: a kernel in the text of tile IR with layouts, lowered to LLVM IR, and its PTX run on the emulated GPU.
#pragma once

#include "RunPtx.h"

#include "gpu/lower/Lowering.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace nereid::gpu {

class LoweredKernel {
public:
  // The only function of `text`, which has layouts, or gets them here where `isPlanned` is false. Where `isGood` is
  // false, `problem` says why.
  LoweredKernel(const std::string &text, const Options &options, bool isPlanned = true);

  // One block, with `global` behind the first argument, and `numbers` as the others.
  bool run(std::vector<uint8_t> &global, std::vector<uint64_t> numbers = {});

  bool isGood = false;
  std::string problem, llvmText;
  uint64_t barriers = 0; // that the block passed in the last run
  uint32_t sharedBytes = 0;

private:
  Options options;
  cuda::Artifact artifact;
  std::string ptx;
};

} // namespace nereid::gpu
