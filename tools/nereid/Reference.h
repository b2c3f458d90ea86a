// Reference.h: what a result should be, as a Python expression over the arguments of a launch: `softmax(x, axis=1)`, `a @ b + bias`.
// It is computed in fp64, element by element, with NumPy's rules of shapes; what it does not know, it refuses by name.
#pragma once

#include "ReferenceArray.h"

namespace nereid::tool {

// The value of an argument; nothing where there is none of this name.
using ReferenceLookup = std::function<std::optional<Result<ReferenceArray>>(std::string_view name)>;

// `what` names the text in messages.
Result<ReferenceArray> evaluateReference(const std::string &what, const std::string &text,
                                         const ReferenceLookup &lookup);

} // namespace nereid::tool
