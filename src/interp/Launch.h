// Launch.h: one run of a grid: which program comes next, what memory there is, and who waits for whom.
//
// With several workers, programs run at the same time. With one, they run in turns: a program that waits in a loop for
// another (a lock, a flag) gives way to the next live program, or to one not yet started. Either way a program that
// waits for a later one gets what it waits for, and with turns the order is the same on every run.
#pragma once

#include "interp/Machine.h"

#include <condition_variable>
#include <list>
#include <mutex>
#include <thread>

namespace nereid::interp {

class Checker;

class Launch {
public:
  Launch(const Program &program, const std::vector<Argument> &arguments, const LaunchOptions &options);
  ~Launch();

  LaunchResult run();
  Failure evaluate(std::span<const void *const> inputs, std::span<void *const> outputs,
                   const std::array<uint32_t, 3> &index);

  // The allocation that holds all of [address, address + bytes), or null.
  const Allocation *find(uint64_t address, size_t bytes) const;
  // The allocation whose bounds are nearest to an address.
  const Allocation *nearest(uint64_t address) const;
  bool hasAllocations() const { return !allocations.empty(); }
  const LaunchOptions &launchOptions() const { return options; }

  // The program waits for another one; false when the launch must stop.
  bool giveWay(Machine &machine, const Instruction &instruction);
  // Memory that others may wait for has changed.
  void noteProgress() { progress.fetch_add(1, std::memory_order_relaxed); }
  bool mustStop() const { return stop.load(std::memory_order_relaxed); }
  // Whether nobody has ended the launch; the program is in a loop at the instruction.
  bool goesOn(Machine &machine, const Instruction *instruction);
  void report(const Failure &failure);
  void write(const std::string &text);

private:
  Failure checkArguments() const;
  void placeConstants(Machine &machine, std::byte *frame) const;
  void prepare(Machine &machine, std::byte *frame) const;
  void orderPrograms();
  bool nextProgram(std::array<uint32_t, 3> &program);
  void runProgram(Machine &machine);
  void work(unsigned turnId);
  bool startWorker();
  void waitForTurn(std::unique_lock<std::mutex> &lock, unsigned turnId);
  bool passTurn(Machine &machine, const Instruction &instruction);
  bool waitBesideOthers(Machine &machine, const Instruction &instruction);
  bool failDeadlock(Machine &machine, const Instruction &instruction);

  const Program &program;
  const std::vector<Argument> &arguments;
  const LaunchOptions &options;
  std::vector<Allocation> allocations; // by address
  std::vector<uint32_t> order;         // empty: as numbered
  uint64_t total = 0;
  std::atomic<uint64_t> next{0}, finished{0}, progress{0};
  std::atomic<bool> stop{false};
  bool takesTurns = true;
  cpu::Watch watch;
  std::unique_ptr<Checker> checker;
  Observer *observer = nullptr;

  std::mutex mutex;
  std::condition_variable turnChanged;
  std::list<unsigned> live; // workers in the order of their turns
  unsigned turn = 0, nextTurnId = 0;
  std::list<std::thread> threads;
  Failure firstFailure;
};

} // namespace nereid::interp
