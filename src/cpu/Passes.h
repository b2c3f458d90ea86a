// Passes.h: the passes on tile IR that only the CPU's code wants. Its list and nereid-opt take them from here.
#pragma once

#include <memory>

namespace mlir {
class Pass;
}

namespace nereid::cpu {

std::unique_ptr<mlir::Pass> createSeparateStripsPass(); // tile-separate-strips

// Makes every pass known to nereid-opt by its flag.
void registerPasses();

} // namespace nereid::cpu
