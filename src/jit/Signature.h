// Signature.h: argument types in words, for `nereid compile -s`. Triton's ahead-of-time form, by position or by name:
//   "*fp32:16, *fp32, i32:16, 1024"      "x=*fp32:16, n=i32, BLOCK=1024, d=tensordesc<fp16[64,64]>, pair=(*i32, fp32)"
// `:16` says that 16 divides the value or the address; `:1` makes an integer the constant 1.
#pragma once

#include "jit/HostValue.h"
#include "jit/KernelModule.h"

namespace nereid::jit {

Result<std::vector<NamedHostValue>> parseSignature(KernelModule &module, const std::string &text);

} // namespace nereid::jit
