// TuneStore.h: what was tuned, on disk. The key is what Triton's is (the key arguments and the types of the tensors),
// and the sources, the constants, the compiler, the processor and the number of threads, or the GPU.
#pragma once

#include "jit/tune/Tune.h"
#include "support/Sha256.h"

namespace nereid::cuda {
class Device;
}

namespace nereid::jit {

// Nothing when the kernel has no name that another process would know.
std::optional<Digest> tuningKey(KernelModule &module, const Binding &binding, const Settings &settings,
                                const cuda::Device *gpu);

// Nothing when it is not known, or is not about these configurations.
std::optional<Tuning> loadTuning(const Digest &key, size_t configCount);
void storeTuning(const Digest &key, const Tuning &tuning);

} // namespace nereid::jit
