// TensorWordFuzzer.cpp: bytes as a tensor in words: a tensor of what the words say, within its budget, or a message. What was
// written to a file is what is read back.
// libraries: nereidRuntime
#include "TokenMutator.h"

#include "runtime/Convert.h"
#include "runtime/Npy.h"
#include "runtime/TensorSpec.h"

#include <cmath>
#include <cstdlib>

using namespace nereid;

static void expectRoundTrip(const Tensor &tensor) {
  constexpr const char *kPath = "tensor.npy";
  if (!runtime::writeNpy(kPath, tensor))
    std::abort();
  Result<Tensor> back = runtime::readNpy(kPath, tensor.dtype());
  if (!back || back->shape() != tensor.shape())
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text(reinterpret_cast<const char *>(data), size);
  if (text.find('/') != std::string::npos)
    return 0;
  runtime::looksLikeTensor(text);
  Result<runtime::TensorSpec> spec = runtime::parseTensorSpec(text);
  if (!spec) {
    if (spec.error().message.empty())
      std::abort();
    return 0;
  }
  constexpr uint64_t kBudget = 1 << 16;
  uint64_t budget = kBudget;
  auto lookup = [](std::string_view name) { return name == "n" ? std::optional<int64_t>(5) : std::nullopt; };
  Result<Tensor> tensor = runtime::makeTensor(*spec, "x", 1, lookup, budget);
  if (!tensor)
    return 0;
  if (tensor->spanBytes() > kBudget)
    std::abort();
  // The word's own value is in the tensor, as far as its type can hold it: nothing wrapped around or became infinite.
  if (spec->fill == runtime::TensorSpec::Fill::Constant && tensor->count()) {
    double value = runtime::readElement(tensor->dtype(), tensor->data());
    bool isSame = std::isnan(spec->low) ? std::isnan(value) : std::isinf(spec->low) == std::isinf(value);
    if (!isSame || (!isFloat(tensor->dtype()) && std::fabs(value - spec->low) > std::fabs(spec->low) * 1e-9))
      std::abort();
  }
  expectRoundTrip(*tensor);
  return 0;
}
