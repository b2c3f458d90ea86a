// Reproducer.h: what is left of a bug of ours: a file with all that it takes to see it again.
#pragma once

#include "jit/Specialize.h"

#include <functional>

namespace nereid::jit {

// What was being compiled.
struct Reproduction {
  KernelModule &module;
  const Binding &binding;
  const Specialization &specialization;
  std::string target; // empty: none yet, it is about tile IR
};

// An internal error with the path of its reproducer: the source, the signature, the options, and the IR before the pass that went
// wrong, which `again` leads to once more. The file has a name of its content's, in the folder for temporary files. Other errors as
// they are.
Error withReproducer(Error error, const Reproduction &of, const std::function<void()> &again);

// A kernel's arguments in the form of `nereid compile -s`.
std::string signatureOf(const lang::Function &kernel, const std::vector<lang::ArgumentSpec> &specs);

} // namespace nereid::jit
