// NpyFuzzer.cpp: bytes as a .npy file, and the same bytes as a tensor in words. Nothing may crash, hang or ask for more
// memory than the input justifies.
// libraries: nereidRuntime
#include "runtime/Npy.h"
#include "runtime/TensorSpec.h"

#include <cstdlib>

using namespace nereid;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  auto header = runtime::parseNpyHeader(text.substr(0, runtime::kNpyPrefix), size);
  // A header that was accepted describes exactly the bytes that follow it.
  if (header) {
    auto count = Tensor::countOf(header->shape);
    if (!count || header->dataOffset + static_cast<uint64_t>(*count) * bytesOf(header->dtype) != size)
      std::abort();
  }
  auto spec = runtime::parseTensorSpec(text);
  if (spec && spec->fill != runtime::TensorSpec::Fill::File) {
    uint64_t budget = 1 << 16;
    (void)runtime::makeTensor(*spec, "x", 0, nullptr, budget);
  }
  return 0;
}
