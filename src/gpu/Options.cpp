#include "gpu/Options.h"

namespace nereid::gpu {

unsigned Options::capability() const { return capabilityOf(target); }

} // namespace nereid::gpu
