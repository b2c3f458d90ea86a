#include "Block.h"

#include <algorithm>
#include <bit>
#include <cstdio>

namespace nereid::emulated {

Frame::Frame(const Function &function, uint64_t depth)
    : function(&function), depth(depth), registers(function.kernel.registers), local(function.localBytes),
      parameters(function.parameterBytes) {
  for (auto [number, value] : function.kernel.constants)
    registers[number] = value;
}

static std::string describe(const Warp &warp, const Act &act) {
  const Block &block = warp.block;
  const ptx::KernelInstruction &at = *act.instruction;
  std::string text = "block (" + std::to_string(block.index[0]) + ", " + std::to_string(block.index[1]) + ", " +
                     std::to_string(block.index[2]) + "), warp " + std::to_string(warp.number);
  if (at.line && at.file < block.kernel.kernel.files.size())
    text += ", " + block.kernel.kernel.files[at.file] + ":" + std::to_string(at.line);
  return text + ", line " + std::to_string(at.ptxLine) + " of the PTX: " + ptx::trimmed(block.module.line(at.ptxLine));
}

Warp::Warp(Block &block, uint32_t number, const std::vector<uint8_t> &parameters) : block(block), number(number) {
  for (uint32_t i = 0; i < kWarpLanes; ++i) {
    uint32_t thread = number * kWarpLanes + i;
    if (thread >= block.shape.threads)
      break;
    Lane &lane = lanes[i];
    lane.frames.push_back(std::make_unique<Frame>(block.kernel, 0));
    lane.frame = lane.frames.back().get();
    lane.frame->parameters = parameters;
    std::vector<uint64_t> &registers = lane.frame->registers;
    registers[ptx::kTid] = thread, registers[ptx::kLane] = i, registers[ptx::kWarp] = number;
    registers[ptx::kThreads] = block.shape.threads;
    for (uint32_t axis = 0; axis < 3; ++axis) {
      registers[ptx::kCtaid + axis] = block.index[axis];
      registers[ptx::kGrid + axis] = block.shape.grid[axis];
    }
    alive |= Lanes(1) << i;
  }
}

uint64_t Warp::address(const Act &act, uint32_t lane, size_t which) {
  const ptx::KernelAddress &address = act.instruction->addresses.at(which);
  uint64_t value = act.symbols[which];
  return address.base ? value + registers(lane)[*address.base] : inFrame(value, *lanes[lane].frame);
}

uint8_t *Warp::memory(Space space, uint64_t address, uint64_t bytes, uint64_t alignment, uint32_t lane) {
  auto hex = [](uint64_t value) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return std::string(text);
  };
  auto fault = [&](Fault::Kind kind, const std::string &what) -> uint8_t * {
    throw Fault(kind, what + " " + std::to_string(bytes) + " bytes at " + hex(address) + " (lane " +
                          std::to_string(lane) + ")");
  };
  if (address % alignment)
    fault(Fault::Kind::Misaligned, "misaligned:");
  auto within = [&](std::vector<uint8_t> &all, uint64_t offset, const char *what) {
    if (offset > all.size() || bytes > all.size() - offset)
      fault(Fault::Kind::IllegalAddress, what);
    return all.data() + offset;
  };
  bool isGlobal = address >= kSharedEnd && (address < kLocal || address >= kWindowsEnd);
  if (address < kSharedEnd) {
    if (space == Space::Global || address < kShared)
      fault(Fault::Kind::IllegalAddress, "no global memory:");
    return within(block.shared, address - kShared, "outside of shared memory:");
  }
  if (space == Space::Shared)
    fault(Fault::Kind::IllegalAddress, "no shared memory:");
  if (!isGlobal) {
    uint64_t offset = address - (address < kParameters ? kLocal : kParameters), depth = offset / kFrameBytes;
    if (depth >= lanes[lane].frames.size())
      fault(Fault::Kind::IllegalAddress, "memory of a function that has ended:");
    Frame &frame = *lanes[lane].frames[depth];
    if (address < kParameters)
      return within(frame.local, offset % kFrameBytes, "outside of local memory:");
    return within(frame.parameters, offset % kFrameBytes, "outside of the parameters:");
  }
  auto &[begin, end] = block.lastFound;
  if (address < begin || address >= end)
    block.lastFound = memoryAround(address);
  if (address + bytes > end && !block.module.holds(address, bytes))
    fault(Fault::Kind::IllegalAddress, begin == end ? "no memory:" : "beyond what was allocated:");
  return reinterpret_cast<uint8_t *>(address);
}

