#include "interp/ptx/Walk.h"

#include "interp/ptx/BankTurns.h"
#include "interp/ptx/JoinAccesses.h"
#include "interp/ptx/Meet.h"
#include "interp/ptx/Slice.h"
#include "interp/ptx/Waiting.h"

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
using Lanes = uint32_t; // a bit for each lane of a warp

class WarpWalker {
public:
  WarpWalker(const Kernel &kernel, const WalkOptions &options, WalkMemory &memory)
      : kernel(kernel), options(options), memory(memory), slice(sliceOf(kernel)), joined(joinAccesses(kernel)),
        meeting(meetingBlocks(kernel)), accessed(kernel.instructions.size()), runs(kernel.blocks.size()),
        lost(kernel.instructions.size()), values(size_t(kWarp32) * kernel.registers), unknown(kernel.registers),
        steps(kernel.blocks.size()), sources(kernel.instructions.size()) {
    for (size_t i = 0; i < kernel.instructions.size(); ++i)
      if (slice.isComputed[i])
        sources[i] = sourcesOf(kernel.instructions[i]);
    for (size_t block = 0; block < kernel.blocks.size(); ++block)
      for (uint32_t i = kernel.blocks[block].begin; i < kernel.blocks[block].end; ++i)
        if (slice.isComputed[i] || accessesShared(kernel.instructions[i]))
          steps[block].push_back(i);
    for (uint32_t lane = 0; lane < kWarp32; ++lane) {
      at(kLane, lane) = lane;
      at(kThreads, lane) = options.threads;
      for (unsigned axis = 0; axis < 3; ++axis)
        at(kGrid + axis, lane) = options.grid[axis];
    }
  }

