#include "interp/ptx/SharedTurns.h"

#include <bit>

namespace nereid::interp::ptx {

namespace {
using Work = KernelInstruction::Work;
} // namespace

bool SharedTurns::Accessed::isLike(const Addresses &others, Lanes otherLanes) const {
  constexpr uint64_t kAllBanks = 128;
  if (!lanes || lanes != otherLanes)
    return false;
  auto first = uint32_t(std::countr_zero(lanes));
  uint64_t distance = others[first] - addresses[first], differs = distance % kAllBanks;
  for (uint32_t lane = 0; lane < kWarp32; ++lane)
    differs |= lanes >> lane & 1 ? (others[lane] - addresses[lane]) ^ distance : 0;
  return !differs;
}

unsigned SharedTurns::lost(uint32_t index, Warp &warp, Lanes lanes) {
  const KernelInstruction &instruction = kernel.instructions[index];
  if (warp.unknownAddress(instruction) & lanes)
    return 0;
  Addresses addresses;
  for (uint32_t lane = 0; lane < kWarp32; ++lane)
    addresses[lane] = warp.addressOf(instruction, lane);
  std::unique_ptr<Accessed> &last = accessed[index];
  if (!last)
    last = std::make_unique<Accessed>();
  if (!last->isLike(addresses, lanes))
    *last = {addresses, lanes, lostAt(index, addresses, lanes)};
  return last->lost;
}

unsigned SharedTurns::lostAt(uint32_t index, const Addresses &addresses, Lanes lanes) const {
  const KernelInstruction &instruction = kernel.instructions[index];
  if (instruction.work == Work::MatrixRead || instruction.work == Work::MatrixWrite)
    return lostTurnsOfMatrices(addresses.data(), instruction.workCount);
  if (instruction.work == Work::SharedAtomic && !instruction.addsOne)
    return lostTurnsOfAtomics(addresses.data(), lanes);
  if (!isJoined(index, addresses, lanes))
    return lostTurns(addresses.data(), lanes, instruction.accessBytes);
  return joined[index].leader == index ? lostTurns(addresses.data(), lanes, joined[index].bytes) : 0;
}

bool SharedTurns::isJoined(uint32_t index, const Addresses &addresses, Lanes lanes) const {
  auto [leader, bytes] = joined[index];
  if (!bytes)
    return false;
  int64_t behind = kernel.instructions[index].offset() - kernel.instructions[leader].offset();
  for (uint32_t lane = 0; lane < kWarp32; ++lane)
    if (lanes >> lane & 1 && (addresses[lane] - uint64_t(behind)) % bytes)
      return false;
  return true;
}

} // namespace nereid::interp::ptx
