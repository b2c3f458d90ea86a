// Exchange.cpp: what lanes of a warp tell each other, and where the threads of a block wait for each other.
#include "Block.h"

#include <algorithm>
#include <bit>

namespace nereid::emulated {

namespace {

using ptx::Kind;
using ptx::Type;

constexpr Type kPredicate{Kind::Predicate, 1};

// shfl.sync.bfly.b32 to|found, from, by, within, members
void shuffle(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  uint64_t values[kWarpLanes];
  eachLane(lanes, [&](uint32_t lane) { values[lane] = warp.value(act, 1, lane, kWord); });
  eachLane(lanes, [&](uint32_t lane) {
    auto by = uint32_t(warp.value(act, 2, lane, kWord)) % kWarpLanes,
         within = uint32_t(warp.value(act, 3, lane, kWord));
    uint32_t bound = within & 31, segment = within >> 8 & 31, first = lane & segment, last = first | (bound & ~segment);
    uint32_t from = operation.has("up")     ? lane - by
                    : operation.has("down") ? lane + by
                    : operation.has("bfly") ? lane ^ by
                                            : first | (by & ~segment);
    bool isThere = operation.has("up") ? int32_t(from) >= int32_t(last) : from <= last;
    if (!isThere)
      from = lane;
    if (!(lanes >> from & 1))
      throw Fault(Fault::Kind::IllegalInstruction, "a shuffle takes from a lane that does not execute it");
    const std::vector<uint32_t> &targets = operation.operands[0].registers;
    warp.registers(lane)[targets[0]] = values[from];
    if (targets.size() > 1)
      warp.registers(lane)[targets[1]] = isThere;
  });
}

// vote.sync.ballot.b32 to, asked, members
void vote(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  Lanes yes = 0;
  eachLane(lanes, [&](uint32_t lane) { yes |= Lanes(warp.value(act, 1, lane, kPredicate)) << lane; });
  uint64_t result = operation.has("ballot") ? yes
                    : operation.has("any")  ? yes != 0
                    : operation.has("all")  ? yes == lanes
                                            : yes == lanes || yes == 0; // uni
  eachLane(lanes, [&](uint32_t lane) { warp.registers(lane)[operation.operands[0].registers[0]] = result; });
}

// redux.sync.max.s32 to, from, members; for f32: NaN propagates where it is said to
void reduce(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  ptx::Operation combine = operation;
  combine.name = operation.modifiers.at(1).text;
  std::erase_if(combine.modifiers,
                [&](const ptx::Modifier &word) { return word == "sync" || word.text == combine.name; });
  combine.operands = {{.registers = {0}}, {.registers = {0}}, {.registers = {1}}};
  ptx::Execute execute = ptx::findOperation(combine);
  if (!execute)
    throw Fault(Fault::Kind::IllegalInstruction, "an unknown combination of lanes");
  uint64_t both[2] = {};
  bool isFirst = true;
  eachLane(lanes, [&](uint32_t lane) {
    both[isFirst ? 0 : 1] = warp.value(act, 1, lane);
    if (!isFirst)
      execute(combine, both, 1);
    isFirst = false;
  });
  eachLane(lanes, [&](uint32_t lane) { warp.set(act, lane, both[0], operation.type); });
}

// match.any.sync.b32 to, from, members; match.all.sync.b32 to|all, from, members
void match(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  const std::vector<uint32_t> &targets = operation.operands[0].registers;
  eachLane(lanes, [&](uint32_t lane) {
    Lanes same = 0;
    eachLane(lanes,
             [&](uint32_t other) { same |= Lanes(warp.value(act, 1, other) == warp.value(act, 1, lane)) << other; });
    if (operation.has("all")) {
      if (targets.size() > 1)
        warp.registers(lane)[targets[1]] = same == lanes;
      same = same == lanes ? lanes : 0;
    }
    warp.registers(lane)[targets[0]] = same;
  });
}

// elect.sync leader|isElected, members
void elect(Warp &warp, const Act &act, Lanes lanes) {
  auto first = uint32_t(std::countr_zero(lanes));
  eachLane(lanes, [&](uint32_t lane) {
    const std::vector<uint32_t> &targets = act.operation().operands[0].registers;
    warp.registers(lane)[targets[0]] = first;
    if (targets.size() > 1)
      warp.registers(lane)[targets[1]] = lane == first;
  });
}

// bar.sync 0; barrier.cta.arrive.aligned 1, 256; bar.red.popc.u32 to, 0, asked
void barrier(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  if (operation.has("warp"))
    return warp.block.races.meet(warp.number);
  auto first = uint32_t(std::countr_zero(lanes));
  bool combines = operation.has("red"), waits = !operation.has("arrive");
  size_t at = combines ? 1 : 0, count = operation.operands.size() - at - combines;
  auto number = uint32_t(warp.value(act, at, first, kWord));
  uint32_t expected = count > 1 ? uint32_t(warp.value(act, at + 1, first, kWord)) : 0, yes = 0;
  if (number >= 16 || expected % kWarpLanes)
    throw Fault(Fault::Kind::IllegalInstruction, "a barrier with a number or a count that there cannot be");
  if (combines) {
    eachLane(lanes, [&](uint32_t lane) {
      yes |= uint32_t(warp.value(act, operation.operands.size() - 1, lane, kPredicate)) << lane;
    });
    warp.atRelease = [&warp, &act, lanes](uint64_t combined) {
      uint64_t value = act.operation().has("popc")  ? combined & 0xffffffff
                       : act.operation().has("and") ? combined >> 32 & 1
                                                    : combined >> 33 & 1;
      eachLane(lanes, [&](uint32_t lane) { warp.registers(lane)[act.operation().operands[0].registers[0]] = value; });
    };
  }
  warp.block.arriveAt(number, warp, waits, expected, uint64_t(std::popcount(yes)), yes == lanes, yes != 0);
}

void activeMask(Warp &warp, const Act &act, Lanes lanes) {
  eachLane(lanes, [&](uint32_t lane) { warp.set(act, lane, lanes, kWord); });
}

struct Row {
  const char *name;
  Act::Perform perform;
  int membersAt; // -1: all lanes
};

} // namespace

bool decodeExchange(Act &act) {
  static constexpr Row kRows[] = {{"shfl", shuffle, 4},    {"vote", vote, 2},   {"redux", reduce, 2},
                                  {"match", match, 2},     {"elect", elect, 1}, {"bar", barrier, -1},
                                  {"barrier", barrier, -1}};
  const ptx::Operation &operation = act.operation();
  if (operation.name == "activemask")
    return act.perform = activeMask, true;
  const Row *row = std::ranges::find_if(kRows, [&](const Row &each) { return operation.name == each.name; });
  if (row == std::end(kRows))
    return false;
  act.perform = row->perform;
  act.membersAt = operation.has("warp") ? 0 : row->membersAt;
  act.meetsAll = act.membersAt < 0;
  return act.meetsAll || operation.operands.size() > size_t(act.membersAt);
}

} // namespace nereid::emulated
