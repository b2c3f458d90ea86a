// BuildId.h: which compiler this is, down to its last byte. Part of every cache key, so that an entry of another
// version or build is never found.
#pragma once

#include "support/Sha256.h"

namespace nereid::jit {

// From the linker's build ids of this library (or program) and of the LLVM it uses; where one has none, from the size
// and time of its file.
const Digest &buildId();

} // namespace nereid::jit