// The lanes that must execute an instruction together.
Lanes Warp::membersOf(const Act &act, Lanes group) {
  if (act.meetsAll)
    return alive;
  auto first = uint32_t(std::countr_zero(group));
  return Lanes(value(act, size_t(act.membersAt), first, {ptx::Kind::Bits, 32})) & alive;
}

static Lanes guarded(Warp &warp, const Act &act, Lanes group) {
  const ptx::Operation &operation = act.operation();
  if (!operation.guard)
    return group;
  Lanes result = 0;
  eachLane(group, [&](uint32_t lane) {
    if (bool(warp.registers(lane)[*operation.guard] & 1) != operation.isGuardNegated)
      result |= Lanes(1) << lane;
  });
  return result;
}

// Lanes in the innermost functions go first, and of these those with the lowest place: the others wait where ways meet. Lanes at
// an instruction that needs more of them wait there.
Lanes Warp::choose() {
  Lanes left = alive;
  limit = ~uint32_t(0);
  Lanes chosen = 0;
  uint64_t chosenDepth = 0;
  while (left) {
    uint64_t depth = 0;
    uint32_t place = ~uint32_t(0);
    const Function *function = nullptr;
    eachLane(left, [&](uint32_t lane) {
      const Frame &frame = *lanes[lane].frame;
      if (!function || frame.depth > depth || (frame.depth == depth && frame.place < place))
        depth = frame.depth, place = frame.place, function = frame.function;
    });
    Lanes group = 0;
    eachLane(left, [&](uint32_t lane) {
      const Frame &frame = *lanes[lane].frame;
      if (frame.depth == depth && frame.place == place && frame.function == function)
        group |= Lanes(1) << lane;
    });
    left &= ~group;
    if (chosen) {
      if (depth == chosenDepth)
        limit = std::min(limit, place);
      break;
    }
    const Act &act = function->acts.at(place);
    bool isCollective = act.meetsAll || act.membersAt >= 0;
    Lanes executing = isCollective ? guarded(*this, act, group) : 0;
    if (!executing || !(membersOf(act, executing) & ~executing))
      chosen = group, chosenDepth = depth;
  }
  return chosen;
}

void Warp::run() {
  uint64_t groups = block.chance.isOpen() ? 1 + block.chance.below(8) : 256;
  for (uint64_t i = 0; i < groups && alive && !isAtBarrier && !isPolling; ++i) {
    Lanes group = choose();
    if (!group)
      throw Fault(Fault::Kind::Hangs, "lanes of a warp wait for each other at different places");
    runGroup(group);
  }
}

void Warp::runGroup(Lanes group) {
  uint64_t most = block.chance.isOpen() ? uint64_t(1) << block.chance.below(12) : 4096;
  Frame *frame = lanes[uint32_t(std::countr_zero(group))].frame;
  const Function &function = *frame->function;
  uint32_t place = frame->place;
  auto goTo = [&](Lanes which, uint32_t where) {
    eachLane(which, [&](uint32_t lane) { lanes[lane].frame->place = where; });
  };
  for (uint64_t i = 0; i < most && place < limit; ++i) {
    if (!partings.empty())
      meet(frame->depth, place, group);
    if (place >= function.acts.size())
      return goTo(group, place), leave(group);
    const Act &act = function.acts[place];
    current = &act;
    Lanes executing = guarded(*this, act, group);
    ++place;
    ++block.executed;
    if (!executing)
      continue;
    bool isCollective = act.meetsAll || act.membersAt >= 0;
    if (isCollective && (membersOf(act, executing) & ~executing))
      return goTo(group, place - 1);
    if (act.meetsAll && !partings.empty())
      checkMet(*frame);
    if (act.instruction->branchesTo) {
      uint32_t to = function.kernel.blocks[*act.instruction->branchesTo].begin;
      if (executing != group)
        part(*frame, place - 1, group);
      if (executing != group || to < place) {
        goTo(group & ~executing, place);
        return goTo(executing, to);
      }
      place = to;
      continue;
    }
    if (act.instruction->isExit) {
      goTo(group, place);
      if (act.operation().name == "trap")
        throw Fault(Fault::Kind::Trap, "trap");
      return leave(executing);
    }
    if (act.callee) {
      goTo(group, place);
      return call(act, executing);
    }
    perform(act, executing);
    if (isAtBarrier || isPolling)
      break;
  }
  goTo(group, place);
}

