#include "jit/Settings.h"

#include "jit/CudaDevice.h"

#include <cstdlib>

namespace nereid::jit {

Result<std::string> chooseDevice(const std::string &asked) {
  constexpr const char *kDefault = "cpu";
  std::string name = asked;
  if (const char *variable = std::getenv("NEREID_DEVICE"); name.empty() && variable)
    name = variable;
  if (name.empty())
    return std::string(kDefault);
  if (name == "interp" || name == "cpu" || isCudaName(name))
    return name;
  return Error{Status::Environment,
               "error: this version has no device `" + name.substr(0, 80) + "`; it has `cpu`, `cuda` and `interp`\n"};
}

} // namespace nereid::jit
