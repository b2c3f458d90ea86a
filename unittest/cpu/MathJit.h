// MathJit.h: compiles small element-wise functions for a given level of x86-64 and runs them on arrays.
#pragma once

#include "codegen/math/Math.h"
#include "cpu/Target.h"

#include "llvm/IR/IRBuilder.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nereid::cpu::test {

using codegen::emitMath;
using codegen::narrow;
using codegen::NarrowFloat;
using codegen::widen;

// The targets that code is generated for, by their names in Target.h.
std::vector<std::string> allLevels();
// Whether this machine can run code for a level.
bool canRun(const std::string &level);

// Types as letters: f float, d double, b i8, h i16, i i32, l i64, t a truth value that becomes i32.
using EmitLanes = std::function<llvm::Value *(llvm::IRBuilderBase &, const Target &, llvm::ArrayRef<llvm::Value *>)>;

struct LaneFunction {
  std::string name;
  std::string signature; // "ff>f"
  unsigned lanes;        // 1: scalar code
  EmitLanes emit;
};

class MathJit {
public:
  using Run = void (*)(void *result, const void *a, const void *b, const void *c, int64_t count);

  MathJit(const std::string &level, const std::vector<LaneFunction> &functions);
  ~MathJit();

  const std::string level;
  // Why it failed; empty if it did not. A function that needs a symbol from outside is a failure.
  std::string error;
  // `count` is a multiple of the lanes.
  Run find(const std::string &name);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace nereid::cpu::test