void Warp::part(const Frame &frame, uint32_t branch, Lanes group) {
  const ptx::Kernel &kernel = frame.function->kernel;
  auto after = std::ranges::upper_bound(kernel.blocks, branch, {}, [](const auto &block) { return block.begin; });
  uint32_t block = frame.function->meets[size_t(after - kernel.blocks.begin()) - 1];
  uint32_t place = block < kernel.blocks.size() ? kernel.blocks[block].begin : uint32_t(frame.function->acts.size());
  partings.push_back({frame.depth, branch, place, group});
}

void Warp::meet(uint64_t depth, uint32_t place, Lanes group) {
  for (Parting &parting : partings)
    if (parting.depth == depth && parting.place == place)
      parting.lanes &= ~group;
  std::erase_if(partings, [](const Parting &parting) { return !parting.lanes; });
}

// The assembler brings lanes together where all ways from a branch meet, no earlier: what all execute together must stand behind.
void Warp::checkMet(const Frame &frame) {
  for (const Parting &parting : partings)
    if (parting.depth == frame.depth)
      throw Fault(Fault::Kind::Parted,
                  "lanes that parted at line " +
                      std::to_string(frame.function->acts[parting.branch].instruction->ptxLine) +
                      " of the PTX execute together what stands before the place where all their ways meet");
}

void Warp::perform(const Act &act, Lanes group) {
  if (act.perform)
    return act.perform(*this, act, group);
  const ptx::Operation &operation = act.operation();
  eachLane(group, [&](uint32_t lane) { operation.execute(operation, registers(lane), 1); });
}

void perform(Works &works) {
  Works taken = std::move(works);
  works.clear();
  for (auto &work : taken)
    work();
}

void WorkGroups::close() {
  closed.push_back(std::move(open));
  open = {.time = closed.back().time};
}

void WorkGroups::perform() {
  for (Group &group : closed)
    emulated::perform(group.works);
  emulated::perform(open.works);
}

void Warp::makeProducts(uint64_t left) {
  for (; products.closed.size() > left; products.closed.pop_front()) {
    emulated::perform(products.closed.front().works);
    block.races.end(number, Races::Part::Products, products.closed.front().time);
  }
  if (!left)
    products.perform();
}

static std::string bare(std::string word) {
  std::erase_if(word, [](char c) { return c == '(' || c == ')' || c == ' '; });
  return word;
}

// call.uni (result), name, (first, second)
void Warp::call(const Act &act, Lanes group) {
  const std::vector<ptx::Operand> &operands = act.operation().operands;
  for (; group; group &= group - 1) {
    Lane &lane = lanes[uint32_t(std::countr_zero(group))];
    Frame &caller = *lane.frame;
    auto frame = std::make_unique<Frame>(*act.callee, caller.depth + 1);
    for (uint32_t i = 0; i < ptx::kFirstRegister; ++i)
      frame->registers[i] = caller.registers[i];
    bool hasResult = operands[0].symbol.starts_with('(');
    for (size_t i = hasResult ? 2 : 1, to = 0; i < operands.size() && to < act.callee->ordered.size(); ++i, ++to) {
      const Variable &from = caller.function->parameters.at(bare(operands[i].symbol)), &own = act.callee->ordered[to];
      std::copy_n(caller.parameters.begin() + int64_t(from.address), std::min(from.bytes, own.bytes),
                  frame->parameters.begin() + int64_t(own.address));
    }
    lane.frame = frame.get();
    lane.frames.push_back(std::move(frame));
  }
}

