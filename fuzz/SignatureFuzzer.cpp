// SignatureFuzzer.cpp: bytes as the signature of a kernel, as `nereid compile -s` takes it; what it means is compiled to tile IR.
// libraries: nereidJit
#include "TokenMutator.h"

#include "jit/Launch.h"
#include "jit/Signature.h"

#include <cstdlib>

using namespace nereid;

static constexpr const char *kKernel = R"(
import triton
import triton.language as tl

@triton.jit
def scale(x, y, n, factor, B: tl.constexpr = 16, flag: tl.constexpr = None, *rest):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i, mask=i < n) * factor, mask=i < n)
)";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  auto module = jit::KernelModule::parse("kernel.py", kKernel);
  if (!module)
    std::abort();
  std::string text(reinterpret_cast<const char *>(data), size);
  Result<std::vector<jit::NamedHostValue>> signature = jit::parseSignature(**module, text);
  if (!signature) {
    if (signature.error().message.empty())
      std::abort();
    return 0;
  }
  Result<std::string> tile = jit::compileText(**module, *(*module)->find("scale"), std::move(*signature), {});
  if (!tile && tile.error().message.find("internal error in Nereid") != std::string::npos)
    std::abort();
  return 0;
}
