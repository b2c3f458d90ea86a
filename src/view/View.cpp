#include "view/View.h"

#include "view/CostJson.h"
#include "view/ToJson.h"

namespace nereid::view {

// The text of a source file that lines come from. Parts of the language that are written in the language are not shown: the calls
// that led there are.
static llvm::json::Array sourcesOf(jit::KernelModule &module, const Places &places) {
  llvm::json::Array files;
  for (const std::string &name : places.files()) {
    SourceRef source = module.sourceOf(name);
    files.push_back(llvm::json::Object{{"name", cleanText(name)}, {"text", source ? cleanText(source->text()) : ""}});
  }
  return files;
}

static llvm::json::Array argumentsOf(const ViewRequest &request) {
  llvm::json::Array list;
  for (const auto &[name, value] : request.arguments)
    list.push_back(llvm::json::Array{cleanText(name), cleanText(value)});
  return list;
}

Result<llvm::json::Object> viewKernel(const ViewRequest &request) {
  Result<jit::Specialization> specialization = jit::specialize(request.binding);
  if (!specialization)
    return specialization.error();
  Places places;
  const lang::Function &kernel = *request.binding.kernel;
  if (kernel.module && kernel.module->source) // the kernel's own file is the first one
    places.fileNumber(std::string(kernel.module->source->name()));
  Result<CodeView> code =
      viewCode({request.module, request.binding, *specialization, request.grid, request.gpu, request.cpu}, places);
  if (!code)
    return code.error();
  KeptMemory kept(specialization->allocations);
  interp::TraceOptions options{
      .programs = choosePrograms(request.grid, request.programs), .mostSteps = 600, .mostBytes = size_t(48) << 20};
  Result<interp::Trace> trace =
      traceLaunch({request.module, request.binding, *specialization, request.grid, request.settings}, options);
  kept.restore();
  llvm::json::Object cost = costJson(request, *code, trace ? &*trace : nullptr, places);
  kept.restore();
  llvm::json::Object view{
      {"kernel", cleanText(kernel.name)},
      {"arguments", argumentsOf(request)},
      {"grid", llvm::json::Array{request.grid[0], request.grid[1], request.grid[2]}},
      {"code", codeJson(*code)},
      {"cost", std::move(cost)},
      {"target", request.gpu ? request.gpu->name : ""},
  };
  if (trace)
    view["trace"] = traceJson(*trace, request.module, places);
  else
    view["noTrace"] = cleanText(trace.error().message);
  view["sources"] = sourcesOf(request.module, places);
  view["places"] = placesJson(places);
  return view;
}

} // namespace nereid::view
