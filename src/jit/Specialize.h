// Specialize.h: what of an argument the compiler is told (Triton's rules), and what the launch passes at run time.
//   a constexpr, None, a string, a dtype, a function, and an integer 1: a constant
//   an integer: i32, i64 or u64 by its value, and whether 16 divides it; a float: fp32; a bool: i1
//   a tensor: a pointer to its type, and whether 16 divides its address
#pragma once

#include "interp/Interp.h"
#include "jit/Bind.h"
#include "lang/EmitIR.h"

namespace nereid::jit {

struct Specialization {
  std::vector<lang::ArgumentSpec> specs;       // one for each parameter
  std::vector<interp::Argument> arguments;     // one for each argument of the compiled function
  std::vector<interp::Allocation> allocations; // the memory of every tensor
  // Equal keys mean equal specs: what the compiled kernels are kept under.
  std::string key;
};

Result<Specialization> specialize(const Binding &binding);

} // namespace nereid::jit
