#include "gpu/CodeChoices.h"

#include <algorithm>

namespace nereid::gpu {

std::string CodeChoices::key() const {
  if (*this == CodeChoices{})
    return {};
  std::string text = target + "," + std::to_string(maxRegisters) + (fusesFloats ? "" : ",apart") +
                     (flushesDenormals ? "" : ",denormals") + "," + assemblerOptions;
  for (const std::string &path : libraries)
    text += "," + path;
  if (trapsOnAssert)
    text += ",trap";
  return text;
}

unsigned capabilityOf(const std::string &target) {
  unsigned number = 0;
  for (char c : target)
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
  return number;
}

std::string targetNamed(const std::string &text) {
  std::string digits = text;
  for (const char *prefix : {"sm_", "sm"})
    if (digits.starts_with(prefix)) {
      digits.erase(0, std::string(prefix).size());
      break;
    }
  bool isSpecific = !digits.empty() && digits.back() == 'a';
  if (isSpecific)
    digits.pop_back();
  if (digits.size() < 2 || digits.size() > 3 ||
      !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return {};
  // The instructions of Hopper's tensor cores are in its specific target only.
  return "sm_" + digits + (isSpecific || digits == "90" ? "a" : "");
}

} // namespace nereid::gpu
