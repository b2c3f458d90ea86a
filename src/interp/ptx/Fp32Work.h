// Fp32Work.h: which instructions of a kernel are sums and products of fp32 on the machine, and how many of them.
#pragma once

#include "interp/ptx/Kernel.h"

namespace nereid::interp::ptx {

// As `ptxas` expands them for numbers that are neither tiny nor huge.
void countFp32(Kernel &kernel);

} // namespace nereid::interp::ptx
