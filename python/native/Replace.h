// Replace.h: code of the user in the place of what was compiled for a GPU: `ir_override`, TRITON_KERNEL_OVERRIDE.
#pragma once

#include "runtime/cuda/Artifact.h"

#include "nereid/result.hpp"

#include <string>

namespace nereid::python {

// The text of a .ptx file, or the bytes of a .cubin. False with an exception.
bool readReplacement(const std::string &path, std::string &replacement);

// The code is started as what it replaces would have been: with as many threads, as much shared memory and the same parameters.
Result<void> replaceCode(cuda::Artifact &artifact, const std::string &replacement);

// Code for the processor is not taken from files.
Error cannotReplace();

} // namespace nereid::python
