// Failure.h: errors of the compiler as Python exceptions.
#pragma once

#include "Embedding.h"

#include "jit/KernelModule.h"

namespace nereid::python {

// Sets the exception: CompilationError with its place (and one for each call that led there), or what the status says.
void raiseDiagnostics(const Diagnostics &diagnostics, const Error &error, const Reference &cause, bool isInterpreted);
void raiseError(const Error &error, jit::KernelModule *module, Embedding *embedding, bool isInterpreted);

} // namespace nereid::python