  void runProgram(uint64_t number) {
    programNumber = number;
    std::array<uint32_t, 3> program = {uint32_t(number % options.grid[0]),
                                       uint32_t(number / options.grid[0] % options.grid[1]),
                                       uint32_t(number / options.grid[0] / options.grid[1])};
    for (uint32_t first = 0; first < options.threads && isWhole; first += kWarp32) {
      for (uint32_t lane = 0; lane < kWarp32; ++lane) {
        at(kTid, lane) = first + lane;
        at(kWarp, lane) = first / kWarp32;
        for (unsigned axis = 0; axis < 3; ++axis)
          at(kCtaid + axis, lane) = program[axis];
      }
      runWarp();
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

  uint64_t &at(uint32_t reg, uint32_t lane) { return values[size_t(lane) * kernel.registers + reg]; }

  // Lanes that part take their ways one after the other, up to the block where they meet.
  struct Way {
    uint32_t block;
    Lanes lanes;
    uint32_t meets;
  };

  void runWarp() {
    auto end = uint32_t(kernel.blocks.size());
    std::vector<Way> ways{{0, ~Lanes(0), end}};
    Lanes alive = ~Lanes(0);
    std::optional<Waiting::Circle> circle; // the one to leave
    waiting.begin();
    for (uint64_t before = done; done - before < kMostOfAWarp;) {
      while (!ways.empty() &&
             (ways.back().block == ways.back().meets || ways.back().block >= end || !(ways.back().lanes & alive)))
        ways.pop_back();
      if (ways.empty())
        return;
      uint32_t block = ways.back().block;
      Lanes lanes = ways.back().lanes & alive;
      ++runs[block];
      ++done;
      for (uint32_t i : steps[block])
        step(i, lanes);
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
    isWhole = false;
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
    if (last.operation.guard && (unknown[*last.operation.guard] & lanes)) {
      ++guesses;
      taken &= ~unknown[*last.operation.guard];
    }
    return taken;
  }

  Lanes guardOf(const KernelInstruction &instruction) {
    const Operation &operation = instruction.operation;
    if (!operation.guard)
      return ~Lanes(0);
    Lanes lanes = 0;
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      lanes |= Lanes(bool(at(*operation.guard, lane) & 1) != operation.isGuardNegated) << lane;
    return lanes;
  }

  void step(uint32_t index, Lanes lanes) {
    const KernelInstruction &instruction = kernel.instructions[index];
    ++done;
    if (instruction.operation.guard)
      lanes &= guardOf(instruction) & ~unknown[*instruction.operation.guard];
    if (accessesShared(instruction))
      lost[index] += turnsLost(index, lanes);
    if (!slice.isComputed[index] || !lanes)
      return;
    Lanes bad = 0;
    for (uint32_t source : sources[index])
      bad |= unknown[source];
    switch (instruction.role) {
    case Role::Compute: compute(instruction, lanes); break;
    case Role::Parameter: readParameter(instruction, lanes); break;
    case Role::GlobalLoad: bad |= load(instruction, lanes & ~bad); break;
    case Role::Shuffle: shuffle(instruction, lanes); break;
    case Role::Wait: spread(instruction.targets[0], 1, lanes); break;
    case Role::Elect: elect(instruction, lanes); break;
    default: bad = ~Lanes(0);
    }
    for (uint32_t target : instruction.targets)
      unknown[target] = (unknown[target] & ~lanes) | (bad & lanes);
  }

  void spread(uint32_t target, uint64_t value, Lanes lanes) {
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      if (lanes >> lane & 1)
        at(target, lane) = value;
  }

  void compute(const KernelInstruction &instruction, Lanes lanes) {
    bool isVarying = std::ranges::any_of(instruction.targets, [&](uint32_t each) { return slice.isVarying[each]; });
    auto first = uint32_t(std::countr_zero(lanes));
    for (uint32_t lane = first; lane < kWarp32; ++lane)
      if (lanes >> lane & 1) {
        instruction.operation.execute(instruction.operation, &values[size_t(lane) * kernel.registers]);
        if (!isVarying)
          break;
      }
    if (!isVarying)
      for (uint32_t target : instruction.targets)
        spread(target, at(target, first), lanes);
  }

  void readParameter(const KernelInstruction &instruction, Lanes lanes) {
    uint64_t value = instruction.parameter < options.parameters.size() ? options.parameters[instruction.parameter] : 0;
    Type type = instruction.operation.type;
    value = lowBits(value >> 8 * std::clamp<int64_t>(instruction.offset, 0, 7), type.width());
    if (type.kind == Kind::Signed && type.bits < 64)
      value = uint64_t(int64_t(value << (64 - type.bits)) >> (64 - type.bits));
    spread(instruction.targets[0], value, lanes);
  }

  // Lanes whose memory is not there to be read.
  Lanes load(const KernelInstruction &instruction, Lanes lanes) {
    unsigned bytes = std::max(1u, instruction.operation.type.width() / 8);
    Lanes bad = 0;
    for (uint32_t lane = 0; lane < kWarp32; ++lane) {
      if (!(lanes >> lane & 1))
        continue;
      uint64_t address = (instruction.address ? at(*instruction.address, lane) : 0) + uint64_t(instruction.offset);
      for (size_t i = 0; i < instruction.targets.size(); ++i) {
        std::optional<uint64_t> value = memory.read(programNumber, address + i * bytes, bytes);
        at(instruction.targets[i], lane) = value.value_or(0);
        bad |= Lanes(!value) << lane;
      }
    }
    return bad;
  }

  void shuffle(const KernelInstruction &instruction, Lanes lanes) {
    const Operation &operation = instruction.operation;
    std::array<uint64_t, kWarp32> sources{};
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      sources[lane] = read(operation, 1, &values[size_t(lane) * kernel.registers], operation.type);
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      if (lanes >> lane & 1) {
        uint64_t from = read(operation, 2, &values[size_t(lane) * kernel.registers], {Kind::Unsigned, 32});
        at(instruction.targets[0], lane) = sources[from % kWarp32];
      }
  }

  void elect(const KernelInstruction &instruction, Lanes lanes) {
    auto leader = uint32_t(std::countr_zero(lanes));
    spread(instruction.targets[0], leader, lanes);
    for (size_t i = 1; i < instruction.targets.size(); ++i) {
      spread(instruction.targets[i], 0, lanes);
      at(instruction.targets[i], leader) = 1;
    }
  }

  // The last run of an access. Where the next one is the same, a multiple of all banks away, so are its turns.
  struct Accessed {
    std::array<uint64_t, kWarp32> addresses;
    Lanes lanes = 0;
    unsigned lost = 0;

    bool isLike(const std::array<uint64_t, kWarp32> &others, Lanes otherLanes) const {
      constexpr uint64_t kAllBanks = 128;
      if (!lanes || lanes != otherLanes)
        return false;
      auto first = uint32_t(std::countr_zero(lanes));
      uint64_t distance = others[first] - addresses[first], differs = distance % kAllBanks;
      for (uint32_t lane = 0; lane < kWarp32; ++lane)
        differs |= lanes >> lane & 1 ? (others[lane] - addresses[lane]) ^ distance : 0;
      return !differs;
    }
  };

  unsigned turnsLost(uint32_t index, Lanes lanes) {
    const KernelInstruction &instruction = kernel.instructions[index];
    if (instruction.address && (unknown[*instruction.address] & lanes))
      return 0;
    std::array<uint64_t, kWarp32> addresses;
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      addresses[lane] = (instruction.address ? at(*instruction.address, lane) : 0) + uint64_t(instruction.offset);
    std::unique_ptr<Accessed> &last = accessed[index];
    if (!last)
      last = std::make_unique<Accessed>();
    if (!last->isLike(addresses, lanes))
      *last = {addresses, lanes, turnsLostAt(index, addresses.data(), lanes)};
    return last->lost;
  }

  unsigned turnsLostAt(uint32_t index, const uint64_t *addresses, Lanes lanes) const {
    const KernelInstruction &instruction = kernel.instructions[index];
    if (instruction.work == Work::MatrixRead || instruction.work == Work::MatrixWrite)
      return lostTurnsOfMatrices(addresses, instruction.workCount);
    if (instruction.work == Work::SharedAtomic && !instruction.addsOne)
      return lostTurnsOfAtomics(addresses, lanes);
    if (!isJoined(index, addresses, lanes))
      return lostTurns(addresses, lanes, instruction.accessBytes);
    return joined[index].leader == index ? lostTurns(addresses, lanes, joined[index].bytes) : 0;
  }

  bool isJoined(uint32_t index, const uint64_t *addresses, Lanes lanes) const {
    auto [leader, bytes] = joined[index];
    if (!bytes)
      return false;
    int64_t behind = kernel.instructions[index].offset - kernel.instructions[leader].offset;
    for (uint32_t lane = 0; lane < kWarp32; ++lane)
      if (lanes >> lane & 1 && (addresses[lane] - uint64_t(behind)) % bytes)
        return false;
    return true;
  }

  const Kernel &kernel;
  const WalkOptions &options;
  WalkMemory &memory;
  Slice slice;
  std::vector<Joined> joined;                      // by instruction
  std::vector<uint32_t> meeting;                   // by block
  std::vector<std::unique_ptr<Accessed>> accessed; // by instruction
  std::vector<uint64_t> runs;                      // by block: of warps
  std::vector<uint64_t> lost;                      // by instruction: turns in shared memory
  std::vector<uint64_t> values;                    // by lane and register
  std::vector<Lanes> unknown;                      // by register
  std::vector<std::vector<uint32_t>> steps;        // by block: what is computed or counted of it
  std::vector<std::vector<uint32_t>> sources;      // by instruction: what it reads
  Waiting waiting{values, unknown};
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
  if (kernel.blocks.empty() || !programs)
    return {};
  WarpWalker walker(kernel, options, memory);
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
