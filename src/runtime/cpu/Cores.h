// Cores.h: how many threads can run at once.
#pragma once

namespace nereid::cpu {

// At least 1. What the process may use: its CPU affinity, and the quota of its control group (a container's limit),
// rounded up. Asked once.
unsigned availableCores();

// Cores that a quota file of a control group allows, 0 for no limit. Version 2 has "QUOTA PERIOD" or "max PERIOD" in
// one file.
unsigned coresOfQuota(const char *text);

} // namespace nereid::cpu
