// BlockPointer.h: a block pointer turned into what every back end knows: a tile of pointers and a mask.
#pragma once

#include "lang/semantic/Semantic.h"

namespace nereid::lang {

struct BlockAccess {
  Tensor pointers;
  std::optional<Tensor> mask; // true inside the tensor, along the checked dimensions; none when none is checked
};
BlockAccess expandBlockPointer(Emitter &emitter, const BlockPointer &pointer, const Value &boundaryCheck);

// Scalars for shapes, strides and offsets: a tuple, list or single value of numbers and integer tensors, each cast to
// `type`. `what` names it in messages.
std::vector<Tensor> toScalars(Emitter &emitter, const Value &value, const Type &type, std::string_view what);

} // namespace nereid::lang
