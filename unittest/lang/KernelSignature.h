// KernelSignature.h: the arguments of a kernel from text, for tests and benchmarks that compile in-process.
#pragma once

#include "lang/emit/EmitIR.h"

#include <string>
#include <vector>

namespace nereid::test {

// "p=*fp32:16, n=i32, BLOCK=64" as one argument for each parameter; a parameter that is left out has its default. `:16`
// says that 16 divides the value. A mistake is described in `problem`.
std::vector<lang::ArgumentSpec> parseSignature(const lang::Function &kernel, const std::string &text,
                                               std::string &problem);

} // namespace nereid::test
