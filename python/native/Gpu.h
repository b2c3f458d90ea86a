// Gpu.h: calls whose tensors are in the memory of a GPU: which GPU, and torch's stream on it.
#pragma once

#include "Memory.h"

#include "jit/CudaDevice.h"

namespace nereid::python {

// Whether an argument that is no plain tensor (a descriptor, a tuple) holds tensors, and one of a GPU.
struct HeldMemory {
  bool isAny = false, isCuda = false;
};
HeldMemory heldMemory(PyObject *object);

// NEREID_DEVICE names a GPU: tensors of the host are then a mistake.
bool isCudaForced();

// Whether calls without any tensor run on a GPU: as the package's `driver.active` says.
bool isCudaByDefault();

// The stream of torch that is current on the device; the default stream in a process without torch.
cuda::driver::Stream currentStream(const cuda::Device &device);

} // namespace nereid::python
