#include "interp/ptx/Walk.h"

#include "interp/ptx/AcrossLanes.h"
#include "interp/ptx/Meet.h"
#include "interp/ptx/SharedBytes.h"
#include "interp/ptx/SharedTurns.h"
#include "interp/ptx/Slice.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

namespace nereid::interp::ptx {

WalkCounts &WalkCounts::operator+=(const WalkCounts &other) {
  tensorInstructions += other.tensorInstructions;
  fp32Instructions += other.fp32Instructions;
  barriers += other.barriers;
  bankConflicts += other.bankConflicts;
  return *this;
}

namespace {

using Role = KernelInstruction::Role;
using Work = KernelInstruction::Work;

class WarpWalker {
public:
  WarpWalker(const Kernel &kernel, const WalkOptions &options, WalkMemory &memory)
      : kernel(kernel), options(options), memory(memory), slice(sliceOf(kernel)), turns(kernel),
        meeting(meetingBlocks(kernel)), runs(kernel.blocks.size()), lost(kernel.instructions.size()),
        steps(kernel.blocks.size()), sources(kernel.instructions.size()), operations(kernel.instructions.size()) {
    for (size_t i = 0; i < kernel.instructions.size(); ++i) {
      const Operation &operation = kernel.instructions[i].operation;
      copiesBlock.push_back(operation.name == "cp" && operation.has("bulk"));
      if (slice.isComputed[i]) {
        sources[i] = sourcesOf(kernel.instructions[i]);
        operations[i] = spaced(operation);
      }
    }
    for (size_t block = 0; block < kernel.blocks.size(); ++block)
      for (uint32_t i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
        if (slice.isComputed[i] || accessesShared(kernel.instructions[i]) ||
            (slice.readsShared && (isBarrier(i) || copiesBlock[i])))
          steps[block].push_back(i);
    for (uint32_t i = 0; i < (slice.readsShared ? warpsOfAProgram() : 1); ++i)
      warps.push_back(std::make_unique<Warp>(kernel));
  }

  // Warps do not wait for each other, unless one reads in shared memory what another one stored: then each goes on to its next
  // barrier, and the others follow.
  void runProgram(uint64_t number) {
    programNumber = number;
    shared.forget();
    if (!slice.readsShared) {
      warp = warps[0].get();
      for (uint32_t i = 0; i < warpsOfAProgram() && isWhole; ++i) {
        begin(i);
        runWarp();
      }
      return;
    }
    for (uint32_t i = 0; i < warps.size(); ++i) {
      warp = warps[i].get();
      begin(i);
    }
    for (bool isWaiting = true; isWaiting && isWhole;) {
      isWaiting = false;
      for (std::unique_ptr<Warp> &each : warps) {
        warp = each.get();
        isWaiting |= !warp->ways.empty() && runWarp();
      }
    }
  }

  uint64_t stepsDone() const { return done; }
  bool isWholeSoFar() const { return isWhole; }

  // Those so far are not counted.
  void forget() {
    std::ranges::fill(runs, 0);
    std::ranges::fill(lost, 0);
    guesses = done = 0;
  }

  Walked result() const {
    Walked walked;
    walked.runs = runs;
    walked.lost = lost;
    walked.guesses = guesses;
    walked.isWhole = isWhole;
    return walked;
  }

private:
  // A warp that takes longer than this does not end.
  static constexpr uint64_t kMostOfAWarp = 1'000'000;

  uint32_t warpsOfAProgram() const { return (options.threads + kWarp32 - 1) / kWarp32; }
  bool isBarrier(uint32_t index) const { return kernel.instructions[index].work == Work::Barrier; }

  // The current warp becomes the first, the second … of the program.
  void begin(uint32_t number) {
    for (uint32_t lane = 0; lane < kWarp32; ++lane) {
      warp->at(kLane, lane) = lane;
      warp->at(kThreads, lane) = options.threads;
      warp->at(kTid, lane) = number * kWarp32 + lane;
      warp->at(kWarp, lane) = number;
      uint64_t left = programNumber;
      for (unsigned axis = 0; axis < 3; ++axis) {
        warp->at(kGrid + axis, lane) = options.grid[axis];
        warp->at(kCtaid + axis, lane) = left % options.grid[axis];
        left /= options.grid[axis];
      }
    }
    warp->ways = {{0, ~Lanes(0), uint32_t(kernel.blocks.size())}};
    warp->alive = ~Lanes(0);
    warp->circle.reset();
    warp->next = 0;
    warp->taken = 0;
    warp->waiting.begin();
  }

  // To its end, or true at a barrier that it waits at.
  bool runWarp() {
    auto end = uint32_t(kernel.blocks.size());
    auto &[values, unknown, waiting, ways, alive, circle, next, taken] = *warp;
    while (taken < kMostOfAWarp) {
      while (!ways.empty() &&
             (ways.back().block == ways.back().meets || ways.back().block >= end || !(ways.back().lanes & alive)))
        ways.pop_back();
      if (ways.empty())
        return false;
      uint32_t block = ways.back().block;
      Lanes lanes = ways.back().lanes & alive;
      if (next == 0) {
        ++runs[block];
        ++done;
        ++taken;
      }
      while (next < steps[block].size()) {
        uint32_t index = steps[block][next++];
        if (slice.readsShared && isBarrier(index))
          return true;
        step(index, lanes);
      }
      next = 0;
      leaveBlock(block, lanes);
    }
    isWhole = false;
    return false;
  }

  void leaveBlock(uint32_t block, Lanes lanes) {
    auto &[values, unknown, waiting, ways, alive, circle, next, steps] = *warp;
    const KernelInstruction &last = kernel.instructions[kernel.blocks[block].end - 1];
    Lanes taken = leave(last, lanes);
    if (circle && last.operation.guard && last.branchesTo && circle->holds(taken ? *last.branchesTo : block + 1) &&
        !circle->holds(taken ? block + 1 : *last.branchesTo)) {
      taken = taken ? 0 : lanes; // what it waits for is there
      ++guesses;
      circle.reset();
      waiting.begin();
    }
    if (taken && last.branchesTo && *last.branchesTo <= block && !circle)
      circle = waiting.goesBack(block, *last.branchesTo);
    if (last.isExit)
      alive &= ~taken;
    if (last.isExit || !taken)
      ways.back().block = block + 1;
    else if (taken == lanes)
      ways.back().block = *last.branchesTo;
    else
      part(ways, lanes, taken, *last.branchesTo);
  }

  void part(std::vector<Way> &ways, Lanes lanes, Lanes taken, uint32_t target) {
    uint32_t block = ways.back().block, meets = meeting[block];
    ways.back().block = meets;
    ways.push_back({target, taken, meets});
    ways.push_back({block + 1, lanes & ~taken, meets});
    if (auto &under = ways[ways.size() - 3]; under.block == under.meets) // they meet where all of them do
      ways.erase(ways.end() - 3);
  }

  // Who of the lanes takes the branch at the end of a block.
  Lanes leave(const KernelInstruction &last, Lanes lanes) {
    if (!last.branchesTo && !last.isExit)
      return 0;
    Lanes taken = lanes & guardOf(last);
    if (last.operation.guard && (warp->unknown[*last.operation.guard] & lanes)) {
      ++guesses;
      taken &= ~warp->unknown[*last.operation.guard];
    }
    return taken;
  }

  Lanes guardOf(const KernelInstruction &instruction) {
    const Operation &operation = instruction.operation;
    if (!operation.guard)
      return ~Lanes(0);
    Lanes lanes = 0;
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      lanes |= Lanes(bool(warp->at(*operation.guard, lane) & 1) != operation.isGuardNegated) << lane;
    return lanes;
  }

  void step(uint32_t index, Lanes lanes) {
    const KernelInstruction &instruction = kernel.instructions[index];
    ++done;
    if (instruction.operation.guard) {
      Lanes unsure = warp->unknown[*instruction.operation.guard];
      if (slice.readsShared && accessesShared(instruction) && (unsure & lanes))
        shared.forget();
      lanes &= guardOf(instruction) & ~unsure;
    }
    ++warp->taken;
    if (accessesShared(instruction))
      lost[index] += turns.lost(index, *warp, lanes);
    if (slice.readsShared && lanes)
      changeShared(index, lanes);
    if (!slice.isComputed[index] || !lanes || instruction.role == Role::SharedStore)
      return;
    Lanes bad = 0;
    for (uint32_t source : sources[index])
      bad |= warp->unknown[source];
    switch (instruction.role) {
    case Role::Compute: compute(index, lanes); break;
    case Role::Parameter: readParameter(instruction, lanes); break;
    case Role::GlobalLoad:
    case Role::GlobalAtomic: bad |= loadGlobal(instruction, lanes & ~bad); break;
    case Role::SharedLoad: bad |= loadShared(instruction, lanes & ~bad); break;
    case Role::Shuffle: bad = shuffle(*warp, instruction, operations[index], lanes); break;
    case Role::Reduce: bad = reduce(*warp, instruction, operations[index], lanes); break;
    case Role::Vote: bad = vote(*warp, instruction, lanes); break;
    case Role::Wait: warp->spread(instruction.targets[0], 1, lanes); break;
    case Role::Elect: elect(*warp, instruction, lanes); break;
    default: bad = ~Lanes(0);
    }
    for (uint32_t target : instruction.targets)
      warp->unknown[target] = (warp->unknown[target] & ~lanes) | (bad & lanes);
  }

  void compute(uint32_t index, Lanes lanes) {
    const KernelInstruction &instruction = kernel.instructions[index];
    const Operation &operation = operations[index];
    bool isVarying = std::ranges::any_of(instruction.targets, [&](uint32_t each) { return slice.isVarying[each]; });
    auto first = uint32_t(std::countr_zero(lanes));
    if (isVarying && lanes == ~Lanes(0))
      return operation.execute(operation, warp->registersOf(0), kWarp32);
    for (uint32_t lane = first; lane < kWarp32; ++lane)
      if (lanes >> lane & 1) {
        operation.execute(operation, warp->registersOf(lane), 1);
        if (!isVarying)
          break;
      }
    if (!isVarying)
      for (uint32_t target : instruction.targets)
        warp->spread(target, warp->at(target, first), lanes);
  }

  void readParameter(const KernelInstruction &instruction, Lanes lanes) {
    uint64_t value = instruction.parameter < options.parameters.size() ? options.parameters[instruction.parameter] : 0;
    Type type = instruction.operation.type;
    value = lowBits(value >> 8 * std::clamp<int64_t>(instruction.offset(), 0, 7), type.width());
    if (type.kind == Kind::Signed && type.bits < 64)
      value = uint64_t(signedOf(value, type.bits));
    warp->spread(instruction.targets[0], value, lanes);
  }

  // Lanes whose memory is not there to be read; `read` gives what is at an address.
  template <class Read> Lanes load(const KernelInstruction &instruction, Lanes lanes, Read read) {
    unsigned bytes = std::max(1u, instruction.operation.type.width() / 8);
    Lanes bad = 0;
    for (uint32_t lane = 0; lane < kWarp32; ++lane) {
      if (!(lanes >> lane & 1))
        continue;
      uint64_t address = warp->addressOf(instruction, lane);
      for (size_t i = 0; i < instruction.targets.size(); ++i) {
        std::optional<uint64_t> value = read(address + i * bytes, bytes);
        warp->at(instruction.targets[i], lane) = value.value_or(0);
        bad |= Lanes(!value) << lane;
      }
    }
    return bad;
  }

  Lanes loadGlobal(const KernelInstruction &instruction, Lanes lanes) {
    return load(instruction, lanes, [&](uint64_t address, unsigned bytes) {
      return instruction.role == Role::GlobalAtomic ? memory.readByAtomic(programNumber, address, bytes)
                                                    : memory.read(programNumber, address, bytes);
    });
  }
  Lanes loadShared(const KernelInstruction &instruction, Lanes lanes) {
    return load(instruction, lanes, [&](uint64_t address, unsigned bytes) { return shared.read(address, bytes); });
  }

  // What is stored by threads is known where they know it; what else changes shared memory makes it unknown.
  void changeShared(uint32_t index, Lanes lanes) {
    const KernelInstruction &instruction = kernel.instructions[index];
    bool isStore = instruction.role == Role::SharedStore;
    bool changes = isStore || instruction.work == Work::SharedCopy || instruction.work == Work::SharedAtomic ||
                   instruction.work == Work::MatrixWrite;
    if (copiesBlock[index] || (changes && warp->unknownAddress(instruction) & lanes))
      return shared.forget();
    if (!changes)
      return;
    const Operation &operation = instruction.operation;
    unsigned bytes = std::max(1u, operation.type.width() / 8);
    for (uint32_t lane = 0; lane < kWarp32; ++lane) {
      if (!(lanes >> lane & 1))
        continue;
      uint64_t address = warp->addressOf(instruction, lane);
      if (!isStore || operation.operands.empty()) {
        shared.forget(address, instruction.work == Work::MatrixWrite ? 16 : instruction.accessBytes);
        continue;
      }
      const Operand &data = operation.operands[0];
      for (size_t i = 0; i < std::max<size_t>(1, data.registers.size()); ++i) {
        if (!data.isImmediate && warp->unknown[data.registers[i]] >> lane & 1)
          shared.forget(address + i * bytes, bytes);
        else
          shared.write(address + i * bytes, bytes,
                       data.isImmediate ? data.immediate : warp->at(data.registers[i], lane));
      }
    }
  }

  const Kernel &kernel;
  const WalkOptions &options;
  WalkMemory &memory;
  Slice slice;
  SharedTurns turns;
  std::vector<uint32_t> meeting;            // by block
  std::vector<uint64_t> runs;               // by block: of warps
  std::vector<uint64_t> lost;               // by instruction: turns in shared memory
  std::vector<std::unique_ptr<Warp>> warps; // of a program; one where they do not meet
  Warp *warp = nullptr;                     // the current one
  SharedBytes shared;
  std::vector<std::vector<uint32_t>> steps;   // by block: what is computed or counted of it
  std::vector<std::vector<uint32_t>> sources; // by instruction: what it reads
  std::vector<Operation> operations;          // by instruction, of those that are computed: spaced
  std::vector<bool> copiesBlock;              // by instruction: TMA, and what it brings is not known
  uint64_t programNumber = 0, done = 0, guesses = 0;
  bool isWhole = true;
};

void addWork(const KernelInstruction &instruction, double runs, double lost, WalkCounts &counts) {
  auto rounded = [](double number) { return uint64_t(number + 0.5); };
  switch (instruction.work) {
  case Work::Tensor: counts.tensorInstructions += rounded(runs); break;
  case Work::Fp32: counts.fp32Instructions += rounded(runs * double(instruction.fp32)); break;
  case Work::Barrier: counts.barriers += rounded(runs); break;
  default: counts.bankConflicts += rounded(lost);
  }
}

constexpr double kGolden = 0.6180339887498949; // multiples of it, without their whole part, are spread evenly

// One of each part of the grid, at another place in each: programs that are as far apart as the parts may be alike.
uint64_t sampleOf(uint64_t part, uint64_t parts, uint64_t programs) {
  double place = 0.5 + double(part) * kGolden;
  place = double(part) + place - std::floor(place);
  return std::min(programs - 1, uint64_t(place * double(programs) / double(parts)));
}

// Of all, in steps that are far apart, so that those which there is time for are spread evenly.
uint64_t strideThrough(uint64_t count) {
  auto stride = std::max<uint64_t>(1, uint64_t(double(count) * kGolden));
  while (std::gcd(stride, count) != 1)
    ++stride;
  return stride;
}

} // namespace

void countWork(const Kernel &kernel, Walked &walked) {
  double factor = walked.walked ? double(walked.programs) / double(walked.walked) : 0;
  std::map<std::pair<uint32_t, uint32_t>, WalkCounts> lines;
  for (size_t block = 0; block < kernel.blocks.size(); ++block)
    for (uint32_t i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
      if (const KernelInstruction &instruction = kernel.instructions[i]; instruction.work != Work::None)
        addWork(instruction, double(walked.runs[block]) * factor, double(walked.lost[i]) * factor,
                lines[{instruction.file, instruction.line}]);
  walked.lines.clear();
  walked.total = {};
  for (const auto &[place, counts] : lines) {
    walked.lines.push_back({place.first, place.second, counts});
    walked.total += counts;
  }
}

Walked walk(const Kernel &kernel, const WalkOptions &options, WalkMemory &memory) {
  uint64_t programs = uint64_t(options.grid[0]) * options.grid[1] * options.grid[2];
  if (kernel.blocks.empty())
    return {};
  WarpWalker walker(kernel, options, memory);
  if (!programs)
    return walker.result(); // no block has run
  // One shows how many there is time for: none at an end or in the middle of the grid, which may have more or less to do.
  auto first = uint64_t(double(programs) * (1 - kGolden)), count = uint64_t(1);
  walker.runProgram(first);
  uint64_t parts = std::max<uint64_t>(1, options.mostSteps / std::max<uint64_t>(1, walker.stepsDone()));
  auto hasTime = [&] { return walker.isWholeSoFar() && walker.stepsDone() < 4 * options.mostSteps; };
  if (parts >= programs) {
    for (uint64_t i = 1; i < programs && hasTime(); ++i, ++count)
      walker.runProgram((first + i * strideThrough(programs)) % programs);
  } else {
    walker.forget();
    for (count = 0; count < parts && hasTime(); ++count)
      walker.runProgram(sampleOf(count * strideThrough(parts) % parts, parts, programs));
  }
  Walked result = walker.result();
  result.programs = programs;
  result.walked = count;
  countWork(kernel, result);
  return result;
}

} // namespace nereid::interp::ptx
