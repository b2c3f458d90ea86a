// Code.h: machine code that `triton.compile` made, away from the function it came from: as bytes it goes to other
// processes and to disk, and `run` launches it in the way of Triton's launchers.
#pragma once

#include "Reference.h"

#include "jit/CpuDevice.h"
#include "jit/CudaDevice.h"

namespace nereid::python {

// The same kernel twice where a launch may ask for either: on a GPU with tensor maps and without, on the processor for
// arguments that do not overlap and for those that do.
struct CodePair {
  std::optional<cuda::Artifact> gpu, gpuWithoutMaps;
  std::optional<cpu::Artifact> cpu, cpuForOverlap;
};

std::string encodeCode(const CodePair &code);
std::optional<CodePair> decodeCode(std::string_view bytes);

// The type nereid._native.Code(bytes, types): `types` has one item for each parameter of the kernel: the type of an
// argument as text, a tuple of such, or None for a constant.
PyObject *makeCodeType();

} // namespace nereid::python
