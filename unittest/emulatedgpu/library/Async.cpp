// Async.cpp: copies that are made beside the threads (cp.async, TMA) and what waits for them. They are made at once (Chance.h), or
// late: those of cp.async when their group is waited for, those of TMA when somebody asks whether they are there.
#include "Block.h"
#include "TensorMaps.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace nereid::emulated {

namespace {

using ptx::Kind;
using ptx::Type;

// cp.async.cg.shared.global [to], [from], 16, bytes: what is not read becomes 0
void copy(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  Races &races = warp.block.races;
  uint32_t time = races.begin(warp.number, Races::Part::Copies);
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t bytes = operation.operands[0].immediate, read = bytes;
    if (operation.operands.size() > 1 && !operation.has("L2::cache_hint"))
      read = std::min(bytes, warp.value(act, 1, lane, kWord));
    uint8_t *to = warp.memory(Space::Shared, warp.address(act, lane), bytes, bytes, lane);
    races.access(warp.number, Races::Part::Copies, Races::How::Write, warp.address(act, lane), bytes, act);
    uint64_t from = warp.address(act, lane, 1);
    const uint8_t *source = read ? warp.memory(Space::Global, from, read, bytes, lane) : nullptr;
    auto make = [=] {
      std::memset(to, 0, bytes);
      if (read)
        std::memcpy(to, source, read);
    };
    bool isMade = warp.block.chance.isAtOnce();
    if (isMade)
      make();
    warp.lanes[lane].copies.add(isMade ? [] {} : std::function<void()>(make), time);
  });
}

void closeGroup(Warp &warp, const Act &act, Lanes lanes) {
  bool isBulk = act.operation().has("bulk");
  eachLane(lanes, [&](uint32_t lane) { (isBulk ? warp.lanes[lane].stores : warp.lanes[lane].copies).close(); });
}

// cp.async.wait_group 1: all but the last group are there.
void waitForGroups(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  bool isBulk = operation.has("bulk"), isAll = operation.has("wait_all");
  eachLane(lanes, [&](uint32_t lane) {
    WorkGroups &groups = isBulk ? warp.lanes[lane].stores : warp.lanes[lane].copies;
    uint64_t left = isAll ? 0 : warp.value(act, 0, lane, kWord);
    if (isAll)
      groups.close();
    for (; groups.closed.size() > left; groups.closed.pop_front()) {
      perform(groups.closed.front().works);
      warp.block.races.end(warp.number, isBulk ? Races::Part::Stores : Races::Part::Copies, groups.closed.front().time);
    }
  });
}

// ---- mbarrier.

void makeBarrier(Warp &warp, const Act &act, Lanes lanes) {
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t address = warp.address(act, lane);
    warp.memory(Space::Shared, address, 8, 8, lane);
    warp.block.races.access(warp.number, lane, Races::How::Write, address, 8, act);
    auto count = uint32_t(warp.value(act, 0, lane, kWord));
    if (warp.block.transferBarriers.contains(address))
      throw Fault(Fault::Kind::IllegalInstruction, "a barrier of copies is made where one is");
    warp.block.transferBarriers[address] = {.count = count, .pending = count};
  });
}

void endBarrier(Warp &warp, const Act &act, Lanes lanes) {
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t address = warp.address(act, lane);
    TransferBarrier &barrier = warp.block.transferBarrier(address);
    warp.block.races.access(warp.number, lane, Races::How::Write, address, 8, act);
    if (barrier.bytes || !barrier.copies.empty())
      throw Fault(Fault::Kind::IllegalInstruction, "a barrier ends that copies are to tell");
    warp.block.transferBarriers.erase(address);
  });
}

// mbarrier.arrive.expect_tx.shared::cta.b64 _, [barrier], bytes
void arrive(Warp &warp, const Act &act, Lanes lanes) {
  const ptx::Operation &operation = act.operation();
  Races &races = warp.block.races;
  bool areAll = lanes == warp.alive;
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t address = warp.address(act, lane), more = 0;
    bool hasCount = operation.operands.size() > 1 || (operation.has("expect_tx") && !operation.has("arrive"));
    if (hasCount)
      more = warp.value(act, operation.operands.size() - 1, lane, kWord);
    races.access(warp.number, lane, Races::How::Atomic, address, 8, act);
    TransferBarrier &barrier = warp.block.transferBarrier(address);
    if (operation.has("expect_tx"))
      barrier.bytes += int64_t(more);
    if (!operation.has("arrive"))
      return;
    areAll ? races.release(warp.number, barrier.arrived) : races.release(warp.number, lanes, barrier.arrived);
    warp.block.arrive(address, hasCount && !operation.has("expect_tx") ? uint32_t(more) : 1);
  });
  if (!areAll)
    races.meet(warp.number);
}

