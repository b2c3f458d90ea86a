#include "interp/Libdevice.h"
namespace nereid::interp {
std::initializer_list<DeviceFunction> integerDeviceFunctions() { return {}; }
std::initializer_list<DeviceFunction> roundingDeviceFunctions() { return {}; }
std::initializer_list<DeviceFunction> conversionDeviceFunctions() { return {}; }
std::initializer_list<DeviceFunction> mathDeviceFunctions() { return {}; }
std::initializer_list<DeviceFunction> specialDeviceFunctions() { return {}; }
}
