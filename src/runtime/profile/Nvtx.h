// Nvtx.h: ranges for NVIDIA's tools: nsys shows launches and scopes by their names. A tool that wants them names its library in
// NVTX_INJECTION64_PATH; without one nothing is loaded, and nothing is called.
#pragma once

namespace nereid::profile {

// Whether a tool listens; the first question loads its library.
bool hasNvtx();
void pushNvtxRange(const char *name);
void popNvtxRange();

} // namespace nereid::profile
