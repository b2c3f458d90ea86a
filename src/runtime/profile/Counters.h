// Counters.h: whether a profile counts by the GPU's hardware, and whether that can be done here.
#pragma once

#include <string>
#include <string_view>

namespace nereid::profile {

// Launches on GPUs are counted from now on, or no more. Each then runs several times, one after the other.
void wantCounters(bool areWanted);
bool areCountersWanted();

// `nereid profile` leaves this file beside the journals where it wants them.
inline constexpr const char *kCountersFile = "/counters";

// Why none can be read in this process, in words, and what to do; empty: they can.
std::string whyNoCounters();

// The names of their metrics in records begin with this.
inline constexpr std::string_view kCounterPrefix = "counter ";

} // namespace nereid::profile
