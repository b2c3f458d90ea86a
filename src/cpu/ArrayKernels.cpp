#include "cpu/ArrayKernels.h"

#include "interp/Kernels.h"
#include "interp/Libdevice.h"

namespace nereid::cpu {

static interp::Element elementOf(std::string_view name) {
  using E = interp::Element;
  return name == "i1"    ? E::I1
         : name == "i8"  ? E::I8
         : name == "i16" ? E::I16
         : name == "i32" ? E::I32
         : name == "i64" ? E::I64
         : name == "f64" ? E::F64
                         : E::F32;
}

void *findArrayKernel(std::string_view symbol) {
  constexpr std::string_view kDevice = "nereid_device:", kKernel = "nereid_kernel:";
  if (symbol.starts_with(kDevice)) {
    const interp::DeviceFunction *function = interp::findDeviceFunction(symbol.substr(kDevice.size()));
    return function ? reinterpret_cast<void *>(function->kernel) : nullptr;
  }
  if (!symbol.starts_with(kKernel))
    return nullptr;
  symbol.remove_prefix(kKernel.size());
  size_t colon = symbol.rfind(':');
  if (colon == std::string_view::npos)
    return nullptr;
  return reinterpret_cast<void *>(interp::findKernel(symbol.substr(0, colon), elementOf(symbol.substr(colon + 1))));
}

} // namespace nereid::cpu
