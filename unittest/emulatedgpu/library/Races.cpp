#include "Races.h"

#include "Block.h"

#include <algorithm>

namespace nereid::emulated {

static void raise(std::vector<uint32_t> &times, uint32_t actor, uint32_t time) {
  if (times.size() <= actor)
    times.resize(actor + 1);
  times[actor] = std::max(times[actor], time);
}

void Clocks::learn(uint32_t actor, uint32_t time) { raise(known, actor, time); }

void Clocks::join(const Clocks &other) {
  for (uint32_t i = 0; i < other.known.size(); ++i)
    raise(known, i, other.known[i]);
  for (uint32_t i = 0; i < other.fenced.size(); ++i)
    raise(fenced, i, other.fenced[i]);
  for (auto [actor, some] : other.partly)
    if (Partly &mine = partly[actor]; mine.time <= some.time)
      mine = {some.time, some.lanes | (mine.time == some.time ? mine.lanes : 0)};
}

Races::Races(uint32_t warps) : warps(warps), clocks(warps), times(4 * warps) {
  for (uint32_t warp = 0; warp < warps; ++warp)
    clocks[warp].learn(warp, 1);
}

uint32_t Races::actorOf(uint64_t barrier) {
  return barriers.try_emplace(barrier, 4 * warps + uint32_t(barriers.size())).first->second;
}

// The threads go on in a new time, so that what they do from here on is not taken for something that was told.
void Races::release(uint32_t warp, Clocks &into) {
  into.join(clocks[warp]);
  ++clocks[warp].known[warp];
}

void Races::release(uint32_t warp, Lanes lanes, Clocks &into) {
  Clocks told = clocks[warp];
  told.partly[warp] = {told.known[warp]--, lanes};
  into.join(told);
}

void Races::fence(uint32_t warp) {
  clocks[warp].fenced = clocks[warp].known;
  ++clocks[warp].known[warp];
}

void Races::access(uint32_t warp, uint32_t lane, How how, uint64_t address, uint64_t bytes, const Act &act) {
  add(clocks[warp], {warp, clocks[warp].of(warp), how, false, uint8_t(lane), 0, &act}, address, bytes);
}

void Races::access(uint32_t warp, Part part, How how, uint64_t address, uint64_t bytes, const Act &act) {
  uint32_t actor = actorOf(warp, part);
  add(clocks[warp], {actor, times[actor], how, part != Part::Copies, kSeveral, 0, &act}, address, bytes);
}

void Races::write(uint32_t warp, uint64_t barrier, uint32_t phase, uint64_t address, uint64_t bytes, const Act &act) {
  add(clocks[warp], {actorOf(barrier), phase + 1, How::Write, true, kSeveral, 0, &act}, address, bytes);
}

void Races::add(const Clocks &observer, Access access, uint64_t address, uint64_t bytes) {
  uint64_t begin = address - kShared, end = begin + bytes;
  if (words.size() < (end + 3) / 4)
    words.resize((end + 3) / 4);
  for (uint64_t word = begin / 4; word * 4 < end; ++word) {
    uint64_t first = std::max(begin, word * 4) - word * 4, last = std::min(end, word * 4 + 4) - word * 4;
    access.bytes = uint8_t((1 << last) - (1 << first));
    std::vector<Access> &list = words[word];
    for (Access &earlier : list) {
      if (!(earlier.bytes & access.bytes))
        continue;
      bool isAfter = isOrdered(observer, earlier, access, kShared + word * 4);
      // What is told of a write is told of all that it came after.
      bool isSame = earlier.actor == access.actor && earlier.how == access.how;
      if (isSame && earlier.time == access.time && earlier.lane != access.lane)
        access.lane = kSeveral;
      if ((isAfter && access.how != How::Read) || isSame)
        earlier.bytes &= ~access.bytes;
    }
    std::erase_if(list, [](const Access &each) { return !each.bytes; });
    list.push_back(access);
  }
}

static bool areHarmless(Races::How earlier, Races::How later) {
  using How = Races::How;
  auto writes = [](How how) { return how == How::Write || how == How::Rewrite; };
  return (earlier == How::Read && later == How::Read) || (earlier == How::Atomic && later == How::Atomic) ||
         (writes(earlier) && later == How::Rewrite);
}

bool Races::isPartlyKnown(const Clocks &observer, const Access &earlier) {
  auto some = observer.partly.find(earlier.actor);
  return some != observer.partly.end() && some->second.time == earlier.time && earlier.lane < kSeveral &&
         some->second.lanes >> earlier.lane & 1;
}

// What products and TMA read of what cp.async has copied and threads have waited for needs no fence, as in CUTLASS.
bool Races::isOrdered(const Clocks &observer, const Access &earlier, const Access &later, uint64_t address) const {
  bool isAfter = earlier.time <= observer.of(earlier.actor) || isPartlyKnown(observer, earlier);
  bool needsFence = earlier.actor < warps && earlier.how != How::Read && later.isAsync && later.how == How::Read;
  bool isFenced = !needsFence || earlier.time <= observer.fencedOf(earlier.actor);
  bool haveMet = earlier.actor != later.actor || earlier.actor >= warps || earlier.time < later.time ||
                 (earlier.lane == later.lane && earlier.lane != kSeveral);
  if ((isAfter && isFenced && haveMet) || areHarmless(earlier.how, later.how))
    return isAfter;
  auto place = [](const Act &act) { return "line " + std::to_string(act.instruction->ptxLine) + " of the PTX"; };
  auto word = [](How how) { return how == How::Read ? "read" : how == How::Atomic ? "atomic operation" : "write"; };
  const char *missing = !haveMet ? "no barrier of the warp" : isAfter ? "no fence for the async proxy" : "nothing";
  throw Fault(Fault::Kind::Race, std::string(missing) + " between the " + word(earlier.how) + " of shared memory + " +
                                     std::to_string(address - kShared) + " in " + place(*earlier.act) + " (warp " +
                                     std::to_string(earlier.actor % warps) + ") and the " + word(later.how) + " in " +
                                     place(*later.act));
}

} // namespace nereid::emulated