// cp.async.mbarrier.arrive.noinc.shared::cta.b64 [barrier]: arrives when what the thread copies is there.
void arriveLater(Warp &warp, const Act &act, Lanes lanes) {
  eachLane(lanes, [&](uint32_t lane) {
    WorkGroups::Group &open = warp.lanes[lane].copies.open;
    uint64_t address = warp.address(act, lane);
    auto copies = std::make_shared<Works>(std::move(open.works));
    open.works.clear();
    warp.block.races.access(warp.number, lane, Races::How::Atomic, address, 8, act);
    bool isCounted = !act.operation().has("noinc");
    TransferBarrier &barrier = warp.block.transferBarrier(address);
    if (isCounted)
      ++barrier.pending;
    Block &block = warp.block;
    barrier.copies.push_back([copies, address, time = open.time, number = warp.number, &block] {
      perform(*copies);
      block.races.tell(number, Races::Part::Copies, time, block.transferBarrier(address).arrived);
      block.arrive(address, 1);
    });
  });
  warp.block.wake();
}

// mbarrier.try_wait.parity.shared::cta.b64 isDone, [barrier], parity
void tryWait(Warp &warp, const Act &act, Lanes lanes) {
  bool isWaiting = false;
  eachLane(lanes, [&](uint32_t lane) {
    uint64_t address = warp.address(act, lane);
    uint64_t parity = warp.value(act, 1, lane, kWord) & 1;
    TransferBarrier &barrier = warp.block.transferBarrier(address);
    warp.block.races.access(warp.number, lane, Races::How::Atomic, address, 8, act);
    while ((barrier.phase & 1) == parity && !barrier.copies.empty()) {
      auto next = std::move(barrier.copies.front());
      barrier.copies.pop_front();
      next();
    }
    bool isDone = (barrier.phase & 1) != parity;
    warp.registers(lane)[act.operation().operands[0].registers[0]] = isDone;
    isWaiting |= !isDone;
    if (isDone)
      warp.block.races.acquire(warp.number, barrier.released);
  });
  warp.isPolling = isWaiting;
}

// ---- TMA.

// cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [to], [map, {x, y}], [barrier]
void loadBox(Warp &warp, const Act &act, Lanes lanes) {
  eachLane(lanes, [&](uint32_t lane) {
    Box box = boxOf(warp, act, lane, 1, 0);
    uint64_t barrier = warp.address(act, lane, 2);
    Block &block = warp.block;
    block.races.write(warp.number, barrier, uint32_t(block.transferBarrier(barrier).phase), warp.address(act, lane),
                      box.bytes(), act);
    bool isMade = block.chance.isAtOnce();
    if (isMade)
      box.load();
    block.transferBarrier(barrier).copies.push_back([box, barrier, isMade, &block] {
      if (!isMade)
        box.load();
      block.transferred(barrier, int64_t(box.bytes()));
    });
  });
  warp.block.wake();
}

// cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [map, {x, y}], [from]
void storeBox(Warp &warp, const Act &act, Lanes lanes) {
  bool adds = act.operation().name == "cp" && act.operation().has("add");
  Races &races = warp.block.races;
  uint32_t time = races.begin(warp.number, Races::Part::Stores);
  eachLane(lanes, [&](uint32_t lane) {
    Box box = boxOf(warp, act, lane, 0, 1);
    races.access(warp.number, Races::Part::Stores, Races::How::Read, warp.address(act, lane, 1), box.bytes(), act);
    bool isMade = warp.block.chance.isAtOnce();
    if (isMade)
      box.store(adds);
    warp.lanes[lane].stores.add(isMade ? [] {} : std::function<void()>([box, adds] { box.store(adds); }), time);
  });
}

// Here memory is the same for all; only Races.h asks for a fence.
void fence(Warp &warp, const Act &act, Lanes) {
  if (act.operation().has("proxy") && act.operation().has("async"))
    warp.block.races.fence(warp.number);
}

void nothing(Warp &, const Act &, Lanes) {}

Act::Perform copyOf(const ptx::Operation &operation) {
  if (operation.has("commit_group"))
    return closeGroup;
  if (operation.has("wait_group") || operation.has("wait_all"))
    return waitForGroups;
  if (operation.has("mbarrier"))
    return arriveLater;
  if (operation.has("tensor"))
    return operation.has("bulk_group") ? storeBox : loadBox;
  return operation.has("bulk") ? nullptr : copy;
}

Act::Perform barrierOf(const ptx::Operation &operation) {
  if (operation.has("init"))
    return makeBarrier;
  if (operation.has("inval"))
    return endBarrier;
  if (operation.has("try_wait") || operation.has("test_wait"))
    return operation.has("parity") ? tryWait : nullptr;
  return operation.has("arrive") || operation.has("expect_tx") ? arrive : nullptr;
}

} // namespace

bool decodeAsync(Act &act) {
  const ptx::Operation &operation = act.operation();
  static constexpr const char *kNothing[] = {"griddepcontrol", "setmaxnreg", "createpolicy"};
  if (std::ranges::find(kNothing, operation.name) != std::end(kNothing))
    return act.perform = nothing, true;
  if (operation.name == "fence")
    act.perform = fence;
  else if (operation.name == "cp")
    act.perform = copyOf(operation);
  else if (operation.name == "mbarrier")
    act.perform = barrierOf(operation);
  return act.perform != nullptr;
}

} // namespace nereid::emulated
