// Machine.h: what the system says of the processor: its name, and its data caches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nereid::cpu {

// "AMD EPYC 9534 64-Core Processor"; empty where the system does not say.
std::string processorName();

struct DataCache {
  unsigned level = 0;
  uint64_t bytes = 0;
};
// From the smallest to the largest; none where the system does not say. `folder`: where Linux describes those of one core.
std::vector<DataCache> dataCaches(const std::string &folder = "/sys/devices/system/cpu/cpu0/cache");

} // namespace nereid::cpu
