// Libdevice.h: the `__nv_*` device functions of CUDA's libdevice, on the host.
#pragma once

#include "interp/Program.h"

#include <span>
#include <string_view>

namespace nereid::interp {

struct DeviceFunction {
  std::string_view symbol;
  Element result;
  std::span<const Element> operands;
  Kernel kernel;
};

// Null where there is none.
const DeviceFunction *findDeviceFunction(std::string_view symbol);

using DeviceFunctions = std::vector<DeviceFunction>;
void addIntegerDeviceFunctions(DeviceFunctions &functions);
void addRoundingDeviceFunctions(DeviceFunctions &functions);
void addConversionDeviceFunctions(DeviceFunctions &functions);
void addMathDeviceFunctions(DeviceFunctions &functions);
void addSpecialDeviceFunctions(DeviceFunctions &functions);

template <typename T> constexpr Element elementFor() {
  if constexpr (std::is_same_v<T, float>)
    return Element::F32;
  else if constexpr (std::is_same_v<T, double>)
    return Element::F64;
  else
    return sizeof(T) == 8 ? Element::I64 : Element::I32;
}

template <auto function, typename Signature> struct DeviceLoop;
template <auto function, typename R, typename... Operands> struct DeviceLoop<function, R(Operands...)> {
  static constexpr Element kResult = elementFor<R>();
  static constexpr std::array<Element, sizeof...(Operands)> kOperands = {elementFor<Operands>()...};

  template <size_t... i>
  static void run(void *result, const void *const *sources, size_t count, std::index_sequence<i...>) {
    for (size_t lane = 0; lane < count; ++lane)
      static_cast<R *>(result)[lane] = R(function(static_cast<const Operands *>(sources[i])[lane]...));
  }
  static void kernel(void *result, const void *a, const void *b, const void *c, size_t count) {
    const void *sources[] = {a, b, c};
    run(result, sources, count, std::index_sequence_for<Operands...>());
  }
};

// A row of the table: the signature in C, and a function that computes it.
template <typename Signature, auto function> void addDevice(DeviceFunctions &functions, std::string_view symbol) {
  using Loop = DeviceLoop<function, Signature>;
  functions.push_back({symbol, Loop::kResult, Loop::kOperands, Loop::kernel});
}

} // namespace nereid::interp
