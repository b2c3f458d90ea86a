#include "jit/Settings.h"

#include "jit/Backend.h"

#include <cstdlib>

namespace nereid::jit {

Result<std::string> chooseDevice(const std::string &asked) {
  std::string name = asked;
  if (const char *variable = std::getenv("NEREID_DEVICE"); name.empty() && variable)
    name = variable;
  if (name.empty())
    return std::string(cpuBackend().name());
  return findBackend(name) ? Result<std::string>(name) : noDevice(name);
}

Error noDevice(const std::string &name) {
  return {Status::Environment,
          "error: this version has no device `" + name.substr(0, 80) + "`; it has `cpu`, `cuda` and `interp`\n"};
}

std::string usualDotPrecision(const std::string &device) {
  Result<std::string> chosen = chooseDevice(device);
  return chosen ? findBackend(*chosen)->dotPrecision() : "ieee";
}

static bool isSet(const char *name) {
  const char *value = std::getenv(name);
  return value && *value && std::string_view(value) != "0";
}

bool checksEveryLaunch() {
  static const bool checks = isSet("NEREID_CHECK");
  return checks;
}

bool guardsEveryLaunch() {
  static const bool guards = isSet("NEREID_GUARD");
  return guards;
}

} // namespace nereid::jit
