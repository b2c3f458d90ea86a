// Warp.h: the warp dialect in C++.
#pragma once

#include "layout/LinearLayout.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

#include "gpu/dialect/WarpDialect.h.inc"
#include "gpu/dialect/WarpEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "gpu/dialect/WarpAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "gpu/dialect/WarpTypes.h.inc"
#define GET_OP_CLASSES
#include "gpu/dialect/WarpOps.h.inc"

namespace nereid::warp {

// ---- What the plan says about ops of other dialects. Each attribute may stand on one kind of op only, with one kind of
// value; WarpDialect::verifyOperationAttribute has the list.

// On loads and stores of blocks that may go through TMA: the launch knows the tensor, its base and strides
// are multiples of 16 bytes, and nothing else in the kernel orders or changes what is loaded.
constexpr const char *kBlockAttribute = "warp.block";
// On a product by wgmma: it goes on until a warp.await.
constexpr const char *kAsyncAttribute = "warp.async";
// On products of two groups of consumers, each of which is awaited where it stands: one group works on its result while the other one
// has the tensor cores, and they need not take turns for that.
constexpr const char *kFreeAttribute = "warp.free";
// On a loop: its slots may still be read by products of the iteration before.
constexpr const char *kLagAttribute = "warp.lag";
// On a loop: products of its last iteration are awaited behind it.
constexpr const char *kDrainAttribute = "warp.drain";
// On a product: what computes it (#warp<instruction …>).
constexpr const char *kInstructionAttribute = "warp.instruction";

void setInstruction(mlir::Operation *product, Instruction instruction);
// None before layouts are assigned.
std::optional<Instruction> instructionOf(mlir::Operation *product);

// The layout of a tile's type, which must have one.
layout::LinearLayout layoutOf(mlir::Type type);
bool hasLayout(mlir::Type type);
// `type` with this layout as its encoding.
mlir::RankedTensorType withLayout(mlir::Type type, const layout::LinearLayout &layout);

} // namespace nereid::warp
