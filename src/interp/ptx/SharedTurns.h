// SharedTurns.h: the turns that each access to shared memory loses where lanes of a warp meet in banks.
#pragma once

#include "interp/ptx/JoinAccesses.h"
#include "interp/ptx/Warp.h"

#include <memory>

namespace nereid::interp::ptx {

class SharedTurns {
public:
  explicit SharedTurns(const Kernel &kernel)
      : kernel(kernel), joined(joinAccesses(kernel)), accessed(kernel.instructions.size()) {}

  // Of one run of an instruction by lanes of a warp; 0 where an address is not known.
  unsigned lost(uint32_t index, Warp &warp, Lanes lanes);

private:
  using Addresses = std::array<uint64_t, kWarp32>;
  // The last run of an access. Where the next one is the same, a multiple of all banks away, so are its turns.
  struct Accessed {
    Addresses addresses;
    Lanes lanes = 0;
    unsigned lost = 0;

    bool isLike(const Addresses &others, Lanes otherLanes) const;
  };

  unsigned lostAt(uint32_t index, const Addresses &addresses, Lanes lanes) const;
  bool isJoined(uint32_t index, const Addresses &addresses, Lanes lanes) const;

  const Kernel &kernel;
  std::vector<Joined> joined;                      // by instruction
  std::vector<std::unique_ptr<Accessed>> accessed; // by instruction
};

} // namespace nereid::interp::ptx
