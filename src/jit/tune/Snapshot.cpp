#include "jit/tune/Snapshot.h"

#include "runtime/Memory.h"

#include <algorithm>
#include <cstring>

namespace nereid::jit {

Snapshot::Snapshot(const Binding &binding, const lang::Autotune &tuning) {
  std::vector<std::pair<std::string, Tensor>> tensors;
  uint64_t bytes = 0;
  for (size_t i = 0; i < binding.values.size(); ++i) {
    const std::string &parameter = binding.kernel->parameters[i].name;
    forEachTensor(binding.values[i], parameter, [&](const std::string &, const Tensor &tensor) {
      tensors.emplace_back(parameter, tensor);
      bytes += tensor.spanBytes();
    });
  }
  bool hasRoom = bytes < runtime::memoryLimit() / 4;
  for (const auto &[name, tensor] : tensors) {
    if (std::ranges::count(tuning.resetToZero, name))
      zeroed.push_back(tensor);
    if (!hasRoom && !std::ranges::count(tuning.restoreValue, name))
      continue;
    Result<Tensor> saved = tensor.clone();
    if (saved)
      copies.push_back({tensor, *saved});
    else
      problems.push_back("`" + name + "` is too large to be copied: the trials leave their results in it");
  }
  if (!hasRoom)
    problems.push_back("the tensors are too large to be copied: the trials leave their results in those that "
                       "`restore_value` does not list");
}

void Snapshot::reset() const {
  for (const Tensor &tensor : zeroed)
    std::memset(tensor.data(), 0, tensor.spanBytes());
}

void Snapshot::restore() const {
  for (const Copy &copy : copies)
    std::memcpy(copy.live.data(), copy.saved.data(), copy.saved.spanBytes());
}

} // namespace nereid::jit
