// Block.h: a block of threads of a launch: its warps, its shared memory, its barriers, and what is under way beside the threads.
#pragma once

#include "Chance.h"
#include "Module.h"
#include "Races.h"

#include <array>
#include <bit>
#include <deque>
#include <functional>
#include <stdexcept>

namespace nereid::emulated {

constexpr uint32_t kWarpLanes = 32;
constexpr ptx::Type kWord{ptx::Kind::Bits, 32};

template <class F> void eachLane(Lanes lanes, F visit) {
  for (; lanes; lanes &= lanes - 1)
    visit(uint32_t(std::countr_zero(lanes)));
}

// What a GPU would stop for.
struct Fault : std::runtime_error {
  enum class Kind { IllegalAddress, Misaligned, IllegalInstruction, Trap, Assert, Hangs, Race, Parted };
  Fault(Kind kind, const std::string &text) : std::runtime_error(text), kind(kind) {}
  Kind kind;
};

struct LaunchShape {
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint32_t threads = 32;
  uint64_t sharedBytes = 0; // dynamic
};

// A function that a lane is in.
struct Frame {
  Frame(const Function &function, uint64_t depth);
  const Function *function;
  uint64_t depth;
  uint32_t place = 0; // of the next instruction
  std::vector<uint64_t> registers;
  std::vector<uint8_t> local, parameters;
};

// Where a variable of a function lies for one call of it.
inline uint64_t inFrame(uint64_t address, const Frame &frame) {
  return address >= kLocal && address < kWindowsEnd ? address + frame.depth * kFrameBytes : address;
}

// What is still to be done beside the threads, in order.
using Works = std::vector<std::function<void()>>;
void perform(Works &works); // and forgets them

// Works that are waited for together, and those that are not yet part of a group.
struct WorkGroups {
  struct Group {
    Works works;
    uint32_t time = 0; // of the last one (Races.h)
  };
  Group open;
  std::deque<Group> closed;

  void add(std::function<void()> work, uint32_t time) { open.works.push_back(std::move(work)), open.time = time; }
  void close();
  void perform(); // all, at once
};

struct Lane {
  std::vector<std::unique_ptr<Frame>> frames;
  Frame *frame = nullptr; // the innermost
  bool carry = false;
  WorkGroups copies, stores; // cp.async, and cp.async.bulk to global memory
};

// Lanes that went different ways at a branch and are not yet where all ways from there meet.
struct Parting {
  uint64_t depth;
  uint32_t branch, place; // instructions of the function: where they parted, and where they meet
  Lanes lanes;
};

class Block;

class Warp {
public:
  Warp(Block &block, uint32_t number, const std::vector<uint8_t> &parameters);

  // Goes on until it waits for others, or has ended, or for some thousand instructions.
  void run();

  uint64_t *registers(uint32_t lane) { return lanes[lane].frame->registers.data(); }
  uint64_t value(const Act &act, size_t operand, uint32_t lane) {
    return ptx::read(act.operation(), operand, registers(lane), act.operation().type);
  }
  uint64_t value(const Act &act, size_t operand, uint32_t lane, ptx::Type type) {
    return ptx::read(act.operation(), operand, registers(lane), type);
  }
  void set(const Act &act, uint32_t lane, uint64_t value, ptx::Type type) {
    ptx::write(act.operation(), registers(lane), value, type);
  }
  uint64_t address(const Act &act, uint32_t lane, size_t which = 0);
  // The memory at an address of a lane; throws where there is none, or where it is not aligned.
  uint8_t *memory(Space space, uint64_t address, uint64_t bytes, uint64_t alignment, uint32_t lane);

  // wgmma: all products but those of the last `left` groups that were closed; with 0, those of the open group too.
  void makeProducts(uint64_t left);

  void call(const Act &act, Lanes lanes);
  void leave(Lanes lanes); // the function, or the kernel

  Block &block;
  uint32_t number;
  std::array<Lane, kWarpLanes> lanes;
  Lanes alive = 0;
  WorkGroups products; // wgmma: the warp's part of them
  bool isAtBarrier = false, isPolling = false;
  const Act *current = nullptr;            // for messages
  std::function<void(uint64_t)> atRelease; // of the barrier that it waits at: what bar.red gives

private:
  Lanes choose();
  Lanes membersOf(const Act &act, Lanes group);
  void runGroup(Lanes group);
  void perform(const Act &act, Lanes group);
  void part(const Frame &frame, uint32_t branch, Lanes group);
  void meet(uint64_t depth, uint32_t place, Lanes group);
  void checkMet(const Frame &frame);

  uint32_t limit = 0; // the place where the group meets others
  std::vector<Parting> partings;
};

struct Barrier { // bar.sync
  uint32_t arrived = 0;
  uint64_t sum = 0, all = ~uint64_t(0), any = 0; // of what bar.red combines
  std::vector<Warp *> waiting;
  Clocks released;
  uint32_t expected = 0; // threads; 0: all that have not ended
};

struct TransferBarrier { // mbarrier
  uint32_t count = 0, pending = 0;
  int64_t bytes = 0; // that are still to come
  uint64_t phase = 0;
  std::deque<std::function<void()>> copies; // that it waits for
  Clocks arrived, released;                 // of this phase, and of those that ended
};

class Block {
public:
  Block(const Module &module, const Function &kernel, const LaunchShape &shape, std::array<uint32_t, 3> index,
        const std::vector<uint8_t> &parameters, Chance &chance);

  // False: it has not ended yet.
  bool run(uint64_t rounds);

  void arriveAt(uint32_t barrier, Warp &warp, bool waits, uint32_t expected, uint64_t count, bool all, bool any);
  void arrive(uint64_t address, uint32_t count);
  void transferred(uint64_t address, int64_t bytes);
  TransferBarrier &transferBarrier(uint64_t address);
  // Something happened that others may wait for.
  void wake();
  void warpEnded();

  const Module &module;
  const Function &kernel;
  const LaunchShape &shape;
  std::array<uint32_t, 3> index;
  Chance &chance;
  std::vector<uint8_t> shared;
  std::map<uint64_t, TransferBarrier> transferBarriers;
  Races races;
  std::vector<std::unique_ptr<Warp>> warps;
  uint64_t executed = 0; // instructions of warps
  uint64_t barriersPassed = 0;
  std::pair<uint64_t, uint64_t> lastFound{}; // of global memory

private:
  void release(uint32_t barrier);
  uint32_t threadsLeft() const;

  std::array<Barrier, 16> barriers;
  uint64_t round = 0;
};

// Device memory of the host: the allocation that holds an address, from and to.
std::pair<uint64_t, uint64_t> memoryAround(uint64_t address);

// Runs all blocks, and gives how many barriers they passed. Throws a Fault.
uint64_t runLaunch(const Module &module, const Function &kernel, const LaunchShape &shape,
                   const std::vector<uint8_t> &parameters, uint64_t seed);

} // namespace nereid::emulated