void Warp::leave(Lanes group) {
  for (; group; group &= group - 1) {
    auto number = uint32_t(std::countr_zero(group));
    Lane &lane = lanes[number];
    for (Parting &parting : partings)
      if (parting.depth == lane.frame->depth)
        parting.lanes &= ~(Lanes(1) << number);
    if (lane.frames.size() == 1) {
      lane.copies.perform();
      lane.stores.perform();
      alive &= ~(Lanes(1) << number);
      continue;
    }
    std::unique_ptr<Frame> ended = std::move(lane.frames.back());
    lane.frames.pop_back();
    lane.frame = lane.frames.back().get();
    const ptx::Operation &called = lane.frame->function->acts[lane.frame->place - 1].operation();
    auto result = ended->function->parameters.find("func_retval0");
    if (called.operands[0].symbol.starts_with('(') && result != ended->function->parameters.end()) {
      const Variable &to = lane.frame->function->parameters.at(bare(called.operands[0].symbol));
      std::copy_n(ended->parameters.begin() + int64_t(result->second.address), std::min(to.bytes, result->second.bytes),
                  lane.frame->parameters.begin() + int64_t(to.address));
    }
  }
  if (!alive)
    block.warpEnded();
}

// ---- The block.

Block::Block(const Module &module, const Function &kernel, const LaunchShape &shape, std::array<uint32_t, 3> index,
             const std::vector<uint8_t> &parameters, Chance &chance)
    : module(module), kernel(kernel), shape(shape), index(index), chance(chance),
      shared(module.staticSharedBytes + shape.sharedBytes, 0xcd), races((shape.threads + kWarpLanes - 1) / kWarpLanes) {
  for (uint32_t i = 0; i * kWarpLanes < shape.threads; ++i)
    warps.push_back(std::make_unique<Warp>(*this, i, parameters));
}

bool Block::run(uint64_t rounds) {
  for (uint64_t i = 0; i < rounds; ++i) {
    bool isAlive = false, runs = false;
    size_t first = chance.isOpen() ? chance.below(warps.size()) : round++;
    bool isBackwards = chance.isAtOnce();
    for (size_t j = 0; j < warps.size(); ++j) {
      Warp &warp = *warps[(first + (isBackwards ? warps.size() - j : j)) % warps.size()];
      isAlive |= warp.alive != 0;
      if (!warp.alive || warp.isAtBarrier || warp.isPolling)
        continue;
      runs = true;
      try {
        warp.run();
      } catch (const Fault &fault) {
        throw Fault(fault.kind, std::string(fault.what()) + "\n  " + describe(warp, *warp.current));
      }
    }
    if (!isAlive)
      return true;
    if (!runs) {
      std::string text = "warps wait for what does not come:";
      for (auto &warp : warps)
        if (warp->alive)
          text += "\n  " + describe(*warp, *warp->current);
      throw Fault(Fault::Kind::Hangs, text);
    }
  }
  return false;
}

void Block::wake() {
  for (auto &warp : warps)
    warp->isPolling = false;
}

uint32_t Block::threadsLeft() const {
  return uint32_t(std::ranges::count_if(warps, [](auto &warp) { return warp->alive != 0; })) * kWarpLanes;
}

void Block::arriveAt(uint32_t number, Warp &warp, bool waits, uint32_t expected, uint64_t count, bool all, bool any) {
  Barrier &barrier = barriers.at(number);
  if (barrier.arrived && barrier.expected != expected)
    throw Fault(Fault::Kind::IllegalInstruction, "threads do not agree on how many of them a barrier waits for");
  barrier.expected = expected;
  barrier.arrived += kWarpLanes;
  races.release(warp.number, barrier.released);
  barrier.sum += count, barrier.all &= all, barrier.any |= any;
  if (waits) {
    warp.isAtBarrier = true;
    barrier.waiting.push_back(&warp);
  }
  release(number);
}

