// Recent.h: the last launches of this process. A GPU reports a failed kernel long after its launch, and without its
// name; this is where the message finds kernel and arguments. Remembering one is a few plain stores.
#pragma once

#include "runtime/cuda/DriverTypes.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace nereid::cuda {

class Device;

// What messages say of a kernel. Lives as long as the process: launches point to it.
struct KernelFacts {
  std::string name;
  std::vector<std::string> words; // their names; may be fewer than there are
};

void rememberLaunch(const Device &device, const KernelFacts &facts, std::span<const uint64_t> words,
                    const std::array<uint32_t, 3> &grid);

// "x=0x7f3200000000, n=1000": integers by value, what looks like an address in hexadecimal.
std::string argumentsText(const std::vector<std::string> &names, std::span<const uint64_t> words);

// The message for an error after which the GPU is lost to this process.
std::string describeLoss(const Device &device, driver::Status status);

} // namespace nereid::cuda
