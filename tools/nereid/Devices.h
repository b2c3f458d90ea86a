// Devices.h: the devices that this program knows, and those that it can use.
#pragma once

#include "Command.h"

namespace nereid::tool {

struct DeviceRow {
  std::string_view name;
  std::string_view description;
  bool isAvailable;
};
std::span<const DeviceRow> devices();

// The device to use: the option's value, else NEREID_DEVICE, else the default. On failure prints it and gives the
// exit status.
std::optional<std::string> readDevice(std::optional<std::string> asked, Console &console, int &status);

} // namespace nereid::tool