void Block::release(uint32_t number) {
  Barrier &barrier = barriers[number];
  uint32_t expected = barrier.expected ? barrier.expected : threadsLeft();
  if (!barrier.arrived || barrier.arrived < expected)
    return;
  if (barrier.arrived > expected)
    throw Fault(Fault::Kind::IllegalInstruction, "more threads arrive at a barrier than it waits for");
  for (Warp *warp : barrier.waiting) {
    warp->isAtBarrier = false;
    races.acquire(warp->number, barrier.released);
    if (warp->atRelease)
      warp->atRelease(barrier.sum | uint64_t(barrier.all & 1) << 32 | uint64_t(barrier.any & 1) << 33);
    warp->atRelease = nullptr;
  }
  barrier = {};
  ++barriersPassed;
  wake();
}

void Block::warpEnded() {
  for (uint32_t i = 0; i < barriers.size(); ++i)
    if (barriers[i].arrived && !barriers[i].expected)
      release(i);
  wake();
}

TransferBarrier &Block::transferBarrier(uint64_t address) {
  auto found = transferBarriers.find(address);
  if (found == transferBarriers.end())
    throw Fault(Fault::Kind::IllegalInstruction, "a barrier of copies that was not made");
  return found->second;
}

static void completePhase(Block &block, uint64_t address, TransferBarrier &barrier) {
  if (barrier.pending || barrier.bytes)
    return;
  barrier.released.join(barrier.arrived);
  barrier.arrived = {};
  block.races.endPhase(address, uint32_t(barrier.phase), barrier.released);
  ++barrier.phase;
  barrier.pending = barrier.count;
  block.wake();
}

void Block::arrive(uint64_t address, uint32_t count) {
  TransferBarrier &barrier = transferBarrier(address);
  if (barrier.pending < count)
    throw Fault(Fault::Kind::IllegalInstruction, "more threads arrive at a barrier of copies than it waits for");
  barrier.pending -= count;
  completePhase(*this, address, barrier);
}

void Block::transferred(uint64_t address, int64_t bytes) {
  TransferBarrier &barrier = transferBarrier(address);
  barrier.bytes -= bytes;
  completePhase(*this, address, barrier);
}

// Blocks that have not ended after some rounds wait for others, perhaps: these begin, as many as fit on a GPU.
uint64_t runLaunch(const Module &module, const Function &kernel, const LaunchShape &shape,
                   const std::vector<uint8_t> &parameters, uint64_t seed) {
  constexpr size_t kResident = 200;
  constexpr uint64_t kRounds = 64, kMostInstructions = 200'000'000; // of warps, until a block ends
  uint64_t count = uint64_t(shape.grid[0]) * shape.grid[1] * shape.grid[2], next = 0, executed = 0, barriers = 0;
  std::deque<std::unique_ptr<Block>> resident;
  Chance chance(seed);
  while (next < count || !resident.empty()) {
    if (next < count && resident.size() < kResident) {
      std::array<uint32_t, 3> index = {uint32_t(next % shape.grid[0]), uint32_t(next / shape.grid[0] % shape.grid[1]),
                                       uint32_t(next / shape.grid[0] / shape.grid[1])};
      ++next;
      resident.push_front(std::make_unique<Block>(module, kernel, shape, index, parameters, chance));
    }
    std::unique_ptr<Block> block = std::move(resident.front());
    resident.pop_front();
    uint64_t before = block->executed;
    bool isDone = block->run(kRounds);
    executed = isDone ? 0 : executed + block->executed - before;
    barriers += isDone ? block->barriersPassed : 0;
    if (!isDone)
      resident.push_back(std::move(block));
    if (executed > kMostInstructions)
      throw Fault(Fault::Kind::Hangs, "the launch does not end");
  }
  return barriers;
}

} // namespace nereid::emulated
