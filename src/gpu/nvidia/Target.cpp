// Target.cpp: which GPU of NVIDIA has what, by its compute capability.
#include "gpu/Target.h"

#include "gpu/nvidia/Ptx.h"

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

// Those that LLVM has.
static constexpr unsigned kKnownToPtx84[] = {70, 72, 75, 80, 86, 87, 89, 90},
                          kNewer[] = {88, 100, 101, 103, 110, 120, 121};

const char *ptxFeaturesFor(const Target &target) {
  return std::ranges::count(kKnownToPtx84, target.capability) ? "+ptx84" : "";
}

Target targetOf(const std::string &name) {
  Target target;
  target.name = name;
  unsigned capability = target.capability = capabilityOf(name);
  target.isSupported = std::ranges::count(kKnownToPtx84, capability) || std::ranges::count(kNewer, capability);
  bool isAmpere = capability >= 80, isAda = capability >= 89, isHopper = capability >= 90;
  bool isForDesktops = capability == 86 || capability == 89 || capability >= 120;
  target.sharedBytes = !isAmpere || isForDesktops ? 99 << 10 : isHopper ? 227 << 10 : 163 << 10;
  target.warps = isForDesktops ? 48 : capability == 75 ? 32 : 64;
  target.hasLdmatrix = capability >= 75;
  target.hasAsyncCopies = target.hasCachePolicies = target.hasMma = target.hasDoubleMma = isAmpere;
  target.hasFp8 = isAda;
  target.hasStmatrix = target.hasBf16Atomics = target.hasVectorAtomics = target.hasBf16Casts = isHopper;
  target.hasClusters = target.hasDependentGrids = target.hasLongDoubleMma = isHopper;
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
