// TritonWalk.h: tile IR as a list of ops under Triton's names, for programs that look for what a kernel writes to.
#pragma once

#include "compiler/Compiler.h"

namespace nereid::compiler {

// Values, blocks and regions have numbers of their own.
struct TritonOp {
  std::string name;
  std::vector<uint64_t> operands, results, regions;
  uint64_t block = 0, blockRegion = 0; // what the op stands in; 0: nothing
  std::vector<uint64_t> blockArguments;
  std::string symbol;  // of a function
  bool isPure = false; // of inline assembly
};

// All ops, the inner ones first.
std::vector<TritonOp> tritonOps(const TileModule &tile);

} // namespace nereid::compiler
