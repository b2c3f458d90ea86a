// Meet.cpp: immediate postdominators, as Cooper, Harvey and Kennedy find dominators: a tree over the blocks is mended until
// nothing changes, with the blocks in an order in which most of what follows a block is known before it.
#include "interp/ptx/Meet.h"

#include <algorithm>

namespace nereid::interp::ptx {

static std::vector<uint32_t> followersOf(const Kernel &kernel, uint32_t block) {
  const KernelInstruction &last = kernel.instructions[kernel.blocks[block].end - 1];
  std::vector<uint32_t> followers;
  if (last.branchesTo)
    followers.push_back(*last.branchesTo);
  if (last.isExit)
    followers.push_back(uint32_t(kernel.blocks.size()));
  if (followers.empty() || last.operation.guard)
    followers.push_back(block + 1);
  return followers;
}

// Blocks from which the end can be reached, those nearest to it first.
static std::vector<uint32_t> orderFromEnd(const std::vector<std::vector<uint32_t>> &before) {
  auto end = uint32_t(before.size() - 1);
  std::vector<uint32_t> order;
  std::vector<bool> isSeen(before.size());
  std::vector<std::pair<uint32_t, size_t>> open{{end, 0}};
  isSeen[end] = true;
  while (!open.empty()) {
    auto &[block, next] = open.back();
    if (next == before[block].size()) {
      order.push_back(block);
      open.pop_back();
      continue;
    }
    uint32_t other = before[block][next++];
    if (!isSeen[other]) {
      isSeen[other] = true;
      open.emplace_back(other, 0);
    }
  }
  std::ranges::reverse(order);
  return order;
}

std::vector<uint32_t> meetingBlocks(const Kernel &kernel) {
  auto end = uint32_t(kernel.blocks.size());
  std::vector<std::vector<uint32_t>> after(end), before(end + 1);
  for (uint32_t block = 0; block < end; ++block) {
    after[block] = followersOf(kernel, block);
    for (uint32_t follower : after[block])
      before[follower].push_back(block);
  }
  std::vector<uint32_t> order = orderFromEnd(before), place(end + 1, UINT32_MAX), meets(end + 1, UINT32_MAX);
  for (uint32_t i = 0; i < order.size(); ++i)
    place[order[i]] = i;
  meets[end] = end;
  for (bool isNew = true; isNew;) {
    isNew = false;
    for (size_t i = 1; i < order.size(); ++i) {
      uint32_t block = order[i], found = UINT32_MAX;
      for (uint32_t follower : after[block]) {
        if (meets[follower] == UINT32_MAX)
          continue;
        uint32_t other = follower;
        if (found == UINT32_MAX)
          found = other;
        while (found != other) {
          while (place[found] > place[other])
            found = meets[found];
          while (place[other] > place[found])
            other = meets[other];
        }
      }
      isNew |= meets[block] != found;
      meets[block] = found;
    }
  }
  meets.resize(end);
  std::ranges::replace(meets, UINT32_MAX, end); // a loop without an end
  return meets;
}

} // namespace nereid::interp::ptx
