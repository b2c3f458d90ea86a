// ArrayKernels.h: the interpreter's loops over arrays, called by generated code for functions that have no inline form.
#pragma once

#include <string_view>

namespace nereid::cpu {

// "nereid_kernel:math.ipowi:i32", "nereid_device:__nv_lgammaf": the address, or null.
void *findArrayKernel(std::string_view symbol);

} // namespace nereid::cpu
