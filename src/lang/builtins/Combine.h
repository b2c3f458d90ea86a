// Combine.h: functions on scalars as regions of ops: the combination of a reduction or a scan, the body of a map.
#pragma once

#include "lang/semantic/Semantic.h"

#include <functional>

namespace nereid::lang {

// Takes (left_0 … left_n-1, right_0 … right_n-1) and gives n results.
using Combine = std::function<std::vector<Tensor>(std::span<const Tensor>)>;

// The tensors in a result of a function: one, or a tuple of them.
std::vector<Tensor> resultTensors(Emitter &emitter, const Value &result);

// A combination by a jit function of the user.
Combine combineBy(Emitter &emitter, const Value &function);

// Emits `combine` on two sets of scalars of the sources' types as the region's only block. Fails when the results do
// not have the types of the elements.
void emitCombineRegion(Emitter &emitter, mlir::Region &region, std::span<const Tensor> sources, const Combine &combine);

// tl.reduce and tl.associative_scan of n tensors together; `axis` is in range.
std::vector<Tensor> emitReduce(Emitter &emitter, std::span<const Tensor> sources, int axis, const Combine &combine);
std::vector<Tensor> emitScan(Emitter &emitter, std::span<const Tensor> sources, int axis, bool reverse,
                             const Combine &combine);

// What `tl.sum` and `tl.cumsum` compute in: the given type, else integers under 32 bits as 32 bits of the same sign.
Tensor promoteForSum(Emitter &emitter, const Tensor &source, const Value &dtype);

} // namespace nereid::lang
