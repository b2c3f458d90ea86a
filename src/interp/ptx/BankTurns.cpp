#include "interp/ptx/BankTurns.h"

#include <algorithm>

namespace nereid::interp::ptx {

static constexpr unsigned kBanks = 32, kWordBytes = 4;

// The most different words that one bank is asked for by these lanes.
static unsigned turnsOf(const uint64_t *addresses, uint32_t lanes, unsigned begin, unsigned end, unsigned bytes) {
  uint64_t words[kBanks][kBanks * 4];
  unsigned counts[kBanks] = {};
  unsigned most = 0;
  for (unsigned lane = begin; lane < end; ++lane) {
    if (!(lanes >> lane & 1))
      continue;
    for (uint64_t word = addresses[lane] / kWordBytes; word <= (addresses[lane] + bytes - 1) / kWordBytes; ++word) {
      uint64_t *ofBank = words[word % kBanks];
      unsigned &count = counts[word % kBanks];
      if (std::find(ofBank, ofBank + count, word) == ofBank + count)
        ofBank[count++] = word;
      most = std::max(most, count);
    }
  }
  return most;
}

unsigned lostTurns(const uint64_t *addresses, uint32_t lanes, unsigned bytes) {
  unsigned together = kWarp32 * kWordBytes / std::clamp(bytes, kWordBytes, 16u), lost = 0;
  for (unsigned begin = 0; begin < kWarp32; begin += together)
    if (unsigned turns = turnsOf(addresses, lanes, begin, begin + together, std::min(bytes, 16u)))
      lost += turns - 1;
  return lost;
}

unsigned lostTurnsOfAtomics(const uint64_t *addresses, uint32_t lanes) {
  unsigned counts[kBanks] = {}, most = 0;
  for (unsigned lane = 0; lane < kWarp32; ++lane)
    if (lanes >> lane & 1)
      most = std::max(most, ++counts[addresses[lane] / kWordBytes % kBanks]);
  return most ? most - 1 : 0;
}

unsigned lostTurnsOfMatrices(const uint64_t *addresses, unsigned matrices) {
  constexpr unsigned kRows = 8, kRowBytes = 16;
  unsigned lost = 0;
  for (unsigned i = 0; i < matrices; ++i)
    lost += turnsOf(addresses, ~0u, i * kRows, (i + 1) * kRows, kRowBytes) - 1;
  return lost;
}

} // namespace nereid::interp::ptx
