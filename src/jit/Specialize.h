// Specialize.h: what of an argument the compiler is told (Triton's rules), and what the launch passes at run time.
//   a constexpr, None, a string, a dtype, a function, and an integer 1: a constant
//   an integer: i32, i64 or u64 by its value, and whether 16 divides it; a float: fp32; a bool: i1
//   a tensor: a pointer to its type, and whether 16 divides its address
#pragma once

#include "jit/Bind.h"
#include "lang/emit/EmitIR.h"
#include "runtime/Argument.h"

namespace nereid::jit {

// How a later call of the same specialization makes one of the words that the compiled function gets.
struct WordSource {
  enum class Form : uint8_t { Fixed, Integer, Float, Pointer } form = Form::Fixed;
  int32_t parameter = -1;       // whose argument it comes from; -1: from inside of one, always as it was
  uint64_t mask = ~uint64_t(0); // Integer: the bits of its type
  DType dtype = DType::Fp32;    // Float
};

struct Specialization {
  std::vector<lang::ArgumentSpec> specs;        // one for each parameter
  std::vector<runtime::Argument> arguments;     // one for each argument of the compiled function
  std::vector<WordSource> sources;              // one for each of `arguments`
  std::vector<runtime::Allocation> allocations; // the memory of every tensor
  // Those of `arguments` whose memory must not be written, with their names.
  std::vector<std::pair<size_t, std::string>> readOnly;
  bool usesTensorMaps = true; // false: its tensors are none that TMA can read
  // Equal keys mean equal specs: what the compiled kernels are kept under.
  std::string key;
};

Result<Specialization> specialize(const Binding &binding);
// The same for code that reads memory without tensor maps.
Specialization withoutTensorMaps(Specialization specialization);

} // namespace nereid::jit
