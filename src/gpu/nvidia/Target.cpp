// Target.cpp: which GPU of NVIDIA has what, by its compute capability.
#include "gpu/Target.h"

#include <algorithm>

namespace nereid::gpu {

static unsigned capabilityOf(const std::string &name) {
  unsigned number = 0;
  for (char c : name)
    if (c >= '0' && c <= '9')
      number = number * 10 + unsigned(c - '0');
  return number;
}

unsigned Target::mostBlocks(unsigned threads, uint64_t sharedBytesOfBlock) const {
  constexpr uint64_t kMost = 32, kSystem = 1024; // blocks; bytes that each takes besides
  return unsigned(std::min(
      {kMost, uint64_t(warps * warpSize / threads), (sharedBytes + kSystem) / (sharedBytesOfBlock + kSystem)}));
}

Target targetOf(const std::string &name) {
  Target target;
  target.name = name;
  unsigned capability = target.capability = capabilityOf(name);
  target.isSupported = capability >= 70;
  bool isAmpere = capability >= 80, isAda = capability >= 89, isHopper = capability >= 90;
  target.sharedBytes = isHopper ? 227 << 10 : capability == 80 || capability == 87 ? 163 << 10 : 99 << 10;
  bool isForServers = capability == 80 || capability == 90 || capability == 100 || capability == 103;
  target.warps = isForServers ? 64 : isAmpere ? 48 : 32;
  target.hasLdmatrix = capability >= 75;
  target.hasAsyncCopies = target.hasCachePolicies = target.hasMma = target.hasDoubleMma = isAmpere;
  target.hasFp8 = isAda;
  target.hasStmatrix = target.hasBf16Atomics = target.hasVectorAtomics = isHopper;
  target.hasClusters = target.hasDependentGrids = isHopper;
  // Blackwell has other instructions for these.
  target.hasTma = capability == 90;
  target.hasWgmma = target.hasTma && name.ends_with("a");
  return target;
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
