// Libdevice.cpp: finds a device function by its symbol.
#include "interp/Libdevice.h"

#include <unordered_map>

namespace nereid::interp {

const DeviceFunction *findDeviceFunction(std::string_view symbol) {
  static const auto kFunctions = [] {
    std::unordered_map<std::string_view, DeviceFunction> functions;
    for (auto family : {integerDeviceFunctions(), roundingDeviceFunctions(), conversionDeviceFunctions(), mathDeviceFunctions(),
                        specialDeviceFunctions()})
      for (const DeviceFunction &function : family)
        functions.emplace(function.symbol, function);
    return functions;
  }();
  auto found = kFunctions.find(symbol);
  return found == kFunctions.end() ? nullptr : &found->second;
}

} // namespace nereid::interp
