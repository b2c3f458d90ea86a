#include "RunPtx.h"

#include <cstring>

namespace nereid {

static std::span<uint8_t> reachable;
static std::vector<emulated::TensorMap> knownMaps;

std::pair<uint64_t, uint64_t> emulated::memoryAround(uint64_t address) {
  auto begin = reinterpret_cast<uint64_t>(reachable.data()), end = begin + reachable.size();
  return address >= begin && address < end ? std::pair(begin, end) : std::pair<uint64_t, uint64_t>{};
}

emulated::TensorMap emulated::tensorMapAt(const uint8_t *bytes) {
  uint64_t index = 0;
  std::memcpy(&index, bytes, sizeof index);
  return knownMaps.at(index);
}

gpu::PtxRun gpu::runPtx(const std::string &ptx, uint32_t threads, uint64_t sharedBytes, std::span<uint8_t> global,
                        const std::vector<uint64_t> &arguments, std::vector<emulated::TensorMap> maps) {
  reachable = global;
  knownMaps = std::move(maps);
  PtxRun ran;
  try {
    emulated::Module module(ptx);
    const emulated::Function &kernel = module.function("kernel");
    std::vector<uint8_t> parameters(kernel.parameterBytes);
    for (size_t i = 0; i < arguments.size(); ++i)
      std::memcpy(parameters.data() + kernel.ordered.at(i).address, &arguments[i],
                  std::min<size_t>(kernel.ordered[i].bytes, sizeof arguments[i]));
    ran.barriers = runLaunch(module, kernel, {.threads = threads, .sharedBytes = sharedBytes}, parameters, 0);
  } catch (const emulated::Fault &fault) {
    ran.problem = (fault.kind == emulated::Fault::Kind::Race ? "race: " : "") + std::string(fault.what());
  } catch (const std::exception &problem) {
    ran.problem = problem.what();
  }
  return ran;
}

} // namespace nereid
