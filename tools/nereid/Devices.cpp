#include "Devices.h"

#include "jit/Settings.h"

#include <cstdlib>

namespace nereid::tool {

static constexpr DeviceRow kDevices[] = {
    {"interp", "the interpreter: the reference meaning of every operation", true},
    {"cpu", "compiled for this machine's processor", true},
    {"cuda", "an NVIDIA GPU: not in this version", false},
};

std::span<const DeviceRow> devices() { return kDevices; }

std::optional<std::string> readDevice(std::optional<std::string> asked, Console &console, int &status) {
  if (const char *variable = std::getenv("NEREID_DEVICE"); !asked && variable && *variable)
    asked = variable;
  std::string name = asked ? *asked : *jit::chooseDevice("");
  std::vector<std::string> names;
  for (const DeviceRow &row : kDevices) {
    names.emplace_back(row.name);
    if (row.name != name)
      continue;
    if (row.isAvailable)
      return name;
    status =
        fail(console, "this version has no device `" + name + "`", {"`nereid info` lists the devices"}, kEnvironment);
    return std::nullopt;
  }
  std::vector<std::string> notes = suggestion(name, names);
  notes.push_back("`nereid info` lists the devices");
  status = fail(console, "there is no device `" + name.substr(0, 80) + "`", std::move(notes));
  return std::nullopt;
}

} // namespace nereid::tool
