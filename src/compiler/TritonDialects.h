// TritonDialects.h: the ops of Triton's dialects (tt, ttg, ttng) as ops that can be made and printed, and nothing else.
#pragma once

namespace mlir {
class MLIRContext;
}

namespace nereid::compiler {

// Ops of these dialects are printed in the form that Triton prints them in. Attributes of an op that its form does not name
// stand in braces.
void loadTritonDialects(mlir::MLIRContext &context);

} // namespace nereid::compiler
