// View.h: all that the page of a kernel shows, and the page.
#pragma once

#include "view/CodeView.h"
#include "view/TraceRun.h"

#include "jit/count/Count.h"

#include "llvm/Support/JSON.h"

namespace nereid::view {

struct ViewRequest {
  jit::KernelModule &module;
  const jit::Binding &binding;
  std::array<uint32_t, 3> grid{1, 1, 1};
  const jit::Settings &settings;
  std::optional<compiler::Target> gpu, cpu;      // for which code is shown
  std::vector<std::array<uint32_t, 3>> programs; // that are traced besides the first, the middle and the last
  std::vector<std::pair<std::string, std::string>> arguments; // as they were given, for people
};

// One kernel with these arguments. The memory of the tensors is as before when it is done.
Result<llvm::json::Object> viewKernel(const ViewRequest &request);

// A whole page, of one kernel or of two side by side.
std::string makePage(std::vector<llvm::json::Object> kernels);

} // namespace nereid::view
