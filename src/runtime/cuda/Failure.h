// Failure.h: what the driver says in numbers, as errors that say what was wanted, what is wrong and what helps.
#pragma once

#include "nereid/result.hpp"
#include "runtime/cuda/DriverFunctions.h"

namespace nereid::cuda {

// "error: `what` failed: out of memory (CUDA_ERROR_OUT_OF_MEMORY)" and a note that helps, where we know one.
Error failure(const driver::Functions &call, driver::Status status, const std::string &what);

// After these the context is gone: every later call fails with the same number until the process ends.
bool isSticky(driver::Status status);

// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
std::string textOf(const driver::Functions &call, driver::Status status);

// What to do about it; empty where there is nothing to say.
std::string adviceOn(driver::Status status);

} // namespace nereid::cuda
