// Libdevice.cpp: finds a device function by its symbol.
#include "interp/Libdevice.h"

#include <unordered_map>

namespace nereid::interp {

const DeviceFunction *findDeviceFunction(std::string_view symbol) {
  static const auto kFunctions = [] {
    DeviceFunctions rows;
    addIntegerDeviceFunctions(rows);
    addRoundingDeviceFunctions(rows);
    addConversionDeviceFunctions(rows);
    addMathDeviceFunctions(rows);
    addSpecialDeviceFunctions(rows);
    std::unordered_map<std::string_view, DeviceFunction> functions;
    for (const DeviceFunction &row : rows)
      functions.emplace(row.symbol, row);
    return functions;
  }();
  auto found = kFunctions.find(symbol);
  return found == kFunctions.end() ? nullptr : &found->second;
}

} // namespace nereid::interp
