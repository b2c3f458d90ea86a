#include "gpu/CodeChoices.h"

namespace nereid::gpu {

std::string CodeChoices::key() const {
  if (*this == CodeChoices{})
    return {};
  std::string text = target + "," + std::to_string(maxRegisters) + (fusesFloats ? "" : ",apart") +
                     (flushesDenormals ? "" : ",denormals") + (hasLines ? "" : ",lineless") + "," + assemblerOptions;
  for (const std::string &path : libraries)
    text += "," + path;
  if (trapsOnAssert)
    text += ",trap";
  return text;
}

} // namespace nereid::gpu
