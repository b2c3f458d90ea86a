// Devices.h: the devices that this program knows, and those that it can use.
#pragma once

#include "Command.h"

#include "jit/Launch.h"

#include "llvm/Support/JSON.h"

#include <thread>

namespace nereid::tool {

// The names of all devices, for completion.
std::vector<std::string> deviceChoices();

// The option's value, else NEREID_DEVICE.
std::optional<std::string> deviceNamed(std::optional<std::string> asked);

// The device to use: the option's value, else NEREID_DEVICE, else the default. On failure prints it and gives the
// exit status. Whether there is a GPU shows when it is used.
std::optional<std::string> readDevice(std::optional<std::string> asked, Console &console, int &status);

// Starts the driver of a GPU, where the words ask for one, while the command line and the kernel are read: that takes
// longer than compiling does.
class WarmDevice {
public:
  explicit WarmDevice(const Words &words);
  ~WarmDevice();

private:
  std::thread thread;
};

// Registers, spills and shared memory of a kernel on a GPU, in words and as JSON.
std::string describe(const jit::Launched::Resources &resources);
llvm::json::Object toJson(const jit::Launched::Resources &resources);

} // namespace nereid::tool
