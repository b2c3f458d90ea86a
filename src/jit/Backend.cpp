#include "jit/Backend.h"

namespace nereid::jit {

std::span<const Backend *const> backends() {
  static const Backend *const kBackends[] = {&interpreterBackend(), &cpuBackend(), &cudaBackend()};
  return kBackends;
}

const Backend *findBackend(std::string_view device) {
  for (const Backend *backend : backends())
    if (backend->isNamed(device))
      return backend;
  return nullptr;
}

const Backend *findBackend(const compiler::Target &target) {
  for (const Backend *backend : backends())
    if (backend->kind() == target.kind)
      return backend;
  return nullptr;
}

} // namespace nereid::jit
