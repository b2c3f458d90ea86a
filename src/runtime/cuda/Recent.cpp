#include "runtime/cuda/Recent.h"

#include "runtime/cuda/Device.h"
#include "runtime/cuda/Failure.h"

#include <algorithm>
#include <atomic>
#include <cstdio>

namespace nereid::cuda {

namespace {

constexpr size_t kKeptLaunches = 16, kWords = 12;

// Written by any thread without a lock: a message may mix two launches at worst.
struct Launch {
  std::atomic<const Device *> device{nullptr};
  std::atomic<const KernelFacts *> facts{nullptr};
  std::atomic<uint32_t> grid[3];
  std::atomic<uint32_t> count{0};
  std::atomic<uint64_t> words[kWords];
};
Launch launches[kKeptLaunches];
std::atomic<size_t> nextLaunch{0};

// The launches on a device, newest first.
std::vector<const Launch *> recentOn(const Device &device) {
  std::vector<const Launch *> result;
  size_t next = nextLaunch.load();
  for (size_t i = 1; i <= std::min(next, kKeptLaunches); ++i)
    if (const Launch &launch = launches[(next - i) % kKeptLaunches]; launch.device.load() == &device)
      result.push_back(&launch);
  return result;
}

std::string otherNames(const std::vector<const Launch *> &recent) {
  std::vector<std::string> names;
  for (const Launch *launch : recent) {
    const std::string &name = launch->facts.load()->name;
    if (std::ranges::find(names, name) == names.end() && names.size() < 4)
      names.push_back(name);
  }
  std::string text;
  for (size_t i = 1; i < names.size(); ++i)
    text += (i > 1 ? ", `" : "`") + names[i] + "`";
  return text;
}

} // namespace

void rememberLaunch(const Device &device, const KernelFacts &facts, std::span<const uint64_t> words,
                    const std::array<uint32_t, 3> &grid) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  Launch &launch = launches[nextLaunch.fetch_add(1, kRelaxed) % kKeptLaunches];
  launch.device.store(&device, kRelaxed);
  launch.facts.store(&facts, kRelaxed);
  for (size_t i = 0; i < 3; ++i)
    launch.grid[i].store(grid[i], kRelaxed);
  size_t count = std::min(words.size(), kWords);
  launch.count.store(static_cast<uint32_t>(count), kRelaxed);
  for (size_t i = 0; i < count; ++i)
    launch.words[i].store(words[i], kRelaxed);
}

std::string argumentsText(const std::vector<std::string> &names, std::span<const uint64_t> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    char value[32];
    bool isAddress = words[i] >> 32;
    std::snprintf(value, sizeof value, isAddress ? "0x%llx" : "%lld", static_cast<unsigned long long>(words[i]));
    text += (i ? ", " : "") + (i < names.size() ? names[i] + "=" : std::string()) + value;
  }
  return text;
}

std::string describeLoss(const Device &device, driver::Status status) {
  std::vector<const Launch *> recent = recentOn(device);
  std::string reason = textOf(device.call(), status);
  std::string text;
  if (recent.empty()) {
    text = "error: the GPU has failed: " + reason + "\n";
  } else {
    const Launch &launch = *recent.front();
    const KernelFacts &facts = *launch.facts.load();
    std::vector<uint64_t> words;
    for (size_t i = 0; i < launch.count.load(); ++i)
      words.push_back(launch.words[i].load());
    text = "error: `" + facts.name + "` failed on the GPU: " + reason + "\n";
    text += "note: " + std::to_string(launch.grid[0].load()) + " x " + std::to_string(launch.grid[1].load()) + " x " +
            std::to_string(launch.grid[2].load()) + " programs ran with " + argumentsText(facts.words, words) + "\n";
    if (std::string others = otherNames(recent); !others.empty())
      text += "note: it was the last launch; it may as well have been one before it: " + others + "\n";
  }
  if (status == driver::kIllegalAddress || status == driver::kMisalignedAddress || status == driver::kLaunchFailed)
    text += "note: `nereid check` with the same arguments finds the access and its line\n";
  return text + "note: this process cannot use the GPU any more: CUDA ends its context after such an error\n";
}

} // namespace nereid::cuda
