// BankTurns.h: how many turns an access of a warp to shared memory takes. Memory has 32 banks of 4 bytes; in a turn each bank
// gives one word, to all lanes that want it.
#pragma once

#include <cstdint>

namespace nereid::interp::ptx {

inline constexpr unsigned kWarp32 = 32;

// Turns beyond those that lanes without conflicts would take: 32 lanes of up to 4 bytes go in one, 16 lanes of 8, 8 of 16.
unsigned lostTurns(const uint64_t *addresses, uint32_t lanes, unsigned bytes);
// The same for atomics, which take a turn for each lane of a bank, whatever word it wants.
unsigned lostTurnsOfAtomics(const uint64_t *addresses, uint32_t lanes);
// The same for matrices of 8 rows of 16 bytes, whose addresses come from 8 lanes each.
unsigned lostTurnsOfMatrices(const uint64_t *addresses, unsigned matrices);

} // namespace nereid::interp::ptx
