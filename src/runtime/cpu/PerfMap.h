// PerfMap.h: names for `perf report`. With NEREID_LOG=perf, every loaded function is a line of /tmp/perf-PID.map, where
// perf looks for code that belongs to no file.
#pragma once

#include <cstddef>
#include <string_view>

namespace nereid::cpu {

// NEREID_LOG is a list of topics with commas between; `perf` is one of them. Read once.
bool wantsPerfMap();
void addToPerfMap(const void *address, size_t size, std::string_view name);

} // namespace nereid::cpu
