// CostJson.h: what a launch costs, for the page: counters, the roofline, and the kernel's autotune configurations.
#pragma once

#include "view/View.h"

namespace nereid::view {

// A launch that would take long is not counted: the trace says how much its programs do. Writes to the tensors.
llvm::json::Object costJson(const ViewRequest &request, const CodeView &code, const interp::Trace *trace,
                            Places &places);

} // namespace nereid::view
